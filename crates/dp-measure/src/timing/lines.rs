//! What the lines of a table tell of the outcome, computed from the table and not from a clock.
//!
//! Outcomes are cut in two halves of about the same probability by the median of their distance from the
//! centre, as the draws are for the clock. Either half has a distribution of the line that a draw touches.
//! Someone who sees that line, as another process on the same core may, tells the halves apart with an
//! advantage of at most the **total variation** of the two distributions, ½ Σ |P(line | small) −
//! P(line | large)|: 0 if lines tell nothing, 1 if they tell all.

use std::collections::BTreeMap;

/// So many words lead to a line and to an outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touched {
    /// Which line of 64 bytes.
    pub line: usize,
    /// The outcome.
    pub outcome: i64,
    /// How many words.
    pub words: u64,
}

/// The total variation between the lines of the half of the outcomes that are near `centre`, up to the
/// median of the distance, and the lines of those that are farther; 0 where no line is touched, or all
/// outcomes are at one distance.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a quotient for people to read")]
pub fn lines_tv(touched: &[Touched], centre: i64) -> f64 {
    let distance = |one: &Touched| one.outcome.abs_diff(centre);
    let mut by_distance = BTreeMap::<u64, u128>::new();
    for one in touched {
        *by_distance.entry(distance(one)).or_default() += u128::from(one.words);
    }
    let all: u128 = by_distance.values().sum();
    let mut small = 0;
    let mut median = 0;
    for (distance, words) in by_distance {
        if 2 * small >= all {
            break;
        }
        (median, small) = (distance, small + words);
    }
    let large = all - small;
    if large == 0 {
        return 0.0;
    }
    let mut lines = BTreeMap::<usize, [u128; 2]>::new();
    for one in touched {
        let half = usize::from(distance(one) > median);
        lines.entry(one.line).or_default()[half] += u128::from(one.words);
    }
    let apart = |[near, far]: &[u128; 2]| {
        (*near as f64 / small as f64 - *far as f64 / large as f64).abs() / 2.0
    };
    lines.values().map(apart).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(line: usize, outcome: i64, words: u64) -> Touched {
        Touched {
            line,
            outcome,
            words,
        }
    }

    #[test]
    fn lines_of_which_each_has_one_half_tell_all() {
        let all = [(0, 7, 30), (0, 8, 20), (1, 9, 25), (2, 5, 25)];
        let all = all.map(|(line, outcome, words)| touched(line, outcome, words));
        assert!((lines_tv(&all, 7) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn lines_that_are_shared_alike_tell_nothing() {
        let all = [(0, 0, 10), (0, -4, 10), (1, 0, 30), (1, 4, 30)];
        let all = all.map(|(line, outcome, words)| touched(line, outcome, words));
        assert!(lines_tv(&all, 0).abs() < 1e-12);
        assert!(lines_tv(&[], 0).abs() < 1e-12);
        assert!(lines_tv(&[touched(3, 1, 5), touched(4, -1, 5)], 0).abs() < 1e-12);
    }

    #[test]
    fn what_lines_tell_in_part_is_the_total_variation() {
        // Small: 3/4 of line 0. Large: 1/4 of line 0.
        let half = u64::MAX / 4;
        let all = [(0, 1, 3), (1, 1, 1), (0, 2, 1), (1, 2, 3)];
        let all =
            all.map(|(line, outcome, quarters)| touched(line, outcome, quarters * (half / 4)));
        assert!((lines_tv(&all, 0) - 0.5).abs() < 1e-12);
    }
}
