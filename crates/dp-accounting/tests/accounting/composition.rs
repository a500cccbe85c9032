//! Composition by sums, and the optimal composition of equal releases.

use crate::common::{approximate, number, relative, rows, upper};
use dp_accounting::{composition, kov15};
use dp_calibration::Budget;
use dp_exact::Interval;

#[test]
fn sums_are_exact() {
    let pure = Budget::Pure {
        epsilon: "0.1".parse().unwrap(),
    };
    let sum = composition::basic(&[
        pure.clone(),
        approximate("0.2", "1e-9"),
        approximate("1/3", "1e-9"),
    ]);
    assert_eq!(sum.unwrap(), approximate("19/30", "2e-9"));
    assert_eq!(
        composition::basic(&[pure.clone(), pure.clone()]).unwrap(),
        Budget::Pure {
            epsilon: "0.2".parse().unwrap()
        }
    );
    let rho = |text: &str| Budget::ZeroConcentrated {
        rho: text.parse().expect("positive"),
    };
    assert_eq!(
        composition::zero_concentrated(&[rho("0.1"), rho("1/3")]).unwrap(),
        rho("13/30")
    );
    let renyi = |alpha, tau| Budget::renyi(number(alpha), number(tau)).expect("in range");
    assert_eq!(
        composition::renyi(&[renyi("8", "0.1"), renyi("8", "0.3")]).unwrap(),
        renyi("8", "0.4")
    );
    assert!(composition::renyi(&[renyi("8", "0.1"), renyi("9", "0.3")]).is_err());
    assert!(composition::basic(&[rho("1")]).is_err());
    assert!(composition::zero_concentrated(&[pure]).is_err());
    assert!(composition::basic(&[]).is_err());
    assert!(composition::renyi(&[]).is_err());
}

#[test]
fn the_optimal_epsilon_is_the_published_one_and_never_below() {
    for row in rows("kov15_composition.csv") {
        let (step, slack) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let times = row[2].parse().unwrap();
        let Ok(exact) = row[4].parse::<dp_exact::Rational>() else {
            continue;
        };
        match kov15::epsilon(&step, &slack, times, &row[3].parse().unwrap()) {
            Ok(epsilon) => {
                if exact.is_zero() {
                    assert!(epsilon.is_zero());
                    continue;
                }
                let slightly_less = &exact * &number("0.9999999999999999999999");
                assert!(
                    epsilon >= slightly_less && relative(&epsilon, &exact) < 1e-17,
                    "{row:?} {epsilon}"
                );
            }
            Err(error) => panic!("{row:?}: {error}"),
        }
    }
}

#[test]
fn the_optimal_delta_is_the_published_one() {
    for row in rows("kov15_delta_of_eps.csv") {
        let (step, slack) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let delta = kov15::delta(
            &step,
            &slack,
            row[2].parse().unwrap(),
            &row[3].parse().unwrap(),
        )
        .unwrap();
        let exact = number(&row[4]);
        // The table was computed as 1 - (1 - sum) with some sixty digits.
        let error = (&upper(&delta) - &exact).abs();
        let allowed = &exact * &number("1e-18") + number("1e-61");
        assert!(error <= allowed, "{row:?} {delta}");
    }
}

#[test]
fn one_release_is_the_release() {
    let (step, slack) = ("0.7".parse().unwrap(), "1e-6".parse().unwrap());
    let delta = kov15::delta(&step, &slack, 1, &step).unwrap();
    assert!(delta.contains(&number("1e-6")));
    let epsilon = kov15::epsilon(&step, &"0".parse().unwrap(), 1, &"0".parse().unwrap()).unwrap();
    assert_eq!(epsilon, number("0.7"));
}

#[test]
fn the_optimal_composition_beats_the_basic_one_and_inverts() {
    let (step, slack) = ("0.1".parse().unwrap(), "1e-9".parse().unwrap());
    for times in [2, 7, 64] {
        let epsilon = kov15::epsilon(&step, &slack, times, &"1e-6".parse().unwrap()).unwrap();
        assert!(epsilon <= number("0.1") * dp_exact::Rational::from(u64::from(times)));
        let total = dp_exact::Epsilon::new(epsilon).unwrap();
        let back: Interval = kov15::delta(&step, &slack, times, &total).unwrap();
        assert!(relative(&upper(&back), &number("1e-6")) < 1e-12);
    }
}

#[test]
fn a_target_that_the_slack_alone_exceeds_is_an_error() {
    let (step, slack) = ("0.1".parse().unwrap(), "1e-6".parse().unwrap());
    assert!(kov15::epsilon(&step, &slack, 10, &"1e-6".parse().unwrap()).is_err());
    assert!(kov15::epsilon(&step, &slack, 0, &"1e-3".parse().unwrap()).is_err());
}

#[test]
fn a_million_releases_are_as_many_as_the_accountant_says() {
    use dp_accounting::{Accountant, Release};
    let (step, none) = ("0.001".parse().unwrap(), "0".parse().unwrap());
    let target = "1e-6".parse().unwrap();
    let times = if cfg!(debug_assertions) {
        20_000
    } else {
        1 << 20
    };
    let optimal = kov15::epsilon(&step, &none, times, &target).unwrap();
    let mut accountant = Accountant::new();
    let release = Release::RandomizedResponse {
        epsilon: step,
        delta: none,
    };
    accountant.add(release, times).unwrap();
    let bounds = accountant.epsilon(&target).unwrap();
    assert!(bounds.lower <= optimal && optimal <= bounds.upper);
    assert!(relative(&bounds.upper, &bounds.lower) < 1e-6);
}

#[test]
fn one_release_at_its_own_delta_is_the_release() {
    let (step, slack) = ("0.1".parse().unwrap(), "1e-9".parse().unwrap());
    let epsilon = kov15::epsilon(&step, &slack, 1, &slack).unwrap();
    assert_eq!(epsilon, number("0.1"));
    // 1 − (1 − 1e-9)²
    let least = "1.999999999e-9".parse().unwrap();
    assert_eq!(
        kov15::epsilon(&step, &slack, 2, &least).unwrap(),
        number("0.2")
    );
    let less = "1.999999998999e-9".parse().unwrap();
    assert!(kov15::epsilon(&step, &slack, 2, &less).is_err());
}

#[test]
fn a_million_tiny_releases_are_nothing_at_one_half() {
    // The two laws differ by less than ½ in total: no line of the sum has a zero.
    let (step, none) = ("9.99e-7".parse().unwrap(), "0".parse().unwrap());
    let epsilon = kov15::epsilon(&step, &none, 1 << 20, &"0.5".parse().unwrap()).unwrap();
    assert!(epsilon.is_zero());
}
