//! The tilt of a distribution of losses, and the side on which it bounds δ.

use dp_exact::{Interval, Rational};

/// Bits of the certified arithmetic.
pub(crate) const PRECISION: u32 = 128;

/// `value` as an enclosure of [`PRECISION`] bits.
pub(crate) fn real(value: &Rational) -> Interval {
    Interval::rational(value, PRECISION)
}

/// The side on which a distribution of losses bounds δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundSide {
    /// Losses may only grow: an upper bound on δ.
    Upper,
    /// Losses may only shrink: a lower bound on δ.
    Lower,
}

/// The tilt λ of a distribution of losses, and the side on which it bounds δ.
#[derive(Clone, Debug)]
pub(crate) struct Tilting {
    /// λ > 0.
    pub(crate) tilt: Rational,
    /// The side on which δ is bounded.
    pub(crate) side: BoundSide,
}
