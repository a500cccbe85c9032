//! How likely reports of too many ones are dropped, and what the client's own drop tells.

use dp_exact::directed::{Bounds, add_down, div_up, mul_up, sub_up};
use dp_exact::{Delta, Rational, Rounding, elementary};

use dp_calibration::Error;

use super::{Hedged, target};
use crate::aggregated_rappor::{DIGITS, MultiHot};

/// The share of ε from which on a smaller one is not worth the time.
const WORTH: f64 = 0.99;

/// What is left of δ without this part, if it is in range.
pub(super) fn remaining(delta: &Delta, part: f64) -> Result<Option<Delta>, Error> {
    let left = (delta.value() - &Rational::from_f64(part)?).round_to_digits(DIGITS, Rounding::Down);
    if !left.is_positive() {
        return Ok(None);
    }
    let left = Delta::new(left)?;
    Ok(Some(left).filter(|left| target(left).is_ok()))
}

/// From a number next to e^ε and not above it to one that is not below.
pub(super) fn above(alpha: f64) -> f64 {
    alpha.next_up().next_up()
}

/// Upper bounds on how likely reports are dropped.
#[derive(Clone, Debug)]
pub(super) struct Drops {
    /// π₀
    pub(super) dropped: f64,
    /// P(V > m − D) for the client.
    pub(super) risky: f64,
    /// The same for another, which may hold ones outside C.
    pub(super) risky_other: f64,
    /// E^D, if it is not too large for a floating point number.
    largest_ratio: Option<Bounds>,
}

impl Drops {
    pub(super) fn new(
        policy: &Hedged,
        coordinates: u64,
        input: MultiHot,
        max_weight: u64,
        target: f64,
    ) -> Result<Self, Error> {
        let tail = |zeros, ones, weight| policy.rappor.tail(zeros, ones, weight, target);
        let outside = input.length - coordinates;
        let beyond = max_weight.saturating_add(1);
        let ones = input.ones.min(input.length);
        let ones_outside = input.ones.min(outside);
        let heavy = beyond.saturating_sub(coordinates);
        Ok(Self {
            dropped: tail(input.length - ones, ones, beyond)?,
            risky: tail(outside, 0, heavy)?,
            risky_other: tail(outside - ones_outside, ones_outside, heavy)?,
            largest_ratio: Bounds::exp(&policy.client_epsilon(coordinates)),
        })
    }

    /// What the client's own drop adds to δ.
    pub(super) fn own(&self, alpha: f64) -> f64 {
        self.told(alpha).min(mul_up(above(alpha), self.dropped))
    }

    /// What it adds because of what the report itself tells, which falls with α.
    fn told(&self, alpha: f64) -> f64 {
        let told = self.largest_ratio.map_or(1.0, |ratio| {
            let left = sub_up(ratio.upper, alpha).max(0.0);
            div_up(left, add_down(ratio.upper, 1.0)).min(1.0)
        });
        mul_up(self.risky, told)
    }

    /// About the least that the client's own drop adds at an ε that is better than `most` by more than
    /// a hundredth.
    pub(super) fn least(&self, most: &Rational) -> f64 {
        self.told(elementary::exp(WORTH * most.to_f64()))
            .min(self.dropped)
    }

    /// What the client's own drop leaves of δ for the noise alone, if anything.
    pub(super) fn left(&self, delta: &Delta) -> Result<Option<Delta>, Error> {
        remaining(delta, self.risky.min(2.0 * self.dropped))
    }
}
