//! `calibrate utility`: the error of estimates, and the parameters for a target accuracy.

use clap::Args;
use dp_calibration::certificate::noise_exceeds;
use dp_calibration::utility::{Accuracy, Estimates, RAPPOR_CERTIFICATE, rappor_total};
use dp_calibration::{NoiseDistribution, Refusal};
use dp_exact::{Delta, Epsilon, ParameterError, Rational, grouped};

use super::figures::Figures;
use crate::failure::Failure;
use crate::json::Inputs;
use crate::values::{
    MAX_CLIENTS, Norm, SensitivityOptions, about, capitalized, fraction, integers,
    noise_distribution, required, up,
};

const MECHANISM: &str = "laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0";

/// Error of estimates, and parameters for a target accuracy
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0; the name alone to compute the parameter
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
    /// Target: the largest error, with laplace and gaussian
    #[arg(long, value_parser = integers(1..=u64::MAX))]
    bound: Option<u64>,
    #[command(flatten)]
    sensitivity: SensitivityOptions,
    /// Delta of the guarantee, with gaussian and --bound
    #[arg(long)]
    delta: Option<Delta>,
}

const AFTER_HELP: &str = "\
Examples:
  ... utility --mechanism laplace:2 --coordinates 10000
  ... utility --mechanism gaussian:52 --aggregators 3
  ... utility --mechanism laplace --bound 24 --coordinates 10000    finds scale and epsilon
  ... utility --mechanism gaussian --bound 100 --delta 1e-9         finds variance and epsilon
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

    /// The aggregators that add noise in words: "one aggregator" or "each of N aggregators".
    fn source(&self) -> String {
        match self.aggregators.unwrap_or(2) {
            1 => "one aggregator".to_owned(),
            count => format!("each of {count} aggregators"),
        }
    }
}

/// The answer of `calibrate utility`: the error of estimates under a mechanism with its parameter;
/// for the name alone the parameter that reaches the target. `Err` for options without a meaning
/// beside the mechanism.
pub(super) fn answer(options: &Options, inputs: &Inputs) -> Result<Figures, Failure> {
    let mechanism = options.mechanism.as_ref();
    let mechanism = mechanism.ok_or_else(|| Refusal::missing("mechanism", MECHANISM))?;
    let unknown = || ParameterError::new("mechanism", mechanism, MECHANISM);
    let (name, parameter) = match mechanism.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (mechanism.as_str(), None),
    };
    let foreign: &[&str] = match (name, parameter) {
        ("rappor", Some(_)) => &["aggregators", "bound", "query", "adjacency", "delta"],
        ("laplace" | "gaussian", Some(_)) => &["clients", "bound", "query", "adjacency", "delta"],
        ("laplace", None) => &["clients", "delta"],
        ("gaussian", None) => &["clients"],
        _ => return Err(unknown().into()),
    };
    inputs.refuse(foreign.iter().copied(), format!("with --mechanism {mechanism}"))?;
    match (name, parameter) {
        ("rappor", Some(epsilon0)) => {
            let epsilon0: Result<Epsilon, ParameterError> = epsilon0.parse();
            error_of_rappor(&epsilon0.map_err(|error| error.renamed("epsilon0"))?, options)
        }
        (_, Some(parameter)) => {
            let distribution = noise_distribution(name, parameter)?.ok_or_else(unknown)?;
            error_of_noise(&distribution, options)
        }
        (_, None) => noise_within_bound(options, name == "laplace"),
    }
}

/// The figures of the error of estimates, where each aggregator adds noise of this distribution.
fn error_of_noise(distribution: &NoiseDistribution, options: &Options) -> Result<Figures, Failure> {
    let (name, value) = distribution.parameter();
    let noise = capitalized(distribution.kind());
    let (source, words) = (options.source(), options.words());
    let title = format!("{noise} of {name} {value} from {source}: {words}");
    let accuracy = options.estimates().accuracy(distribution)?;
    with_error(Figures::titled(title), &accuracy, distribution, options)
}

/// Adds the error of estimates by the sum of all aggregators' noise, where each draws from
/// `distribution`, and why it holds.
fn with_error(
    figures: Figures,
    accuracy: &Accuracy,
    distribution: &NoiseDistribution,
    options: &Options,
) -> Result<Figures, Failure> {
    let Estimates { coordinates, beta, aggregators } = options.estimates();
    let std = about(accuracy.standard_deviation)?;
    let mut figures = figures
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

/// The figures of the largest noise, Laplace or else Gaussian, of each aggregator for which the
/// errors of all estimates stay within `--bound` at once with probability `--confidence`, and of
/// the ε that it guarantees.
fn noise_within_bound(options: &Options, is_laplace: bool) -> Result<Figures, Failure> {
    let bound =
        options.bound.ok_or_else(|| Refusal::missing("bound", "an integer of at least 1"))?;
    let estimates = options.estimates();
    let (norm, delta) = match is_laplace {
        true => (Norm::L1, None),
        false => (Norm::L2Squared, Some(required("delta", &options.delta)?)),
    };
    let sensitivity = options.sensitivity.known(norm)?;
    let found = estimates.noise_within(bound, &sensitivity, delta)?;
    let title = format!(
        "{} from {}, of at most {bound} together on {}; {sensitivity}",
        capitalized(found.distribution.kind()),
        options.source(),
        options.words()
    );
    let (name, value) = found.distribution.parameter();
    let delta = delta.map_or_else(|| "0".to_owned(), Delta::to_string);
    let meaning = format!("guaranteed by the noise of one aggregator, with delta {delta}");
    let figures = Figures::titled(title)
        .figure(name, fraction(value), "the largest of twelve digits")
        .figure("epsilon_upper", up(&found.epsilon), meaning);
    let figures = with_error(figures, &found.accuracy, &found.distribution, options)?;
    Ok(match &found.concentrated_epsilon {
        Some(epsilon) => {
            figures.beside("epsilon_zcdp", up(epsilon), "by zero-concentrated privacy alone")
        }
        None => figures,
    })
}

/// The figures of the error of counts under symmetric RAPPOR, with bounds for empty buckets.
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
