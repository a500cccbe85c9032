//! `calibrate utility`: how far off an answer is, and what a wanted accuracy takes.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::NoiseDistribution;
use dp_calibration::utility::{
    Accuracy, DebiasedRappor, Estimates, rappor_clients, rappor_epsilon0,
};
use dp_exact::{Epsilon, ParameterError, Rational, grouped};

use super::answer::Answer;
use super::certificate::{Candidates, Draws, Noise};
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{
    self, Moves, Norm, about, fraction, noise_law, number, positive, refuse, refuse_all, required,
    up,
};

const MECHANISM: &str = "laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0";

/// How far off an answer is, and what a wanted accuracy takes
#[derive(Args, Clone, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// A task that says the mechanism, unless --mechanism does, the aggregators, and with --bound the query
    #[arg(long, value_name = "FILE")]
    pub(super) task: Option<PathBuf>,
    /// laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0; the name alone to find the parameter
    #[arg(long)]
    mechanism: Option<String>,
    /// Estimates that are to be right at once
    #[arg(long, default_value = "1")]
    coordinates: String,
    /// Probability that they are
    #[arg(long, default_value = "0.95")]
    confidence: String,
    /// Aggregators that each add such noise, with laplace and gaussian; 2 if not given
    #[arg(long)]
    aggregators: Option<String>,
    /// Clients, with rappor
    #[arg(long, aliases = ["n", "users", "num-clients"])]
    clients: Option<String>,
    /// Wanted: the largest error, with laplace and gaussian
    #[arg(long)]
    bound: Option<String>,
    /// Wanted: the standard deviation of an estimated fraction, with rappor:EPSILON0
    #[arg(long)]
    accuracy: Option<String>,
    /// Wanted: the standard deviation of an estimated count, with rappor
    #[arg(long)]
    std: Option<String>,
    #[command(flatten)]
    moves: Moves,
    /// With gaussian and --bound: the slack
    #[arg(long)]
    delta: Option<String>,
}

impl Options {
    /// These options, filled in from the task where they were not typed.
    fn filled(&self) -> Result<Self, Failure> {
        let mut filled = self.clone();
        if let Some(path) = &self.task {
            let job = typed::Job::of(path)?;
            filled.mechanism = self.mechanism.clone().or(job.mechanism);
            let is_of_clients =
                filled.mechanism.as_ref().is_some_and(|mechanism| mechanism.starts_with("rappor"));
            if !is_of_clients {
                filled.aggregators = self.aggregators.clone().or(Some(job.aggregators));
            }
            if self.bound.is_some() && !self.moves.is_given() {
                filled.moves = filled.moves.of_query(job.query);
            }
        }
        Ok(filled)
    }
}

const AFTER_HELP: &str = "\
Examples:
  ... utility --mechanism laplace:2 --coordinates 10000
  ... utility --mechanism gaussian:52 --aggregators 3
  ... utility --mechanism laplace --bound 24 --coordinates 10000    finds scale and epsilon
  ... utility --mechanism gaussian --bound 100 --delta 1e-9         finds variance and epsilon
  ... utility --mechanism rappor:5 --clients 100000
  ... utility --mechanism rappor:5 --accuracy 0.001                 finds the clients
  ... utility --mechanism rappor --clients 100000 --std 26          finds epsilon0";

/// What is asked about, as typed.
struct Wanted {
    estimates: Estimates,
    confidence: Rational,
}

impl Wanted {
    fn new(options: &Options) -> Result<Self, Failure> {
        let confidence: Rational = number("confidence", &options.confidence)?;
        let beta = Rational::one() - &confidence;
        let scaled = &beta * &Rational::integer(10).pow(30);
        if confidence.bits() > 1024 || scaled < 1 || &beta * &Rational::from(1000_u64) > 999 {
            let accepted = "a number from 0.001 to 1 - 1e-30, of at most 1024 bits";
            let typed = &options.confidence;
            return Err(ParameterError::new("confidence", typed, accepted).into());
        }
        let estimates = Estimates {
            coordinates: parse_integer("coordinates", &options.coordinates, 1..=u64::MAX)?,
            beta,
            aggregators: match &options.aggregators {
                Some(typed) => parse_integer("aggregators", typed, 1..=64)?,
                None => 2,
            },
        };
        Ok(Self { estimates, confidence })
    }

    fn words(&self) -> String {
        let coordinates = self.estimates.coordinates;
        let all = if coordinates == 1 { "an estimate" } else { "all estimates" };
        let confidence = &self.confidence;
        format!("{all} of {coordinates}, with probability {confidence}")
    }

