//! `calibrate schedule`: noise for a total budget over many releases of one or several queries.

use std::str::FromStr;

use clap::Args;
use dp_calibration::accounting::schedule::{ScheduledQuery, schedule};
use dp_calibration::{Adjacency, NoiseKind, Refusal};
use dp_exact::{ParameterError, Rational, parse_integer};

use super::figures::Figures;
use super::laplace::vector_noise;
use crate::failure::Failure;
use crate::values::{
    BudgetOptions, SensitivityQuery, about, adjacency, capitalized, end_up, fraction, positive,
};

const RELEASE: &str = "TIMESxQUERY, such as 365xhistogram:24 or 12xsum:80";

const MAX_RELEASES: usize = 16;

/// Least noise of many releases for one total budget
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Options {
    /// Noise: gaussian, laplace, or cube for K-norm noise (ℓ∞, cube-shaped) on vectors
    #[arg(long, default_value = "gaussian", value_parser = mechanism)]
    mechanism: NoiseKind,
    /// TIMESxQUERY, such as 365xhistogram:24, 30xpair or 7xl1:9; may be repeated, up to 16 times
    #[arg(long)]
    release: Vec<RepeatedQuery>,
    #[command(flatten)]
    budget: BudgetOptions,
    /// Weights of the variances, one for each --release: 2,1 [default: 1 each]
    #[arg(long, value_parser = numbers)]
    weights: Option<Numbers>,
    /// Which batches are neighbours: replacement, deletion or one-coordinate
    #[arg(long, default_value = "replacement", value_parser = adjacency)]
    adjacency: Adjacency,
}

const AFTER_HELP: &str = "\
The sum of all variances, times their weights, is about the least. Without weights a query of
small numbers beside one of large numbers gets much more noise than it needs: weight it more.
`ledger create --rho` with the sum of all rho takes all releases; with Laplace noise --epsilon.

Examples:
  ... schedule --mechanism laplace --release 4xhistogram:40 --epsilon 1 --delta 1e-8
  ... schedule --release 365xhistogram:24 --release 12xsum:80 --epsilon 2 --delta 1e-8
  ... schedule --release 365xhistogram:24 --release 12xsum:80 --weights 80,1 --rho 1/2";

#[derive(Clone, Debug)]
struct RepeatedQuery {
    typed: String,
    times: u32,
    query: SensitivityQuery,
}

impl FromStr for RepeatedQuery {
    type Err = Failure;

    fn from_str(typed: &str) -> Result<Self, Failure> {
        // A text that begins with a letter may be a query: histogram:24x365.
        let parts = typed
            .split_once('x')
            .filter(|(times, _)| !times.starts_with(|first: char| first.is_ascii_lowercase()));
        let (times, query) = parts.ok_or_else(|| ParameterError::new("release", typed, RELEASE))?;
        let times = parse_integer("times", times, 1..=1 << 20)?;
        Ok(Self { typed: typed.to_owned(), times, query: query.parse()? })
    }
}

/// The numbers of one option, which clap would take for a repeated option if it saw the `Vec`.
type Numbers = Vec<Rational>;

/// A parser for clap: positive numbers, separated by commas.
fn numbers(typed: &str) -> Result<Vec<Rational>, ParameterError> {
    typed.split(',').map(|part| positive(part.trim())).collect()
}

/// A parser for clap: the distribution of noise, `gaussian`, `laplace` or `cube`.
fn mechanism(typed: &str) -> Result<NoiseKind, ParameterError> {
    match typed {
        "gaussian" => Ok(NoiseKind::DiscreteGaussian),
        "laplace" => Ok(NoiseKind::DiscreteLaplace),
        "cube" => Ok(NoiseKind::DiscreteKNorm),
        other => Err(ParameterError::new("mechanism", other, "gaussian, laplace or cube")),
    }
}

/// The answer of `calibrate schedule`: the figures of the least noise of every query of `--release`
/// for one total budget.
pub(super) fn answer(options: &Options) -> Result<Figures, Failure> {
    let Options { mechanism, release, budget, weights, adjacency } = options;
    if release.is_empty() {
        return Err(Refusal::missing("release", RELEASE).into());
    }
    if release.len() > MAX_RELEASES {
        return Err(ParameterError::new("release", release.len(), "at most 16 of them").into());
    }
    let line_of = |one: &RepeatedQuery| -> Result<ScheduledQuery, Failure> {
        // Cube-shaped noise costs what Laplace noise of its scale on one number costs.
        let counted = match mechanism {
            NoiseKind::DiscreteKNorm => &one.query.one_entry()?.0,
            _ => &one.query,
        };
        Ok(ScheduledQuery { times: one.times, difference: counted.worst_difference(*adjacency)? })
    };
    let lines = release.iter().map(line_of).collect::<Result<Vec<ScheduledQuery>, Failure>>()?;
    let budget = budget.budget(*mechanism != NoiseKind::DiscreteGaussian)?;
    // Without weights each is 1.
    let weights = weights.as_deref().unwrap_or_default();
    let found = schedule(&lines, *mechanism, weights, &budget)?;
    let queries: Vec<&str> = release.iter().map(|one| one.typed.as_str()).collect();
    let title = format!(
        "{} for {}, all releases together: {budget}",
        capitalized(*mechanism),
        queries.join(", ")
    );
    let mut figures = Figures::titled(title).about(&budget);
    let noises = lines.iter().zip(&found.noises);
    for (number, (one, (line, distribution))) in (1..).zip(release.iter().zip(noises)) {
        let (name, value) = match distribution.parameter() {
            ("variance", value) => ("the variance parameter", value),
            (_, value) => ("the scale", value),
        };
        let added = match (mechanism, one.query.one_entry()) {
            (NoiseKind::DiscreteKNorm, Ok((_, vectors))) => vector_noise(value, &vectors)?,
            _ => distribution.clone().into(),
        };
        let meaning = format!("{name} of each release of {}, exactly", one.typed);
        figures = figures.figure(format!("parameter_{number}"), fraction(value), meaning);
        // Gaussian noise of parameter σ² has ρ = Δ₂²/(2σ²), the other noises of scale t ε = Δ₁/t.
        let (option, norm, per) = match mechanism {
            NoiseKind::DiscreteGaussian => ("rho", line.difference.l2_squared(), value + value),
            _ => ("epsilon", line.difference.l1(), value.clone()),
        };
        let each = Rational::integer(norm).checked_div(&per).expect("a parameter is above 0");
        let meaning = format!(
            "{option} of each release, exactly: plan --{option} with it and --releases {} makes a task with this noise",
            one.times
        );
        figures = figures.figure(format!("{option}_{number}"), fraction(&each), meaning);
        figures = figures.figure(
            format!("std_of_one_{number}"),
            about(added.standard_deviation())?,
            "standard deviation of one aggregator's noise; an estimate has the noise of all",
        );
    }
    if let Some(delta) = &found.delta {
        let meaning = "delta of all releases together, rounded up";
        figures = figures.figure("delta_upper", end_up(delta.upper()), meaning);
    }
    Ok(figures.because(found.certificate()))
}
