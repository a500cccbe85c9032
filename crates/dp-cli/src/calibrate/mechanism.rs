//! The values of --mechanism of `compose` and of `ledger`: mechanisms with all their parameters.

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

/// A mechanism in a certificate, and the adjacency that it fixes.
pub(super) type Certified = (CertifiedMechanism, Option<Adjacency>);

/// A mechanism with all its parameters, read from [`MECHANISM`].
#[derive(Debug)]
pub(super) struct TypedMechanism {
    pub(super) release: AccountedMechanism,
    /// Number of such releases that one release of the mechanism counts as.
    pub(super) each: u32,
    /// `None` if the checker does not know it.
    pub(super) certified: Option<Certified>,
}

impl TypedMechanism {
    pub(super) fn read(text: &str, adjacency: Adjacency) -> Result<Self, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        let cells: Vec<&str> = text.splitn(3, ':').collect();
        Ok(match cells[..] {
            ["response", epsilon] => Self::response(epsilon.parse()?, "0".parse()?),
            ["response", epsilon, delta] => Self::response(epsilon.parse()?, delta.parse()?),
            ["coin-flip"] => Self::bits(local::coin_flip()?, 1)?,
            ["k-ary", answers, epsilon] => {
                let answers = parse_integer("answers", answers, 2..=u64::MAX)?;
                let release =
                    AccountedMechanism::KaryResponse { epsilon: epsilon.parse()?, answers };
                Self { release, each: 1, certified: None }
            }
            // Each bit of a one-hot vector is flipped with half of ε, and two bits differ.
            ["basic-rappor", epsilon] => {
                let epsilon: Epsilon = epsilon.parse()?;
                let epsilon0 = Epsilon::new(epsilon.value() * &Rational::new(1, 2)?)?;
                Self::bits(epsilon0, differing_bits(2, 1, adjacency))?
            }
            ["symmetric-rappor", length, rest] => {
                let length = parse_integer("length", length, 1..=1 << 20)?;
                let (weight, parameter) = match rest.split_once(':') {
                    Some((weight, parameter)) => {
                        (parse_integer("weight", weight, 1..=length)?, parameter)
                    }
                    None => (1, rest),
                };
                Self::bits(epsilon0(parameter)?, differing_bits(length, weight, adjacency))?
            }
            ["rappor", parameter, people] => Self::aggregated(parameter, people, None, adjacency)?,
            ["hedged", local, rest] => {
                let [name, parameter, people] = rest.split(':').collect::<Vec<&str>>()[..] else {
                    return Err(unknown().into());
                };
                let noise = noise_distribution(name, parameter)?.ok_or_else(unknown)?;
                Self::aggregated(local, people, Some(noise), adjacency)?
            }
            [name, parameter, query] => {
                let law = noise_distribution(name, parameter)?.ok_or_else(unknown)?;
                let query: SensitivityQuery = query.parse()?;
                // A count changes by 1 under either adjacency.
                let is_count = query.in_certificate() == "count";
                let fixed = (!is_count).then(|| query.adjacency(adjacency));
                let certified = Some((CertifiedMechanism::noise(&law, &query, 1), fixed));
                let difference = query.worst_difference(adjacency)?;
                Self { release: AccountedMechanism::Noise { law, difference }, each: 1, certified }
            }
            _ => return Err(unknown().into()),
        })
    }

    /// An (ε, δ)-differentially private answer of one client.
    fn response(epsilon: Epsilon, delta: Delta) -> Self {
        let fields = json!({"mechanism": "private", "epsilon": epsilon, "delta": delta});
        let certified = Some((CertifiedMechanism::of_one_client(fields), None));
        let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
        Self { release, each: 1, certified }
    }

    /// Randomized bits of one client, each with privacy loss ε₀; `differing` bits change.
    fn bits(epsilon0: Epsilon, differing: u32) -> Result<Self, ParameterError> {
        let response = Self::response(epsilon0, "0".parse()?);
        Ok(Self { each: differing, certified: None, ..response })
    }

    /// The sum of clients' one-hot reports under symmetric RAPPOR, with one aggregator's noise.
    fn aggregated(
        parameter: &str,
        people: &str,
        noise: Option<NoiseDistribution>,
        adjacency: Adjacency,
    ) -> Result<Self, Failure> {
        let epsilon0 = epsilon0(parameter)?;
        let clients = parse_integer("clients", people, 1..=MAX_CLIENTS)?;
        let certified = CertifiedMechanism::aggregated_rappor(&epsilon0, clients, noise.clone());
        let pair = match noise {
            None => AggregatedRappor::new(epsilon0, clients)?.dominating_pair(adjacency),
            Some(noise) => Hedged::new(epsilon0, clients, noise, 1)?.dominating_pair(adjacency),
        };
        let certified = Some((certified, Some(adjacency)));
        Ok(Self { release: AccountedMechanism::Dominated(pair), each: 1, certified })
    }
}

fn epsilon0(text: &str) -> Result<Epsilon, ParameterError> {
    text.parse().map_err(|error: ParameterError| error.renamed("epsilon0"))
}

/// The number of bits in which vectors with at most `weight` ones can differ, or differ from zero.
fn differing_bits(length: u32, weight: u32, adjacency: Adjacency) -> u32 {
    match adjacency {
        Adjacency::Replacement => length.min(weight.saturating_mul(2)),
        Adjacency::Deletion => weight,
    }
}
