//! How a law of losses is looked at: tilted by λ, and rounded to one side.

use dp_exact::Rational;

/// Bits of the certified arithmetic.
pub const PRECISION: u32 = 128;

/// To which side losses may be moved, and probabilities rounded: what a law then bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Losses grow: δ is bounded from above.
    Upward,
    /// Losses shrink: δ is bounded from below.
    Downward,
}

/// The tilt λ, and the side to which losses may be moved.
#[derive(Clone, Debug)]
pub struct View {
    /// λ > 0.
    pub tilt: Rational,
    /// What the law bounds.
    pub side: Side,
}
