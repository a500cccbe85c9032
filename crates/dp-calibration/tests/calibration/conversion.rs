//! Conversions between the currencies: against closed forms, against each other, and against pairs
//! of laws that a conversion must not contradict.

use crate::common::{number, relative, upper};
use dp_calibration::conversion::{
    for_group, pure_to_delta, pure_to_renyi, pure_to_renyi_classical, pure_to_rho,
    pure_to_rho_classical, renyi_to_delta, renyi_to_delta_classical, renyi_to_epsilon,
    renyi_to_epsilon_classical, rho_to_delta, rho_to_epsilon, rho_to_renyi,
};
use dp_calibration::{Budget, zcdp};
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};
use proptest::prelude::*;

const UP: Rounding = Rounding::Up;

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

fn rho(text: &str) -> Rho {
    text.parse().expect("a rho")
}

#[test]
fn the_rho_of_pure_privacy_is_that_of_randomized_response() {
    for text in ["1e-6", "0.1", "1", "5", "40", "1000"] {
        let tight = pure_to_rho(&epsilon(text)).unwrap();
        let classical = pure_to_rho_classical(&epsilon(text)).unwrap();
        assert!(tight <= classical, "{text}");
        let expected = number(text).to_f64() * (number(text).to_f64() / 2.0).tanh();
        assert!(
            (tight.value().to_f64() / expected - 1.0).abs() < 2e-11,
            "{text}"
        );
        // ρα bounds the exact divergence at every order, and is attained towards α = 1.
        for order in ["1.0001", "1.5", "2", "17", "1000"] {
            let tau = pure_to_renyi(&epsilon(text), &number(order)).unwrap();
            let bound = rho_to_renyi(&tight, &number(order));
            assert!(tau <= &bound * &number("1.0000000001"), "{text} {order}");
            assert!(
                tau <= pure_to_renyi_classical(&epsilon(text), &number(order)),
                "{text}"
            );
        }
    }
    let near = pure_to_renyi(&epsilon("1"), &number("1.000001")).unwrap();
    let limit = pure_to_rho(&epsilon("1")).unwrap();
    assert!((near.to_f64() / limit.value().to_f64() - 1.0).abs() < 1e-5);
}

#[test]
fn the_delta_of_pure_privacy_at_a_smaller_epsilon_is_that_of_randomized_response() {
    let value = upper(&pure_to_delta(&epsilon("2"), &epsilon("1")).unwrap()).to_f64();
    let expected = (2f64.exp() - 1f64.exp()) / (2f64.exp() + 1.0);
    assert!((value - expected).abs() < 1e-15);
    let none = pure_to_delta(&epsilon("1"), &epsilon("1")).unwrap();
    assert!(none.upper().cmp_rational(&Rational::zero()).is_eq());
}

/// The Rényi divergence of two coins, and their hockey-stick divergence.
fn coins(p: f64, q: f64, alpha: f64, epsilon: f64) -> (f64, f64) {
    let term = |p: f64, q: f64| p.powf(alpha) * q.powf(1.0 - alpha);
    let divergence = (term(p, q) + term(1.0 - p, 1.0 - q)).ln() / (alpha - 1.0);
    (divergence, p - epsilon.exp() * q)
}

#[test]
fn two_coins_never_exceed_the_conversion_and_some_attain_it() {
    for (alpha, tau, rate) in [("2", "0.1", "0.5"), ("3.5", "1", "1"), ("11", "0.4", "0.8")] {
        let bound = renyi_to_delta(&number(alpha), &number(tau), &epsilon(rate))
            .unwrap()
            .to_f64();
        let (order, limit, rate) = (
            number(alpha).to_f64(),
            number(tau).to_f64(),
            number(rate).to_f64(),
        );
        let mut largest = 0.0f64;
        for step in 1..4000 {
            let p = f64::from(step) / 4000.0 * 30.0 * bound;
            if p >= 1.0 {
                break;
            }
            // The least q for which the divergence is within the limit.
            let (mut low, mut high) = (1e-12, p);
            for _ in 0..100 {
                let q = f64::midpoint(low, high);
                if coins(p, q, order, rate).0 > limit {
                    low = q;
                } else {
                    high = q;
                }
            }
            largest = largest.max(coins(p, high, order, rate).1);
        }
        assert!(
            largest <= bound * (1.0 + 1e-9),
            "{alpha}: {largest} {bound}"
        );
        assert!(
            largest >= bound * (1.0 - 1e-3),
            "{alpha}: {largest} {bound}"
        );
    }
}

