//! Bounds on the ε of a sum of randomized reports, and the dataset that attains the lower one.

use dp_exact::Rational;

/// What the honest clients other than the protected one hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherClients {
    /// Clients that hold the value that is removed.
    pub removed: u64,
    /// Clients that hold the value that is put in its place.
    pub added: u64,
    /// Clients that hold any other value.
    pub neither: u64,
}

impl OtherClients {
    /// The dataset in which all `others` clients hold the value that is removed.
    pub(crate) const fn removed(others: u64) -> Self {
        Self { removed: others, added: 0, neither: 0 }
    }
}

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonBounds {
    /// (`upper`, δ) holds for every dataset of the other clients.
    pub upper: Rational,
    /// Below `lower`, (ε, δ) fails for the dataset `attained_by`.
    pub lower: Rational,
    /// A dataset that is nearly the worst.
    pub attained_by: OtherClients,
}
