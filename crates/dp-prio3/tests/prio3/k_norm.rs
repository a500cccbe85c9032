//! Guarantees of K-norm noise, against the losses of every difference in the box at toy size.

use std::iter::zip;

use dp_prio3::mechanisms::{NoiseKind, NoiseMechanism};
use dp_prio3::{Circumstances, Policy};

use crate::support::toy::all_vectors;
use crate::support::view::{MARGIN, convolution};
use crate::support::*;

/// The probabilities that an outcome z of noise of this scale has the loss k/t, k = ‖z − v‖∞ −
/// ‖z‖∞, for k from −`most` to `most` and the difference v, of which no entry exceeds `most`.
fn losses(scale: f64, difference: &[i32], most: i32) -> Vec<f64> {
    // Outside a cube of this half side the noise has a probability below 1e-9.
    let half: i32 = (0..).find(|half| f64::from(*half) > scale * 30.0).expect("little noise");
    let width = 2 * half + 1;
    let mut found = vec![0.0; usize::try_from(2 * most + 1).expect("small")];
    for outcome in 0..width.pow(u32::try_from(difference.len()).expect("few")) {
        let (mut digits, mut norm, mut moved) = (outcome, 0, 0);
        for change in difference {
            let entry = digits % width - half;
            digits /= width;
            (norm, moved) = (norm.max(entry.abs()), moved.max((entry - change).abs()));
        }
        let loss = usize::try_from(moved - norm + most).expect("the triangle inequality");
        found[loss] += (-f64::from(norm) / scale).exp();
    }
    let total: f64 = found.iter().sum();
    found.into_iter().map(|mass| mass / total).collect()
}

/// δ at ε where one person has the losses of two releases.
fn delta_of(first: &[f64], second: &[f64], scale: f64, epsilon: f64) -> f64 {
    let sums = convolution(first, second);
    let most = i32::try_from(sums.len() / 2).expect("few");
    let excess = |(mass, loss): (&f64, i32)| mass * -(epsilon - f64::from(loss) / scale).exp_m1();
    zip(&sums, -most..).map(excess).filter(|excess| *excess > 0.0).sum()
}

/// The largest δ at ε over all differences of each release; signs and the order of the entries do
/// not matter.
fn worst_delta(policy: &Policy, at: &Circumstances, scale: f64, epsilon: f64) -> f64 {
    let largest = i32::try_from(policy.query().max_entry()).expect("small");
    let most = largest * i32::try_from(at.reports_per_client).expect("few");
    let width = usize::try_from(most).expect("small");
    let mut all = all_vectors(policy.query().totals(), width, 0..=usize::MAX);
    all.retain(|difference| difference.is_sorted());
    let each = all.into_iter().map(|difference| {
        let entries = difference.into_iter().map(|entry| i32::try_from(entry).expect("small"));
        losses(scale, &entries.collect::<Vec<_>>(), most)
    });
    let each: Vec<Vec<f64>> = each.collect();
    // A second release of no loss where there is one alone.
    let others = if at.releases == 1 { &vec![vec![1.0]] } else { &each };
    let pairs = each.iter().flat_map(|first| others.iter().map(move |second| [first, second]));
    pairs.map(|[first, second]| delta_of(first, second, scale, epsilon)).fold(0.0, f64::max)
}

