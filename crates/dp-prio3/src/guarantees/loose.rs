//! Why a guarantee states less than could be proved.

use std::fmt;

/// Why a guarantee states less than could be proved. It holds all the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loose {
    /// Releases are composed as any pairs (ε, δ) are.
    Pairs,
    /// A person has several reports in a release, which count as if nobody else were honest.
    Reports,
    /// Of the noise of clients and of aggregators the better guarantee of one of them.
    Apart,
    /// Laplace noise of several aggregators counts as the noise of one.
    OneOfSeveral,
    /// The guarantee follows from a norm of what one person changes.
    Norm,
    /// The guarantee was not asked for, and the one against a stronger adversary is stated.
    NotAsked,
}

impl Loose {
    /// The reason in words, after a colon.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Pairs => {
                "each release counts by its epsilon and delta alone, and the releases are composed \
                 as any such pairs are"
            }
            Self::Reports => {
                "with several reports of a person in one release the other clients count as \
                 dishonest"
            }
            Self::Apart => {
                "it is the better one of the guarantees of the clients' and the aggregators' noise by \
                 themselves"
            }
            Self::OneOfSeveral => "Laplace noise of several aggregators counts as the noise of one",
            Self::Norm => "it follows from a norm of what one person changes",
            Self::NotAsked => {
                "it is the guarantee against a stronger adversary; ask with --against for this one"
            }
        }
    }
}

impl fmt::Display for Loose {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.reason())
    }
}
