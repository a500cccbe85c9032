//! A local randomizer by its name, and why its ratio is what it is.

use dp_exact::Epsilon;

use super::{Ratio, basic_rappor, coin_flip, k_ary, multihot_rappor, one_hot_rappor};
use crate::{Adjacency, Error};

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LocalRandomizer {
    /// Each bit of a vector flipped with 1/(e^ε₀ + 1).
    SymmetricRappor {
        /// ε₀, the privacy loss of one bit.
        epsilon0: Epsilon,
        /// The bits.
        length: u64,
        /// The most of them that are set; `None` where exactly one is.
        max_weight: Option<u64>,
    },
    /// Each bit of a one-hot vector flipped with 1/(1 + e^(ε/2)).
    BasicRappor {
        /// ε
        epsilon: Epsilon,
    },
    /// The true one of k answers with odds e^ε against each other one.
    KaryRandomizedResponse {
        /// ε
        epsilon: Epsilon,
        /// k
        answers: u64,
    },
    /// The truth with ½, else yes or no with ¼ each.
    CoinFlip,
}

impl LocalRandomizer {
    /// The largest ratio of two probabilities of one outcome.
    ///
    /// # Errors
    /// If the length is 0, the weight not from 1 to the length, or there are less than 2 answers.
    pub fn ratio(&self, adjacency: Adjacency) -> Result<Ratio, Error> {
        match self {
            Self::SymmetricRappor { epsilon0, length, max_weight } => match max_weight {
                None => one_hot_rappor(epsilon0, *length, adjacency),
                Some(weight) => multihot_rappor(epsilon0, *length, *weight, adjacency),
            },
            Self::BasicRappor { epsilon } => basic_rappor(epsilon, adjacency),
            Self::KaryRandomizedResponse { epsilon, answers } => k_ary(epsilon, *answers),
            Self::CoinFlip => Ok(coin_flip()),
        }
    }

    /// Why no outcome has a larger ratio, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        match self {
            Self::SymmetricRappor { .. } => {
                "Every bit that two inputs differ in contributes a factor of at most e^epsilon0, and \
                 the answer that has all of them as the one input attains the product."
            }
            Self::BasicRappor { .. } => {
                "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is symmetric \
                 RAPPOR with half the parameter, and a replacement moves two bits."
            }
            Self::KaryRandomizedResponse { .. } => {
                "The true answer is e^epsilon times as likely as each other one, whatever the truth is; \
                 deletion has no meaning here."
            }
            Self::CoinFlip => "Yes has the probability 3/4 if it is true and 1/4 if it is not.",
        }
    }
}