/// Both adjacencies, all budgets, one and two releases, one and two reports of a person, and one
/// honest aggregator. No δ exceeds the claimed one, and none is below 80 % of it for each release:
/// so much may the accounting of one number cost. With a scale of 1 % less every pure guarantee
/// breaks.
#[test]
fn no_difference_in_the_box_exceeds_the_guarantee() {
    for (vdaf, budget, deltas) in [
        (sum_vec(2, 2, 3), pure("1.2"), &["0", "0.1", "1e-3"][..]),
        (sum_vec(2, 2, 2), epsilon_delta("1.5", "1/50"), &["1/50", "0.2"]),
        (sum_vec(2, 3, 1), pure("2"), &["0", "1/30"]),
        (multihot(3, Some(3)), epsilon_delta("1", "1/50"), &["1/50", "0"]),
        (multihot(2, Some(2)), pure("1/2"), &["0", "0.1"]),
    ] {
        let policy = policy_of(noise_parts(vdaf, k_norm(budget)));
        let scale = policy.mechanism().expect("noise").distribution().parameter().1.to_f64();
        let circumstances = [
            (Adjacency::Replacement, 1, 1),
            (Adjacency::Replacement, 2, 1),
            (Adjacency::Deletion, 1, 1),
            (Adjacency::Deletion, 1, 2),
        ];
        let asked = deltas.iter().flat_map(|asked| circumstances.map(|at| (asked, at)));
        for (asked, (adjacency, releases, reports)) in asked {
            let at = among(1, asked).over(releases).with_reports_per_client(reports);
            let at = at.with_adjacency(adjacency);
            let claimed = policy.pair(OAOC, &at).expect("a guarantee");
            let name = format!("{:?} {at:?} {claimed:?}", policy.query());
            let epsilon = claimed.epsilon.value().to_f64();
            let delta = claimed.delta.value().to_f64();
            let found = worst_delta(&policy, &at, scale, epsilon);
            assert!(found <= delta + MARGIN, "{name}: {found}");
            if claimed.delta.value().is_zero() {
                let faulty = worst_delta(&policy, &at, 0.99 * scale, epsilon);
                assert!(faulty > MARGIN, "{name}: {faulty}");
            } else {
                let least = 0.8_f64.powi(i32::try_from(releases).expect("few")) * delta;
                assert!(found >= least, "{name}: {found} of {delta}");
            }
        }
    }
}

/// P(‖z‖∞ = n) ∝ ((2n + 1)^d − (2n − 1)^d)·q^n.
#[test]
fn all_totals_together_stay_within_the_tail_bound() {
    for (length, budget) in [(2_u32, "1/3"), (2, "9"), (30, "1"), (60, "1/2")] {
        let query = dp_calibration::Query::SumVec { length: length as usize, max_measurement: 4 };
        let noise = NoiseMechanism::calibrate(NoiseKind::DiscreteKNorm, &query, &pure(budget));
        let noise = noise.expect("in range");
        let scale = noise.distribution().parameter().1.to_f64();
        let weight = |n: i32| {
            let (side, inner) = (f64::from(2 * n + 1), f64::from(2 * n - 1));
            let ln = f64::from(length) * side.ln() - f64::from(n) / scale;
            let shell = if n > 0 { 1.0 - (inner / side).powf(length.into()) } else { 1.0 };
            (ln - f64::from(length) * f64::from(length).ln()).exp() * shell
        };
        let total: f64 = (0..40_000).map(weight).sum();
        for bits in [1, 10, 40] {
            let bound = i32::try_from(&noise.tail_bound(bits)).expect("little noise");
            let tail = (bound + 1..40_000).map(weight).sum::<f64>() / total;
            let allowed = 0.5_f64.powi(i32::try_from(bits).expect("few"));
            assert!(tail <= allowed, "{length} {budget} {bits}: {tail}");
        }
    }
}

/// One number has Laplace noise; a histogram and randomized vectors have no noise of this shape.
#[test]
fn what_is_no_vector_has_no_such_noise() {
    for (vdaf, said) in [
        (sum_vec(2, 1, 3), "vdaf.length is 1: expected 2 to 1000 entries; of one entry it is"),
        (sum_vec(2, 1001, 3), "vdaf.length is 1001"),
        (sum_vec(2, 5, 1 << 60), "aggregator_noise"),
        (histogram(2, 3), "no policy"),
        (sum(2, 3), "no policy"),
    ] {
        let refused = Policy::new(noise_parts(vdaf, k_norm(pure("1/4")))).expect_err(said);
        assert!(refused.to_string().contains(said), "{refused}");
    }
    let zero_concentrated = noise_parts(sum_vec(2, 3, 3), k_norm(concentrated("1")));
    assert!(Policy::new(zero_concentrated).is_err());
    let randomized = with_noise(&rappor(3, 2, "1", "0"), k_norm(pure("1")));
    assert!(Policy::new(randomized).is_err());
}
