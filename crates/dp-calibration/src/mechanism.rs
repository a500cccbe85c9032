//! The mechanism of a release, with exact parameters.

use dp_exact::{Epsilon, ParameterError, Rational};
use serde::{Deserialize, Serialize};

use crate::{NoiseDistribution, WorstCaseDifference, check_name};

/// The mechanism of a release, with exact parameters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Mechanism {
    /// Each aggregator adds noise to its share; how many are honest, the trust model says.
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

/// Independent noise at every coordinate of an aggregate, and the change that one client makes.
///
/// Written as `{"discrete_laplace": {"scale": "4", "difference": {"coordinates": 2, "step": "1"}}}`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "WrittenNoise", from = "WrittenNoise")]
pub struct Noise {
    /// The distribution of one aggregator's noise at one coordinate.
    pub distribution: NoiseDistribution,
    /// The worst difference under the release's neighbour relation.
    pub difference: WorstCaseDifference,
}

/// The local randomizer of each client.
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
    ///
    /// # Errors
    /// If a scale or a variance is not positive or has more than 4096 bits, or the words for
    /// another mechanism are no name ([`check_name`]).
    pub fn check(&self) -> Result<(), ParameterError> {
        let noise = match self {
            Self::Aggregators(noise) => noise,
            Self::Both { aggregators, .. } => aggregators,
            Self::Clients(_) => return Ok(()),
            Self::Other(text) => return check_name("mechanism", text),
        };
        let (what, value) = noise.distribution.parameter();
        if value.is_positive() && value.bits() <= Rational::MAX_BITS {
            return Ok(());
        }
        let accepted = "a number greater than 0, of at most 4096 bits";
        Err(ParameterError::new(what, value, accepted))
    }
}

/// [`Noise`] as it is written in a document.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum WrittenNoise {
    DiscreteLaplace { scale: Rational, difference: WorstCaseDifference },
    DiscreteGaussian { variance: Rational, difference: WorstCaseDifference },
}

impl From<Noise> for WrittenNoise {
    fn from(Noise { distribution, difference }: Noise) -> Self {
        match distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                Self::DiscreteLaplace { scale, difference }
            }
            NoiseDistribution::DiscreteGaussian { variance } => {
                Self::DiscreteGaussian { variance, difference }
            }
        }
    }
}

impl From<WrittenNoise> for Noise {
    fn from(written: WrittenNoise) -> Self {
        let (distribution, difference) = match written {
            WrittenNoise::DiscreteLaplace { scale, difference } => {
                (NoiseDistribution::DiscreteLaplace { scale }, difference)
            }
            WrittenNoise::DiscreteGaussian { variance, difference } => {
                (NoiseDistribution::DiscreteGaussian { variance }, difference)
            }
        };
        Self { distribution, difference }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_written_as_one_object() {
        let scale = "9/2".parse().expect("a number");
        let variance = "547.1".parse().expect("a number");
        let laplace =
            r#"{"discrete_laplace":{"scale":"4.5","difference":{"coordinates":2,"step":"1"}}}"#;
        let gaussian = r#"{"discrete_gaussian":{"variance":"547.1","difference":{"coordinates":2,"step":"1"}}}"#;
        for (distribution, written) in [
            (NoiseDistribution::DiscreteLaplace { scale }, laplace),
            (NoiseDistribution::DiscreteGaussian { variance }, gaussian),
        ] {
            let difference = WorstCaseDifference::one_hot();
            let noise = Noise { distribution, difference };
            assert_eq!(serde_json::to_string(&noise).expect("JSON"), written);
            let read = |json: &str| serde_json::from_str::<Noise>(json);
            assert_eq!(read(written).expect("noise"), noise);
            assert!(read(&written.replace("}}}", r#"},"drawn":"1"}}"#)).is_err());
            for step in ["0", "-1", "+1", "1e3", ""] {
                let other = format!(r#""step":"{step}""#);
                assert!(read(&written.replace(r#""step":"1""#, &other)).is_err(), "{step}");
            }
        }
    }
}
