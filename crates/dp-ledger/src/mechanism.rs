//! What made the noise of a release.
//!
//! Basic composition does not use it: it adds up what is promised. The other rules do, which is tighter by
//! far ([`Rule`](crate::Rule)).

mod written;

use dp_calibration::{Corner, NoiseLaw};
use dp_exact::{Epsilon, ParameterError, Rational, check_name};
use serde::{Deserialize, Serialize};

/// The mechanism of a release, with exact parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Mechanism {
    /// Each aggregator adds noise to its share. The release's trust model says how many of them
    /// count.
    Aggregators(Noise),
    /// Each client randomizes its measurement.
    Clients(Randomizer),
    /// Both.
    Both {
        /// What each client does.
        clients: Randomizer,
        /// What each aggregator adds.
        aggregators: Noise,
    },
    /// Anything else, in words: 1 to 256 bytes without control characters.
    Other(String),
}

dp_exact::named_fields!(Mechanism: Serialize, Deserialize);

/// Independent noise at every coordinate of an aggregate, and how far one client moves it.
///
/// Written as `{"discrete_laplace": {"scale": "4", "corner": {"coordinates": 2, "step": "1"}}}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "written::Noise", from = "written::Noise")]
pub struct Noise {
    /// The law of one aggregator's noise at one coordinate.
    pub law: NoiseLaw,
    /// The worst difference under the release's neighbour relation.
    pub corner: Corner,
}

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Randomizer {
    /// A bit, flipped with probability 1/(e^ε + 1).
    RandomizedResponse {
        /// ε
        epsilon: Epsilon,
    },
    /// A bit: the truth with probability ½, else yes or no with ¼ each.
    CoinFlip {},
    /// One of k answers: the true one with odds e^ε against each other one.
    KaryRandomizedResponse {
        /// k
        answers: u64,
        /// ε
        epsilon: Epsilon,
    },
    /// A vector of bits, each flipped with probability 1/(e^ε₀ + 1).
    SymmetricRappor {
        /// ε₀
        epsilon0: Epsilon,
        /// The bits.
        length: u64,
        /// The most ones of a measurement.
        input_weight: u64,
        /// Whether every measurement has exactly one.
        is_one_hot: bool,
        /// The most ones of a randomized vector that is sent.
        sent_weight: u64,
    },
}

dp_exact::named_fields!(Randomizer: Serialize, Deserialize);

impl Mechanism {
    /// Refuses parameters that no mechanism has.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        match self {
            Self::Aggregators(noise)
            | Self::Both {
                aggregators: noise, ..
            } => noise.check(),
            Self::Clients(_) => Ok(()),
            Self::Other(text) => check_name("mechanism", text),
        }
    }
}

impl Noise {
    fn check(&self) -> Result<(), ParameterError> {
        let (what, value) = match &self.law {
            NoiseLaw::DiscreteLaplace { scale } => ("scale", scale),
            NoiseLaw::DiscreteGaussian { variance } => ("variance", variance),
        };
        if value.is_positive() && value.bits() <= Rational::MAX_BITS {
            return Ok(());
        }
        let accepted = "a number greater than 0, of at most 4096 bits";
        Err(ParameterError::new(what, value, accepted))
    }
}