#[test]
fn the_tight_conversion_is_never_above_the_classical_one() {
    for (alpha, tau) in [
        ("1.5", "0.01"),
        ("2", "0.01"),
        ("2", "3"),
        ("40", "0.5"),
        ("95", "2"),
    ] {
        let (alpha, tau) = (number(alpha), number(tau));
        for target in ["0.1", "1e-6", "1e-9", "1e-100", "1e-300"] {
            let tight = renyi_to_epsilon(&alpha, &tau, &delta(target)).unwrap();
            let classical = renyi_to_epsilon_classical(&alpha, &tau, &delta(target)).unwrap();
            assert!(tight <= classical, "{alpha} {tau} {target}");
        }
        for rate in ["0.1", "1", "4"] {
            let tight = renyi_to_delta(&alpha, &tau, &epsilon(rate)).unwrap();
            let classical = renyi_to_delta_classical(&alpha, &tau, &epsilon(rate)).unwrap();
            assert!(tight <= classical, "{alpha} {tau} {rate}");
        }
    }
}

#[test]
fn the_tight_conversion_of_rho_is_barely_below_corollary_13_where_delta_is_small() {
    for (text, target) in [
        ("0.025", "1e-6"),
        ("0.5", "1e-9"),
        ("3", "1e-3"),
        ("0.1", "0.1"),
    ] {
        let classical = zcdp::epsilon(&rho(text), &delta(target)).unwrap();
        let tight = rho_to_epsilon(&rho(text), &delta(target)).unwrap();
        assert!(tight <= classical, "{text} {target}");
        assert!(
            tight.to_f64() > 0.7 * classical.to_f64(),
            "{text}: {tight} {classical}"
        );
        let exact = dp_calibration::analytic_gaussian::delta(
            &Epsilon::new(tight).unwrap(),
            // ρ = 1/(2σ²) is attained by Gaussian noise of that σ.
            &Rational::from_f64((0.5 / number(text).to_f64()).sqrt() * (1.0 + 1e-12)).unwrap(),
            &1u32.into(),
        );
        assert!(exact.unwrap().lower().cmp_rational(&number(target)).is_lt());
    }
    let tight = rho_to_delta(&rho("0.025"), &epsilon("1")).unwrap();
    assert!(
        tight
            <= upper(&zcdp::delta(&rho("0.025"), &epsilon("1")).unwrap()) * number("1.00000000001")
    );
}

#[test]
fn a_divergence_of_the_wrong_order_is_caught() {
    // α used where α − 1 belongs would promise less than two coins break.
    let bound = renyi_to_delta(&number("2"), &number("0.1"), &epsilon("0.5"))
        .unwrap()
        .to_f64();
    let planted = renyi_to_delta(&number("3"), &number("0.1"), &epsilon("0.5"))
        .unwrap()
        .to_f64();
    let (divergence, excess) = (0..4000)
        .flat_map(|i| (1..400).map(move |j| (f64::from(i) / 4e4, f64::from(j) / 400.0)))
        .map(|(p, part)| coins(p, p * part, 2.0, 0.5))
        .filter(|(divergence, _)| *divergence <= 0.1)
        .fold(
            (0.0, 0.0),
            |best: (f64, f64), pair| if pair.1 > best.1 { pair } else { best },
        );
    assert!(
        divergence <= 0.1 && excess <= bound && excess > planted,
        "{excess} {bound} {planted}"
    );
}

