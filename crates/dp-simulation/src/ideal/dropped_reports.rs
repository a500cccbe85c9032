//! Totals of randomized vectors of bits, where vectors with too many ones are not sent.
//!
//! Symmetric RAPPOR randomizes a vector of `length` bits, `own` of them set, with the odds x = e^(−ε₀) of a flip. It keeps
//! a of its own ones and gains b others with a probability in proportion to
//!
//! ```text
//! C(own, a)·x^(own − a)·C(length − own, b)·x^b,      in all (1 + x)^length,
//! ```
//!
//! and is sent if a + b is at most the bound on its weight. Given a and b, all sets of a own places and of b
//! other places are equally likely.
//!
//! Whether a report is dropped depends on its ones. So the number of reports and the totals are drawn together: first the
//! number of vectors in each class (a, b), then, place by place, the number of vectors of each class with a one there. A
//! vector with r more ones in L more places has one in the next place with probability r/L.

use dp_exact::{Interval, Rational};

use super::PRECISION;
use super::fair_coins::{DrawCounts, Probability};

/// A number of own ones that are kept and of others that are gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    kept: usize,
    gained: usize,
}

/// The distribution of a randomized vector with a given number of ones.
#[derive(Debug)]
pub(super) struct WeightDistribution {
    /// The probability that the vector is not sent.
    pub(super) dropped: Probability,
    /// The classes of vectors that are sent.
    classes: Vec<Class>,
    /// The probability of each class but the last, conditional on being sent and in no class before it.
    conditional: Vec<Probability>,
    /// The probability that a bit is flipped.
    flip: Probability,
}

impl WeightDistribution {
    /// The distribution of vectors of `length` bits with `own` ones, sent if they have at most `sent_weight` ones. `None`
    /// if no interval holds e^(−ε₀).
    pub(super) fn new(
        epsilon0: &Rational,
        length: u32,
        sent_weight: u32,
        own: u32,
    ) -> Option<Self> {
        let one = Interval::integer(1, PRECISION);
        let odds = Interval::rational(&-epsilon0, PRECISION).exp()?;
        let gained = terms(length.saturating_sub(own), sent_weight, &odds)?;
        let lost = terms(own, own, &odds)?;
        let mut classes = Vec::new();
        for kept in (0..=own.min(sent_weight)).rev() {
            for gained in 0..=length.saturating_sub(own).min(sent_weight - kept) {
                let (kept, gained) = (usize::try_from(kept).ok()?, usize::try_from(gained).ok()?);
                classes.push(Class { kept, gained });
            }
        }
        let mut from_here = Interval::integer(0, PRECISION);
        let mut conditional = Vec::with_capacity(classes.len());
        for class in classes.iter().rev() {
            // C(own, kept) = C(own, own − kept): the number of ways to lose the other ones.
            let mass = lost.get(lost.len() - 1 - class.kept)? * gained.get(class.gained)?;
            from_here = from_here + &mass;
            conditional.push(Probability::enclosed(&mass.checked_div(&from_here)?));
        }
        conditional.reverse();
        // The last class takes what is left.
        conditional.pop();
        let of_two = &odds + &one;
        let sent = from_here.checked_div(&of_two.powi(length))?;
        Some(Self {
            dropped: Probability::enclosed(&(one - &sent)),
            classes,
            conditional,
            flip: Probability::enclosed(&odds.checked_div(&of_two)?),
        })
    }

    /// One more than the most ones that a vector gains and is still sent.
    fn width(&self) -> usize {
        self.classes.iter().map(|class| class.gained + 1).max().unwrap_or(1)
    }
}

/// C(n, i)·x^i for i from 0 to the lesser of n and `last`.
fn terms(n: u32, last: u32, odds: &Interval) -> Option<Vec<Interval>> {
    let mut term = Interval::integer(1, PRECISION);
    let mut terms = vec![term.clone()];
    for place in 0..n.min(last) {
        let factor = Interval::integer(n - place, PRECISION) * odds;
        term = (term * &factor).checked_div(&Interval::integer(place + 1, PRECISION))?;
        terms.push(term.clone());
    }
    Some(terms)
}

/// The reports that are sent: their totals and their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SentReports {
    pub(super) totals: Vec<u64>,
    pub(super) reports: u64,
}

