//! Where the bound for every dataset is not near what a dataset attains: look more closely.

use dp_exact::{Rational, Rounding, elementary};

use super::attained::Attained;
use super::cover::{Cover, Resolution, slack};
use super::hockey_stick::Own;
use super::pairs::{Pairs, Verdict};
use super::search::refuted;
use super::{AggregatedRappor, DIGITS, EpsilonBounds, OthersHold, depth_for};
use dp_calibration::Adjacency;
use dp_exact::directed::{Bounds, count};

/// The distance of the bounds, relative to the lower one, that needs no second look.
const NEAR: f64 = 4e-4;

/// The distances that are tried.
const DISTANCES: [f64; 8] = [3e-4, 6e-4, 9e-4, 1.5e-3, 2.5e-3, 4e-3, 1e-2, 3e-2];

/// The standard deviation from which on all datasets are nearly alike.
const WIDE: f64 = 600.0;

/// Up to this number of clients every b is a block of its own.
const EACH: u64 = 4000;

/// The looseness of a block far from the worst data.
const LOOSEST: f64 = 1e-3;

/// How many datasets are tried.
const TRIED: usize = 12;

impl AggregatedRappor {
    /// Better bounds, if these are not near each other.
    pub(super) fn refined(
        &self,
        bounds: EpsilonBounds,
        target: f64,
        adjacency: Adjacency,
    ) -> EpsilonBounds {
        let near =
            |bounds: &EpsilonBounds| bounds.upper.to_f64() <= bounds.lower.to_f64() * (1.0 + NEAR);
        if near(&bounds) || bounds.lower.is_zero() || self.is_settled() {
            return bounds;
        }
        let Some(cover) = self.fine_cover(depth_for(target)) else {
            return bounds;
        };
        match adjacency {
            Adjacency::Deletion => self.worst_of_one(bounds, target, &cover),
            Adjacency::Replacement => self.worst_of_two(bounds, target, &cover),
        }
    }

    /// A better upper bound on δ under replacement, if it is not near what is attained, given
    /// `alpha` ≤ e^ε.
    pub(super) fn refined_delta(&self, upper: f64, attained: f64, alpha: f64, depth: f64) -> f64 {
        if upper <= attained * (1.0 + 10.0 * NEAR) || attained <= 0.0 || self.is_settled() {
            return upper;
        }
        let Some(cover) = self.fine_cover(depth) else {
            return upper;
        };
        let mut pairs = Pairs::new(&cover);
        for distance in DISTANCES {
            let target = attained * (1.0 + 10.0 * distance);
            if target >= upper {
                break;
            }
            match pairs.search(alpha, target) {
                Verdict::Meets => return target,
                Verdict::Open(..) => {}
                Verdict::Undecided => break,
            }
        }
        upper
    }

    /// Whether all datasets are nearly alike.
    pub(super) fn is_settled(&self) -> bool {
        let deviation = (count(self.clients) * self.flip.p * (1.0 - self.flip.p)).sqrt();
        deviation > WIDE || self.clients < 2
    }

    /// A cover in which data far from the worst keep their distance.
    pub(super) fn fine_cover(&self, depth: f64) -> Option<Cover> {
        let (slack, loosest) = if self.clients <= EACH {
            (0.0, 0.0)
        } else {
            (slack(&self.flip, self.clients), LOOSEST)
        };
        let resolution = Resolution { depth, slack };
        Cover::new(
            &self.flip,
            self.clients,
            resolution,
            Own::Randomized,
            loosest,
        )
    }

    /// The bound for one count is nearly attained; a better dataset is.
    fn worst_of_one(&self, mut bounds: EpsilonBounds, target: f64, cover: &Cover) -> EpsilonBounds {
        for distance in [0.0, 1e-4, 3e-4, 1e-3] {
            let alpha = elementary::exp(bounds.upper.to_f64() * (1.0 - distance));
            let removed = cover.worst(alpha);
            self.tried(
                &mut bounds,
                target,
                Adjacency::Deletion,
                (removed, self.clients - 1),
            );
        }
        bounds
    }

    fn worst_of_two(&self, mut bounds: EpsilonBounds, target: f64, cover: &Cover) -> EpsilonBounds {
        let mut pairs = Pairs::new(cover);
        let mut tried = 0;
        for distance in DISTANCES {
            loop {
                let Some((epsilon, alpha)) = candidate(&bounds, distance) else {
                    return bounds;
                };
                match pairs.search(alpha, target) {
                    Verdict::Meets => {
                        bounds.upper = epsilon;
                        return bounds;
                    }
                    Verdict::Undecided => return bounds,
                    Verdict::Open(one, other) => {
                        tried += 1;
                        let pair = (one.min(other), one.max(other));
                        let adjacency = Adjacency::Replacement;
                        if tried > TRIED || !self.tried(&mut bounds, target, adjacency, pair) {
                            break;
                        }
                    }
                }
            }
        }
        bounds
    }

    /// Whether the data (b, b') attain more.
    fn tried(
        &self,
        bounds: &mut EpsilonBounds,
        target: f64,
        adjacency: Adjacency,
        (removed, kept): (u64, u64),
    ) -> bool {
        let others = self.clients - 1;
        let added = others - kept;
        let hold = OthersHold {
            removed,
            added,
            neither: others - removed - added,
        };
        let attained = Attained::new(&self.flip, hold, adjacency, depth_for(target));
        let local = self.local_epsilon(adjacency);
        let lower = attained.map(|attained| refuted(target, &local, |alpha| attained.delta(alpha)));
        match lower {
            Some(lower) if lower > bounds.lower => {
                bounds.lower = lower;
                bounds.attained_by = hold;
                true
            }
            _ => false,
        }
    }
}

/// An ε at this distance from the lower bound, and a number not above e^ε; if it is less than the
/// upper bound.
fn candidate(bounds: &EpsilonBounds, distance: f64) -> Option<(Rational, f64)> {
    let epsilon = Rational::from_f64(bounds.lower.to_f64() * (1.0 + distance)).ok()?;
    let epsilon = epsilon.round_to_digits(DIGITS, Rounding::Up);
    let alpha = Bounds::exp(&epsilon)?.lower;
    (epsilon < bounds.upper).then_some((epsilon, alpha))
}
