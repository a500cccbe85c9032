//! The values of --mechanism of `compose` and of `ledger`: mechanisms with all their parameters.

use dp_amplification::aggregated_rappor::AggregatedRappor;
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::certificate::CertifiedMechanism;
use dp_calibration::{Adjacency, NoiseDistribution, Refusal, local};
use dp_exact::{Epsilon, ParameterError, Rational, grouped, parse_integer};
use dp_rappor::UnaryEncoding;

use super::local_answer::{BitLosses, Loss, ReportProbabilities};
use crate::failure::Failure;
use crate::values::{MAX_CLIENTS, SensitivityQuery, epsilon_or_zero, noise_distribution};

pub(super) const MECHANISM: &str = "gaussian:VARIANCE:QUERY, laplace:SCALE:QUERY, cube:SCALE:QUERY, \
    response:EPSILON[:DELTA], k-ary:ANSWERS:EPSILON, randomized-response:EPSILON, keep:P:ANSWERS, \
    replace:F:ANSWERS, coin-flip, basic-rappor:EPSILON, symmetric-rappor:LENGTH[:WEIGHT]:EPSILON0, \
    bits:P:Q, rappor-two-step:F:P:Q:HASHES, rappor:EPSILON0:CLIENTS or \
    hedged:EPSILON0:DISTRIBUTION:PARAMETER:CLIENTS";

/// The longest vector of randomized bits in a composition: each bit is a release.
const LONGEST: u64 = 1 << 20;

/// A mechanism with all its parameters, read from [`MECHANISM`].
#[derive(Debug)]
pub(crate) struct TypedMechanism {
    pub(crate) release: AccountedMechanism,
    /// Number of such releases that one release of the mechanism counts as.
    pub(super) each: u32,
    /// `None` if the checker does not know it; then it is an answer of one client by itself.
    pub(super) certified: Option<CertifiedMechanism>,
    /// The ε of one client's answer by itself, rounded up; `None` for other mechanisms, and where
    /// it is no valid ε.
    pub(crate) of_answer: Option<Epsilon>,
}

impl TypedMechanism {
    /// A mechanism of which one release is one release.
    const fn once(release: AccountedMechanism, certified: Option<CertifiedMechanism>) -> Self {
        Self { release, each: 1, certified, of_answer: None }
    }

