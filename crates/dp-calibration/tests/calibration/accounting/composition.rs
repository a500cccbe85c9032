//! The optimal composition of equal (ε, δ) releases, against figures from Theorem 3.3 of Kairouz,
//! Oh, Viswanath 2015 with twenty-five digits.

use super::{accountant, response};
use crate::common::{epsilon, number, relative, rows};
use dp_calibration::accounting::optimal_of_pairs;
use dp_exact::Rational;

#[test]
fn the_optimal_epsilon_is_the_published_one_and_never_below() {
    for row in rows("kov15_composition.csv") {
        let (step, slack) = (row[0].parse().unwrap(), row[1].parse().unwrap());
        let times = row[2].parse().unwrap();
        let Ok(exact) = row[4].parse::<Rational>() else {
            continue;
        };
        let found = optimal_of_pairs(&step, &slack, times, &row[3].parse().unwrap()).unwrap();
        if exact.is_zero() {
            assert!(found.is_zero());
            continue;
        }
        let slightly_less = &exact * &number("0.9999999999999999999999");
        assert!(found >= slightly_less && relative(&found, &exact) < 1e-11, "{row:?} {found}");
    }
}

#[test]
fn the_optimal_delta_is_enclosed() {
    for row in rows("kov15_delta_of_eps.csv") {
        if number(&row[3]) > 100 {
            continue;
        }
        let all = accountant([(response(&row[0], &row[1]), row[2].parse().unwrap())]);
        let found = all.delta(&epsilon(&row[3])).unwrap();
        let (low, high) =
            (found.lower().to_rational().unwrap(), found.upper().to_rational().unwrap());
        // The table was computed as 1 - (1 - sum) with some sixty digits.
        let (exact, off) = (number(&row[4]), number("1e-60"));
        assert!(low <= &exact * &number("1.000000000000000001") + &off, "{row:?} {found}");
        assert!(high >= &exact * &number("0.999999999999999999") - &off, "{row:?} {found}");
        assert!(high - low <= &exact * &number("1e-10") + &off, "{row:?} {found}");
    }
}
