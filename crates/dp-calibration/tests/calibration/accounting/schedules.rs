//! Noise for a total budget: against figures, the accountant and its neighbours.

use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::accounting::schedule::{NoiseSchedule, ScheduledQuery, schedule};
use dp_calibration::{Budget, NoiseDistribution, NoiseKind};
use dp_exact::Rational;

use super::{accountant, line};
use crate::common::{delta_of, epsilon, number};

fn approximate(rate: &str, delta: &str) -> Budget {
    Budget::approximate(epsilon(rate), delta_of(delta))
}

/// σ² or t.
fn parameter(noise: &NoiseDistribution) -> &Rational {
    noise.parameter().1
}

/// Fails unless, by the accountant, the noise keeps (ε, δ) and a millionth less does not.
fn assert_certified(lines: &[ScheduledQuery], found: &NoiseSchedule, rate: &str, delta: &str) {
    let with_noise_times = |factor: &str| {
        let releases = lines.iter().zip(&found.noises).map(|(line, noise)| {
            let law = noise.kind().distribution(parameter(noise) * &number(factor));
            (AccountedMechanism::Noise { law, difference: line.difference.clone() }, line.times)
        });
        accountant(releases).delta(&epsilon(rate)).expect("an enclosure")
    };
    let target = number(delta);
    let kept = with_noise_times("1");
    assert!(kept.lower().cmp_rational(&target).is_le(), "{found:?} {kept}");
    let broken = with_noise_times("0.999999");
    assert!(broken.upper().cmp_rational(&target).is_gt(), "{found:?} {broken}");
}

#[test]
fn equal_releases_have_the_noise_of_the_table() {
    let figures = [
        (1, 2.799, 7.209),
        (2, 5.642, 10.20),
        (4, 11.31, 14.43),
        (8, 22.6, 20.40),
        (16, 37.9, 28.85),
        (30, 53.6, 39.51),
        (100, 101.0, 72.13),
    ];
    for (times, laplace, gaussian) in figures {
        let lines = [line(2, 1, times)];
        for (mechanism, figure) in
            [(NoiseKind::DiscreteLaplace, laplace), (NoiseKind::DiscreteGaussian, gaussian)]
        {
            let found = schedule(&lines, mechanism, &[], &approximate("1", "1e-8"));
            let found = found.expect("a schedule");
            let std = found.noises[0].standard_deviation();
            assert!((std / figure - 1.0).abs() < 2e-3, "{times} {mechanism:?} {std}");
            assert_certified(&lines, &found, "1", "1e-8");
        }
    }
}

#[test]
fn a_month_of_histograms_and_sums_keeps_its_budget_and_no_less_noise_does() {
    let lines = [line(2, 1, 30), line(1, 8, 4)];
    let weights = [number("2"), number("1")];
    for (mechanism, weights) in
        [(NoiseKind::DiscreteGaussian, &[][..]), (NoiseKind::DiscreteLaplace, &weights)]
    {
        let found = schedule(&lines, mechanism, weights, &approximate("2", "1e-8"));
        let found = found.expect("a schedule");
        assert_certified(&lines, &found, "2", "1e-8");
    }
}

#[test]
fn weights_are_what_they_say() {
    let lines = [line(2, 1, 10), line(1, 7, 3)];
    let weights = [number("3"), number("1")];
    let ratio = |kind, budget: &Budget| {
        let found = schedule(&lines, kind, &weights, budget).expect("a schedule");
        parameter(&found.noises[1]).to_f64() / parameter(&found.noises[0]).to_f64()
    };
    // 3σ₁⁴/20 = σ₂⁴/147.
    let found = ratio(NoiseKind::DiscreteGaussian, &approximate("1", "1e-6"));
    assert!((found / f64::sqrt(3.0 * 147.0 / 20.0) - 1.0).abs() < 1e-9, "{found}");
    // 3t₁³/20 = t₂³/21.
    let pure = Budget::Pure { epsilon: epsilon("2") };
    let found = ratio(NoiseKind::DiscreteLaplace, &pure);
    assert!((found / f64::cbrt(3.0 * 21.0 / 20.0) - 1.0).abs() < 1e-9, "{found}");
}

#[test]
fn a_rho_is_spent_whole() {
    let lines = [line(2, 1, 365), line(1, 80, 12), line(16, 255, 1)];
    let rho = || "1/2".parse().expect("positive");
    let budget = Budget::ZeroConcentrated { rho: rho() };
    let found = schedule(&lines, NoiseKind::DiscreteGaussian, &[], &budget).expect("a schedule");
    let spent = lines.iter().zip(&found.noises).map(|(line, law)| {
        let square = Rational::integer(dp_calibration::BigInt::from(line.difference.l2_squared()));
        let times = Rational::from(2 * u64::from(line.times)) * &number("1/4");
        (square * times).checked_div(parameter(law)).expect("positive")
    });
    assert_eq!(spent.fold(Rational::zero(), |sum, each| sum + each), number("1/2"));
    // The sum of variances is least where σ² is in proportion to √(nΔ₂²).
    let shape = |line: &ScheduledQuery, law: &NoiseDistribution| {
        let square = f64::from(line.times)
            * line.difference.l2_squared().to_string().parse::<f64>().unwrap();
        parameter(law).to_f64() / square.sqrt()
    };
    let shapes: Vec<f64> =
        lines.iter().zip(&found.noises).map(|(line, law)| shape(line, law)).collect();
    assert!(shapes.iter().all(|shape| (shape / shapes[0] - 1.0).abs() < 1e-9), "{shapes:?}");
    let laplace = schedule(&lines, NoiseKind::DiscreteLaplace, &[], &budget);
    assert!(laplace.expect_err("refused").to_string().starts_with("budget is"));
}

#[test]
fn what_no_schedule_keeps_is_refused_by_name() {
    let two = vec![line(2, 1, 3), line(1, 9, 5)];
    let given = |weights: &[&str]| weights.iter().map(|it| number(it)).collect::<Vec<_>>();
    let none = || given(&[]);
    let rho = Budget::ZeroConcentrated { rho: "1/2".parse().expect("positive") };
    let refusal = |lines: &[ScheduledQuery], weights: &[Rational], budget: &Budget| {
        let found = schedule(lines, NoiseKind::DiscreteGaussian, weights, budget);
        found.err().map(|error| error.to_string())
    };
    assert_eq!(refusal(&vec![line(1, 1, 1); 1000], &[], &rho), None);
    for (lines, weights, budget, expected) in [
        (Vec::new(), none(), &rho, "lines is missing"),
        (vec![line(1, 1, 1); 1001], none(), &rho, "lines is 1001"),
        (vec![line(1, 1, 0)], none(), &rho, "times is 0"),
        (vec![line(1, 1, 1 << 19), line(1, 1, (1 << 19) + 1)], none(), &rho, "times is 1048577"),
        (two.clone(), given(&["1"]), &rho, "weights is \"1 of them\""),
        (two.clone(), given(&["1", "0"]), &rho, "weights is 0"),
        (two.clone(), given(&["1", "1000000000001"]), &rho, "weights is 1000000000001"),
        (two.clone(), none(), &Budget::Pure { epsilon: epsilon("1") }, "budget is"),
        (two, none(), &Budget::renyi(number("2"), number("1")).expect("valid"), "budget is"),
    ] {
        let refused = refusal(&lines, &weights, budget).expect(expected);
        assert!(refused.starts_with(expected), "{refused}");
    }
}
