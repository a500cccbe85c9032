//! What the lines of a table tell of the outcome, computed from the table and not from a clock.
//!
//! Outcomes are cut in two halves of about the same probability by the median of their distance from the
//! centre, as the draws are for the clock. Either half has a distribution of the line that a draw touches.
//! Someone who sees that line, as another process on the same core may, tells the halves apart with an
//! advantage of at most the **total variation** of the two distributions, ½ Σ |P(line | small) −
//! P(line | large)|: 0 if lines tell nothing, 1 if they tell all.

use std::collections::BTreeMap;

use dp_samplers::Touch;

/// The total variation between the lines of the half of the outcomes that are near `centre`, up to the
/// median of the distance, and the lines of those that are farther; 0 where no line is touched, or all
/// outcomes are at one distance. Of several tables, that of the one whose lines tell most of what comes
/// out of it.
#[must_use]
pub fn lines_tv(touches: &[Touch], centre: i64) -> f64 {
    let mut tables = BTreeMap::<usize, Vec<&Touch>>::new();
    for touch in touches {
        tables.entry(touch.table).or_default().push(touch);
    }
    let apart = tables.values().map(|table| of_table(table, centre));
    apart.fold(0.0, f64::max)
}

#[expect(clippy::cast_precision_loss, reason = "a quotient for people to read")]
fn of_table(touches: &[&Touch], centre: i64) -> f64 {
    let distance = |touch: &Touch| touch.outcome.abs_diff(centre);
    let mut by_distance = BTreeMap::<u64, u128>::new();
    for touch in touches {
        *by_distance.entry(distance(touch)).or_default() += u128::from(touch.words);
    }
    let all: u128 = by_distance.values().sum();
    let (mut median, mut small) = (0, 0);
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
    for touch in touches {
        let half = usize::from(distance(touch) > median);
        lines.entry(touch.line).or_default()[half] += u128::from(touch.words);
    }
    let apart = |[near, far]: &[u128; 2]| {
        (*near as f64 / small as f64 - *far as f64 / large as f64).abs() / 2.0
    };
    lines.values().map(apart).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touched(line: usize, outcome: i64, words: u64) -> Touch {
        Touch {
            table: 0,
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
        let all = [(0, 1, 3), (1, 1, 1), (0, 2, 1), (1, 2, 3)];
        let all =
            all.map(|(line, outcome, quarters)| touched(line, outcome, quarters * (u64::MAX / 16)));
        assert!((lines_tv(&all, 0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn words_of_other_tables_are_not_mixed() {
        // The second table is read with words of 64 bits, of the first all is known.
        let first = [touched(0, 1, 50), touched(1, 2, 50)];
        let second = [(2, 1), (3, 1), (2, 2), (3, 2)].map(|(line, outcome)| Touch {
            table: 1,
            ..touched(line, outcome, 1 << 62)
        });
        assert!((lines_tv(&[&first[..], &second].concat(), 0) - 1.0).abs() < 1e-12);
        assert!(lines_tv(&second, 0).abs() < 1e-12);
    }
}
