//! Totals of k-ary randomized response.

use super::draws::Draws;
use super::probability::Probability;

/// How many clients report each answer, if so many have it, and each reports a uniform answer in place of its
/// own with probability `replaced`.
///
/// How many answers are replaced is binomial for each; which answers they become is uniform and independent of
/// the former, so that they are spread together.
pub(super) fn totals(counts: &[u64], replaced: &Probability, draws: &mut impl Draws) -> Vec<u64> {
    let mut spread = 0;
    let mut totals = Vec::with_capacity(counts.len());
    for &count in counts {
        let moved = draws.successes(count, replaced);
        spread += moved;
        totals.push(count - moved);
    }
    let mut places = u64::try_from(totals.len()).unwrap_or(u64::MAX);
    for total in &mut totals {
        let here = draws.successes(spread, &Probability::ratio(1, places));
        *total += here;
        spread -= here;
        places = places.saturating_sub(1).max(1);
    }
    totals
}
