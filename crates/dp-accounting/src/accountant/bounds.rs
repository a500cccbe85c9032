//! What an accountant answers.

use dp_exact::Rational;

/// How far apart bounds are close.
const CLOSE: f64 = 1e-6;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossBounds {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// (ε, δ) holds for no ε < `lower`. With aggregated RAPPOR, whose guarantee is for every
    /// dataset: not if all other clients hold the value that is removed.
    pub lower: Rational,
    /// What `upper` comes from.
    pub by: UpperBy,
}

/// Where an upper bound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UpperBy {
    /// The law of the sum of all losses.
    Law,
    /// The sum of the largest losses, which is basic composition of pure guarantees.
    LargestLosses,
}

impl LossBounds {
    /// Whether the two are nearly the same.
    pub(super) fn is_close(&self) -> bool {
        (&self.upper - &self.lower).to_f64() <= CLOSE * self.upper.to_f64()
    }

    /// The closer of both bounds.
    pub(super) fn and(self, other: Self) -> Self {
        let (upper, by) =
            if other.upper < self.upper { (other.upper, other.by) } else { (self.upper, self.by) };
        let lower = self.lower.max(other.lower);
        Self { upper, lower, by }
    }
}
