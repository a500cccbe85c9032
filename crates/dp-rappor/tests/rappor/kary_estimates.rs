//! Estimates from k-ary randomized answers are unbiased and have the covariance that they state.

use dp_rappor::{Estimate, KaryRandomizedResponse};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::support::kary as response;

/// The covariance that is stated of two estimates with these values.
fn covariance(response: &KaryRandomizedResponse, values: [f64; 2], reports: u64) -> f64 {
    let [one, other] = values.map(|value| Estimate { value, standard_error: 0.0 });
    response.estimated_covariance([&one, &other], reports)
}

/// Means and covariance matrix of the estimates of all answers, by enumeration of every report of
/// every client. `truth` has the true answer of each client.
fn enumerated(response: &KaryRandomizedResponse, truth: &[u32]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let answers = response.answers();
    let part = |i: u32, report: u32| response.debias(u32::from(i == report), 1);
    let transition = |answer, report| response.probability(answer, report, 64).midpoint();
    // Of one client who holds `answer`: E[part i], E[part i · part j].
    let mean = |answer, i| -> f64 {
        let terms = (0..answers).map(|report| transition(answer, report) * part(i, report));
        terms.sum()
    };
    let product = |answer, i, j| -> f64 {
        let terms = (0..answers)
            .map(|report| transition(answer, report) * part(i, report) * part(j, report));
        terms.sum()
    };
    let over_clients = |of: &dyn Fn(u32) -> f64| -> f64 {
        let terms =
            (0..answers).zip(truth).map(|(answer, clients)| f64::from(*clients) * of(answer));
        terms.sum()
    };
    let means = (0..answers).map(|i| over_clients(&|answer| mean(answer, i))).collect();
    let covariance =
        |i, j| over_clients(&|answer| product(answer, i, j) - mean(answer, i) * mean(answer, j));
    let matrix = (0..answers).map(|i| (0..answers).map(|j| covariance(i, j)).collect()).collect();
    (means, matrix)
}

#[test]
fn mean_variance_and_covariance_are_those_of_the_enumeration() {
    let close = |one: f64, other: f64| (one - other).abs() < 1e-8 * (1.0 + other.abs());
    for epsilon in ["1/5", "1", "3"] {
        for truth in [vec![7, 3], vec![5, 0, 2], vec![0, 9, 1, 4, 0]] {
            let answers = u32::try_from(truth.len()).unwrap();
            let response = response(epsilon, answers);
            let reports = u64::from(truth.iter().sum::<u32>());
            let (means, matrix) = enumerated(&response, &truth);
            for (i, held) in truth.iter().map(|held| u64::from(*held)).enumerate() {
                assert!(close(means[i], f64::from(truth[i])));
                let deviation = response.standard_deviation(held, reports);
                assert!(close(deviation.powi(2), matrix[i][i]), "{epsilon}, {truth:?}");
                assert!(deviation <= response.standard_deviation(reports, reports));
                for j in (0..truth.len()).filter(|j| *j != i) {
                    let together = f64::from(truth[i] + truth[j]);
                    let covariance = covariance(&response, [together, 0.0], reports);
                    assert!(close(covariance, matrix[i][j]), "{epsilon}, {truth:?}");
                }
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

#[test]
fn an_estimated_covariance_is_that_of_the_sum_of_both_estimates_cut_to_the_reports() {
    let response = response("1", 5);
    let covariance = |one, other| covariance(&response, [one, other], 100);
    assert_eq!(covariance(30.0, 20.0), covariance(50.0, 0.0));
    assert_eq!(covariance(-30.0, 20.0), covariance(0.0, 0.0));
    assert_eq!(covariance(70.0, 60.0), covariance(100.0, 0.0));
    assert_eq!(covariance(f64::INFINITY, f64::NEG_INFINITY), covariance(100.0, 0.0));
    assert!(covariance(50.0, 0.0) < covariance(0.0, 0.0));
}
