//! Totals of randomized vectors of bits, where vectors with too many ones are not sent.
//!
//! A vector of `length` bits of which `own` are set is randomized by symmetric RAPPOR with x = e^(−ε₀), the odds
//! of a flip. It keeps a of its own ones and gains b others with a probability in proportion to
//!
//! ```text
//! C(own, a)·x^(own − a)·C(length − own, b)·x^b,      in all (1 + x)^length,
//! ```
//!
//! and is sent if a + b is at most the bound on its weight. Given a and b, all sets of a own places and of b
//! other places are as likely as each other.
//!
//! Which reports are dropped depends on their ones, so that the number of reports and the totals are drawn
//! together: first how many vectors are in each class (a, b), then, place by place, how many of a
//! class have a one there. Of a vector that has r more ones in L more places, the next place has one with
//! probability r/L.

use dp_exact::{Interval, Rational};

use super::PRECISION;
use super::draws::{Draws, Probability};

/// Which vectors are randomized, and which of the results are sent.
#[derive(Clone, Debug)]
pub(super) struct Vectors {
    /// ε₀
    pub(super) epsilon0: Rational,
    /// Their bits.
    pub(super) length: u32,
    /// The most ones of one that is sent.
    pub(super) sent_weight: u32,
}

/// A number of own ones that are kept and one of others that are gained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Class {
    kept: usize,
    gained: usize,
}

/// The law of a vector with so many ones.
#[derive(Debug)]
pub(super) struct WeightLaw {
    /// That it is not sent.
    pub(super) dropped: Probability,
    /// The classes of those that are sent.
    classes: Vec<Class>,
    /// The probability of each class but the last among those that are sent and in no class before it.
    conditional: Vec<Probability>,
    /// That a bit is flipped.
    flip: Probability,
}

impl WeightLaw {
    /// The law of vectors with `own` ones; `None` if no interval holds e^(−ε₀).
    pub(super) fn new(vectors: &Vectors, own: u32) -> Option<Self> {
        let Vectors { epsilon0, length, sent_weight } = vectors;
        let one = Interval::integer(1, PRECISION);
        let odds = Interval::rational(&-epsilon0, PRECISION).exp()?;
        let gained = terms(length.saturating_sub(own), *sent_weight, &odds)?;
        let lost = terms(own, own, &odds)?;
        let kept = (0..=own.min(*sent_weight)).rev();
        let classes: Vec<Class> = kept
            .flat_map(|kept| {
                let most = length.saturating_sub(own).min(sent_weight - kept);
                (0..=most).map(move |gained| (kept, gained))
            })
            .map(|(kept, gained)| {
                Some(Class {
                    kept: usize::try_from(kept).ok()?,
                    gained: usize::try_from(gained).ok()?,
                })
            })
            .collect::<Option<_>>()?;
        // C(own, kept) = C(own, own - kept), which are lost.
        let mass = |class: &Class| {
            Some(lost.get(lost.len() - 1 - class.kept)? * gained.get(class.gained)?)
        };
        let mut from_here = Interval::integer(0, PRECISION);
        let mut conditional = Vec::with_capacity(classes.len());
        for class in classes.iter().rev() {
            let mass = mass(class)?;
            from_here = from_here + &mass;
            conditional.push(Probability::enclosed(&mass.checked_div(&from_here)?));
        }
        conditional.reverse();
        // The last class takes what is left.
        conditional.pop();
        let of_two = &odds + &one;
        let sent = from_here.checked_div(&of_two.powi(*length))?;
        Some(Self {
            dropped: Probability::enclosed(&(one - &sent)),
            classes,
            conditional,
            flip: Probability::enclosed(&odds.checked_div(&of_two)?),
        })
    }

    /// The most ones that a vector that is sent gains.
    fn most_gained(&self) -> usize {
        let gained = self.classes.iter().map(|class| class.gained);
        gained.max().unwrap_or(0)
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

/// Totals, and the reports that have them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sent {
    pub(super) totals: Vec<u64>,
    pub(super) reports: u64,
}

impl Sent {
    pub(super) fn add(&mut self, other: &Self) {
        self.reports += other.reports;
        for (total, more) in self.totals.iter_mut().zip(&other.totals) {
            *total += more;
        }
    }
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
    let dropped = draws.successes(clients, law.dropped);
    // A row for those that are sent only without their own one and one for the others, by the ones that they gain.
    let width = law.most_gained() + 1;
    let mut ahead = vec![0; 2 * width];
    let keeping = law.classes.iter().filter(|class| class.kept > 0).count();
    let sizes = draws.classes(clients - dropped, &law.conditional);
    for (class, size) in law.classes.iter().zip(sizes) {
        let row = usize::from(class.gained < keeping);
        ahead[row * width + class.gained] += size;
    }
    // Vectors that are dropped are those of some place as well.
    ahead.push(dropped);
    let mut past = vec![0; width];
    let mut totals = vec![0; counts.len()];
    for ((left, &count), total) in (1..=as_u64(counts.len())).rev().zip(counts).zip(&mut totals) {
        let own = draws.subset(&ahead, count);
        ahead.iter_mut().zip(&own).for_each(|(ahead, own)| *ahead -= own);
        let (without, either) = own[..2 * width].split_at(width);
        let keeping: u64 = either.iter().sum();
        *total += keeping - draws.successes(keeping, law.flip);
        for row in ahead[..2 * width].chunks_exact_mut(width) {
            *total += ones_here(row, 1, left - 1, draws);
        }
        *total += ones_here(&mut past, 1, left, draws);
        for ((past, without), either) in past.iter_mut().zip(without).zip(either) {
            *past += without + either;
        }
    }
    Sent { totals, reports: clients - dropped }
}

/// The totals of `count` vectors that are all like this one, and of the law for its number of ones.
pub(super) fn of_vector(
    vector: &[bool],
    count: u64,
    law: &WeightLaw,
    draws: &mut impl Draws,
) -> Sent {
    let dropped = draws.successes(count, law.dropped);
    let width = law.most_gained() + 1;
    let mut own = vector.iter().filter(|bit| **bit).count();
    let mut others = vector.len() - own;
    // A row for each number of own ones to come, by the ones that are gained.
    let mut open = vec![0; (own + 1) * width];
    let sizes = draws.classes(count - dropped, &law.conditional);
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
        let here = rows.map(|row| ones_here(row, 1, as_u64(others), draws)).sum();
        others -= 1;
        here
    };
    Sent { totals: vector.iter().map(total).collect(), reports: count - dropped }
}

/// How many vectors have a one in this place, if `open[r·step + i]` of them have r more ones in `left` places:
/// they go on with one less.
fn ones_here(open: &mut [u64], step: usize, left: u64, draws: &mut impl Draws) -> u64 {
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
