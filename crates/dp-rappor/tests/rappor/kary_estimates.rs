//! Estimates from k-ary randomized answers are unbiased and have the variance that they state.

use dp_rappor::KaryRandomizedResponse;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::support::kary as response;

/// Mean and variance of the estimate of each answer, by enumeration of every report of every client.
/// `truth` has the number of clients with each true answer.
fn enumerated(response: &KaryRandomizedResponse, truth: &[u32]) -> Vec<(f64, f64)> {
    let answers = response.answers();
    // Of one client who holds `answer`: E[part^power], part being what its report adds to estimate i.
    let moment = |answer, i, power| -> f64 {
        let term = |report| {
            let part = response.debias(u32::from(i == report), 1);
            response.probability(answer, report, 64).midpoint() * part.powi(power)
        };
        (0..answers).map(term).sum()
    };
    let of_estimate = |i| {
        let clients = || (0..answers).zip(truth.iter().copied().map(f64::from));
        let variance = |answer| moment(answer, i, 2) - moment(answer, i, 1).powi(2);
        let mean = clients().map(|(answer, clients)| clients * moment(answer, i, 1)).sum();
        (mean, clients().map(|(answer, clients)| clients * variance(answer)).sum())
    };
    (0..answers).map(of_estimate).collect()
}

#[test]
fn mean_and_variance_are_those_of_the_enumeration() {
    let close = |one: f64, other: f64| (one - other).abs() < 1e-8 * (1.0 + other.abs());
    for epsilon in ["1/5", "1", "3"] {
        for truth in [vec![7, 3], vec![5, 0, 2], vec![0, 9, 1, 4, 0]] {
            let answers = u32::try_from(truth.len()).unwrap();
            let response = response(epsilon, answers);
            let reports = u64::from(truth.iter().sum::<u32>());
            for (held, (mean, variance)) in truth.iter().zip(enumerated(&response, &truth)) {
                assert!(close(mean, f64::from(*held)));
                let deviation = response.standard_deviation((*held).into(), reports);
                assert!(close(deviation.powi(2), variance), "{epsilon}, {truth:?}");
                assert!(deviation <= response.standard_deviation(reports, reports));
            }
        }
    }
}

/// Whether the estimates over 200 000 clients are right within chance, all four together but for
/// 1e-9, by Hoeffding's inequality. A quarter of the clients hold answer 1, the rest answer 3.
fn finds_the_quarter(estimate: impl Fn(u64, u64) -> f64) -> bool {
    let response = response("1", 4);
    let mut rng = ChaCha20Rng::seed_from_u64(47);
    let mut counts = [0_u64; 4];
    for client in 0..200_000 {
        let answer = if client % 4 == 0 { 1 } else { 3 };
        let report = response.randomize(&mut rng, answer).expect("an answer");
        counts[usize::try_from(report).expect("small")] += 1;
    }
    let slope = response.debias(1, 1) - response.debias(0, 1);
    let stray = slope * (200_000.0 * 8e9_f64.ln() / 2.0).sqrt();
    let truth = [0.0, 50_000.0, 0.0, 150_000.0];
    counts
        .into_iter()
        .zip(truth)
        .all(|(count, held)| (estimate(count, 200_000) - held).abs() < stray)
}

#[test]
fn estimates_are_right_within_chance() {
    assert!(finds_the_quarter(|count, reports| response("1", 4).debias(count, reports)));
}

#[test]
fn debiasing_for_k_answers_beside_the_truth_or_with_another_epsilon_is_caught() {
    for (epsilon, answers) in [("1", 5), ("1", 3), ("2", 4)] {
        let faulty = response(epsilon, answers);
        assert!(!finds_the_quarter(|count, reports| faulty.debias(count, reports)));
    }
}

#[test]
fn the_error_of_an_estimate_is_that_of_the_truth_it_stands_for() {
    for (count, answers) in (0..=100_u64).step_by(7).zip((2..10).cycle()) {
        let response = response("2", answers);
        let estimate = response.estimate(count, 100);
        let holding = estimate.value.clamp(0.0, 100.0);
        let [least, most] = [holding.floor(), holding.ceil()].map(|whole| {
            let whole = (0..=100_u32).find(|n| f64::from(*n) == whole).unwrap();
            response.standard_deviation(whole.into(), 100)
        });
        let allowed = least * (1.0 - 1e-12)..=most * (1.0 + 1e-12);
        assert!(allowed.contains(&estimate.standard_error), "{count} {answers}");
    }
}
