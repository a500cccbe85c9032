//! `calibrate local`: the guarantee of one client's randomized answer, by its exact ratio.

use clap::Args;
use dp_calibration::Adjacency;
use dp_exact::{Epsilon, Interval, ParameterError, refine};

use super::figures::Figures;
use super::mechanism::LocalMechanism;
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

/// `local` is `compose --delta 0` with the parameter in an option, and says why the loss is exact.
pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let mechanism = read(options, inputs)?;
    let loss = mechanism.loss(options.adjacency)?;
    let ratio = loss.as_ref().map_or_else(|| "3".to_owned(), |loss| format!("e^{loss}"));
    let enclosed = match &loss {
        Some(loss) => Interval::rational(loss, PRECISION),
        None => refine(|precision| Interval::integer(3, precision.max(PRECISION)).ln())
            .map_err(dp_calibration::Error::from)?,
    };
    let mut figures = Figures::titled(mechanism.title(options.adjacency));
    if let Some(epsilon) = &options.epsilon {
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
        .because(mechanism.certificate()))
}

/// The mechanism with the parameter of its option; `Err` if an option has no meaning with it.
fn read(options: &Options, inputs: &Inputs) -> Result<LocalMechanism, Failure> {
    let Options { mechanism, epsilon0, epsilon, .. } = options;
    let unknown = || ParameterError::new("mechanism", mechanism, accepted("mechanism"));
    let name = mechanism.split(':').next().unwrap_or_default();
    let typed = match name {
        "symmetric-rappor" => {
            inputs.refuse(["epsilon"], "with symmetric RAPPOR")?;
            format!("{mechanism}:{}", required("epsilon0", epsilon0)?)
        }
        "basic-rappor" => {
            inputs.refuse(["epsilon0"], "with basic RAPPOR")?;
            format!("{mechanism}:{}", required("epsilon", epsilon)?)
        }
        "k-ary" => {
            inputs.refuse(["epsilon0"], "with k-ary response")?;
            format!("{mechanism}:{}", required("epsilon", epsilon)?)
        }
        "coin-flip" => {
            inputs.refuse(["epsilon0", "epsilon"], "with coin flips")?;
            mechanism.clone()
        }
        _ => return Err(unknown().into()),
    };
    Ok(LocalMechanism::read(&typed, u64::MAX)?.ok_or_else(unknown)?)
}
