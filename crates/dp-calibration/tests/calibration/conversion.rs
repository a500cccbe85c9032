//! Conversions between the currencies: against closed forms and against each other.

use crate::common::{delta_of, epsilon, number, relative};
use dp_calibration::Budget;
use dp_calibration::conversion::{
    Conversion, Currency, for_group, laplace_rho, pure_to_rho, pure_to_rho_classical,
    renyi_to_epsilon, response_rho,
};
use dp_exact::{Epsilon, Rational};
use num_bigint::BigUint;

/// The Rényi divergence at this order of pure privacy.
fn pure_to_renyi(epsilon: &Epsilon, alpha: &Rational) -> Rational {
    let (from, to) = (epsilon.clone().into(), Currency::TauAt(alpha.clone()));
    Conversion { from, to }.bound().expect("in range").value
}

fn renyi_to_delta(
    alpha: &Rational,
    tau: &Rational,
    epsilon: &Epsilon,
) -> Result<Rational, dp_calibration::Error> {
    let from = Budget::renyi(alpha.clone(), tau.clone())?;
    Ok(Conversion { from, to: Currency::DeltaAt(epsilon.clone()) }.bound()?.value)
}

#[test]
fn the_rho_of_pure_privacy_is_that_of_randomized_response() {
    for text in ["1e-6", "0.1", "1", "5", "40", "100"] {
        let tight = pure_to_rho(&epsilon(text)).unwrap();
        let classical = pure_to_rho_classical(&epsilon(text)).unwrap();
        assert!(tight <= classical, "{text}");
        let expected = number(text).to_f64() * (number(text).to_f64() / 2.0).tanh();
        assert!((tight.value().to_f64() / expected - 1.0).abs() < 2e-11, "{text}");
        // ρα bounds the exact divergence at every order, and is attained towards α = 1.
        for order in ["1.0001", "1.5", "2", "17", "1000"] {
            let tau = pure_to_renyi(&epsilon(text), &number(order));
            let bound = tight.value() * &number(order);
            assert!(tau <= &bound * &number("1.0000000001"), "{text} {order}");
        }
    }
    let near = pure_to_renyi(&epsilon("1"), &number("1.000001"));
    let limit = pure_to_rho(&epsilon("1")).unwrap();
    assert!((near.to_f64() / limit.value().to_f64() - 1.0).abs() < 1e-5);
}

/// The supremum over orders α = 1 + t of D_α/α, for a pair with these losses and probabilities; its
/// limit for α → 1 is the mean of the losses.
fn supremum(losses: &[(f64, f64)]) -> f64 {
    let mean: f64 = losses.iter().map(|(loss, mass)| loss * mass).sum();
    let top = losses.iter().map(|(loss, _)| *loss).fold(0.0, f64::max);
    let quotient = |t: f64| {
        let moment: f64 = losses.iter().map(|(loss, mass)| (t * (loss - top)).exp() * mass).sum();
        (moment.ln() + t * top) / (t * (1.0 + t))
    };
    (-2000..2000).map(|step| quotient((f64::from(step) / 250.0).exp())).fold(mean, f64::max)
}

#[test]
fn rho_of_laplace_noise_is_the_supremum_over_all_orders() {
    // By the pure bound the first two have 0.4621 and 3.8561, not 0.3679 and 3.0187.
    for (scale, step) in
        [("80", 80), ("20", 80), ("1", 1), ("0.3", 2), ("7", 5), ("1000", 30), ("0.01", 3)]
    {
        let t = number(scale).to_f64();
        let q = (-1.0 / t).exp();
        // The noise x = −j, and all x beyond 0 and −d.
        let mass = |j: u32| match j {
            0 => 1.0 / (1.0 + q),
            j if j == step => q.powi(j.try_into().unwrap()) / (1.0 + q),
            j => q.powi(j.try_into().unwrap()) * (1.0 - q) / (1.0 + q),
        };
        let loss = |j: u32| (f64::from(step) - 2.0 * f64::from(j)) / t;
        let losses: Vec<_> = (0..=step).map(|j| (loss(j), mass(j))).collect();
        let found = laplace_rho(&number(scale), &step.into()).unwrap().value().to_f64();
        assert!((found / supremum(&losses) - 1.0).abs() < 1e-9, "{scale} {step}: {found}");
    }
    let wide = laplace_rho(&number("1e20"), &BigUint::from(10u32).pow(20)).unwrap();
    assert!((wide.value().to_f64() - (-1.0f64).exp()).abs() < 1e-11, "{wide}");
}

