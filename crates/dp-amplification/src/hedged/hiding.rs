//! What hides a client in one count: the others' randomized bits and the aggregators' noise.
//!
//! Let M be the sum of the others' bits and of the noise, all independent, with probabilities f.
//! Each of these laws is log-concave, and so is that of M (a convolution of log-concave sequences
//! is log-concave). That is all that `HockeyStick` uses of the law of the others' bits, so with f
//! in its place
//!
//!   H(α) = max_t {(q − αp)·f(t−1) + (1 − α)·P(M ≥ t)}.
//!
//! **What is outside a window.** Let A be the event that every part of M is inside its window,
//! of probability 1 − η. It does not depend on the client's bit. Given A, M is log-concave, and
//! given its complement the count is a function of the client's own bit and of independent values.
//! The curve is jointly convex in the two laws and at most that of the bit itself, so that
//!
//!   H(α) ≤ (1 − η)·H(α | A) + η·(q − αp)₊,
//!
//! and for every set, so also the best one given A, P − αQ is at least (1 − η) times what it is
//! given A, less αη.

use super::noise::Noise;
use super::window::Window;
use crate::aggregated_rappor::count_law::CountValues;
use crate::aggregated_rappor::flip::Flip;
use crate::aggregated_rappor::hockey_stick::HockeyStick;
use dp_exact::directed::{add_down, add_up, div_up, mul_up, sub_up};
use dp_exact::elementary;

/// The parts of M, but for the number and the data of the others.
#[derive(Clone, Debug)]
pub(super) struct Hiding<'a> {
    pub(super) flip: &'a Flip,
    pub(super) noise: Noise,
    /// Tails below e^−depth are left out.
    pub(super) depth: f64,
    /// Not below the largest likelihood ratio of all.
    pub(super) largest_ratio: f64,
}

/// The count of a dataset.
pub(super) struct Hidden<'a> {
    pub(super) count: HockeyStick<'a>,
    /// Not below η.
    pub(super) missing: f64,
}

impl<'a> Hiding<'a> {
    /// With so many zeros and ones among the others; `None` if that does not fit into floating
    /// point numbers.
    pub(super) fn count(&self, zeros: u64, ones: u64) -> Option<Hidden<'a>> {
        let bits = CountValues::between(self.flip, zeros, ones, [self.depth, self.depth])?;
        let bits = Window::of_count(bits, self.depth)?;
        let sum = self.noise.added_to(bits, self.depth)?;
        let missing = sum.missing;
        Some(Hidden {
            count: HockeyStick::of(self.flip, sum.inside()),
            missing,
        })
    }

    /// Not below H at ascending `nodes`, each at least 1.
    pub(super) fn upper_at(&self, hidden: &Hidden<'_>, nodes: &[f64]) -> Vec<f64> {
        let mut values = hidden.count.upper_at(nodes);
        let e = self.flip.e.upper;
        for (value, &alpha) in values.iter_mut().zip(nodes) {
            *value = if alpha >= self.largest_ratio {
                0.0
            } else {
                let own = div_up(sub_up(e, alpha), add_down(1.0, e)).max(0.0);
                add_up(*value, mul_up(hidden.missing, own)).min(1.0)
            };
        }
        values
    }

    /// About the privacy loss at a place of the window after the first.
    pub(super) fn loss(&self, hidden: &Hidden<'_>, place: usize) -> f64 {
        let values = &hidden.count.law.upper;
        let (e, ratio) = (self.flip.e.lower, values[place] / values[place - 1]);
        elementary::ln((e + ratio) / (1.0 + e * ratio))
    }

    /// About the loss at the far end of the window.
    pub(super) fn farthest_loss(&self, hidden: &Hidden<'_>) -> f64 {
        match hidden.count.law.upper.len() {
            0 | 1 => self.flip.epsilon0,
            length => self.loss(hidden, length - 1),
        }
    }
}
