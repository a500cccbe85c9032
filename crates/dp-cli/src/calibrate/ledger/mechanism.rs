//! What made a release, as `compose` has it typed.

use dp_calibration::{Adjacency, BigInt, Budget, NoiseDistribution, zcdp};
use dp_exact::{Delta, Epsilon, ParameterError, Rational};
use dp_ledger::{Mechanism, Noise, Randomizer};

use crate::failure::Failure;
use crate::typed::{budget_of, noise_law, number, worst_difference};

pub(super) const MECHANISM: &str = "gaussian:VARIANCE:QUERY or laplace:SCALE:QUERY, with a query such as \
     pair or sumvec:16:255, response:EPSILON, or response:EPSILON:DELTA";

/// A mechanism whose parameters are known.
pub(super) enum Exact {
    Noise(Noise),
    Response { epsilon: Epsilon, delta: Delta },
}

impl Exact {
    /// The mechanism that is typed; `None` if these are other words.
    pub(super) fn typed(text: &str, adjacency: Adjacency) -> Result<Option<Self>, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        let Some((name, rest)) = text.split_once(':') else {
            return Ok(None);
        };
        Ok(match name {
            "response" => {
                let (epsilon, delta) = rest.split_once(':').unwrap_or((rest, "0"));
                Some(Self::Response {
                    epsilon: number("epsilon", epsilon)?,
                    delta: number("delta", delta)?,
                })
            }
            "gaussian" | "laplace" => {
                let (parameter, query) = rest.split_once(':').ok_or_else(unknown)?;
                let law = noise_law(name, parameter)?.ok_or_else(unknown)?;
                let difference = worst_difference(query, adjacency)?;
                Some(Self::Noise(Noise { distribution: law, difference }))
            }
            _ => None,
        })
    }

    /// What it guarantees by itself.
    pub(super) fn budget(&self) -> Result<Budget, Failure> {
        Ok(match self {
            Self::Noise(Noise { distribution: law, difference }) => match law {
                NoiseDistribution::DiscreteGaussian { variance } => {
                    Budget::ZeroConcentrated { rho: zcdp::rho(variance, &difference.l2_squared())? }
                }
                NoiseDistribution::DiscreteLaplace { scale } => {
                    let moved = Rational::integer(BigInt::from(difference.l1()));
                    let epsilon = moved.checked_div(scale).unwrap_or_else(Rational::zero);
                    Budget::Pure { epsilon: Epsilon::new(epsilon)? }
                }
            },
            Self::Response { epsilon, delta } => budget_of(epsilon.clone(), delta.clone()),
        })
    }

    /// As a ledger records it.
    pub(super) fn recorded(&self) -> Mechanism {
        match self {
            Self::Noise(noise) => Mechanism::Aggregators(noise.clone()),
            Self::Response { epsilon, delta } if delta.value().is_zero() => {
                let epsilon = epsilon.clone();
                Mechanism::Clients(Randomizer::RandomizedResponse { epsilon })
            }
            Self::Response { epsilon, delta } => {
                Mechanism::Other(format!("response:{epsilon}:{delta}"))
            }
        }
    }
}