    /// The certificate that no error is larger than the bound.
    fn exceeded(&self, law: &NoiseDistribution, accuracy: &Accuracy) -> Candidates {
        let draws = Draws::Noise {
            noise: Noise(law.clone()),
            aggregators: self.estimates.aggregators,
            numbers: self.estimates.coordinates,
        };
        Candidates::exceeded(draws, &accuracy.bound, self.estimates.beta.clone())
    }

    /// Who adds the noise.
    fn source(&self) -> String {
        match self.estimates.aggregators {
            1 => "one aggregator".to_owned(),
            count => format!("each of {count} aggregators"),
        }
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let options = &options.filled()?;
    let wanted = Wanted::new(options)?;
    let mechanism = required("mechanism", options.mechanism.as_ref(), MECHANISM)?;
    let (name, parameter) = match mechanism.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (mechanism, None),
    };
    if name == "rappor" {
        let place = "with --mechanism rappor";
        let bound = ("bound", options.bound.as_ref());
        refuse_all(place, [("aggregators", options.aggregators.as_ref()), bound])?;
        options.moves.refuse(place)?;
        refuse("delta", options.delta.as_ref(), place)?;
        return match parameter {
            Some(epsilon0) => rappor(&number("epsilon0", epsilon0)?, options, &wanted),
            None => find_epsilon0(options),
        };
    }
    let place = "with noise of the aggregators";
    let (clients, accuracy) = (options.clients.as_ref(), options.accuracy.as_ref());
    let std = ("std", options.std.as_ref());
    refuse_all(place, [("clients", clients), ("accuracy", accuracy), std])?;
    let unknown = || ParameterError::new("mechanism", mechanism, MECHANISM);
    match (name, parameter) {
        (_, Some(parameter)) => {
            let place = "with a known parameter of the mechanism";
            refuse("bound", options.bound.as_ref(), place)?;
            options.moves.refuse(place)?;
            refuse("delta", options.delta.as_ref(), place)?;
            known(&noise_law(name, parameter)?.ok_or_else(unknown)?, &wanted)
        }
        ("laplace", None) => find(options, &wanted, true),
        ("gaussian", None) => find(options, &wanted, false),
        _ => Err(unknown().into()),
    }
}

/// Of noise whose parameter is typed.
fn known(law: &NoiseDistribution, wanted: &Wanted) -> Result<Answer, Failure> {
    let noise = match law {
        NoiseDistribution::DiscreteLaplace { scale } => {
            format!("Discrete Laplace noise of scale {scale}")
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            format!("Discrete Gaussian noise of variance {variance}")
        }
    };
    let accuracy = wanted.estimates.accuracy(law)?;
    let (source, words) = (wanted.source(), wanted.words());
    let mut answer = Answer::to(format!("{noise} from {source}: {words}"));
    figures(&mut answer, &accuracy, &wanted.estimates)?;
    if let Some(bound) = accuracy.continuous_bound {
        let meaning = "union bound of one aggregator's continuous noise, \
                       scale·ln(coordinates/beta)";
        answer.alternative("continuous_bound", about(bound)?, meaning);
    }
    let candidates = wanted.exceeded(law, &accuracy);
    Ok(answer.because(accuracy.certificate()).certified_by(candidates))
}

/// Figures of the sum of all aggregators' noise, given that of one.
fn figures(answer: &mut Answer, accuracy: &Accuracy, estimates: &Estimates) -> Result<(), Failure> {
    let aggregators = estimates.aggregators;
    answer.figure("aggregators", aggregators, "each adds such noise");
    let std = about(accuracy.standard_deviation)?;
    let meaning = "standard deviation of one estimate, with the noise of all aggregators";
    answer.figure("std", std, meaning);
    if aggregators > 1 {
        let std = about(accuracy.standard_deviation_of_one)?;
        answer.alternative("std_of_one", std, "of one aggregator's noise alone");
    }
    answer.figure("bound", &accuracy.bound, "no error is larger");
    let meaning = "for one estimate alone";
    answer.figure("bound_of_one", &accuracy.bound_of_one, meaning);
    let meaning = "by the union bound";
    answer.alternative("union_bound", &accuracy.union_bound, meaning);
    Ok(())
}