#[test]
fn a_group_shares_a_budget() {
    let group = |budget: &Budget, size| for_group(budget, size).unwrap();
    let pure = Budget::Pure {
        epsilon: epsilon("0.3"),
    };
    assert_eq!(
        group(&pure, 5),
        Budget::Pure {
            epsilon: epsilon("1.5")
        }
    );
    let concentrated = Budget::ZeroConcentrated { rho: rho("0.1") };
    assert_eq!(
        group(&concentrated, 3),
        Budget::ZeroConcentrated { rho: rho("0.9") }
    );
    let renyi = Budget::renyi(number("16"), number("0.1")).unwrap();
    assert_eq!(
        group(&renyi, 3),
        Budget::renyi(number("4"), number("0.9")).unwrap()
    );
    assert!(for_group(&renyi, 9).is_err());
    let approximate = Budget::Approximate {
        epsilon: epsilon("1"),
        delta: delta("1e-9"),
    };
    let Budget::Approximate {
        epsilon: total,
        delta: slack,
    } = group(&approximate, 2)
    else {
        panic!("the kind stays")
    };
    assert_eq!(total, epsilon("2"));
    // 1 + e
    assert!((slack.value().to_f64() / 3.718_281_828_459e-9 - 1.0).abs() < 1e-11);
    assert!(*slack.value() > number("3.718281828459e-9"));
    assert_eq!(group(&approximate, 1), approximate);
    let loose = Budget::Approximate {
        epsilon: epsilon("1"),
        delta: delta("0.4"),
    };
    assert!(
        for_group(&loose, 2)
            .expect_err("above 1")
            .to_string()
            .starts_with("delta is 0.4")
    );
    assert!(
        for_group(&pure, 0)
            .expect_err("nobody")
            .to_string()
            .starts_with("size is 0")
    );
}

#[test]
fn absurd_orders_and_divergences_are_refused_by_name() {
    let refused = |alpha: &str, tau: &str, target: &str| {
        let result = renyi_to_epsilon(&number(alpha), &number(tau), &delta(target));
        result.expect_err("out of range").to_string()
    };
    assert!(refused("1", "1", "0.1").starts_with("alpha is 1"));
    assert!(refused("1e10", "1", "0.1").starts_with("alpha is"));
    assert!(refused("2", "-1", "0.1").starts_with("tau is -1"));
    assert!(refused("2", "1", "0").starts_with("delta is 0"));
    assert!(refused("2", "1", "1e-301").starts_with("delta is 1e-301"));
}

#[test]
fn a_delta_too_small_for_a_decimal_is_refused_at_once() {
    let started = std::time::Instant::now();
    for alpha in ["1e6", "1e9"] {
        let result = renyi_to_delta(&number(alpha), &number("1e-6"), &epsilon("0.1"));
        let error = result.expect_err("about e^(-100000)").to_string();
        assert!(error.starts_with("epsilon is 0.1"), "{error}");
    }
    let error = rho_to_delta(&rho("1e-12"), &epsilon("1")).expect_err("about e^(-10^11)");
    assert!(error.to_string().starts_with("epsilon is 1"));
    assert!(started.elapsed() < std::time::Duration::from_secs(1));
}

/// The largest hockey-stick divergence of two coins whose Rényi divergence is at most τ: every p, by
/// golden sections, with the least q that the divergence allows, by halving.
fn best_coins(alpha: f64, tau: f64, epsilon: f64) -> f64 {
    let delta = |p: f64| {
        let allowed = |q: f64| {
            let one = alpha * p.ln() + (1.0 - alpha) * q.ln();
            let other = alpha * (-p).ln_1p() + (1.0 - alpha) * (-q).ln_1p();
            let most = one.max(other);
            let sum = ((one - most).exp() + (other - most).exp()).ln() + most;
            sum <= (alpha - 1.0) * tau
        };
        let (mut low, mut high) = (p.ln() - 800.0, p.ln());
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if allowed(middle.exp()) {
                high = middle;
            } else {
                low = middle;
            }
        }
        p - (epsilon + high).exp()
    };
    let p = |logit: f64| (1.0 + (-logit).exp()).recip();
    let golden = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (-25.0f64, 36.0f64);
    for _ in 0..60 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if delta(p(left)) < delta(p(right)) {
            low = left;
        } else {
            high = right;
        }
    }
    delta(p(low)).max(1.0 - (epsilon - tau).exp())
}

#[test]
fn above_one_over_alpha_the_best_coin_is_certain() {
    // δ = 1 − e^(ε−τ), in both directions: p = 1 is the end of the interval.
    let found = renyi_to_delta(&number("13.1"), &number("0.23"), &epsilon("0.000206")).unwrap();
    let exact = number("0.2053027067149388");
    assert!(
        found >= exact && relative(&found, &exact) < 1e-11,
        "{found}"
    );
    let found = renyi_to_epsilon(&number("280"), &number("0.0316"), &delta("0.0157")).unwrap();
    let exact = number("0.0157754496530986");
    assert!(
        found >= exact && relative(&found, &exact) < 1e-11,
        "{found}"
    );
}