    /// Reads a mechanism with all its parameters, such as `gaussian:VARIANCE:QUERY`, under this
    /// adjacency. `Err` for another text, and for a parameter out of range.
    pub(crate) fn read(text: &str, adjacency: Adjacency) -> Result<Self, Failure> {
        let unknown = || ParameterError::new("mechanism", text, MECHANISM);
        if let Some(answer) = LocalAnswer::read(text, adjacency, LONGEST)? {
            let each = u32::try_from(answer.each).map_err(Failure::other)?;
            let counted = answer.lifetime.as_ref().unwrap_or(&answer.loss);
            let of_answer = counted.epsilon().ok();
            let (release, certified) = (answer.release, answer.certified);
            return Ok(Self { release, each, certified, of_answer });
        }
        let cells: Vec<&str> = text.splitn(3, ':').collect();
        Ok(match cells[..] {
            // An (ε, δ)-differentially private answer of one client.
            ["response", epsilon, ref delta @ ..] => {
                let delta = delta.first().unwrap_or(&"0").parse()?;
                let Some(epsilon) = epsilon_or_zero(epsilon)? else {
                    let release = AccountedMechanism::PureDelta { delta };
                    return Ok(Self::once(release, None));
                };
                let certified = Some(CertifiedMechanism::private(&epsilon, &delta));
                let release = AccountedMechanism::RandomizedResponse { epsilon, delta };
                Self::once(release, certified)
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
                let difference = query.worst_difference(adjacency)?;
                let certified = Some(query.claimed(adjacency).with_noise(&law, 1));
                Self::once(AccountedMechanism::Noise { law, difference }, certified)
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
        Ok(Self::once(release, Some(certified)))
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
    /// The exact privacy loss of the answer between neighbours.
    pub(super) loss: Loss,
    /// The losses between other inputs; `None` for answers that are no bits.
    pub(super) bit_losses: Option<BitLosses>,
    /// The loss of all answers on one permanent response together; `None` for one step.
    pub(super) lifetime: Option<Loss>,
    /// How often an answer is reported; `None` if a probability is too small for a fraction.
    pub(super) probabilities: Option<ReportProbabilities>,
    /// The mechanism in words, under an adjacency where that matters.
    pub(super) title: String,
    /// Why `loss` is exact, in words.
    pub(super) certificate: &'static str,
    /// `None` where the loss is no rational number.
    pub(super) certified: Option<CertifiedMechanism>,
}

impl LocalAnswer {
    /// Reads a client's answer from its text, one of those in [`MECHANISM`] from `k-ary` to
    /// `rappor-two-step`. `None` for another text, `Err` for a parameter out of range, such as a
    /// length above `longest`, for one coordinate of a one-hot answer, and for a deleted k-ary one,
    /// as no answer counts nothing.
    pub(super) fn read(
        text: &str,
        adjacency: Adjacency,
        longest: u64,
    ) -> Result<Option<Self>, Failure> {
        let cells: Vec<&str> = text.split(':').collect();
        match (&cells[..], adjacency) {
            (
                ["k-ary" | "keep" | "replace", _, _],
                Adjacency::Deletion | Adjacency::OneCoordinate,
            ) => {
                let context =
                    "for k-ary answers: none of them counts nothing, and two counts change";
                let change = "ask for replacement";
                return Err(Refusal::contradiction("adjacency", adjacency, context, change).into());
            }
            (
                ["symmetric-rappor", _, _] | ["basic-rappor", _] | ["rappor-two-step", _, _, _, _],
                _,
            ) => check_one_hot(adjacency)?,
            _ => {}
        }
        Ok(Some(match cells[..] {
            ["randomized-response", epsilon] => {
                return Self::read(&format!("k-ary:2:{epsilon}"), adjacency, longest);
            }
            // On vectors with at most `weight` ones, or exactly one if there is no weight.
            ["symmetric-rappor", length, ref weight @ .., parameter] if weight.len() < 2 => {
                let length = parse_integer("length", length, 1..=longest)?;
                let weight = weight.first();
                let weight = weight.map(|weight| parse_integer("weight", weight, 1..=length));
                let weight: Option<u64> = weight.transpose()?;
                let epsilon0 = epsilon0(parameter)?;
                if weight.is_none() && length == 1 {
                    let accepted = "at least 2 for one set bit, as there is one vector of length 1 \
                                    with it; symmetric-rappor:1:1:EPSILON0 or \
                                    randomized-response:EPSILON0 for yes or no";
                    return Err(ParameterError::new("length", length, accepted).into());
                }
                let replaced = weight.map_or(2, |weight| length.min(weight.saturating_mul(2)));
                let differing = [replaced, weight.unwrap_or(1)];
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
                let bits = Self::flips(epsilon0, length, differing, adjacency)?;
                Self { title, certificate, certified, ..bits }
            }
            ["basic-rappor", epsilon] => {
                let epsilon: Epsilon = epsilon.parse()?;
                let title = format!(
                    "Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}"
                );
                let half = Epsilon::new(epsilon.value() * &Rational::new(1, 2)?)?;
                let certificate = "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is symmetric \
                                   RAPPOR with half the parameter, and a replacement changes two bits.";
                let mechanism = CertifiedMechanism::rappor(&half, "histogram");
                let certified = Some(mechanism);
                let bits = Self::flips(half, u64::MAX, [2, 1], adjacency)?;
                Self { title, certificate, certified, ..bits }
            }
            ["k-ary", answers, epsilon] => {
                let answers = parse_integer("answers", answers, 2..=u64::MAX)?;
                let epsilon: Epsilon = epsilon.parse()?;
                let title = format!(
                    "Randomized response with {} answers and epsilon {epsilon}",
                    grouped(answers)
                );
                let certificate = "The true answer is e^epsilon times as likely as each other one, whatever the truth is.";
                let certified = CertifiedMechanism::randomized_response(&epsilon, answers);
                let loss = Loss::Epsilon(epsilon.value().clone());
                let probabilities = ReportProbabilities::of_odds(&epsilon, answers);
                let release = AccountedMechanism::KaryResponse { epsilon, answers };
                let answer = Self::new(release, loss, probabilities);
                Self { title, certificate, certified: Some(certified), ..answer }
            }
            ["keep" | "replace", given, answers] => {
                // Replaced with probability F is kept with probability 1 − F.
                let keep = match cells[0] {
                    "keep" => probability("p", given)?,
                    _ => Rational::one() - probability("f", given)?,
                };
                let answers = parse_integer("answers", answers, 2..=u64::MAX)?;
                let probabilities = ReportProbabilities::kept(&keep, answers);
                let ReportProbabilities { held, other, .. } =
                    probabilities.as_ref().expect("there are two answers or more");
                let ratio = held.checked_div(other).expect("another answer is possible");
                let epsilon = local::epsilon_of_ratio(&ratio)?;
                let title = format!(
                    "One of {} answers, kept with probability {keep}, else replaced by a uniform answer, the \
                     truth included",
                    grouped(answers)
                );
                let certificate = "Randomized response: the true answer is 1 + answers·P/(1-P) times as likely as each other \
                                   one, for the probability P of keeping it.";
                let release = AccountedMechanism::KaryResponse { epsilon, answers };
                let answer = Self::new(release, Loss::Ratio(ratio), probabilities);
                Self { title, certificate, ..answer }
            }
            ["bits", p, q] => {
                let bits = UnaryEncoding::new(probability("p", p)?, probability("q", q)?)?;
                let inputs = match adjacency {
                    Adjacency::OneCoordinate => "any vector",
                    _ => "a one-hot vector",
                };
                let title = format!(
                    "Bits of {inputs}, reported as ones with probability {} if they are set, else with \
                     {}, under {}",
                    bits.p(),
                    bits.q(),
                    adjacency.in_words()
                );
                let certificate = "A set bit multiplies the ratio by at most p/q, a bit that is not set by at most (1-q)/(1-p). \
                                   The answer with these bits attains the product.";
                Self { title, certificate, ..Self::reports(&bits, 1, adjacency)? }
            }
            ["rappor-two-step", f, p, q, hashes] => {
                let [f, p, q] =
                    [("f", f), ("p", p), ("q", q)].map(|(name, text)| probability(name, text));
                let (f, p, q) = (f?, p?, q?);
                if p >= q {
                    let accepted = "a probability below Q, with which a one of the permanent \
                                    response is reported";
                    return Err(ParameterError::new("p", p, accepted).into());
                }
                let hashes = parse_integer("hashes", hashes, 1..=64_u32)?;
                let half = &f * &Rational::new(1, 2)?;
                let permanent = UnaryEncoding::new(Rational::one() - &half, half)?;
                let report = permanent.then(&UnaryEncoding::new(q.clone(), p.clone())?)?;
                let title = format!(
                    "RAPPOR in two steps with f {f}, p {p}, q {q} and {hashes} hashes: a report has ones \
                     with probability {} where the value sets a bit, else with {}, under {adjacency}",
                    report.p(),
                    report.q()
                );
                let certificate = "A report is bits:P:Q with the probabilities above, and each hash counts. All reports on one \
                                   permanent response together have at most the loss of that response: compose and ledger \
                                   count it.";
                let answer = Self::reports(&report, hashes, adjacency)?;
                let of_all = Self::reports(&permanent, hashes, adjacency)?;
                let (release, lifetime) = (of_all.release, Some(of_all.loss));
                Self { title, certificate, release, lifetime, ..answer }
            }
            // The truth with probability 1/2, else yes or no with probability 1/4 each.
            ["coin-flip"] => {
                let title = "A survey by coin flips: the truth with probability 1/2, yes or no with \
                             probability 1/4 each";
                let certificate = "Yes has probability 3/4 if it is true and 1/4 if it is not.";
                let title = title.to_owned();
                let kept = Self::read("keep:1/2:2", Adjacency::Replacement, longest)?;
                Self { title, certificate, ..kept.expect("a mechanism of two answers") }
            }
            _ => return Ok(None),
        }))
    }

    /// An answer that is one release, with neither title nor reason yet.
    const fn new(
        release: AccountedMechanism,
        loss: Loss,
        probabilities: Option<ReportProbabilities>,
    ) -> Self {
        Self {
            release,
            each: 1,
            loss,
            bit_losses: None,
            lifetime: None,
            probabilities,
            title: String::new(),
            certificate: "",
            certified: None,
        }
    }

    /// An answer of independent bits, each flipped with probability 1/(e^ε₀ + 1), where two inputs
    /// of `length` bits differ in at most `replaced` bits, and an input and zeros in `deleted`.
    fn flips(
        epsilon0: Epsilon,
        length: u64,
        [replaced, deleted]: [u64; 2],
        adjacency: Adjacency,
    ) -> Result<Self, ParameterError> {
        let losses = BitLosses::flips(&epsilon0, length, [replaced, deleted]);
        let probabilities = ReportProbabilities::of_odds(&epsilon0, 2);
        let probabilities = probabilities.map(|bit| ReportProbabilities { replaced: None, ..bit });
        let delta = "0".parse()?;
        let release = AccountedMechanism::RandomizedResponse { epsilon: epsilon0, delta };
        let each = match adjacency {
            Adjacency::Replacement => replaced,
            Adjacency::Deletion => deleted,
            Adjacency::OneCoordinate => 1,
        };
        let answer = Self::new(release, losses.under(adjacency).clone(), probabilities);
        Ok(Self { each, bit_losses: Some(losses), ..answer })
    }

    /// An answer of independent bits that are reported with two probabilities, `ones` of them set.
    fn reports(bits: &UnaryEncoding, ones: u32, adjacency: Adjacency) -> Result<Self, Failure> {
        let losses = BitLosses::reports(bits, ones);
        let pair = local::reported_bits(bits.p(), bits.q(), ones, adjacency)?;
        let (loss, reports) = (losses.under(adjacency).clone(), ReportProbabilities::reports(bits));
        let answer = Self::new(AccountedMechanism::Dominated(pair), loss, Some(reports));
        Ok(Self { bit_losses: Some(losses), ..answer })
    }
}

/// A probability from its text; an error calls it `name`. `Err` unless it is above 0 and below 1.
fn probability(name: &str, text: &str) -> Result<Rational, ParameterError> {
    let accepted = "a probability above 0 and below 1";
    let number = text.parse::<Rational>().ok();
    let inside = number.filter(|number| number.is_positive() && *number < 1);
    inside.ok_or_else(|| ParameterError::new(name, text, accepted))
}
