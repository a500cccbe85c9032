//! `calibrate utility`: the error of estimates under given noise.

use clap::Args;
use dp_calibration::certificate::noise_exceeds;
use dp_calibration::utility::{Accuracy, Estimates, RAPPOR_CERTIFICATE, rappor_total};
use dp_calibration::{NoiseDistribution, Refusal};
use dp_exact::{Epsilon, ParameterError, Rational, grouped};

use super::figures::Figures;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::values::{MAX_CLIENTS, about, capitalized, integers, noise_distribution, required};

const MECHANISM: &str = "laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0";

/// Error of estimates under given noise; `plan` finds the noise for an error
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0
    #[arg(long)]
    mechanism: Option<String>,
    /// Estimates that are to be within the bound at once
    #[arg(long, default_value = "1", value_parser = integers(1..=u64::MAX))]
    coordinates: u64,
    /// Probability that they are
    #[arg(long, default_value = "0.95", value_parser = confidence)]
    confidence: Rational,
    /// Aggregators that each add such noise, with laplace and gaussian [default: 2]
    #[arg(long, value_parser = integers(1..=64_u32))]
    aggregators: Option<u32>,
    /// Clients, with rappor
    #[arg(long, alias = "n", value_parser = integers(1..=MAX_CLIENTS))]
    clients: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  ... utility --mechanism laplace:2 --coordinates 10000
  ... utility --mechanism gaussian:52 --aggregators 3
  ... utility --mechanism rappor:5 --clients 100000";

/// A parser for clap: an exact probability from 0.001 to 1 − 1e-30, of at most 1024 bits.
fn confidence(text: &str) -> Result<Rational, ParameterError> {
    let confidence: Rational = text.parse()?;
    let beta = Rational::one() - &confidence;
    let scaled = &beta * &Rational::integer(10).pow(30);
    if confidence.bits() > 1024 || scaled < 1 || &beta * &Rational::from(1000_u64) > 999 {
        let accepted = "a number from 0.001 to 1 - 1e-30, of at most 1024 bits";
        return Err(ParameterError::new("confidence", text, accepted));
    }
    Ok(confidence)
}

impl Options {
    /// The number of estimates, the probability β = 1 − `--confidence` that one is beyond the
    /// bound, and the number of aggregators, by default 2.
    fn estimates(&self) -> Estimates {
        Estimates {
            coordinates: self.coordinates,
            beta: Rational::one() - &self.confidence,
            aggregators: self.aggregators.unwrap_or(2),
        }
    }

    /// The number of estimates and the confidence in words, for a title.
    fn words(&self) -> String {
        let Self { coordinates, confidence, .. } = self;
        let all = if *coordinates == 1 { "an estimate" } else { "all estimates" };
        format!("{all} of {coordinates}, with probability {confidence}")
    }
}

/// The answer of `calibrate utility`: the error of estimates under a mechanism with its parameter.
/// `Err` for options without a meaning beside the mechanism.
pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let mechanism = options.mechanism.as_ref();
    let mechanism = mechanism.ok_or_else(|| Refusal::missing("mechanism", MECHANISM))?;
    let unknown = || ParameterError::new("mechanism", mechanism, MECHANISM);
    let (name, parameter) = mechanism.split_once(':').ok_or_else(unknown)?;
    let foreign = if name == "rappor" { "aggregators" } else { "clients" };
    inputs.refuse([foreign], format!("with --mechanism {mechanism}"))?;
    if name == "rappor" {
        let epsilon0: Result<Epsilon, ParameterError> = parameter.parse();
        return error_of_rappor(&epsilon0.map_err(|error| error.renamed("epsilon0"))?, options);
    }
    error_of_noise(&noise_distribution(name, parameter)?.ok_or_else(unknown)?, options)
}

/// The figures of the error of estimates, where each aggregator adds noise of this distribution.
fn error_of_noise(distribution: &NoiseDistribution, options: &Options) -> Result<Figures, Failure> {
    let (name, value) = distribution.parameter();
    let noise = capitalized(distribution.kind());
    let Estimates { coordinates, beta, aggregators } = options.estimates();
    let source = match aggregators {
        1 => "one aggregator".to_owned(),
        count => format!("each of {count} aggregators"),
    };
    let title = format!("{noise} of {name} {value} from {source}: {}", options.words());
    let accuracy = options.estimates().accuracy(distribution)?;
    let std = about(accuracy.standard_deviation)?;
    let mut figures = Figures::titled(title)
        .figure("aggregators", aggregators, "each adds such noise")
        .figure("std", std, "standard deviation of one estimate, with the noise of all aggregators")
        .figure("bound", &accuracy.bound, "no error is larger")
        .figure("bound_of_one", &accuracy.bound_of_one, "for one estimate alone");
    if aggregators > 1 {
        let std = about(distribution.standard_deviation())?;
        figures = figures.beside("std_of_one", std, "of one aggregator's noise alone");
    }
    let draws = (aggregators, coordinates);
    Ok(figures.because(Accuracy::CERTIFICATE).certified_by(noise_exceeds(
        distribution,
        draws,
        &accuracy.bound,
        &beta,
    )))
}

/// The figures of the error of counts under symmetric RAPPOR: the standard deviation of any count,
/// and bounds on the distance of empty buckets' estimates from 0, for all coordinates at once and
/// for one. `Err` without `--clients`, or if ε₀ is out of range.
fn error_of_rappor(epsilon0: &Epsilon, options: &Options) -> Result<Figures, Failure> {
    let clients = *required("clients", &options.clients)?;
    // The standard deviation does not depend on the count; the tails are an empty bucket's.
    let error = rappor_total(clients, epsilon0)?;
    let Estimates { coordinates, beta, .. } = options.estimates();
    let title = format!(
        "Counts of {} clients estimated under symmetric RAPPOR with epsilon0 {epsilon0}: {}",
        grouped(clients),
        options.words()
    );
    let std = about(error.standard_deviation(0))?;
    let bound = about(error.margin_of_all(0, coordinates, &beta)?)?;
    Ok(Figures::titled(title)
        .figure("std", std, "standard deviation of every count")
        .figure("bound", bound, "no error of empty buckets is larger")
        .figure("bound_of_one", about(error.margin(0, &beta)?)?, "for one empty bucket alone")
        .because(RAPPOR_CERTIFICATE))
}