#[test]
fn rho_of_randomized_response_is_the_supremum_over_all_orders() {
    for (rate, answers) in [
        ("3", 2u32),
        ("3", 5),
        ("3", 12),
        ("1", 5),
        // Here the divergence of order 1 is no bound: 0.1253, 0.0332.
        ("1", 12),
        ("1", 50),
        ("0.1", 7),
        ("0.5", 1_000_000),
        ("8", 1000),
    ] {
        let (k, growth) = (f64::from(answers), number(rate).to_f64().exp());
        let (all, loss) = (growth + k - 1.0, growth.ln());
        let losses = [(loss, growth / all), (0.0, (k - 2.0) / all), (-loss, 1.0 / all)];
        let found = response_rho(&epsilon(rate), answers.into()).unwrap().value().to_f64();
        let ratio = found / supremum(&losses);
        // The grid of orders is so fine.
        assert!((1.0 - 1e-9..1.0 + 1e-4).contains(&ratio), "{rate} {answers}: {found} {ratio}");
    }
    assert!(response_rho(&epsilon("1"), 1).is_err());
}

#[test]
fn the_bound_of_one_order_is_its_formula_in_both_directions() {
    // Canonne, Kamath, Steinke 2020, Proposition 12
    for alpha in ["1.01", "2", "40"] {
        let tau = number("0.1") * number(alpha);
        let tiny = delta_of("1e-9");
        let epsilon = renyi_to_epsilon(&number(alpha), &tau, &tiny).unwrap();
        let a = number(alpha).to_f64();
        let formula = 0.1 * a + (1.0 - a.recip()).ln() - (1e-9 * a).ln() / (a - 1.0);
        assert!((epsilon.to_f64() / formula - 1.0).abs() < 1e-11, "{alpha}");
        // Below 100, from which on no δ is answered.
        if epsilon > 100 {
            continue;
        }
        let rate = Epsilon::new(epsilon.clone()).unwrap();
        let back = renyi_to_delta(&number(alpha), &tau, &rate).unwrap();
        assert!(relative(&back, tiny.value()) < 1e-8, "{alpha} {back}");
    }
}

#[test]
fn a_group_shares_a_budget() {
    let group = |budget: &Budget, size| for_group(budget, size).unwrap();
    let pure = Budget::Pure { epsilon: epsilon("0.3") };
    assert_eq!(group(&pure, 5), Budget::Pure { epsilon: epsilon("1.5") });
    let concentrated = Budget::ZeroConcentrated { rho: "0.1".parse().unwrap() };
    assert_eq!(group(&concentrated, 3), Budget::ZeroConcentrated { rho: "0.9".parse().unwrap() });
    let renyi = Budget::renyi(number("16"), number("0.1")).unwrap();
    assert_eq!(group(&renyi, 3), Budget::renyi(number("4"), number("0.9")).unwrap());
    // The order is exactly twice the group, rounded up.
    assert_eq!(group(&renyi, 8), Budget::renyi(number("2"), number("2.7")).unwrap());
    assert!(for_group(&renyi, 9).is_err());
    let approximate = Budget::Approximate { epsilon: epsilon("1"), delta: delta_of("1e-9") };
    let Budget::Approximate { epsilon: total, delta: slack } = group(&approximate, 2) else {
        panic!("the kind stays")
    };
    assert_eq!(total, epsilon("2"));
    // 1 + e
    assert!((slack.value().to_f64() / 3.718_281_828_459e-9 - 1.0).abs() < 1e-11);
    assert!(*slack.value() > number("3.718281828459e-9"));
    assert_eq!(group(&approximate, 1), approximate);
    let loose = Budget::Approximate { epsilon: epsilon("1"), delta: delta_of("0.4") };
    assert!(for_group(&loose, 2).expect_err("above 1").to_string().starts_with("delta is 0.4"));
    assert!(for_group(&pure, 0).expect_err("nobody").to_string().starts_with("size is 0"));
}

#[test]
fn a_delta_too_small_for_a_decimal_is_refused() {
    // Powers of e^(10^11) would not end.
    for alpha in ["1e6", "1e9"] {
        let result = renyi_to_delta(&number(alpha), &number("1e-6"), &epsilon("0.1"));
        let error = result.expect_err("about e^(-100000)").to_string();
        assert!(error.starts_with("epsilon is 0.1"), "{error}");
    }
}

#[test]
fn tiny_divergences_and_no_divergence_convert() {
    // e^(τ−ε)/4
    let tiny = renyi_to_delta(&number("2"), &number("1e-60"), &epsilon("0.1")).unwrap();
    assert!((tiny.to_f64() / ((-0.1f64).exp() / 4.0) - 1.0).abs() < 1e-11, "{tiny}");
    assert!(renyi_to_delta(&number("2"), &number("0"), &epsilon("0.1")).unwrap().is_zero());
    assert!(renyi_to_epsilon(&number("2"), &number("0"), &delta_of("1e-9")).unwrap().is_zero());
}
