//! `calibrate schedule`: noise for a total budget over many releases of one or several queries.

use clap::Args;
use dp_accounting::schedule::{BudgetSplit, NoiseFamily, NoiseSchedule, ScheduledQuery, schedule};
use dp_calibration::utility::TotalNoise;
use dp_calibration::{Adjacency, Budget, NoiseDistribution};
use dp_exact::{ParameterError, Rational, Refusal};

use super::answer::Answer;
use crate::failure::Failure;
use crate::options::parse_integer;
use crate::typed::{self, about, end_up, fraction, positive, up, worst_difference};

const RELEASE: &str = "TIMESxQUERY, such as 365xhistogram:24 or 12xsum:80";

/// The least noise of many releases for one total budget
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// The law of the noise: gaussian or laplace
    #[arg(long, default_value = "gaussian")]
    mechanism: String,
    /// TIMESxQUERY, such as 365xhistogram:24, 12xsum:80, 30xpair or 7xone; may be repeated, up to 16 times
    #[arg(long)]
    release: Vec<String>,
    /// Privacy loss of all releases together
    #[arg(long, aliases = ["eps"])]
    epsilon: Option<String>,
    /// Slack of all releases together [default: 0, with laplace]
    #[arg(long)]
    delta: Option<String>,
    /// Zero-concentrated privacy of all releases together, in place of --epsilon and --delta
    #[arg(long)]
    rho: Option<String>,
    /// Parts of the budget, one for each --release: 2,1 [default: for the least weighted error]
    #[arg(long)]
    shares: Option<String>,
    /// Weights of the variances of which the sum is made small, one for each --release [default: 1 each]
    #[arg(long)]
    weights: Option<String>,
    /// Which batches are neighbours: replacement or deletion
    #[arg(long, default_value = "replacement")]
    adjacency: String,
}

const AFTER_HELP: &str = "\
A share is the part of rho that the releases of a query spend with gaussian, of epsilon with laplace.

Examples:
  ... schedule --mechanism laplace --release 4xhistogram:40 --epsilon 1 --delta 1e-8
  ... schedule --release 365xhistogram:24 --release 12xsum:80 --epsilon 2 --delta 1e-8
  ... schedule --release 365xhistogram:24 --release 12xsum:80 --shares 2,1 --rho 1/2";

/// The most kinds of releases.
const MOST: usize = 16;

pub(crate) fn answer(options: &Options) -> Result<Answer, Failure> {
    let adjacency = typed::adjacency(&options.adjacency)?;
    let mechanism = mechanism(&options.mechanism)?;
    if options.release.is_empty() {
        return Err(Refusal::missing("release", RELEASE).into());
    }
    if options.release.len() > MOST {
        let count = options.release.len();
        return Err(ParameterError::new("release", count, "at most 16 of them").into());
    }
    let lines = options.release.iter().map(|typed| line(typed, adjacency));
    let lines = lines.collect::<Result<Vec<ScheduledQuery>, Failure>>()?;
    let (budget, words) = budget(options, mechanism)?;
    let shares = shares(options)?;
    let found = schedule(&lines, mechanism, &shares, &budget)?;
    let title = format!("{mechanism} for {}, together at {words}", options.release.join(", "));
    let mut answer = Answer::to(capitalized(&title)).about(&budget);
    figures(&mut answer, options, &found)?;
    Ok(answer.because(found.certificate()))
}

fn figures(answer: &mut Answer, options: &Options, found: &NoiseSchedule) -> Result<(), Failure> {
    let lines = options.release.iter().zip(&found.noises);
    for (number, (typed, law)) in (1..).zip(lines) {
        let (name, value, noise) = match law {
            NoiseDistribution::DiscreteGaussian { variance } => {
                ("the variance parameter", variance, TotalNoise::gaussian(variance.clone()))
            }
            NoiseDistribution::DiscreteLaplace { scale } => {
                ("the scale", scale, TotalNoise::laplace(scale.clone()))
            }
        };
        let meaning = format!("{name} of each release of {typed}, exactly");
        answer.figure(format!("parameter_{number}"), fraction(value), meaning);
        if let Ok(noise) = noise {
            let meaning =
                "standard deviation of one aggregator's noise; an estimate has that of all";
            let std = about(noise.standard_deviation())?;
            answer.figure(format!("std_of_one_{number}"), std, meaning);
        }
    }
    if let Some(delta) = &found.delta {
        let meaning = "delta of all releases together, rounded up";
        answer.figure("delta_upper", end_up(delta.upper()), meaning);
    }
    if let Some(gap) = found.gap {
        let meaning = "by how much every parameter may be too large, relatively";
        let gap = Rational::from_f64(gap)?;
        answer.figure("gap", up(&gap.round_to_digits(2, dp_exact::Rounding::Up)), meaning);
    }
    Ok(())
}

fn mechanism(typed: &str) -> Result<NoiseFamily, ParameterError> {
    match typed {
        "gaussian" => Ok(NoiseFamily::Gaussian),
        "laplace" => Ok(NoiseFamily::Laplace),
        other => Err(ParameterError::new("mechanism", other, "gaussian or laplace")),
    }
}

/// `TIMESxQUERY`
fn line(typed: &str, adjacency: Adjacency) -> Result<ScheduledQuery, Failure> {
    let parts = typed.split_once('x');
    // What is no number may be the query: histogram:24x365.
    let parts =
        parts.filter(|(times, _)| !times.starts_with(|first: char| first.is_ascii_lowercase()));
    let Some((times, query)) = parts else {
        return Err(ParameterError::new("release", typed, RELEASE).into());
    };
    Ok(ScheduledQuery {
        times: parse_integer("times", times, 1..=1 << 20)?,
        difference: worst_difference(query, adjacency)?,
    })
}

fn budget(options: &Options, mechanism: NoiseFamily) -> Result<(Budget, String), Failure> {
    let [epsilon, delta, rho] =
        [&options.epsilon, &options.delta, &options.rho].map(Option::as_ref);
    let budget = typed::budget(epsilon, delta, rho, mechanism == NoiseFamily::Laplace)?;
    let words = match &budget {
        Budget::Pure { epsilon } => format!("epsilon {epsilon} and delta 0"),
        Budget::Approximate { epsilon, delta } => format!("epsilon {epsilon} and delta {delta}"),
        Budget::ZeroConcentrated { rho } => format!("rho {rho}"),
        Budget::Renyi { .. } => budget.to_string(),
    };
    Ok((budget, words))
}

fn shares(options: &Options) -> Result<BudgetSplit, Failure> {
    let list = |name: &'static str, typed: &String| -> Result<Vec<Rational>, ParameterError> {
        typed.split(',').map(|part| positive(name, part.trim())).collect()
    };
    if let Some(typed) = &options.shares {
        typed::refuse("weights", options.weights.as_ref(), "with --shares")?;
        return Ok(BudgetSplit::Given(list("shares", typed)?));
    }
    let weights = options.weights.as_ref().map(|typed| list("weights", typed));
    Ok(BudgetSplit::Weighted(weights.transpose()?.unwrap_or_default()))
}

/// With its first letter in upper case.
fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
