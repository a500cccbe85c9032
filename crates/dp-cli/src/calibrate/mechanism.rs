//! The values of --mechanism of `compose` and of `ledger`: mechanisms with all their parameters.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_amplification::hedged::Hedged;
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::certificate::CertifiedMechanism;
use dp_calibration::{Adjacency, NoiseDistribution, local};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, grouped, parse_integer};

use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, SensitivityQuery, noise_distribution};

pub(super) const MECHANISM: &str = "gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, \
    response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON, \
    symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, rappor:EPSILON0:CLIENTS or \
    hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS";

/// The longest vector of randomized bits in a composition: each bit is a release.
const LONGEST: u64 = 1 << 20;

/// A mechanism in a certificate, and the adjacency that it fixes.
pub(super) type Certified = (CertifiedMechanism, Option<Adjacency>);

/// A mechanism with all its parameters, read from [`MECHANISM`].
#[derive(Debug)]
pub(crate) struct TypedMechanism {
    pub(crate) release: AccountedMechanism,
    /// Number of such releases that one release of the mechanism counts as.
    pub(super) each: u32,
    /// `None` if the checker does not know it.
    pub(super) certified: Option<Certified>,
}

impl TypedMechanism {
    pub(crate) fn read(text: &str, adjacency: Adjacency) -> Result<Self, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        if let Some(mechanism) = LocalMechanism::read(text, LONGEST)? {
            return Self::local(&mechanism, adjacency);
        }
        let cells: Vec<&str> = text.splitn(3, ':').collect();
        Ok(match cells[..] {
            ["response", epsilon] => Self::response(epsilon.parse()?, "0".parse()?),
            ["response", epsilon, delta] => Self::response(epsilon.parse()?, delta.parse()?),
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
                let certified = Some((query.with_noise(&law, 1), fixed));
                let difference = query.worst_difference(adjacency)?;
                Self { release: AccountedMechanism::Noise { law, difference }, each: 1, certified }
            }
            _ => return Err(unknown().into()),
        })
    }

    /// An (ε, δ)-differentially private answer of one client.
    fn response(epsilon: Epsilon, delta: Delta) -> Self {
        let certified = Some((CertifiedMechanism::private(&epsilon, &delta), None));
        let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
        Self { release, each: 1, certified }
    }

    /// One client's randomized answer.
    fn local(mechanism: &LocalMechanism, adjacency: Adjacency) -> Result<Self, Failure> {
        let bits = |epsilon0: Epsilon, each: u64| {
            let response = Self::response(epsilon0, "0".parse()?);
            let each = u32::try_from(each).map_err(Failure::other)?;
            Ok(Self { each, certified: None, ..response })
        };
        match mechanism {
            LocalMechanism::SymmetricRappor { epsilon0, .. } => {
                bits(epsilon0.clone(), mechanism.differing_bits(adjacency))
            }
            LocalMechanism::BasicRappor { epsilon } => {
                let half = Epsilon::new(epsilon.value() * &Rational::new(1, 2)?)?;
                bits(half, mechanism.differing_bits(adjacency))
            }
            LocalMechanism::KaryResponse { answers, epsilon } => {
                let (epsilon, answers) = (epsilon.clone(), *answers);
                let release = AccountedMechanism::KaryResponse { epsilon, answers };
                Ok(Self { release, each: 1, certified: None })
            }
            LocalMechanism::CoinFlip => bits(local::coin_flip(), 1),
        }
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
        let certified = CertifiedMechanism::aggregated_rappor(&epsilon0, clients, noise.as_ref());
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

/// One client's randomized answer with all its parameters, for `compose`, ledgers and `local`.
#[derive(Clone, Debug)]
pub(super) enum LocalMechanism {
    /// Symmetric RAPPOR on vectors with at most `weight` ones, or exactly one if that is `None`.
    SymmetricRappor { length: u64, weight: Option<u64>, epsilon0: Epsilon },
    /// Basic RAPPOR on one-hot vectors: symmetric RAPPOR with ε₀ = ε/2.
    BasicRappor { epsilon: Epsilon },
    /// k-ary randomized response.
    KaryResponse { answers: u64, epsilon: Epsilon },
    /// The truth with probability 1/2, else yes or no with probability 1/4 each.
    CoinFlip,
}

impl LocalMechanism {
    /// Reads `symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0`, `basic-rappor:EPSILON`,
    /// `k-ary:ANSWERS:EPSILON` or `coin-flip`; `None` for another text. A length is at most
    /// `longest`.
    pub(super) fn read(text: &str, longest: u64) -> Result<Option<Self>, ParameterError> {
        let cells: Vec<&str> = text.split(':').collect();
        Ok(Some(match cells[..] {
            ["symmetric-rappor", length, ref weight @ .., parameter] if weight.len() < 2 => {
                let length = parse_integer("length", length, 1..=longest)?;
                let weight = match weight {
                    [weight] => Some(parse_integer("weight", weight, 1..=length)?),
                    _ => None,
                };
                Self::SymmetricRappor { length, weight, epsilon0: epsilon0(parameter)? }
            }
            ["basic-rappor", epsilon] => Self::BasicRappor { epsilon: epsilon.parse()? },
            ["k-ary", answers, epsilon] => {
                let answers = parse_integer("answers", answers, 2..=u64::MAX)?;
                Self::KaryResponse { answers, epsilon: epsilon.parse()? }
            }
            ["coin-flip"] => Self::CoinFlip,
            _ => return Ok(None),
        }))
    }

    /// The most randomized bits in which two inputs differ; under deletion, an input and zeros.
    fn differing_bits(&self, adjacency: Adjacency) -> u64 {
        let (length, weight) = match self {
            // There is one one-hot vector of length 1.
            Self::SymmetricRappor { length: 1, weight: None, .. }
                if adjacency == Adjacency::Replacement =>
            {
                return 0;
            }
            Self::SymmetricRappor { length, weight, .. } => (*length, weight.unwrap_or(1)),
            Self::BasicRappor { .. } => (2, 1),
            Self::KaryResponse { .. } | Self::CoinFlip => return 1,
        };
        match adjacency {
            Adjacency::Replacement => length.min(weight.saturating_mul(2)),
            Adjacency::Deletion => weight,
        }
    }

    /// The exact privacy loss of the answer; `None` for coin flips, whose loss is ln 3.
    pub(super) fn loss(&self, adjacency: Adjacency) -> Result<Option<Rational>, ParameterError> {
        let differing = Rational::from(self.differing_bits(adjacency));
        Ok(match self {
            Self::SymmetricRappor { epsilon0, .. } => Some(epsilon0.value() * &differing),
            Self::BasicRappor { epsilon } => {
                Some(epsilon.value() * &(differing * Rational::new(1, 2)?))
            }
            Self::KaryResponse { epsilon, .. } => Some(epsilon.value().clone()),
            Self::CoinFlip => None,
        })
    }

    /// The mechanism in words, under an adjacency where that matters.
    pub(super) fn title(&self, adjacency: Adjacency) -> String {
        match self {
            Self::SymmetricRappor { length, weight, epsilon0 } => {
                let inputs = match weight {
                    Some(weight) => format!("at most {weight} of them set"),
                    None => "one of them set".to_owned(),
                };
                let length = grouped(length);
                format!(
                    "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {length} bits, {inputs}, \
                     under {adjacency}"
                )
            }
            Self::BasicRappor { epsilon } => {
                format!("Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}")
            }
            Self::KaryResponse { answers, epsilon } => {
                let count = grouped(answers);
                format!("Randomized response with {count} answers and epsilon {epsilon}")
            }
            Self::CoinFlip => {
                "A survey by coin flips: the truth with probability 1/2, yes or no with \
                               probability 1/4 each"
                    .to_owned()
            }
        }
    }

    /// Why [`Self::loss`] is exact, in words.
    pub(super) const fn certificate(&self) -> &'static str {
        match self {
            Self::SymmetricRappor { .. } => {
                "Every bit in which two inputs differ contributes a factor of at most e^epsilon0. An \
                 answer that equals one input in all these bits attains the product."
            }
            Self::BasicRappor { .. } => {
                "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is symmetric \
                 RAPPOR with half the parameter, and a replacement changes two bits."
            }
            Self::KaryResponse { .. } => {
                "The true answer is e^epsilon times as likely as each other one, whatever the truth is; \
                 deletion has no meaning here."
            }
            Self::CoinFlip => "Yes has probability 3/4 if it is true and 1/4 if it is not.",
        }
    }
}
