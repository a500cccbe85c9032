//! Totals of randomized vectors of bits, where vectors with too many ones are not sent.
//!
//! Symmetric RAPPOR randomizes a vector of `length` bits, `own` of them set. Each bit is flipped
//! with odds x = e^(−ε₀). The randomized vector keeps a of its own ones and gains b others with a
//! probability in proportion to
//!
//! ```text
//! C(own, a)·x^(own − a)·C(length − own, b)·x^b,      in all (1 + x)^length.
//! ```
//!
//! It is sent if a + b is at most the bound on its weight. Given a and b, all sets of a own and of
//! b other coordinates are equally likely.
//!
//! Whether a report is dropped depends on its ones, so the number of reports and the totals are
//! drawn together: first the number of vectors in each class (a, b), then, coordinate by
//! coordinate, the number of vectors of each class with a one there. A vector with r more ones in L
//! more coordinates has a one in the next coordinate with probability r/L.

use dp_exact::{Interval, Rational};

use super::PRECISION;
use super::random_counts::{DrawCounts, Probability};
use crate::outcome::as_u64;

/// The randomized vectors that keep `kept` of their original ones and gain `gained` further ones.
#[derive(Clone, Copy, Debug)]
struct Class {
    kept: usize,
    gained: usize,
}

/// The distribution of a randomized vector that had `own` ones, over the classes of its ones.
#[derive(Debug)]
pub(super) struct WeightDistribution {
    /// The probability that the vector is not sent, rounded down.
    pub(super) dropped: Probability,
    classes: Vec<Class>,
    /// The probability of each class but the last, rounded down, given sent and in no class before.
    conditional: Vec<Probability>,
    /// The probability that a bit is flipped, rounded down.
    flip: Probability,
}

impl WeightDistribution {
    /// For a vector of `length` bits with `own` ones before the flips: the distribution of (own
    /// ones kept, ones gained) given that it is sent, with at most `sent_weight` ones after the
    /// flips; and the probability that it is not sent. `None` if no interval of the precision holds
    /// a number.
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
        let sent_weight = usize::try_from(sent_weight).ok()?;
        let mut classes = Vec::new();
        for kept in (0..lost.len().min(sent_weight + 1)).rev() {
            let most = gained.len().min(sent_weight - kept + 1);
            classes.extend((0..most).map(|gained| Class { kept, gained }));
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
        // The last class takes the rest.
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

    /// One more than the largest number of gained ones with which a vector is sent: the length of a
    /// table by gained ones.
    fn width(&self) -> usize {
        self.classes.iter().map(|class| class.gained + 1).max().unwrap_or(1)
    }
}

/// Intervals around C(n, i)·x^i with x = `odds`, for i from 0 to the lesser of n and `last`.
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

/// The totals of the reports that are sent, after the randomization, and their number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SentReports {
    pub(crate) totals: Vec<i128>,
    /// The totals over the clients that send these reports, before the randomization.
    pub(crate) truth: Vec<i128>,
    pub(crate) reports: u64,
}

impl SentReports {
    /// Adds the totals and numbers of other clients' reports.
    pub(super) fn add(&mut self, other: &Self) {
        self.reports += other.reports;
        let truth = self.truth.iter_mut().zip(&other.truth);
        for (total, more) in self.totals.iter_mut().zip(&other.totals).chain(truth) {
            *total += more;
        }
    }
}

/// Draws the totals after the flips of the vectors that are sent, their totals before the flips,
/// and their number. Before the flips each vector has a single one, `counts[i]` vectors at index i,
/// and `distribution` is for such vectors.
///
/// Their classes are drawn together. At each index, the vectors with their one there are a random
/// subset of all vectors whose own index is ahead. Vectors ahead have one coordinate less for
/// gained ones, their own. A vector that would be sent with or without its own one loses it with
/// the flip probability, drawn at its index; all other vectors are sent only without it.
pub(super) fn of_one_hot(
    counts: &[u64],
    distribution: &WeightDistribution,
    draws: &mut impl DrawCounts,
) -> SentReports {
    let clients: u64 = counts.iter().sum();
    let dropped = draws.successes(clients, distribution.dropped);
    // Vectors by gained ones: first the vectors sent only without their own one, then all others.
    let width = distribution.width();
    let mut ahead = vec![0; 2 * width];
    let keeping = distribution.classes.iter().filter(|class| class.kept > 0).count();
    let sizes = draws.classes(clients - dropped, &distribution.conditional);
    for (class, size) in distribution.classes.iter().zip(sizes) {
        let row = usize::from(class.gained < keeping);
        ahead[row * width + class.gained] += size;
    }
    // Dropped vectors have an own index too.
    ahead.push(dropped);
    let mut past = vec![0; width];
    let (mut totals, mut truth) = (vec![0; counts.len()], Vec::new());
    for ((left, &count), total) in (1..=as_u64(counts.len())).rev().zip(counts).zip(&mut totals) {
        let own = draws.subset(&ahead, count);
        ahead.iter_mut().zip(&own).for_each(|(ahead, own)| *ahead -= own);
        truth.push(i128::from(count - own[2 * width]));
        let (without, either) = own[..2 * width].split_at(width);
        let keeping: u64 = either.iter().sum();
        let mut here = keeping - draws.successes(keeping, distribution.flip);
        for row in ahead[..2 * width].chunks_exact_mut(width) {
            here += ones_here(row, 1, left - 1, draws);
        }
        here += ones_here(&mut past, 1, left, draws);
        *total = i128::from(here);
        for ((past, without), either) in past.iter_mut().zip(without).zip(either) {
            *past += without + either;
        }
    }
    SentReports { totals, truth, reports: clients - dropped }
}

/// Draws the totals of `count` clients who all have `vector` before the flips; `distribution` is
/// for its number of ones.
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
    // A row for each number of own ones to come; in it, vectors by the ones to be gained.
    let mut open = vec![0; (own + 1) * width];
    let sizes = draws.classes(count - dropped, &distribution.conditional);
    for (class, size) in distribution.classes.iter().zip(sizes) {
        open[class.kept * width + class.gained] += size;
    }
    let total = |bit: &bool| {
        if *bit {
            let here = ones_here(&mut open, width, as_u64(own), draws);
            own -= 1;
            return i128::from(here);
        }
        let rows = open.chunks_exact_mut(width);
        let here: u64 = rows.map(|row| ones_here(row, 1, as_u64(others), draws)).sum();
        others -= 1;
        i128::from(here)
    };
    let reports = count - dropped;
    let truth = vector.iter().map(|bit| if *bit { reports.into() } else { 0 }).collect();
    SentReports { totals: vector.iter().map(total).collect(), truth, reports }
}

/// Draws the number of vectors with a one at the next coordinate, and moves these vectors in
/// `open`: `open[r·step + i]` vectors have r more ones in `left` coordinates, and a vector with a
/// one here moves to r − 1.
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
