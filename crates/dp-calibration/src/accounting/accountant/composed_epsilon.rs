//! The answer of an accountant.

use dp_exact::Rational;

/// Proof by the distribution of the sum of all privacy losses.
pub(super) const LOSS_DISTRIBUTION: &str = "The distribution of the sum of all privacy losses, on a lattice, with every rounding \
    counted: exact where the losses lie on one that is not too fine, else on a grid, once spread so \
    that delta can only grow and once merged so that it can only shrink.";

/// Proof by the sum of the largest privacy losses: basic composition of pure guarantees.
pub(super) const LARGEST_LOSSES: &str = "The sum of the largest privacy losses, which no sum of losses exceeds: at this delta the \
    distribution of the sum says no more.";

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedEpsilon {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// (ε, δ) fails below `lower`, with aggregated RAPPOR if all others hold the removed value.
    pub lower: Rational,
    /// The theorem that proves `upper`, in words.
    pub(super) proof: &'static str,
}

impl ComposedEpsilon {
    /// The proof of `upper`, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.proof.to_owned()
            + " The data and each mechanism may be chosen after seeing the earlier releases, as long as \
               the parameters listed here are fixed beforehand."
    }

    /// The bounds by two answers for the same releases and δ, both valid: the smaller upper bound,
    /// with the proof that belongs to it, and the larger lower bound. At equal upper bounds the
    /// proof of `self` stays.
    pub(super) fn and(self, other: Self) -> Self {
        let lower = self.lower.clone().max(other.lower.clone());
        let least = if other.upper < self.upper { other } else { self };
        Self { lower, ..least }
    }
}
