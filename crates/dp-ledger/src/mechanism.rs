//! What made the noise of a release.
//!
//! The sums of this crate do not use it: they add up what is promised. It is recorded for an
//! accountant that composes the mechanisms themselves, which is tighter by far.

use dp_calibration::Corner;
use dp_exact::{Epsilon, ParameterError, Rational};
use num_bigint::BigUint;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::name;

/// The mechanism of a release, with exact parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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

/// Independent noise at every coordinate of an aggregate, and how far one client moves it: the
/// worst difference of two neighbouring measurements.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Noise {
    /// P(x) in proportion to e^(−|x|/t).
    DiscreteLaplace {
        /// The scale t.
        scale: Rational,
        /// The worst difference under the release's neighbour relation.
        #[serde(with = "corner")]
        corner: Corner,
    },
    /// P(x) in proportion to e^(−x²/(2σ²)).
    DiscreteGaussian {
        /// The variance parameter σ².
        variance: Rational,
        /// The worst difference under the release's neighbour relation.
        #[serde(with = "corner")]
        corner: Corner,
    },
}

/// What a client does to its measurement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
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

impl Mechanism {
    /// Refuses parameters that no mechanism has.
    pub(crate) fn check(&self) -> Result<(), ParameterError> {
        match self {
            Self::Aggregators(noise)
            | Self::Both {
                aggregators: noise, ..
            } => noise.check(),
            Self::Clients(_) => Ok(()),
            Self::Other(text) => name::check("mechanism", text),
        }
    }
}

impl Noise {
    fn check(&self) -> Result<(), ParameterError> {
        let (what, value) = match self {
            Self::DiscreteLaplace { scale, .. } => ("scale", scale),
            Self::DiscreteGaussian { variance, .. } => ("variance", variance),
        };
        if value.is_positive() && value.bits() <= Rational::MAX_BITS {
            return Ok(());
        }
        let accepted = "a number greater than 0, of at most 4096 bits";
        Err(ParameterError::new(what, value, accepted))
    }
}

/// A corner as `{"coordinates": 2, "step": "1"}`.
mod corner {
    use super::{BigUint, Corner, Deserialize, Deserializer, Serialize, Serializer};
    use serde::de::Error as _;

    #[derive(Serialize, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written {
        coordinates: u64,
        step: String,
    }

    pub(super) fn serialize<S: Serializer>(
        corner: &Corner,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let step = corner.step().to_string();
        let coordinates = corner.coordinates();
        Written { coordinates, step }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Corner, D::Error> {
        let Written { coordinates, step } = Written::deserialize(deserializer)?;
        // 200 bits are 61 digits.
        let digits = step.bytes().all(|byte| byte.is_ascii_digit()) && step.len() <= 61;
        let step = BigUint::parse_bytes(step.as_bytes(), 10).filter(|_| digits);
        let step = step.ok_or_else(|| D::Error::custom("the step of a corner is an integer"))?;
        Corner::new(coordinates, step).map_err(D::Error::custom)
    }
}
