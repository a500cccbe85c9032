//! The answer of an accountant.

use dp_exact::Rational;

/// The theorem that proves the ε of a composition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Theorem {
    /// The distribution of the sum of all privacy losses.
    LossDistribution,
    /// The sum of the largest privacy losses: basic composition of pure guarantees.
    LargestLosses,
}

impl Theorem {
    /// The theorem in words, with its source.
    #[must_use]
    pub const fn statement(self) -> &'static str {
        match self {
            Self::LossDistribution => {
                "The distribution of the sum of all privacy losses, on a lattice, with every rounding \
                 counted: exact where the losses lie on one that is not too fine, else on a grid, once \
                 spread so that delta can only grow and once merged so that it can only shrink."
            }
            Self::LargestLosses => {
                "The sum of the largest privacy losses, which no sum of losses exceeds: at this delta \
                 the distribution of the sum says no more."
            }
        }
    }
}

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComposedEpsilon {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// (ε, δ) fails below `lower`, with aggregated RAPPOR if all others hold the removed value.
    pub lower: Rational,
    /// The theorem that proves `upper`.
    pub by: Theorem,
}

impl ComposedEpsilon {
    /// The proof of `upper`, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        self.by.statement().to_owned()
            + " The data and each mechanism may be chosen after seeing the earlier releases, as long as \
               the parameters listed here are fixed beforehand."
    }

    /// The smaller upper bound and the larger lower bound of two answers.
    pub(super) fn and(self, other: Self) -> Self {
        let (upper, by) =
            if other.upper < self.upper { (other.upper, other.by) } else { (self.upper, self.by) };
        let lower = self.lower.max(other.lower);
        Self { upper, lower, by }
    }
}
