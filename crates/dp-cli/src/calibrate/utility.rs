//! `calibrate utility`: the error of estimates.

use std::str::FromStr;

use clap::Args;
use dp_calibration::NoiseDistribution;
use dp_calibration::utility::{Accuracy, Estimates, RAPPOR_CERTIFICATE, rappor_total};
use dp_exact::{Epsilon, ParameterError, Rational, grouped};

use super::certificate::{Candidates, noise_draws};
use super::figures::Figures;
use crate::failure::Failure;
use crate::values::{about, clients, integers, noise_distribution, refuse, required};

/// Error of estimates with known noise
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0
    #[arg(long)]
    mechanism: Form,
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
    #[arg(long, alias = "n", value_parser = clients)]
    clients: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  ... utility --mechanism laplace:2 --coordinates 10000
  ... utility --mechanism gaussian:52 --aggregators 3
  ... utility --mechanism rappor:5 --clients 100000

`plan` finds the parameters for a target accuracy.";

/// A mechanism with its parameter.
#[derive(Clone, Debug)]
enum Form {
    Noise(NoiseDistribution),
    Rappor(Epsilon),
}

impl FromStr for Form {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let found = match text.split_once(':') {
            Some(("rappor", epsilon0)) => {
                let epsilon0 = epsilon0.parse::<Epsilon>();
                Some(Self::Rappor(epsilon0.map_err(|error| error.renamed("epsilon0"))?))
            }
            Some((name, parameter)) => noise_distribution(name, parameter)?.map(Self::Noise),
            None => None,
        };
        let accepted = "laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0";
        found.ok_or_else(|| ParameterError::new("mechanism", text, accepted).into())
    }
}

/// A parser for clap: the probability of staying within a bound. Its complement, for which the
/// tails are computed, is at least 1e-30.
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
    fn words(&self) -> String {
        let Self { coordinates, confidence, .. } = self;
        let all = if *coordinates == 1 { "an estimate" } else { "all estimates" };
        format!("{all} of {coordinates}, with probability {confidence}")
    }
}

pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    match &options.mechanism {
        Form::Noise(distribution) => {
            refuse("clients", &options.clients, "with noise of the aggregators")?;
            error_of_noise(distribution, options)
        }
        Form::Rappor(epsilon0) => {
            refuse("aggregators", &options.aggregators, "with --mechanism rappor")?;
            error_of_rappor(epsilon0, options)
        }
    }
}

/// The error of the sum of all aggregators' noise.
fn error_of_noise(distribution: &NoiseDistribution, options: &Options) -> Result<Figures, Failure> {
    let Options { coordinates, confidence, .. } = options;
    let aggregators = options.aggregators.unwrap_or(2);
    let beta = Rational::one() - confidence;
    let estimates = Estimates { coordinates: *coordinates, beta: beta.clone(), aggregators };
    let accuracy = estimates.accuracy(distribution)?;
    let noise = match distribution {
        NoiseDistribution::DiscreteLaplace { scale } => {
            format!("Discrete Laplace noise of scale {scale}")
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            format!("Discrete Gaussian noise of variance {variance}")
        }
    };
    let source = match aggregators {
        1 => "one aggregator".to_owned(),
        count => format!("each of {count} aggregators"),
    };
    let std = about(accuracy.standard_deviation)?;
    let mut figures = Figures::titled(format!("{noise} from {source}: {}", options.words()))
        .figure("aggregators", aggregators, "each adds such noise")
        .figure("std", std, "standard deviation of one estimate, with the noise of all aggregators")
        .figure("bound", &accuracy.bound, "no error is larger")
        .figure("bound_of_one", &accuracy.bound_of_one, "for one estimate alone");
    if aggregators > 1 {
        let std = about(distribution.standard_deviation())?;
        figures = figures.beside("std_of_one", std, "of one aggregator's noise alone");
    }
    figures = figures.beside("union_bound", &accuracy.union_bound, "by the union bound");
    let draws = noise_draws(distribution, aggregators, *coordinates);
    let candidates = Candidates::exceeded(draws, &accuracy.bound, &beta);
    Ok(figures.because(Accuracy::CERTIFICATE).certified_by(candidates))
}

/// The error of counts under symmetric RAPPOR.
fn error_of_rappor(epsilon0: &Epsilon, options: &Options) -> Result<Figures, Failure> {
    let clients = *required("clients", &options.clients)?;
    // The standard deviation does not depend on the count; the tails are an empty bucket's.
    let error = rappor_total(clients, epsilon0)?;
    let beta = Rational::one() - &options.confidence;
    let coordinates = options.coordinates;
    let each = beta.checked_div(&Rational::from(coordinates)).unwrap_or_else(Rational::zero);
    let title = format!(
        "Counts of {} clients estimated under symmetric RAPPOR with epsilon0 {epsilon0}: {}",
        grouped(clients),
        options.words()
    );
    let std = about(error.standard_deviation(0))?;
    let bound = about(error.margin_of_all(0, coordinates, &beta)?)?;
    let union = about(error.margin(0, &each)?)?;
    Ok(Figures::titled(title)
        .figure("std", std, "standard deviation of every count")
        .figure("bound", bound, "no error of empty buckets is larger")
        .figure("bound_of_one", about(error.margin(0, &beta)?)?, "for one empty bucket alone")
        .beside("union_bound", union, "by the union bound")
        .because(RAPPOR_CERTIFICATE))
}
