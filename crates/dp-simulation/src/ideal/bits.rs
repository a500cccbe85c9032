//! Totals of bits that are flipped, each independently of all others.

use super::draws::Draws;
use super::probability::Probability;

/// The totals of randomized bits over so many clients, if `ones` of them are set in each place. No report is
/// dropped.
///
/// Flips are independent, so a total is the ones that are not flipped and the zeros that are, each binomial.
pub(super) fn totals(
    clients: u64,
    ones: &[u64],
    flip: &Probability,
    draws: &mut impl Draws,
) -> Vec<u64> {
    let total = |&ones: &u64| {
        let lost = draws.successes(ones, flip);
        ones - lost + draws.successes(clients - ones, flip)
    };
    ones.iter().map(total).collect()
}
