//! `calibrate local`: what one client's randomized answer guarantees, by its exact ratio.

use clap::Args;
use dp_calibration::Adjacency;
use dp_calibration::local::LocalRandomizer;
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

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let mechanism = typed::required("mechanism", options.mechanism.as_ref(), MECHANISMS)?;
    let adjacency = typed::adjacency(&options.adjacency)?;
    let randomizer = randomizer(mechanism, options)?;
    let ratio = randomizer.ratio(adjacency)?;
    let answer = Answer::to(title(&randomizer, adjacency));
    let mut answer = match &randomizer {
        LocalRandomizer::BasicRappor { epsilon }
        | LocalRandomizer::KaryRandomizedResponse { epsilon, .. } => answer.at_epsilon(epsilon),
        _ => answer,
    };
    let meaning = "largest ratio of the probabilities of one answer, exactly";
    answer.figure("ratio", &ratio, meaning);
    let loss = ratio.epsilon(PRECISION)?;
    let meaning = "its logarithm, rounded up: pure differential privacy";
    answer.figure("epsilon_upper", end_up(loss.upper()), meaning);
    answer.figure("epsilon_lower", end_down(loss.lower()), "rounded down");
    Ok(answer.because(randomizer.certificate()))
}

/// The randomizer that is typed as its name and sizes, and as --epsilon0 or --epsilon.
fn randomizer(mechanism: &str, options: &Options) -> Result<LocalRandomizer, Failure> {
    let (epsilon, epsilon0) = (options.epsilon.as_ref(), options.epsilon0.as_ref());
    let cells: Vec<&str> = mechanism.split(':').collect();
    Ok(match cells[..] {
        ["symmetric-rappor", length, ref weight @ ..] if weight.len() <= 1 => {
            typed::refuse("epsilon", epsilon, "with symmetric RAPPOR")?;
            let epsilon0 = typed::epsilon0(epsilon0)?;
            let length: u64 = parse_integer("length", length, 1..=u64::MAX)?;
            let weight = weight.first();
            let max_weight = weight.map(|weight| parse_integer("weight", weight, 1..=length));
            LocalRandomizer::SymmetricRappor {
                epsilon0,
                length,
                max_weight: max_weight.transpose()?,
            }
        }
        ["basic-rappor"] => {
            typed::refuse("epsilon0", epsilon0, "with basic RAPPOR")?;
            let epsilon = typed::epsilon(epsilon)?;
            LocalRandomizer::BasicRappor { epsilon }
        }
        ["k-ary", answers] => {
            typed::refuse("epsilon0", epsilon0, "with k-ary response")?;
            LocalRandomizer::KaryRandomizedResponse {
                epsilon: typed::epsilon(epsilon)?,
                answers: parse_integer("answers", answers, 2..=u64::MAX)?,
            }
        }
        ["coin-flip"] => {
            typed::refuse("epsilon0", epsilon0, "with coin flips")?;
            typed::refuse("epsilon", epsilon, "with coin flips")?;
            LocalRandomizer::CoinFlip
        }
        _ => return Err(ParameterError::new("mechanism", mechanism, MECHANISMS).into()),
    })
}

fn title(randomizer: &LocalRandomizer, adjacency: Adjacency) -> String {
    match randomizer {
        LocalRandomizer::SymmetricRappor { epsilon0, length, max_weight } => {
            let inputs = max_weight.map_or_else(
                || "one of them set".to_owned(),
                |weight| format!("at most {weight} of them set"),
            );
            format!(
                "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {length} bits, {inputs}, \
                 under {adjacency}",
                length = grouped(length)
            )
        }
        LocalRandomizer::BasicRappor { epsilon } => {
            format!("Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}")
        }
        LocalRandomizer::KaryRandomizedResponse { epsilon, answers } => {
            format!(
                "Randomized response with {answers} answers and epsilon {epsilon}",
                answers = grouped(answers)
            )
        }
        _ => "A survey by coin flips: the truth with 1/2, yes or no with 1/4 each".to_owned(),
    }
}
