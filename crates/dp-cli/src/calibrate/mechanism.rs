//! The values of --mechanism of `compose` and of `ledger`: mechanisms with all their parameters.

use std::str::FromStr;

use dp_accounting::AccountedMechanism;
use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::hedged::Hedged;
use dp_calibration::{Adjacency, NoiseDistribution, local};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, parse_integer};
use serde_json::json;

use super::certificate::CertifiedMechanism;
use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, SensitivityQuery, noise_distribution};

pub(super) const MECHANISM: &str = "gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, \
    response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON, \
    symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, rappor:EPSILON0:CLIENTS or \
    hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS";

/// A mechanism with all its parameters, read from [`MECHANISM`].
#[derive(Clone, Debug)]
pub(super) enum MechanismForm {
    /// Noise of one aggregator.
    Noise { distribution: NoiseDistribution, query: SensitivityQuery },
    /// An (ε, δ)-differentially private answer of one client.
    Response { epsilon: Epsilon, delta: Delta },
    /// One of several answers, by randomized response.
    Kary { answers: u64, epsilon: Epsilon },
    /// A survey by coin flips.
    CoinFlip,
    /// Randomized bits of one client, each with privacy loss ε₀. At most `weight` of them are set.
    Bits { length: u32, weight: u32, epsilon0: Epsilon },
    /// The sum of clients' one-hot reports under symmetric RAPPOR, with one aggregator's noise.
    AggregatedRappor { epsilon0: Epsilon, clients: u64, noise: Option<NoiseDistribution> },
}

impl FromStr for MechanismForm {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        let epsilon0 = |text: &str| -> Result<Epsilon, ParameterError> {
            text.parse().map_err(|error: ParameterError| error.renamed("epsilon0"))
        };
        let clients = |text: &str| parse_integer("clients", text, 1..=MAX_CLIENTS);
        let cells: Vec<&str> = text.splitn(3, ':').collect();
        Ok(match cells[..] {
            ["response", epsilon] => {
                Self::Response { epsilon: epsilon.parse()?, delta: "0".parse()? }
            }
            ["response", epsilon, delta] => {
                Self::Response { epsilon: epsilon.parse()?, delta: delta.parse()? }
            }
            ["coin-flip"] => Self::CoinFlip,
            ["k-ary", answers, epsilon] => Self::Kary {
                answers: parse_integer("answers", answers, 2..=u64::MAX)?,
                epsilon: epsilon.parse()?,
            },
            // Each bit of a one-hot vector is flipped with half of ε, and two bits differ.
            ["basic-rappor", epsilon] => {
                let epsilon: Epsilon = epsilon.parse()?;
                let epsilon0 = Epsilon::new(epsilon.value() * &Rational::new(1, 2)?)?;
                Self::Bits { length: 2, weight: 1, epsilon0 }
            }
            ["symmetric-rappor", length, rest] => {
                let length = parse_integer("length", length, 1..=1 << 20)?;
                let (weight, parameter) = match rest.split_once(':') {
                    Some((weight, parameter)) => {
                        (parse_integer("weight", weight, 1..=length)?, parameter)
                    }
                    None => (1, rest),
                };
                Self::Bits { length, weight, epsilon0: epsilon0(parameter)? }
            }
            ["rappor", parameter, people] => Self::AggregatedRappor {
                epsilon0: epsilon0(parameter)?,
                clients: clients(people)?,
                noise: None,
            },
            ["hedged", local, rest] => {
                let [name, parameter, people] = rest.split(':').collect::<Vec<&str>>()[..] else {
                    return Err(unknown().into());
                };
                Self::AggregatedRappor {
                    epsilon0: epsilon0(local)?,
                    clients: clients(people)?,
                    noise: Some(noise_distribution(name, parameter)?.ok_or_else(unknown)?),
                }
            }
            [name, parameter, query] => Self::Noise {
                distribution: noise_distribution(name, parameter)?.ok_or_else(unknown)?,
                query: query.parse()?,
            },
            _ => return Err(unknown().into()),
        })
    }
}

impl MechanismForm {
    /// The release for the accountant, and how many times one release counts.
    pub(super) fn release(
        &self,
        adjacency: Adjacency,
    ) -> Result<(AccountedMechanism, u32), Failure> {
        let pure = |epsilon: Epsilon| -> Result<AccountedMechanism, ParameterError> {
            Ok(AccountedMechanism::RandomizedResponse { epsilon, delta: "0".parse()? })
        };
        let release = match self.clone() {
            Self::Noise { distribution, query } => AccountedMechanism::Noise {
                law: distribution,
                difference: query.worst_difference(adjacency)?,
            },
            Self::Response { epsilon, delta } => {
                AccountedMechanism::RandomizedResponse { epsilon, delta }
            }
            Self::Kary { answers, epsilon } => {
                AccountedMechanism::KaryResponse { epsilon, answers }
            }
            Self::CoinFlip => pure(local::coin_flip()?)?,
            Self::Bits { length, weight, epsilon0 } => {
                let differing = match adjacency {
                    Adjacency::Replacement => length.min(weight.saturating_mul(2)),
                    Adjacency::Deletion => weight,
                };
                return Ok((pure(epsilon0)?, differing));
            }
            Self::AggregatedRappor { epsilon0, clients, noise: None } => {
                let sum = AggregatedRappor::new(epsilon0, clients)?;
                AccountedMechanism::Dominated(sum.dominating_pair(adjacency))
            }
            Self::AggregatedRappor { epsilon0, clients, noise: Some(distribution) } => {
                let sum = Hedged::new(epsilon0, clients, distribution, 1)?;
                AccountedMechanism::Dominated(sum.dominating_pair(adjacency))
            }
        };
        Ok((release, 1))
    }

    /// The mechanism in a certificate, and the adjacency that it fixes; `None` if the checker does
    /// not know it.
    pub(super) fn certified(
        &self,
        adjacency: Adjacency,
    ) -> Option<(CertifiedMechanism, Option<Adjacency>)> {
        Some(match self {
            Self::Response { epsilon, delta } => {
                let fields = json!({"mechanism": "private", "epsilon": epsilon, "delta": delta});
                (CertifiedMechanism::of_one_client(fields), None)
            }
            Self::AggregatedRappor { epsilon0, clients, noise } => (
                CertifiedMechanism::aggregated_rappor(epsilon0, *clients, noise.clone()),
                Some(adjacency),
            ),
            Self::Noise { distribution, query } => {
                // A count changes by 1 under either adjacency.
                let is_count = query.in_certificate() == "count";
                let fixed = (!is_count).then(|| query.adjacency(adjacency));
                (CertifiedMechanism::noise(distribution, query, 1), fixed)
            }
            Self::Kary { .. } | Self::CoinFlip | Self::Bits { .. } => return None,
        })
    }
}
