//! Histograms behind a strategy matrix: what aggregators do to their shares, and the guarantees.

use dp_prio3::prio::field::{Field128, FieldElement as _};
use dp_prio3::{AggregatorNoise, PrivacyBound, SignedField, TrustModel};

use crate::support::{
    OC, Task, among, amount, epsilon_delta, epsilon_of, histogram, noise_parts, policy_of, pure,
    rng,
};

/// Shares are multiplied, then noised: the total is C·x and the noise that the mechanism draws of
/// the same seeds.
#[test]
fn the_total_is_the_product_with_the_noise_of_both_aggregators() {
    let budget = || amount(epsilon_delta("1", "1e-8"));
    for noise in [
        AggregatorNoise::PercentilesGaussian { budget: budget() },
        AggregatorNoise::RangesGaussian { budget: budget() },
        AggregatorNoise::RangesLaplace { budget: amount(pure("1")) },
    ] {
        let name = format!("{noise:?}");
        let mut task = Task::new(noise_parts(histogram(2, 50), noise), 1);
        let counts: Vec<i128> = (0..50).map(|bucket| bucket * bucket % 37).collect();
        let reports = u64::try_from(counts.iter().sum::<i128>()).expect("a number of reports");
        // Shares of large elements, as shares are.
        let large = |bucket: &i128| (bucket + 1) * 0x0001_5678_9abc_def0_1357_9bdf;
        let first: Vec<i128> = counts.iter().map(large).collect();
        let second = counts.iter().zip(&first).map(|(count, share)| count - share).collect();

        let matrix = task.policy.query().strategy_matrix().expect("a matrix");
        let mut expected = matrix.multiply(&counts);
        let mut shares = Vec::new();
        for ((batch, share), seed) in task.next_batches().into_iter().zip([first, second]).zip(14..)
        {
            let holding = batch.holding(&share, reports).expect("in the field");
            shares.push(holding.finish_seeded(&mut rng(seed)).expect("the noise fits"));
            let mut draws = vec![Field128::zero(); 50];
            task.policy.mechanism().expect("noise").add_to(&mut draws, &mut rng(seed)).unwrap();
            for (total, draw) in expected.iter_mut().zip(draws) {
                *total += draw.to_signed();
            }
        }
        assert_eq!(task.collector.collect(&shares).unwrap().totals, expected, "{name}");
    }
}

/// The budget is kept. At another δ and for several honest aggregators the bound is the noise's.
#[test]
fn guarantees_are_those_of_the_product() {
    let noise = AggregatorNoise::PercentilesGaussian { budget: amount(epsilon_delta("1", "1e-8")) };
    let policy = policy_of(noise_parts(histogram(2, 64), noise));
    for (model, delta, releases, range) in [
        ("OAOC", "1e-8", 1, 1.0 - 1e-9..1.0 + 1e-9),
        ("OAOC", "1e-10", 1, 1.05..1.2),
        ("2AOC", "1e-8", 1, 0.0..0.72),
        ("OAOC", "1e-8", 12, 3.5..4.5),
    ] {
        let model: TrustModel = model.parse().unwrap();
        let bound = policy.pair(model, &among(1, delta).over(releases));
        assert!(range.contains(&epsilon_of(&bound)), "{bound}");
    }
    let none = policy.guarantee(OC, &among(1, "1e-8")).bound;
    assert!(matches!(none, PrivacyBound::Absent { .. }));
}