impl SentReports {
    pub(super) fn add(&mut self, other: &Self) {
        self.reports += other.reports;
        for (total, more) in self.totals.iter_mut().zip(&other.totals) {
            *total += more;
        }
    }
}

/// The totals of vectors with a single one, where `counts[i]` vectors have it in place i.
///
/// The vectors differ in that place alone. So their classes are drawn together, and when the sweep comes to a place, its
/// vectors are a random subset of the vectors whose own place is still ahead. Those have one place less for gained ones,
/// their own; vectors whose own place is past have all places that are left.
///
/// A vector that would be sent with or without its own one loses it with the probability of a flip, independently of all
/// else: this is drawn when its place comes. All other vectors are sent only without it.
pub(super) fn of_one_hot(
    counts: &[u64],
    distribution: &WeightDistribution,
    draws: &mut impl DrawCounts,
) -> SentReports {
    let clients: u64 = counts.iter().sum();
    let dropped = draws.successes(clients, distribution.dropped);
    // Vectors by gained ones: a row of those that are sent only without their own one, and a row of the others.
    let width = distribution.width();
    let mut ahead = vec![0; 2 * width];
    let keeping = distribution.classes.iter().filter(|class| class.kept > 0).count();
    let sizes = draws.classes(clients - dropped, &distribution.conditional);
    for (class, size) in distribution.classes.iter().zip(sizes) {
        let row = usize::from(class.gained < keeping);
        ahead[row * width + class.gained] += size;
    }
    // A dropped vector has a place as well.
    ahead.push(dropped);
    let mut past = vec![0; width];
    let mut totals = vec![0; counts.len()];
    for ((left, &count), total) in (1..=as_u64(counts.len())).rev().zip(counts).zip(&mut totals) {
        let own = draws.subset(&ahead, count);
        ahead.iter_mut().zip(&own).for_each(|(ahead, own)| *ahead -= own);
        let (without, either) = own[..2 * width].split_at(width);
        let keeping: u64 = either.iter().sum();
        *total += keeping - draws.successes(keeping, distribution.flip);
        for row in ahead[..2 * width].chunks_exact_mut(width) {
            *total += ones_here(row, 1, left - 1, draws);
        }
        *total += ones_here(&mut past, 1, left, draws);
        for ((past, without), either) in past.iter_mut().zip(without).zip(either) {
            *past += without + either;
        }
    }
    SentReports { totals, reports: clients - dropped }
}

/// The totals of `count` clients with the same vector, given the distribution for its number of ones.
pub(super) fn of_vector(
    vector: &[bool],
    count: u64,
    distribution: &WeightDistribution,
    draws: &mut impl DrawCounts,
) -> SentReports {
    let dropped = draws.successes(count, distribution.dropped);
    let width = distribution.width();
    let mut own = vector.iter().filter(|bit| **bit).count();
    let mut others = vector.len() - own;
    // A row for each number of own ones to come, by the ones that are gained.
    let mut open = vec![0; (own + 1) * width];
    let sizes = draws.classes(count - dropped, &distribution.conditional);
    for (class, size) in distribution.classes.iter().zip(sizes) {
        open[class.kept * width + class.gained] += size;
    }
    let total = |bit: &bool| {
        if *bit {
            let here = ones_here(&mut open, width, as_u64(own), draws);
            own -= 1;
            return here;
        }
        let rows = open.chunks_exact_mut(width);
        let here = rows.map(|row| ones_here(row, 1, as_u64(others), draws)).sum();
        others -= 1;
        here
    };
    SentReports { totals: vector.iter().map(total).collect(), reports: count - dropped }
}

/// The number of vectors with a one in this place. Of them `open[r·step + i]` have r more ones in `left` places; those
/// with a one here go on with one less.
fn ones_here(open: &mut [u64], step: usize, left: u64, draws: &mut impl DrawCounts) -> u64 {
    let mut here = 0;
    for place in step..open.len() {
        if open[place] > 0 {
            let more = as_u64(place / step);
            let ones = draws.successes(open[place], Probability::ratio(more, left));
            open[place] -= ones;
            open[place - step] += ones;
            here += ones;
        }
    }
    here
}

pub(super) fn as_u64(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