/// The least epsilon whose noise stays within --bound, of this law.
fn find(options: &Options, wanted: &Wanted, is_laplace: bool) -> Result<Answer, Failure> {
    let bound = required("bound", options.bound.as_ref(), "an integer of at least 1")?;
    let bound = parse_integer("bound", bound, 1..=u64::MAX)?;
    let (estimates, moves) = (&wanted.estimates, &options.moves);
    let (law, delta, sensitivity, found) = if is_laplace {
        refuse("delta", options.delta.as_ref(), "with --mechanism laplace")?;
        let sensitivity = moves.known(Norm::L1)?;
        let found = estimates.laplace_within(bound, &sensitivity)?;
        ("Laplace", "0".to_owned(), sensitivity, found)
    } else {
        let sensitivity = moves.known(Norm::L2Squared)?;
        let delta = typed::delta(options.delta.as_ref())?;
        let found = estimates.gaussian_within(bound, &sensitivity, &delta)?;
        ("Gaussian", delta.to_string(), sensitivity, found)
    };
    let (source, words) = (wanted.source(), wanted.words());
    let mut answer = Answer::to(format!(
        "Discrete {law} noise from {source}, of at most {bound} together on {words}; {sensitivity}"
    ));
    let (name, value) = match &found.law {
        NoiseDistribution::DiscreteLaplace { scale } => ("scale", scale),
        NoiseDistribution::DiscreteGaussian { variance } => ("variance", variance),
    };
    answer.figure(name, fraction(value), "the largest of twelve digits");
    let meaning = format!("what the noise of one aggregator guarantees, with delta {delta}");
    answer.figure("epsilon_upper", up(&found.epsilon), meaning);
    figures(&mut answer, &found.accuracy, estimates)?;
    if let Some(epsilon) = &found.concentrated_epsilon {
        let meaning = "by zero-concentrated privacy alone";
        answer.alternative("epsilon_zcdp", up(epsilon), meaning);
    }
    let candidates = wanted.exceeded(&found.law, &found.accuracy);
    let certificate = found.accuracy.certificate();
    Ok(answer.because(certificate).certified_by(candidates))
}

fn rappor(epsilon0: &Epsilon, options: &Options, wanted: &Wanted) -> Result<Answer, Failure> {
    refuse("std", options.std.as_ref(), "with a known epsilon0")?;
    if let Some(accuracy) = &options.accuracy {
        refuse("clients", options.clients.as_ref(), "with --accuracy")?;
        let wanted = positive("accuracy", accuracy)?;
        let clients = rappor_clients(epsilon0, wanted.to_f64())?;
        let mut answer = Answer::to(format!(
            "Clients for which a fraction estimated under symmetric RAPPOR with epsilon0 \
             {epsilon0} has a standard deviation of at most {accuracy}"
        ));
        answer.figure("clients", clients, "the least number");
        return Ok(answer.because(DebiasedRappor::CERTIFICATE));
    }
    let accepted = "an integer from 1 to 10000000000, or --accuracy";
    let clients = required("clients", options.clients.as_ref(), accepted)?;
    let clients: u64 = parse_integer("clients", clients, 1..=10_000_000_000)?;
    // The standard deviation is the same whatever the count; the tails are those of empty buckets.
    let error = DebiasedRappor::new(clients, epsilon0, 0)?;
    let coordinates = wanted.estimates.coordinates;
    let beta = wanted.estimates.beta.to_f64();
    let mut answer = Answer::to(format!(
        "Counts of {clients} clients estimated under symmetric RAPPOR with epsilon0 {epsilon0}: {}",
        wanted.words(),
        clients = grouped(clients)
    ));
    let std = about(error.standard_deviation())?;
    answer.figure("std", std, "standard deviation of every count");
    let bound = about(error.simultaneous(coordinates, beta))?;
    answer.figure("bound", bound, "no error of empty buckets is larger");
    let bound = about(error.quantile(beta))?;
    answer.figure("bound_of_one", bound, "for one of them alone");
    let union = about(error.union_bound(coordinates, beta))?;
    answer.alternative("union_bound", union, "by the union bound");
    Ok(answer.because(DebiasedRappor::CERTIFICATE))
}

fn find_epsilon0(options: &Options) -> Result<Answer, Failure> {
    refuse("accuracy", options.accuracy.as_ref(), "without an epsilon0")?;
    let clients = typed::clients(options.clients.as_ref())?;
    let std = required("std", options.std.as_ref(), "a number greater than 0")?;
    let epsilon0 = rappor_epsilon0(clients, positive("std", std)?.to_f64())?;
    let mut answer = Answer::to(format!(
        "epsilon0 of symmetric RAPPOR for which a count of {clients} clients has a standard \
         deviation of {std}",
        clients = grouped(clients)
    ));
    answer.figure("epsilon0", about(epsilon0)?, "to ten digits");
    Ok(answer.because(DebiasedRappor::CERTIFICATE))
}
