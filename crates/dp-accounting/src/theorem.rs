//! The theorems of composition that prove an answer.

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
