//! `calibrate local`: what one client's randomized answer promises, by its exact ratio.

use clap::Args;
use dp_calibration::Adjacency;
use dp_calibration::local::{self, Ratio};
use dp_exact::ParameterError;

use super::answer::Answer;
use super::typed::{self, end_down, end_up};
use crate::failure::Failure;
use crate::options::integer;

const MECHANISMS: &str = "symmetric-rappor:LENGTH, symmetric-rappor:LENGTH:WEIGHT, basic-rappor, k-ary:ANSWERS or coin-flip";

/// Bits of an enclosure that is printed.
const PRECISION: u32 = 192;

/// The privacy loss of one client's randomized answer, exactly
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// symmetric-rappor:LENGTH (one bit set), symmetric-rappor:LENGTH:WEIGHT (at most that many),
    /// basic-rappor, k-ary:ANSWERS or coin-flip
    #[arg(long, allow_hyphen_values = true)]
    mechanism: Option<String>,
    /// Parameter of symmetric RAPPOR: privacy loss of one bit
    #[arg(long, allow_hyphen_values = true)]
    epsilon0: Option<String>,
    /// Parameter of basic RAPPOR and of k-ary response
    #[arg(long, allow_hyphen_values = true)]
    epsilon: Option<String>,
    /// replacement or deletion, for RAPPOR
    #[arg(long, default_value = "replacement")]
    adjacency: String,
}

/// The largest ratio of probabilities, and why.
struct Found {
    ratio: Ratio,
    title: String,
    reason: &'static str,
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let mechanism = typed::required("mechanism", options.mechanism.as_ref(), MECHANISMS)?;
    let adjacency = typed::adjacency(&options.adjacency)?;
    let mut parts = mechanism.split(':');
    let (name, parameters) = (parts.next(), parts.collect::<Vec<_>>());
    let found = match (name, parameters.as_slice()) {
        (Some("symmetric-rappor"), [length]) => symmetric(options, length, None, adjacency)?,
        (Some("symmetric-rappor"), [length, weight]) => {
            symmetric(options, length, Some(weight), adjacency)?
        }
        (Some("basic-rappor"), []) => basic(options, adjacency)?,
        (Some("k-ary"), [answers]) => k_ary(options, answers)?,
        (Some("coin-flip"), []) => coin_flip(options)?,
        _ => return Err(ParameterError::new("mechanism", mechanism, MECHANISMS).into()),
    };
    let mut answer = Answer::to(found.title);
    let meaning = "largest ratio of the probabilities of one answer, exactly";
    answer.figure("ratio", &found.ratio, meaning);
    let loss = found.ratio.epsilon(PRECISION)?;
    let meaning = "its logarithm, rounded up: pure differential privacy";
    answer.figure("epsilon_upper", end_up(loss.upper()), meaning);
    answer.figure("epsilon_lower", end_down(loss.lower()), "rounded down");
    Ok(answer.because(found.reason))
}

fn symmetric(
    options: &Options,
    length: &str,
    weight: Option<&str>,
    adjacency: Adjacency,
) -> Result<Found, Failure> {
    typed::refuse("epsilon", options.epsilon.as_ref(), "with symmetric RAPPOR")?;
    let epsilon0 = typed::epsilon0(options.epsilon0.as_ref())?;
    let length: u64 = integer("length", length, 1..=u64::MAX)?;
    let (ratio, inputs) = match weight {
        None => (
            local::one_hot_rappor(&epsilon0, length, adjacency)?,
            "one of them set".to_owned(),
        ),
        Some(weight) => {
            let weight: u64 = integer("weight", weight, 1..=length)?;
            let ratio = local::multihot_rappor(&epsilon0, length, weight, adjacency)?;
            (ratio, format!("at most {weight} of them set"))
        }
    };
    Ok(Found {
        ratio,
        title: format!(
            "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {length} bits, {inputs}, \
             under {adjacency}"
        ),
        reason: "Every bit that two inputs differ in contributes a factor of at most e^epsilon0, \
                 and the answer that has all of them as the one input attains the product.",
    })
}

fn basic(options: &Options, adjacency: Adjacency) -> Result<Found, Failure> {
    typed::refuse("epsilon0", options.epsilon0.as_ref(), "with basic RAPPOR")?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    Ok(Found {
        ratio: local::basic_rappor(&epsilon, adjacency)?,
        title: format!("Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}"),
        reason: "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is \
                 symmetric RAPPOR with half the parameter, and a replacement moves two bits.",
    })
}

fn k_ary(options: &Options, answers: &str) -> Result<Found, Failure> {
    typed::refuse("epsilon0", options.epsilon0.as_ref(), "with k-ary response")?;
    let epsilon = typed::epsilon(options.epsilon.as_ref())?;
    let answers: u64 = integer("answers", answers, 2..=u64::MAX)?;
    Ok(Found {
        ratio: local::k_ary(&epsilon, answers)?,
        title: format!("Randomized response with {answers} answers and epsilon {epsilon}"),
        reason: "The true answer is e^epsilon times as likely as each other one, whatever the \
                 truth is; deletion has no meaning here.",
    })
}

fn coin_flip(options: &Options) -> Result<Found, Failure> {
    typed::refuse("epsilon0", options.epsilon0.as_ref(), "with coin flips")?;
    typed::refuse("epsilon", options.epsilon.as_ref(), "with coin flips")?;
    Ok(Found {
        ratio: local::coin_flip(),
        title: "A survey by coin flips: the truth with 1/2, yes or no with 1/4 each".to_owned(),
        reason: "Yes has the probability 3/4 if it is true and 1/4 if it is not.",
    })
}
