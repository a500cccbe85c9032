//! `calibrate local`: the guarantee of one client's randomized answer, by its exact ratio.

use clap::Args;
use dp_calibration::{Adjacency, local};
use dp_exact::{Epsilon, Interval, ParameterError, Rational, grouped, parse_integer, refine};

use super::figures::Figures;
use crate::failure::{Failure, accepted};
use crate::json::Inputs;
use crate::values::{adjacency, end_down, end_up, required};

/// Precision of the enclosure of ε, in bits.
const PRECISION: u32 = 192;

/// Privacy loss of one client's randomized answer, exactly
#[derive(Args, Debug)]
pub(super) struct Options {
    /// symmetric-rappor:LENGTH (one bit set), symmetric-rappor:LENGTH:WEIGHT (at most WEIGHT bits
    /// set), basic-rappor, k-ary:ANSWERS or coin-flip
    #[arg(long)]
    mechanism: String,
    /// Parameter of symmetric RAPPOR: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<Epsilon>,
    /// Parameter of basic RAPPOR and of k-ary response
    #[arg(long)]
    epsilon: Option<Epsilon>,
    /// Which batches are neighbours, for RAPPOR: replacement or deletion
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
}

pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let Options { mechanism, epsilon0, epsilon, adjacency } = options;
    let cells: Vec<&str> = mechanism.split(':').collect();
    let (title, loss, certificate) = match cells[..] {
        ["symmetric-rappor", length, ref weight @ ..] if weight.len() < 2 => {
            inputs.refuse(["epsilon"], "with symmetric RAPPOR")?;
            let epsilon0 = required("epsilon0", epsilon0)?;
            let length = parse_integer("length", length, 1..=u64::MAX)?;
            let (weight, inputs) = match weight {
                [weight] => {
                    let weight = parse_integer("weight", weight, 1..=length)?;
                    (Some(weight), format!("at most {weight} of them set"))
                }
                _ => (None, "one of them set".to_owned()),
            };
            // There is one one-hot vector of length 1.
            let loss = match (length, weight, adjacency) {
                (1, None, Adjacency::Replacement) => Rational::zero(),
                _ => local::multihot_rappor(epsilon0, length, weight.unwrap_or(1), *adjacency)?,
            };
            let title = format!(
                "Symmetric RAPPOR with epsilon0 {epsilon0} on vectors of {} bits, {inputs}, under \
                 {adjacency}",
                grouped(length)
            );
            let certificate = "Every bit in which two inputs differ contributes a factor of at most \
                               e^epsilon0. An answer that equals one input in all these bits attains \
                               the product.";
            (title, Some(loss), certificate)
        }
        ["basic-rappor"] => {
            inputs.refuse(["epsilon0"], "with basic RAPPOR")?;
            let epsilon = required("epsilon", epsilon)?;
            let title = format!(
                "Basic RAPPOR with epsilon {epsilon} on one-hot vectors, under {adjacency}"
            );
            let certificate = "Basic RAPPOR flips each bit with probability 1/(1 + e^(epsilon/2)): it \
                               is symmetric RAPPOR with half the parameter, and a replacement changes \
                               two bits.";
            let changed = match adjacency {
                Adjacency::Replacement => Rational::one(),
                Adjacency::Deletion => Rational::new(1, 2)?,
            };
            (title, Some(epsilon.value() * &changed), certificate)
        }
        ["k-ary", answers] => {
            let answers: u64 = parse_integer("answers", answers, 2..=u64::MAX)?;
            inputs.refuse(["epsilon0"], "with k-ary response")?;
            let epsilon = required("epsilon", epsilon)?;
            let count = grouped(answers);
            let title = format!("Randomized response with {count} answers and epsilon {epsilon}");
            let certificate = "The true answer is e^epsilon times as likely as each other one, \
                               whatever the truth is; deletion has no meaning here.";
            (title, Some(epsilon.value().clone()), certificate)
        }
        ["coin-flip"] => {
            inputs.refuse(["epsilon0", "epsilon"], "with coin flips")?;
            let title = "A survey by coin flips: the truth with probability 1/2, yes or no with \
                         probability 1/4 each";
            let certificate = "Yes has probability 3/4 if it is true and 1/4 if it is not.";
            (title.to_owned(), None, certificate)
        }
        _ => {
            let accepted = accepted("mechanism");
            return Err(ParameterError::new("mechanism", mechanism, accepted).into());
        }
    };
    let ratio = loss.as_ref().map_or_else(|| "3".to_owned(), |loss| format!("e^{loss}"));
    let enclosed = match &loss {
        Some(loss) => Interval::rational(loss, PRECISION),
        None => refine(|precision| Interval::integer(3, precision.max(PRECISION)).ln())
            .map_err(dp_calibration::Error::from)?,
    };
    let mut figures = Figures::titled(title);
    if let Some(epsilon) = epsilon {
        figures = figures.at_epsilon(epsilon);
    }
    Ok(figures
        .figure("ratio", ratio, "largest ratio of the probabilities of one answer, exactly")
        .figure(
            "epsilon_upper",
            end_up(enclosed.upper()),
            "its logarithm, rounded up: pure differential privacy",
        )
        .figure("epsilon_lower", end_down(enclosed.lower()), "its logarithm, rounded down")
        .because(certificate))
}
