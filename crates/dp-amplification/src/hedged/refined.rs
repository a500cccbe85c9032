//! Where the bound for every dataset is not near what a dataset attains: look more closely.
//!
//! The product of two envelopes takes the worst data for each count, and for both signs of the
//! privacy loss, at once. One dataset has one b for the first count and one b′ for the second. So
//! pairs of groups of datasets are looked at, as for aggregated RAPPOR ([`Pairs`]): nothing but
//! the exchange of zeros and ones is used there, and noise that is symmetric keeps it.

use dp_exact::{Rational, Rounding, elementary};

use super::answer::Answer;
use super::curves::Curves;
use super::joint::Joint;
use super::pair::Pair;
use crate::aggregated_rappor::cover::Cover;
use crate::aggregated_rappor::pairs::{Pairs, Verdict};
use crate::aggregated_rappor::{DIGITS, OthersHold, search};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::Bounds;

/// The distance of the bounds, relative to the lower one, that needs no second look.
const NEAR: f64 = 4e-4;

/// The distances from what is attained that are tried.
const DISTANCES: [f64; 10] = [3e-4, 6e-4, 9e-4, 1.5e-3, 2.5e-3, 4e-3, 1e-2, 3e-2, 0.1, 0.3];

/// How much faster δ changes than ε, about.
const STEEP: f64 = 10.0;

/// How many datasets are tried.
const TRIED: usize = 12;

/// Up to this number of others whose bits are not known, each number of ones is tried.
const FEW: u64 = 12;

/// A closer look at the data that matter.
pub(super) struct Refinement<'a> {
    pub(super) curves: &'a Curves<'a>,
    pub(super) joint: &'a Joint<'a>,
    pub(super) adjacency: Adjacency,
}

impl Refinement<'_> {
    /// Better bounds on the ε at δ = `target`, if these are not near each other.
    pub(super) fn epsilon(
        &self,
        mut answer: Answer,
        target: f64,
        most: &Rational,
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) -> Result<Answer, Error> {
        let Some(upper) = answer.upper.clone() else {
            return Ok(answer);
        };
        let is_near = upper.to_f64() <= answer.lower.to_f64() * (1.0 + NEAR);
        if is_near || !answer.is_resolved {
            return Ok(answer);
        }
        let Some(cover) = self.curves.fine() else {
            return Ok(answer);
        };
        // Fewer data in a block is a gain by itself.
        if let Some(pair) = self.pair(&cover) {
            let fine = search::solve(target, most, |alpha| pair.at(self.adjacency, alpha))?;
            answer.upper = Some(upper.min(fine));
        }
        match self.adjacency {
            Adjacency::Deletion => self.worst_of_one(&mut answer, &cover, lower),
            Adjacency::Replacement => self.worst_of_two(&mut answer, &cover, target, lower),
        }
        Ok(answer)
    }

    /// A better upper bound on δ, if `upper` is not near what is attained, given `alpha` ≤ e^ε.
    pub(super) fn delta(
        &self,
        upper: f64,
        answer: &mut Answer,
        alpha: f64,
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) -> f64 {
        let is_near = upper <= answer.lower.to_f64() * (1.0 + STEEP * NEAR);
        if is_near || !answer.is_resolved {
            return upper;
        }
        let Some(cover) = self.curves.fine() else {
            return upper;
        };
        let fine = self.pair(&cover);
        let upper = fine.map_or(upper, |pair| pair.at(self.adjacency, alpha).min(upper));
        if self.adjacency == Adjacency::Deletion {
            return upper;
        }
        let mut pairs = self.pairs(&cover);
        let mut tried = 0;
        for distance in DISTANCES {
            loop {
                let target = answer.lower.to_f64() * (1.0 + STEEP * distance);
                if target >= upper {
                    return upper;
                }
                match pairs.search(alpha, target) {
                    Verdict::Meets => return target,
                    Verdict::Undecided => return upper,
                    Verdict::Open(one, other) => {
                        tried += 1;
                        let data = self.dataset(one.min(other), one.max(other));
                        if tried > TRIED || !answer.try_dataset(data, &lower) {
                            break;
                        }
                    }
                }
            }
        }
        upper
    }

    /// The envelopes of a cover.
    fn pair(&self, cover: &Cover) -> Option<Pair> {
        let highest =
            |ones: std::ops::RangeInclusive<u64>| cover.highest(*ones.start(), *ones.end());
        let up = highest(self.joint.ones.clone());
        let down = highest(self.joint.mirrored());
        Pair::new(&cover.nodes, &up, &down)
    }

    fn pairs<'c>(&self, cover: &'c Cover) -> Pairs<'c> {
        Pairs::new(cover).apart(*self.joint.mirrored().start())
    }

    /// The bound for one count is nearly attained; a better dataset is.
    fn worst_of_one(
        &self,
        answer: &mut Answer,
        cover: &Cover,
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) {
        let Some(upper) = answer.upper.clone() else {
            return;
        };
        let most = *self.joint.ones.end();
        let near = [0.0, 1e-4, 3e-4, 1e-3].map(|distance| {
            let alpha = elementary::exp(upper.to_f64() * (1.0 - distance));
            cover.worst(alpha).min(most)
        });
        let each = if most <= FEW { 0..most + 1 } else { 0..0 };
        for removed in near.into_iter().chain(each) {
            answer.try_dataset(self.dataset(removed, self.joint.others), &lower);
        }
    }

    fn worst_of_two(
        &self,
        answer: &mut Answer,
        cover: &Cover,
        target: f64,
        lower: impl Fn(OthersHold) -> Option<Rational>,
    ) {
        let mut pairs = self.pairs(cover);
        let mut tried = 0;
        for distance in DISTANCES {
            loop {
                let Some((epsilon, alpha)) = candidate(answer, distance) else {
                    return;
                };
                match pairs.search(alpha, target) {
                    Verdict::Meets => {
                        answer.upper = Some(epsilon);
                        return;
                    }
                    Verdict::Undecided => return,
                    Verdict::Open(one, other) => {
                        tried += 1;
                        let data = self.dataset(one.min(other), one.max(other));
                        if tried > TRIED || !answer.try_dataset(data, &lower) {
                            break;
                        }
                    }
                }
            }
        }
    }

    /// The data with b = `removed` and b′ = `kept`, or what is possible next to it.
    fn dataset(&self, removed: u64, kept: u64) -> OthersHold {
        let unknown = *self.joint.ones.end();
        let removed = removed.min(unknown);
        let added = (self.joint.others - kept).min(unknown - removed);
        OthersHold {
            removed,
            added,
            neither: unknown - removed - added,
        }
    }
}

/// An ε at this distance from what is attained, and a number not above e^ε; if it is less than the
/// upper bound.
fn candidate(answer: &Answer, distance: f64) -> Option<(Rational, f64)> {
    let epsilon = Rational::from_f64(answer.lower.to_f64() * (1.0 + distance)).ok()?;
    let epsilon = epsilon.round_to_digits(DIGITS, Rounding::Up);
    let alpha = Bounds::exp(&epsilon)?.lower;
    (epsilon < *answer.upper.as_ref()?).then_some((epsilon, alpha))
}
