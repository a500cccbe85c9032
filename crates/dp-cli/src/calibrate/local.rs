//! `calibrate local`: what one client's randomized answer guarantees, by its exact ratio.

use clap::Args;
use dp_calibration::local::{self, Ratio};
use dp_exact::{ParameterError, grouped};

use super::answer::Answer;
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, end_down, end_up};

const MECHANISMS: &str = "symmetric-rappor:LENGTH, symmetric-rappor:LENGTH:WEIGHT, basic-rappor, k-ary:ANSWERS or coin-flip";

/// Bits of an enclosure that is printed.
const PRECISION: u32 = 192;

/// The privacy loss of one client's randomized answer, exactly
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// symmetric-rappor:LENGTH (one bit set), symmetric-rappor:LENGTH:WEIGHT (at most that many),
    /// basic-rappor, k-ary:ANSWERS or coin-flip
    #[arg(long)]
    mechanism: Option<String>,
    /// Parameter of symmetric RAPPOR: privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<String>,
    /// Parameter of basic RAPPOR and of k-ary response
    #[arg(long)]
    epsilon: Option<String>,
    /// replacement or deletion, for RAPPOR
    #[arg(long, default_value = "replacement")]
    adjacency: String,
}

/// A randomizer: its title, its largest ratio, and why no outcome has a larger one.
type Described = (String, Ratio, &'static str);

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let mechanism = typed::required("mechanism", options.mechanism.as_ref(), MECHANISMS)?;
    let (title, ratio, certificate) = described(mechanism, options)?;
    let mut answer = Answer::to(title);
    if options.epsilon.is_some() {
        answer = answer.at_epsilon(&typed::epsilon(options.epsilon.as_ref())?);
    }
    let meaning = "largest ratio of the probabilities of one answer, exactly";
    answer.figure("ratio", &ratio, meaning);
    let loss = ratio.epsilon(PRECISION)?;
    let meaning = "its logarithm, rounded up: pure differential privacy";
    answer.figure("epsilon_upper", end_up(loss.upper()), meaning);
    answer.figure("epsilon_lower", end_down(loss.lower()), "rounded down");
    Ok(answer.because(certificate))
}

/// The randomizer that is typed as its name and sizes, and as --epsilon0 or --epsilon.
fn described(mechanism: &str, options: &Options) -> Result<Described, Failure> {
    let adjacency = typed::adjacency(&options.adjacency)?;
    let (epsilon, epsilon0) = (options.epsilon.as_ref(), options.epsilon0.as_ref());
    let cells: Vec<&str> = mechanism.split(':').collect();
    Ok(match cells[..] {
        ["symmetric-rappor", length, ref weight @ ..] if weight.len() <= 1 => {
            typed::refuse("epsilon", epsilon, "with symmetric RAPPOR")?;
            let epsilon0 = typed::epsilon0(epsilon0)?;
            let length: u64 = parse_integer("length", length, 1..=u64::MAX)?;
            let (inputs, ratio) = match weight.first() {
                None => {
                    let ratio = local::one_hot_rappor(&epsilon0, length, adjacency)?;
                    ("one of them set".to_owned(), ratio)
                }
                Some(weight) => {
                    let weight: u64 = parse_integer("weight", weight, 1..=length)?;
                    let ratio = local::multihot_rappor(&epsilon0, length, weight, adjacency)?;
                    (format!("at most {weight} of them set"), ratio)
                }
            };
            let title = format!(
                "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {length} bits, {inputs}, \
                 under {adjacency}",
                length = grouped(length)
            );
            let certificate = "Every bit that two inputs differ in contributes a factor of at most \
                e^epsilon0, and the answer that has all of them as the one input attains the product.";
            (title, ratio, certificate)
        }
        ["basic-rappor"] => {
            typed::refuse("epsilon0", epsilon0, "with basic RAPPOR")?;
            let epsilon = typed::epsilon(epsilon)?;
            let certificate = "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it is \
                symmetric RAPPOR with half the parameter, and a replacement moves two bits.";
            let title = format!(
                "Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}"
            );
            (title, local::basic_rappor(&epsilon, adjacency)?, certificate)
        }
        ["k-ary", answers] => {
            typed::refuse("epsilon0", epsilon0, "with k-ary response")?;
            let epsilon = typed::epsilon(epsilon)?;
            let answers: u64 = parse_integer("answers", answers, 2..=u64::MAX)?;
            let certificate = "The true answer is e^epsilon times as likely as each other one, whatever \
                the truth is; deletion has no meaning here.";
            let title = format!(
                "Randomized response with {answers} answers and epsilon {epsilon}",
                answers = grouped(answers)
            );
            (title, local::k_ary(&epsilon, answers)?, certificate)
        }
        ["coin-flip"] => {
            typed::refuse("epsilon0", epsilon0, "with coin flips")?;
            typed::refuse("epsilon", epsilon, "with coin flips")?;
            let title = "A survey by coin flips: the truth with 1/2, yes or no with 1/4 each";
            let certificate = "Yes has the probability 3/4 if it is true and 1/4 if it is not.";
            (title.to_owned(), local::coin_flip(), certificate)
        }
        _ => return Err(ParameterError::new("mechanism", mechanism, MECHANISMS).into()),
    })
}
