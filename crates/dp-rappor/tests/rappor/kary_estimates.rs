//! Estimates from k-ary randomized answers are unbiased and have the variance that they state.

use dp_rappor::KaryRandomizedResponse;

use crate::support::kary as response;

/// Mean and variance of the estimate of each answer by `estimator`, by enumeration of every report
/// of every client. `truth` has the number of clients with each true answer.
fn enumerated(
    response: &KaryRandomizedResponse,
    estimator: &KaryRandomizedResponse,
    truth: &[u32],
) -> Vec<(f64, f64)> {
    let answers = response.answers();
    // Of one client who holds `answer`: E[part^power], part being what its report adds to estimate i.
    let moment = |answer, i, power| -> f64 {
        let term = |report| {
            let part = estimator.debias(u32::from(i == report), 1);
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
            for (held, (mean, variance)) in
                truth.iter().zip(enumerated(&response, &response, &truth))
            {
                assert!(close(mean, f64::from(*held)));
                let deviation = response.standard_deviation((*held).into(), reports);
                assert!(close(deviation.powi(2), variance), "{epsilon}, {truth:?}");
                assert!(deviation <= response.standard_deviation(reports, reports));
            }
        }
    }
}

#[test]
fn debiasing_for_k_answers_beside_the_truth_or_with_another_epsilon_is_caught() {
    for (epsilon, answers) in [("1", 5), ("1", 3), ("2", 4)] {
        let faulty = response(epsilon, answers);
        let found = enumerated(&response("1", 4), &faulty, &[0, 5, 0, 15]);
        let off = |((mean, _), held): (&(f64, f64), f64)| (mean - held).abs() > 0.1;
        assert!(found.iter().zip([0.0, 5.0, 0.0, 15.0]).any(off), "{found:?}");
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
