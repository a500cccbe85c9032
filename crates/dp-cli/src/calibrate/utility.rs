//! `calibrate utility`: how far off an answer is, and what a wanted accuracy takes.

use clap::Args;
use dp_calibration::utility::{
    DebiasedRappor, Noise, continuous_laplace_bound, gaussian_variance, laplace_scale,
    rappor_clients, rappor_epsilon0,
};
use dp_calibration::{conversion, discrete_gaussian, zcdp};
use dp_exact::{Epsilon, ParameterError, Rational};

use super::answer::Answer;
use super::typed::{self, Moves, about, fraction, number, positive, refuse, required, up};
use crate::failure::Failure;
use crate::options::integer;

const MECHANISM: &str = "laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0";

/// How far off an answer is, and what a wanted accuracy takes
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// laplace:SCALE, gaussian:VARIANCE or rappor:EPSILON0; the name alone to find the parameter
    #[arg(long, allow_hyphen_values = true)]
    mechanism: Option<String>,
    /// Estimates that are to be right at once
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    coordinates: String,
    /// Probability that they are
    #[arg(long, default_value = "0.95", allow_hyphen_values = true)]
    confidence: String,
    /// Aggregators that each add such noise, with laplace and gaussian; 2 if not given
    #[arg(long, allow_hyphen_values = true)]
    aggregators: Option<String>,
    /// Clients, with rappor
    #[arg(long, allow_hyphen_values = true)]
    clients: Option<String>,
    /// Wanted: the largest error, with laplace and gaussian
    #[arg(long, allow_hyphen_values = true)]
    bound: Option<String>,
    /// Wanted: the standard deviation of an estimated fraction, with rappor:EPSILON0
    #[arg(long, allow_hyphen_values = true)]
    accuracy: Option<String>,
    /// Wanted: the standard deviation of an estimated count, with rappor
    #[arg(long, allow_hyphen_values = true)]
    std: Option<String>,
    /// With --bound, what one client moves: one, pair, l1:NUMBER (laplace), l2-squared:NUMBER
    #[arg(long, allow_hyphen_values = true)]
    query: Option<String>,
    /// With gaussian and --bound: the slack
    #[arg(long, allow_hyphen_values = true)]
    delta: Option<String>,
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

/// How many estimates, and how likely one of them may be off.
struct Wanted {
    coordinates: u64,
    confidence: Rational,
    beta: Rational,
    aggregators: u32,
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
        Ok(Self {
            coordinates: integer("coordinates", &options.coordinates, 1..=u64::MAX)?,
            confidence,
            beta,
            aggregators: match &options.aggregators {
                Some(typed) => integer("aggregators", typed, 1..=64)?,
                None => 2,
            },
        })
    }

    fn words(&self) -> String {
        let Self {
            coordinates,
            confidence,
            ..
        } = self;
        let all = if *coordinates == 1 {
            "an estimate"
        } else {
            "all estimates"
        };
        format!("{all} of {coordinates}, with probability {confidence}")
    }

    /// Who adds the noise.
    fn source(&self) -> String {
        match self.aggregators {
            1 => "one aggregator".to_owned(),
            count => format!("each of {count} aggregators"),
        }
    }

    /// The sum of what all aggregators add.
    fn together(&self, noise: Noise) -> Result<Noise, Failure> {
        Ok(noise.from_each_of(self.aggregators)?)
    }
}

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let wanted = Wanted::new(options)?;
    let mechanism = required("mechanism", options.mechanism.as_ref(), MECHANISM)?;
    let (name, parameter) = match mechanism.split_once(':') {
        Some((name, parameter)) => (name, Some(parameter)),
        None => (mechanism, None),
    };
    if name == "rappor" {
        let place = "with --mechanism rappor";
        refuse("aggregators", options.aggregators.as_ref(), place)?;
        refuse("bound", options.bound.as_ref(), place)?;
        refuse("query", options.query.as_ref(), place)?;
        refuse("delta", options.delta.as_ref(), place)?;
        return match parameter {
            Some(epsilon0) => rappor(&number("epsilon0", epsilon0)?, options, &wanted),
            None => find_epsilon0(options),
        };
    }
    let place = "with noise of the aggregators";
    refuse("clients", options.clients.as_ref(), place)?;
    refuse("accuracy", options.accuracy.as_ref(), place)?;
    refuse("std", options.std.as_ref(), place)?;
    if parameter.is_some() {
        let place = "with a known parameter of the mechanism";
        refuse("bound", options.bound.as_ref(), place)?;
        refuse("query", options.query.as_ref(), place)?;
        refuse("delta", options.delta.as_ref(), place)?;
    }
    match (name, parameter) {
        ("laplace", Some(scale)) => {
            let scale = positive("scale", scale)?;
            let title = format!(
                "Discrete Laplace noise of scale {scale} from {}: {}",
                wanted.source(),
                wanted.words()
            );
            let mut answer = Answer::to(title);
            noise(&mut answer, &Noise::laplace(scale.clone())?, &wanted)?;
            let [scale, beta] = [&scale, &wanted.beta].map(Rational::to_f64);
            let bound = continuous_laplace_bound(scale, wanted.coordinates, beta);
            let meaning = "union bound of one aggregator's continuous noise, \
                           scale·ln(coordinates/beta)";
            answer.alternative("continuous_bound", about(bound)?, meaning);
            Ok(answer.because(EXACT))
        }
        ("gaussian", Some(variance)) => {
            let variance = positive("variance", variance)?;
            let (source, words) = (wanted.source(), wanted.words());
            let title =
                format!("Discrete Gaussian noise of variance {variance} from {source}: {words}");
            let mut answer = Answer::to(title);
            noise(&mut answer, &Noise::gaussian(variance)?, &wanted)?;
            Ok(answer.because(EXACT))
        }
        ("laplace", None) => find_scale(options, &wanted),
        ("gaussian", None) => find_variance(options, &wanted),
        _ => Err(ParameterError::new("mechanism", mechanism, MECHANISM).into()),
    }
}

