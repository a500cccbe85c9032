//! Totals of randomized vectors of bits, where vectors with too many ones are not sent.
//!
//! Which reports are dropped depends on their ones, so that the number of reports and the totals are drawn
//! together: first how many vectors are in each class of [`super::weights`], then, place by place, how many of a
//! class have a one there. Of a vector that has r more ones in L more places, the next place has one with
//! probability r/L.

use super::draws::{Draws, classes};
use super::probability::Probability;
use super::weights::WeightLaw;

/// Totals, and the reports that have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) totals: Vec<u64>,
    pub(super) reports: u64,
}

/// The totals of vectors of which so many have their only one in each place, and of the law for such.
///
/// All of them are alike but for that place. So they are in their classes together, and when the sweep comes to
/// a place, its vectors are any subset of those whose own place is still ahead. These have one place less for
/// ones that are gained, their own; those whose own place is past have all that are left.
///
/// Of vectors that gain so many ones that they would be sent with or without their own, it is lost with the
/// probability of a flip, independently of what else they have: it is drawn when their place comes. All others are
/// sent only without it.
pub(super) fn of_one_hot(counts: &[u64], law: &WeightLaw, draws: &mut impl Draws) -> Sent {
    let clients: u64 = counts.iter().sum();
    let dropped = draws.successes(clients, &law.dropped);
    // A row for those that are sent only without their own one and one for the others, by the ones that they gain.
    let width = law.most_gained() + 1;
    let mut ahead = vec![0; 2 * width];
    let keeping = law.classes.iter().filter(|class| class.kept > 0).count();
    let sizes = classes(clients - dropped, &law.conditional, draws);
    for (class, size) in law.classes.iter().zip(sizes) {
        let row = usize::from(class.gained < keeping);
        ahead[row * width + class.gained] += size;
    }
    // Vectors that are dropped are those of some place as well.
    ahead.push(dropped);
    let mut past = vec![0; width];
    let mut totals = vec![0; counts.len()];
    for ((left, &count), total) in (1..=as_u64(counts.len()))
        .rev()
        .zip(counts)
        .zip(&mut totals)
    {
        let own = draws.subset(&ahead, count);
        ahead
            .iter_mut()
            .zip(&own)
            .for_each(|(ahead, own)| *ahead -= own);
        let (without, either) = own[..2 * width].split_at(width);
        let keeping: u64 = either.iter().sum();
        *total += keeping - draws.successes(keeping, &law.flip);
        for row in ahead[..2 * width].chunks_exact_mut(width) {
            *total += ones_here(row, 1, left - 1, draws);
        }
        *total += ones_here(&mut past, 1, left, draws);
        for ((past, without), either) in past.iter_mut().zip(without).zip(either) {
            *past += without + either;
        }
    }
    Sent {
        totals,
        reports: clients - dropped,
    }
}

/// The totals of `count` vectors that are all like this one, and of the law for its number of ones.
pub(super) fn of_vector(
    vector: &[bool],
    count: u64,
    law: &WeightLaw,
    draws: &mut impl Draws,
) -> Sent {
    let dropped = draws.successes(count, &law.dropped);
    let width = law.most_gained() + 1;
    let mut own = vector.iter().filter(|bit| **bit).count();
    let mut others = vector.len() - own;
    // A row for each number of own ones to come, by the ones that are gained.
    let mut open = vec![0; (own + 1) * width];
    let sizes = classes(count - dropped, &law.conditional, draws);
    for (class, size) in law.classes.iter().zip(sizes) {
        open[class.kept * width + class.gained] += size;
    }
    let total = |bit: &bool| {
        if *bit {
            let here = ones_here(&mut open, width, as_u64(own), draws);
            own -= 1;
            return here;
        }
        let rows = open.chunks_exact_mut(width);
        let here = rows
            .map(|row| ones_here(row, 1, as_u64(others), draws))
            .sum();
        others -= 1;
        here
    };
    Sent {
        totals: vector.iter().map(total).collect(),
        reports: count - dropped,
    }
}

/// How many vectors have a one in this place, if `open[r·step + i]` of them have r more ones in `left` places:
/// they go on with one less.
fn ones_here(open: &mut [u64], step: usize, left: u64, draws: &mut impl Draws) -> u64 {
    let mut here = 0;
    for place in step..open.len() {
        if open[place] > 0 {
            let more = as_u64(place / step);
            let ones = draws.successes(open[place], &Probability::ratio(more, left));
            open[place] -= ones;
            open[place - step] += ones;
            here += ones;
        }
    }
    here
}

fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
