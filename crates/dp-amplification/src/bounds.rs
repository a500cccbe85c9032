//! Bounds on the ε of a sum of randomized reports.

use dp_exact::Rational;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Below `lower`, (ε, δ) fails for a dataset that is nearly the worst: all other clients hold
    /// the value that is removed, or, of a histogram of answers, one third value.
    pub lower: Rational,
}
