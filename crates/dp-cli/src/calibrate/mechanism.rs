//! The values of --mechanism of `compose` and of `ledger`: mechanisms with all their parameters.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::certificate::CertifiedMechanism;
use dp_calibration::{Adjacency, NoiseDistribution, Refusal, local};
use dp_exact::{Epsilon, ParameterError, Rational, grouped, parse_integer};

use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, SensitivityQuery, epsilon_or_zero, noise_distribution};

pub(super) const MECHANISM: &str = "gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, cube:SCALE:QUERY, \
    response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, coin-flip, basic-rappor:EPSILON, \
    symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, rappor:EPSILON0:CLIENTS or \
    hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS";

/// The longest vector of randomized bits in a composition: each bit is a release.
const LONGEST: u64 = 1 << 20;

/// A mechanism with all its parameters, read from [`MECHANISM`].
#[derive(Debug)]
pub(crate) struct TypedMechanism {
    pub(crate) release: AccountedMechanism,
    /// Number of such releases that one release of the mechanism counts as.
    pub(super) each: u32,
    /// `None` if the checker does not know it.
    pub(super) certified: Option<CertifiedMechanism>,
}

impl TypedMechanism {
    /// Reads a mechanism with all its parameters, such as `gaussian:VARIANCE:QUERY`, under this
    /// adjacency. `Err` for another text, and for a parameter out of range.
    pub(crate) fn read(text: &str, adjacency: Adjacency) -> Result<Self, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        if let Some(answer) = LocalAnswer::read(text, adjacency, LONGEST)? {
            let each = u32::try_from(answer.each).map_err(Failure::other)?;
            return Ok(Self { release: answer.release, each, certified: answer.certified });
        }
        let cells: Vec<&str> = text.splitn(3, ':').collect();
        Ok(match cells[..] {
            // An (ε, δ)-differentially private answer of one client.
            ["response", epsilon, ref delta @ ..] => {
                let delta = delta.first().unwrap_or(&"0").parse()?;
                let Some(epsilon) = epsilon_or_zero(epsilon)? else {
                    let release = AccountedMechanism::PureDelta { delta };
                    return Ok(Self { release, each: 1, certified: None });
                };
                let certified = Some(CertifiedMechanism::private(&epsilon, &delta));
                let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
                Self { release, each: 1, certified }
            }
            ["rappor", parameter, people] => Self::aggregated(parameter, people, None, adjacency)?,
            ["hedged", local, rest] => {
                let [name, parameter, people] = rest.split(':').collect::<Vec<&str>>()[..] else {
                    return Err(unknown().into());
                };
                let noise = noise_distribution(name, parameter)?.ok_or_else(unknown)?;
                Self::aggregated(local, people, Some(noise), adjacency)?
            }
            // Cube-shaped noise costs what Laplace noise of its scale on one number costs.
            ["cube", scale, query] => {
                let entry = match query.bytes().all(|byte| byte.is_ascii_digit()) {
                    true => format!("sum:{query}"),
                    false => query.parse::<SensitivityQuery>()?.one_entry()?.0.to_string(),
                };
                Self::read(&format!("laplace:{scale}:{entry}"), adjacency)?
            }
            [name, parameter, query] => {
                let law = noise_distribution(name, parameter)?.ok_or_else(unknown)?;
                let query: SensitivityQuery = query.parse()?;
                // A count changes by 1 under either adjacency.
                let difference = query.worst_difference(adjacency)?;
                let certified = Some(query.claimed(adjacency).with_noise(&law, 1));
                Self { release: AccountedMechanism::Noise { law, difference }, each: 1, certified }
            }
            _ => return Err(unknown().into()),
        })
    }

    /// The sum of one-hot reports of `people` clients under symmetric RAPPOR with ε₀ = `parameter`,
    /// both as typed; with one aggregator's `noise` added, if it is given.
    fn aggregated(
        parameter: &str,
        people: &str,
        noise: Option<NoiseDistribution>,
        adjacency: Adjacency,
    ) -> Result<Self, Failure> {
        check_one_hot(adjacency)?;
        let epsilon0 = epsilon0(parameter)?;
        let clients = parse_integer("clients", people, 1..=MAX_CLIENTS)?;
        let certified = CertifiedMechanism::aggregated_rappor(&epsilon0, clients, noise.as_ref());
        let noise = noise.as_ref().map(|noise| (noise, 1));
        let sum = AggregatedRappor::new(epsilon0, clients)?.with_noise(noise)?;
        let release = AccountedMechanism::Dominated(sum.dominating_pair(adjacency));
        Ok(Self { release, each: 1, certified: Some(certified) })
    }
}

/// `Err` for one coordinate of one-hot vectors, which have no such neighbours.
pub(super) fn check_one_hot(adjacency: Adjacency) -> Result<(), Refusal> {
    match adjacency {
        Adjacency::OneCoordinate => Err(Refusal::no_single_coordinate("one-hot vectors")),
        Adjacency::Replacement | Adjacency::Deletion => Ok(()),
    }
}

/// An ε₀ from its text; an error calls it `epsilon0`.
fn epsilon0(text: &str) -> Result<Epsilon, ParameterError> {
    text.parse().map_err(|error: ParameterError| error.renamed("epsilon0"))
}

/// One client's randomized answer, for `compose`, ledgers and `local`.
#[derive(Debug)]
pub(super) struct LocalAnswer {
    /// An independent part of the answer, such as a bit.
    pub(super) release: AccountedMechanism,
    /// The largest number of such parts in which two inputs differ; under deletion, an input and
    /// zeros.
    pub(super) each: u64,
    /// The exact privacy loss of the answer; `None` for coin flips, whose loss is ln 3.
    pub(super) loss: Option<Rational>,
    /// The mechanism in words, under an adjacency where that matters.
    pub(super) title: String,
    /// Why `loss` is exact, in words.
    pub(super) certificate: &'static str,
    /// `None` for coin flips, whose loss is no rational number.
    pub(super) certified: Option<CertifiedMechanism>,
}

