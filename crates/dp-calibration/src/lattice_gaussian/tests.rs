use std::cmp::Ordering;

use super::*;

fn number(text: &str) -> Rational {
    text.parse().expect("a literal")
}

/// The sum at unit weights, for a move by two, by both methods.
fn both(low: &str, high: &str, epsilon: &str, precision: u32) -> [Interval; 2] {
    let one = Interval::integer(1, precision);
    let (low, high, epsilon) = (number(low), number(high), number(epsilon));
    let moved = Moved {
        low: &low,
        high: &high,
        steps: 2,
        epsilon: &epsilon,
        weights: [&one, &one],
    };
    let start = moved.start().expect("two is not zero");
    let first = Rational::integer(start.clone());
    [
        direct(&moved, &start, precision).expect("the sum is short"),
        closed(&moved, &first, precision).expect("the expansion reaches the precision"),
    ]
}

fn digits_lost(interval: &Interval) -> f64 {
    let end = |end: &dp_exact::Dyadic| Interval::hull_of(end.clone(), end.clone(), 64);
    let width = end(interval.upper()) - end(interval.lower());
    width
        .checked_div(&end(interval.upper()))
        .map_or(1.0, |ratio| ratio.midpoint())
}

const SETTINGS: [(&str, &str); 8] = [
    ("100", "0.5"),
    ("800", "0.317"),
    ("1094.3", "1/3"),
    ("20000", "0.05"),
    ("20000", "1"),
    ("1e6", "0.001"),
    ("1e6", "0.9"),
    ("1e7", "0.00001"),
];

#[test]
fn the_closed_form_of_the_sum_is_the_term_by_term_sum() {
    for (tau, epsilon) in SETTINGS {
        let [direct, closed] = both(tau, tau, epsilon, 160);
        assert_eq!(
            direct.compare(&closed),
            None,
            "{tau} {epsilon}: {direct} {closed}"
        );
        assert!(digits_lost(&direct) < 1e-30, "{tau} {epsilon}: {direct}");
        assert!(digits_lost(&closed) < 1e-30, "{tau} {epsilon}: {closed}");
    }
}

#[test]
fn the_closed_form_over_a_range_of_variances_is_the_term_by_term_sum() {
    for (tau, epsilon) in SETTINGS {
        let high = (number(tau) * number("1.01")).to_string();
        let [direct, closed] = both(tau, &high, epsilon, 160);
        assert_eq!(
            direct.compare(&closed),
            None,
            "{tau} {epsilon}: {direct} {closed}"
        );
        assert!(digits_lost(&closed) < 1e-30, "{tau} {epsilon}: {closed}");
    }
}

#[test]
fn the_bound_over_a_range_dominates_every_variance_in_it() {
    for (tau, epsilon) in SETTINGS {
        let at = |factor: &str| (number(tau) * number(factor)).to_string();
        let [_, bound] = both(tau, &at("1.001"), epsilon, 160);
        for factor in ["1", "1.0003", "1.0007", "1.001"] {
            let [_, value] = both(&at(factor), &at(factor), epsilon, 160);
            assert_eq!(
                value.compare(&bound),
                Some(Ordering::Less),
                "{tau} {epsilon} {factor}"
            );
        }
    }
}

/// The sum without the rest that the last term bounds.
fn cut_short(tau: &str, epsilon: &str, terms: i64, precision: u32) -> Interval {
    let (tau, epsilon) = (number(tau), number(epsilon));
    let start: BigInt = (&epsilon * &half(&tau) - Rational::one()).floor() + 1;
    let mut sum = Interval::integer(0, precision);
    for index in 0..terms {
        let w = Rational::integer(start.clone()) + Rational::from(index);
        let over = |value: Rational| value.checked_div(&tau).expect("the variance is positive");
        let bell = Interval::rational(&-half(&over(w.pow(2))), precision);
        let loss = over(&w + &w + Rational::integer(2));
        let excess = Interval::rational(&(&epsilon - &loss), precision);
        let factor = Interval::integer(1, precision) - excess.exp().expect("a small exponent");
        sum = sum + bell.exp().expect("a small exponent") * factor;
    }
    sum
}

#[test]
fn a_tail_cut_without_its_bound_is_caught() {
    let [direct, closed] = both("800", "800", "0.317", 128);
    let cut = cut_short("800", "0.317", 200, 128);
    assert_eq!(cut.compare(&direct), Some(Ordering::Less));
    assert_eq!(cut.compare(&closed), Some(Ordering::Less));
    let whole = cut_short("800", "0.317", 600, 128);
    assert_eq!(whole.compare(&closed), None);
}
