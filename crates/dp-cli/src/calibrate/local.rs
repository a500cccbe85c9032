//! `calibrate local`: the guarantee of one client's randomized answer, by its exact ratio.

use clap::Args;
use dp_calibration::certificate::PrivacyClaim;
use dp_calibration::{Adjacency, Refusal};
use dp_exact::{Epsilon, Interval, ParameterError, Rational, refine};

use super::certificate::claimed_adjacency;
use super::figures::Figures;
use super::mechanism::LocalAnswer;
use crate::failure::{Failure, accepted};
use crate::json::Inputs;
use crate::values::{adjacency, end_down, end_up};

/// Precision of the enclosure of ε, in bits.
const PRECISION: u32 = 192;

/// Privacy loss of one client's randomized answer, exactly
#[derive(Args, Debug)]
pub(super) struct Options {
    /// As for compose: symmetric-rappor:LENGTH:EPSILON0 (one bit set),
    /// symmetric-rappor:LENGTH:WEIGHT:EPSILON0 (at most WEIGHT bits set), basic-rappor:EPSILON,
    /// k-ary:ANSWERS:EPSILON or coin-flip; without the parameter where an option gives it
    #[arg(long)]
    mechanism: String,
    /// Parameter of symmetric RAPPOR: the privacy loss of one bit
    #[arg(long)]
    epsilon0: Option<Epsilon>,
    /// Parameter of basic RAPPOR and of k-ary response
    #[arg(long)]
    epsilon: Option<Epsilon>,
    /// Which batches are neighbours, for RAPPOR: replacement, deletion or one-coordinate
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
}

/// The figures of the exact privacy loss of one client's randomized answer, and why it is exact;
/// the same loss as by `compose` of one release at δ = 0.
pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let LocalAnswer { loss, title, certificate, certified, .. } = read(options, inputs)?;
    let ratio = loss.as_ref().map_or_else(|| "3".to_owned(), |loss| format!("e^{loss}"));
    let enclosed = match &loss {
        Some(loss) => Interval::rational(loss, PRECISION),
        None => refine(|precision| Interval::integer(3, precision.max(PRECISION)).ln())?,
    };
    let claim = loss.zip(certified).map(|(epsilon, mechanism)| PrivacyClaim {
        epsilon,
        delta: Rational::zero(),
        adjacency: claimed_adjacency(options.adjacency),
        releases: vec![(mechanism, 1)],
    });
    let mut figures = Figures::titled(title)
        .certified_by(claim.map(|claim| claim.candidates()).unwrap_or_default());
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
        .because(certificate))
}

/// The mechanism, spelled as for `compose` or with its parameter in an option. `Err` for an unknown
/// one, a missing parameter, and an option that has no meaning with it.
fn read(options: &Options, inputs: &Inputs) -> Result<LocalAnswer, Failure> {
    let Options { mechanism, epsilon0, epsilon, adjacency } = options;
    let unknown = || ParameterError::new("mechanism", mechanism, accepted("mechanism"));
    let (parameter, foreign, words): (_, &[&str], _) = match mechanism.split(':').next() {
        Some("symmetric-rappor") => {
            (Some(("epsilon0", epsilon0)), &["epsilon"], "with symmetric RAPPOR")
        }
        Some("basic-rappor") => (Some(("epsilon", epsilon)), &["epsilon0"], "with basic RAPPOR"),
        Some("k-ary") => (Some(("epsilon", epsilon)), &["epsilon0"], "with k-ary response"),
        Some("coin-flip") => (None, &["epsilon0", "epsilon"], "with coin flips"),
        _ => return Err(unknown().into()),
    };
    inputs.refuse(foreign.iter().copied(), words)?;
    let spelled = match parameter {
        Some((_, Some(parameter))) => &format!("{mechanism}:{parameter}"),
        _ => mechanism,
    };
    match (LocalAnswer::read(spelled, *adjacency, u64::MAX)?, parameter) {
        (Some(answer), _) => Ok(answer),
        (None, Some((option, None))) => Err(Refusal::missing(option, accepted(option)).into()),
        (None, _) => Err(unknown().into()),
    }
}
