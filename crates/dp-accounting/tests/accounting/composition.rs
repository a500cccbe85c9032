//! The optimal composition of equal releases.

use crate::common::{number, relative, rows, upper};
use dp_accounting::kov15;

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
        if number(&row[3]) > 100 {
            continue;
        }
        let (step, slack) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let delta =
            kov15::delta(&step, &slack, row[2].parse().unwrap(), &row[3].parse().unwrap()).unwrap();
        let exact = number(&row[4]);
        // The table was computed as 1 - (1 - sum) with some sixty digits.
        let error = (&upper(&delta) - &exact).abs();
        let allowed = &exact * &number("1e-18") + number("1e-61");
        assert!(error <= allowed, "{row:?} {delta}");
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
    use dp_accounting::{Accountant, AccountedMechanism};
    let (step, none) = ("0.001".parse().unwrap(), "0".parse().unwrap());
    let target = "1e-6".parse().unwrap();
    let times = if cfg!(debug_assertions) { 20_000 } else { 1 << 20 };
    let optimal = kov15::epsilon(&step, &none, times, &target).unwrap();
    let mut accountant = Accountant::new();
    let release = AccountedMechanism::RandomizedResponse { epsilon: step, delta: none };
    accountant.add(release, times).unwrap();
    let bounds = accountant.epsilon(&target).unwrap();
    assert!(bounds.lower <= optimal && optimal <= bounds.upper);
    assert!(relative(&bounds.upper, &bounds.lower) < 1e-6);
}