const EXACT: &str = "Every aggregator adds its own noise, and the error of an estimate is their sum. \
    The probability that it exceeds m is a tail of the law of that sum, enclosed in interval arithmetic; the errors are independent, so that all are within m with the power of \
    its complement, exactly. The bound is the least such integer.";

/// Figures of the sum of all aggregators' noise, given that of one.
fn noise(answer: &mut Answer, each: &Noise, wanted: &Wanted) -> Result<(), Failure> {
    let Wanted {
        coordinates, beta, ..
    } = wanted;
    let noise = wanted.together(each.clone())?;
    answer.figure("aggregators", wanted.aggregators, "each adds such noise");
    let std = about(noise.standard_deviation())?;
    let meaning = "standard deviation of one estimate, with the noise of all aggregators";
    answer.figure("std", std, meaning);
    if wanted.aggregators > 1 {
        let std = about(each.standard_deviation())?;
        answer.alternative("std_of_one", std, "of one aggregator's noise alone");
    }
    let meaning = "no error is larger";
    answer.figure("bound", noise.simultaneous(*coordinates, beta)?, meaning);
    let meaning = "for one estimate alone";
    answer.figure("bound_of_one", noise.quantile(beta)?, meaning);
    let meaning = "by the union bound";
    answer.alternative(
        "union_bound",
        noise.union_bound(*coordinates, beta)?,
        meaning,
    );
    Ok(())
}

/// --bound, and what one client moves.
fn sought(options: &Options, norm: &'static str) -> Result<(u64, Moves), Failure> {
    let bound = required("bound", options.bound.as_ref(), "an integer of at least 1")?;
    let bound = integer("bound", bound, 1..=u64::MAX)?;
    let query = options.query.as_deref().unwrap_or("pair");
    Ok((bound, Moves::parse(query, norm)?))
}

fn find_scale(options: &Options, wanted: &Wanted) -> Result<Answer, Failure> {
    refuse("delta", options.delta.as_ref(), "with --mechanism laplace")?;
    let (bound, moves) = sought(options, "l1")?;
    let scale = laplace_scale(
        wanted.aggregators,
        &bound.into(),
        wanted.coordinates,
        &wanted.beta,
    )?;
    let mut answer = Answer::to(format!(
        "Discrete Laplace noise from {}, of at most {bound} together on {}; {}",
        wanted.source(),
        wanted.words(),
        moves.words
    ));
    answer.figure("scale", fraction(&scale), "the largest of twelve digits");
    let epsilon = Rational::integer(moves.norm).checked_div(&scale);
    let epsilon = epsilon.unwrap_or_else(Rational::zero);
    answer.figure(
        "epsilon_upper",
        up(&epsilon),
        "what the noise of one aggregator promises, with delta 0",
    );
    noise(&mut answer, &Noise::laplace(scale)?, wanted)?;
    Ok(answer.because(EXACT))
}