#[test]
fn the_tight_conversion_is_what_two_coins_attain_over_a_wide_grid() {
    // Deterministic, with orders from 1.001 to 3000 and divergences from 1e-4 to 20.
    let mut state = 7u64;
    let mut unit = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        f64::from(u32::try_from(state >> 33).unwrap()) / f64::from(1u32 << 31)
    };
    let mut compared = 0;
    for _ in 0..60 {
        let rounded = |value: f64| Rational::from_f64(value).unwrap().round_to_digits(6, UP);
        let alpha = rounded(1.0 + 10f64.powf(-3.0 + 6.5 * unit()));
        let tau = rounded(10f64.powf(-4.0 + 5.3 * unit()));
        let rate = rounded((tau.to_f64() * 10f64.powf(-3.0 + 3.5 * unit())).max(1e-6));
        let attained = best_coins(alpha.to_f64(), tau.to_f64(), rate.to_f64());
        if attained < 1e-8 {
            continue;
        }
        compared += 1;
        let rate = Epsilon::new(rate).unwrap();
        let found = renyi_to_delta(&alpha, &tau, &rate).unwrap();
        assert!(
            (found.to_f64() / attained - 1.0).abs() < 1e-6,
            "{alpha} {tau} {rate}: {found} {attained}"
        );
        if found < number("0.9") {
            let slack = Delta::new(found).unwrap();
            let back = renyi_to_epsilon(&alpha, &tau, &slack).unwrap();
            // The way back is as steep as it is: compared in δ.
            assert!(
                back <= rate.value() * &number("1.000000001"),
                "{alpha} {tau}: {back}"
            );
            let back = best_coins(alpha.to_f64(), tau.to_f64(), back.to_f64());
            assert!(
                (back / attained - 1.0).abs() < 1e-6,
                "{alpha} {tau}: {back}"
            );
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn tiny_divergences_and_no_divergence_convert() {
    // For α = 2 it is (e^τ − 1)/(4·(e^ε − 1)), nearly; 128 bits cannot tell e^τ from 1.
    let tiny = renyi_to_delta(&number("2"), &number("1e-250"), &epsilon("0.1")).unwrap();
    assert!(
        relative(&tiny, &number("2.377082986193762e-250")) < 1e-9,
        "{tiny}"
    );
    assert!(
        renyi_to_delta(&number("2"), &number("0"), &epsilon("0.1"))
            .unwrap()
            .is_zero()
    );
    assert!(
        renyi_to_epsilon(&number("2"), &number("0"), &delta("1e-9"))
            .unwrap()
            .is_zero()
    );
}

#[test]
fn the_best_order_for_rho_may_be_near_one() {
    // Five orders down to 0.4 of the classical one gave 0.0316.
    let found = rho_to_epsilon(&rho("0.025"), &delta("0.1")).unwrap();
    assert!(
        found < number("0.0265") && found > number("0.02649"),
        "{found}"
    );
    let found = rho_to_epsilon(&rho("0.025"), &delta("1e-6")).unwrap();
    assert!(found <= number("1.01407363054"), "{found}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn both_directions_of_the_tight_conversion_agree(
        tenths in 12i64..400,
        hundredths in 1i64..300,
        exponent in 1u32..12,
    ) {
        let alpha = Rational::new(tenths, 10).unwrap();
        let tau = Rational::new(hundredths, 100).unwrap();
        let target = Delta::new(Rational::integer(10).pow(exponent).reciprocal().unwrap()).unwrap();
        let rate = renyi_to_epsilon(&alpha, &tau, &target).unwrap();
        if rate.is_positive() {
            let back = renyi_to_delta(&alpha, &tau, &Epsilon::new(rate).unwrap()).unwrap();
            prop_assert!(back <= target.value() * &Rational::from_f64(1.0 + 1e-9).unwrap());
            prop_assert!(back.to_f64() >= target.value().to_f64() * (1.0 - 1e-6));
        }
    }
}
