//! The weight bound against an oracle, brute force and the statement of its distribution.

use dp_exact::{Interval, Rational};
use dp_rappor::{MAX_LENGTH, SymmetricRappor, rejection_rate, weight_bound};

use crate::support::{rappor, rational};

/// Bound and rate.
fn found(rappor: &SymmetricRappor, length: usize, weight: usize, rate: &str) -> (usize, Interval) {
    let found = weight_bound(rappor, length, weight, &rational(rate)).expect("valid parameters");
    (found.bound, found.rate)
}

/// Whether the enclosure agrees with `figure` to 1e-6 of it, and is narrower than 1e-9 of it.
fn agrees(enclosure: &Interval, figure: f64) -> bool {
    let [lower, upper] = [enclosure.lower(), enclosure.upper()].map(|end| end.to_f64());
    (upper - figure).abs() <= 1e-6 * figure && upper - lower <= 1e-9 * figure
}

/// Rows of the oracle `multihot_m.csv`: bounds and tail probabilities of the weight, to seven
/// digits; also by the Internet-Draft, as of one bit less without a true one.
#[test]
fn bounds_and_rates_of_every_row_of_the_oracle_are_met() {
    let rows = include_str!("../data/multihot_m.csv").lines().skip(1);
    assert_eq!(rows.clone().count(), 100);
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let count = |index: usize| cells[index].parse::<usize>().expect("a count");
        let figure = |index: usize| cells[index].parse::<f64>().expect("a figure");
        let (length, rappor) = (count(0), rappor(cells[1]));
        let (exact, exact_rate) = found(&rappor, length, 1, cells[2]);
        let (others, draft_rate) = found(&rappor, length - 1, 0, cells[2]);
        assert_eq!((exact, 1 + others), (count(6), count(3)), "{row}");
        let at_draft = rejection_rate(&rappor, length, 1, 1 + others).unwrap();
        // The true bit alone exceeds a bound of 0.
        let below_draft = match others.checked_sub(1) {
            Some(fewer) => rejection_rate(&rappor, length - 1, 0, fewer).unwrap(),
            None => Interval::integer(1, 64),
        };
        for (rate, index) in [(exact_rate, 9), (draft_rate, 7), (at_draft, 8), (below_draft, 10)] {
            assert!(agrees(&rate, figure(index)), "{row}: {rate}");
        }
    }
}

/// P(W > `bound`) for `input`, by adding up the probabilities of all 2^`length` outputs.
fn brute_force(rappor: &SymmetricRappor, length: u32, input: u32, bound: u32) -> Interval {
    (0..1_u32 << length)
        .filter(|output| output.count_ones() > bound)
        .map(|output| rappor.probability((output ^ input).count_ones(), length, 128))
        .fold(Interval::integer(0, 128), |sum, one| sum + one)
}

#[test]
fn rejection_rates_are_the_sums_over_all_outputs() {
    for epsilon0 in ["1/1000000", "1/10", "1", "4", "40"] {
        let rappor = rappor(epsilon0);
        for length in 1..=6_u32 {
            for weight in 0..=length {
                for bound in 0..=length {
                    let expected = brute_force(&rappor, length, (1 << weight) - 1, bound);
                    let [d, w, m] =
                        [length, weight, bound].map(|number| usize::try_from(number).unwrap());
                    let rate = rejection_rate(&rappor, d, w, m).unwrap();
                    let overlap =
                        rate.lower() <= expected.upper() && expected.lower() <= rate.upper();
                    assert!(overlap, "{epsilon0} {d} {w} {m}: {rate}");
                    assert!(m == d || agrees(&rate, expected.midpoint()), "{d} {w} {m}: {rate}");
                }
            }
        }
    }
}

#[test]
fn the_bound_meets_the_rate_and_one_less_does_not() {
    let rappor = rappor("2");
    for (length, weight) in [(14, 5), (14, 14), (1000, 300), (1000, 0), (20_000, 10_000)] {
        for rate in ["1/2", "1/200", "1e-9", "1e-290"] {
            let (bound, achieved) = found(&rappor, length, weight, rate);
            assert!(achieved.upper().cmp_rational(&rational(rate)).is_le());
            if let Some(less) = bound.checked_sub(1) {
                let above = rejection_rate(&rappor, length, weight, less).unwrap();
                assert!(above.lower().cmp_rational(&rational(rate)).is_gt());
            }
        }
    }
}

#[test]
fn extreme_parameters_are_answered() {
    let astronomic = format!("1{}", "0".repeat(1200));
    for (epsilon0, length, weight, rate, bound) in [
        // No flips to speak of: the input's own weight.
        ("1000000", 100_000, 7, "1e-280", 7),
        ("800", 100_000, 7, "1e-280", 7),
        (astronomic.as_str(), 100_000, 7, "1e-200", 7),
        // Fair coins: the median of Bin(1001, 1/2), whose tail above 500 is 1/2 to thirty digits.
        ("1e-30", 1001, 1, "0.4999", 501),
        // A single outcome of 1000 fair coins has probability 2^−1000 = 9.33e-302.
        ("1e-30", 1000, 1, "9.4e-302", 999),
        ("1e-30", 1000, 1, "9.3e-302", 1000),
        ("1", 100_000, 1, "0", 100_000),
        // Below every float: nothing is dropped.
        ("1", 1000, 1, "1e-400", 1000),
    ] {
        assert_eq!(found(&rappor(epsilon0), length, weight, rate).0, bound, "{epsilon0} {rate}");
    }
    for (epsilon0, weight) in [("1e-30", 1), ("1", 1000), ("20", MAX_LENGTH)] {
        let (_, rate) = found(&rappor(epsilon0), MAX_LENGTH, weight, "1e-9");
        assert!(rate.upper().cmp_rational(&rational("1e-9")).is_le());
    }
    let never = rejection_rate(&rappor("1"), 5, 1, 5).unwrap();
    assert!(never.contains(&Rational::zero()) && !never.is_positive());
}

#[test]
fn a_parameter_out_of_range_is_named_with_its_value_and_range() {
    for (length, weight, rate, expected) in [
        (0, 0, "1/2", "length is 0: expected 1 to 1048576 bits"),
        (1 << 21, 1, "1/2", "length is 2097152: expected 1 to 1048576 bits"),
        (5, 6, "1/2", "input_weight is 6: expected at most the length 5"),
        (5, 1, "0.6", "false_positive_rate is 0.6: expected a number from 0 to 1/2"),
        (5, 1, "-1e-9", "false_positive_rate is -1e-9: expected a number from 0 to 1/2"),
    ] {
        let refused = weight_bound(&rappor("1"), length, weight, &rational(rate));
        assert_eq!(refused.unwrap_err().to_string(), expected);
    }
}