fn find_variance(options: &Options, wanted: &Wanted) -> Result<Answer, Failure> {
    let (bound, moves) = sought(options, "l2-squared")?;
    let delta = typed::delta(options.delta.as_ref())?;
    let variance = gaussian_variance(
        wanted.aggregators,
        &bound.into(),
        wanted.coordinates,
        &wanted.beta,
    )?;
    let mut answer = Answer::to(format!(
        "Discrete Gaussian noise from {}, of at most {bound} together on {}; {}",
        wanted.source(),
        wanted.words(),
        moves.words
    ));
    answer.figure(
        "variance",
        fraction(&variance),
        "the largest of twelve digits",
    );
    let rho = zcdp::rho(&variance, &moves.norm.into())?;
    let epsilon = match &moves.corner {
        Some(corner) => discrete_gaussian::epsilon(&variance, &delta, corner)?,
        None => conversion::rho_to_epsilon(&rho, &delta)?,
    };
    let meaning = format!("what the noise of one aggregator promises, with delta {delta}");
    answer.figure("epsilon_upper", up(&epsilon), meaning);
    noise(&mut answer, &Noise::gaussian(variance)?, wanted)?;
    let meaning = "by zero-concentrated privacy alone";
    answer.alternative("epsilon_zcdp", up(&zcdp::epsilon(&rho, &delta)?), meaning);
    Ok(answer.because(EXACT))
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
        return Ok(answer.because(DEVIATION));
    }
    let accepted = "an integer from 1 to 10000000000, or --accuracy";
    let clients = required("clients", options.clients.as_ref(), accepted)?;
    let clients: u64 = integer("clients", clients, 1..=10_000_000_000)?;
    // The standard deviation is the same whatever the count; the tails are those of empty buckets.
    let error = DebiasedRappor::new(clients, epsilon0, 0)?;
    let beta = wanted.beta.to_f64();
    let mut answer = Answer::to(format!(
        "Counts of {clients} clients estimated under symmetric RAPPOR with epsilon0 {epsilon0}: {}",
        wanted.words()
    ));
    let std = about(error.standard_deviation())?;
    answer.figure("std", std, "standard deviation of every count");
    let bound = about(error.simultaneous(wanted.coordinates, beta))?;
    answer.figure("bound", bound, "no error of empty buckets is larger");
    answer.figure(
        "bound_of_one",
        about(error.quantile(beta))?,
        "for one of them alone",
    );
    let union = about(error.union_bound(wanted.coordinates, beta))?;
    answer.alternative("union_bound", union, "by the union bound");
    Ok(answer.because(DEVIATION))
}

fn find_epsilon0(options: &Options) -> Result<Answer, Failure> {
    refuse("accuracy", options.accuracy.as_ref(), "without an epsilon0")?;
    let accepted = "an integer from 1 to 10000000000";
    let clients = required("clients", options.clients.as_ref(), accepted)?;
    let clients = integer("clients", clients, 1..=10_000_000_000)?;
    let std = required("std", options.std.as_ref(), "a number greater than 0")?;
    let epsilon0 = rappor_epsilon0(clients, positive("std", std)?.to_f64())?;
    let mut answer = Answer::to(format!(
        "epsilon0 of symmetric RAPPOR for which a count of {clients} clients has a standard \
         deviation of {std}"
    ));
    answer.figure("epsilon0", about(epsilon0)?, "to ten digits");
    Ok(answer.because(DEVIATION))
}

const DEVIATION: &str = "The standard deviation of a debiased count is √n / (2·sinh(epsilon0/2)), \
    whatever the data; tails come from the exact law of the count, in floating point. These are \
    figures of accuracy; no promise of privacy depends on them.";