impl LocalAnswer {
    /// Reads `symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0`, `basic-rappor:EPSILON`,
    /// `k-ary:ANSWERS:EPSILON` or `coin-flip`; `None` for another text, `Err` for a parameter out
    /// of range, such as a length above `longest`, for one coordinate of a one-hot answer, and for a
    /// deleted k-ary one, as no answer counts nothing.
    pub(super) fn read(
        text: &str,
        adjacency: Adjacency,
        longest: u64,
    ) -> Result<Option<Self>, Failure> {
        let cells: Vec<&str> = text.split(':').collect();
        match (&cells[..], adjacency) {
            (["k-ary", _, _], Adjacency::Deletion | Adjacency::OneCoordinate) => {
                let context =
                    "for k-ary answers: none of them counts nothing, and two counts change";
                let change = "ask for replacement";
                return Err(Refusal::contradiction("adjacency", adjacency, context, change).into());
            }
            (["symmetric-rappor", _, _] | ["basic-rappor", _], _) => check_one_hot(adjacency)?,
            _ => {}
        }
        Ok(Some(match cells[..] {
            // On vectors with at most `weight` ones, or exactly one if there is no weight.
            ["symmetric-rappor", length, ref weight @ .., parameter] if weight.len() < 2 => {
                let length = parse_integer("length", length, 1..=longest)?;
                let weight = weight.first();
                let weight = weight.map(|weight| parse_integer("weight", weight, 1..=length));
                let weight: Option<u64> = weight.transpose()?;
                let epsilon0 = epsilon0(parameter)?;
                let differing = match adjacency {
                    // There is one one-hot vector of length 1.
                    Adjacency::Replacement if length == 1 && weight.is_none() => 0,
                    Adjacency::Replacement => length.min(weight.unwrap_or(1).saturating_mul(2)),
                    Adjacency::Deletion => weight.unwrap_or(1),
                    Adjacency::OneCoordinate => 1,
                };
                let inputs = match weight {
                    Some(weight) => format!("at most {weight} of them set"),
                    None => "one of them set".to_owned(),
                };
                let title = format!(
                    "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {} bits, {inputs}, \
                     under {}",
                    grouped(length),
                    adjacency.in_words()
                );
                let certificate = "Every bit in which two inputs differ contributes a factor of at most e^epsilon0. An \
                                   answer that equals one input in all these bits attains the product.";
                // The checker knows whole measurements: one coordinate is a vector of one bit.
                let query = match (weight, adjacency) {
                    (_, Adjacency::OneCoordinate) => "multihot:1:1".to_owned(),
                    (Some(weight), _) => format!("multihot:{length}:{weight}"),
                    (None, _) => format!("histogram:{length}"),
                };
                let certified = Some(CertifiedMechanism::rappor(&epsilon0, &query));
                let bits = Self::of_bits(epsilon0, differing, title, certificate)?;
                Self { certified, ..bits }
            }
            ["basic-rappor", epsilon] => {
                let epsilon: Epsilon = epsilon.parse()?;
                let title = format!(
                    "Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}"
                );
                let half = Epsilon::new(epsilon.value() * &Rational::new(1, 2)?)?;
                let differing = if adjacency == Adjacency::Deletion { 1 } else { 2 };
                let certificate = "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is symmetric \
                                   RAPPOR with half the parameter, and a replacement changes two bits.";
                let mechanism = CertifiedMechanism::rappor(&half, "histogram");
                let bits = Self::of_bits(half, differing, title, certificate)?;
                Self { certified: Some(mechanism), ..bits }
            }
            ["k-ary", answers, epsilon] => {
                let answers = parse_integer("answers", answers, 2..=u64::MAX)?;
                let epsilon: Epsilon = epsilon.parse()?;
                Self {
                    title: format!(
                        "Randomized response with {} answers and epsilon {epsilon}",
                        grouped(answers)
                    ),
                    loss: Some(epsilon.value().clone()),
                    certified: Some(CertifiedMechanism::randomized_response(&epsilon, answers)),
                    release: AccountedMechanism::KaryResponse { epsilon, answers },
                    each: 1,
                    certificate: "The true answer is e^epsilon times as likely as each other one, whatever the truth is.",
                }
            }
            // The truth with probability 1/2, else yes or no with probability 1/4 each.
            ["coin-flip"] => {
                let title = "A survey by coin flips: the truth with probability 1/2, yes or no with \
                             probability 1/4 each";
                let certificate = "Yes has probability 3/4 if it is true and 1/4 if it is not.";
                let bit = Self::of_bits(local::coin_flip(), 1, title.to_owned(), certificate)?;
                Self { loss: None, ..bit }
            }
            _ => return Ok(None),
        }))
    }

    /// An answer of independent bits, each flipped with probability 1/(e^ε₀ + 1), where two inputs
    /// differ in at most `each` bits: its loss is ε₀ times `each`.
    fn of_bits(
        epsilon0: Epsilon,
        each: u64,
        title: String,
        certificate: &'static str,
    ) -> Result<Self, ParameterError> {
        let loss = Some(epsilon0.value() * &Rational::from(each));
        let delta = "0".parse()?;
        let release = AccountedMechanism::RandomizedResponse { epsilon: epsilon0, delta };
        Ok(Self { release, each, loss, title, certificate, certified: None })
    }
}
