//! The group `noise`: the least noise of one aggregator for a budget.

use dp_calibration::{
    Adjacency, Budget, Query, WorstCaseDifference, analytic_gaussian, discrete_gaussian,
    discrete_laplace, zcdp,
};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, square_root_up};
use serde_json::{Value, json};

use super::model::{Figure, Outcome, Vector, upper};
use super::queries::{self, whole};

/// Significant digits of the figures of the classical formulas, and of a standard deviation σ.
pub(super) const DIGITS: usize = 25;

/// Query, adjacency, noise and budget: `EPSILON`, `EPSILON DELTA` or `rho RHO`.
#[rustfmt::skip]
pub(super) const ROWS: &[(&str, &str, &str, &str)] = &[
    ("histogram:12", "replacement", "discrete_laplace", "0.906"), ("histogram:12", "deletion", "discrete_laplace", "0.906"),
    ("count", "replacement", "discrete_laplace", "1/3"), ("sum:4", "replacement", "discrete_laplace", "1"),
    ("sumvec:16:4", "replacement", "discrete_laplace", "2"), ("multihot:10:3", "replacement", "discrete_laplace", "1"),
    ("l1boundsum:6:5", "replacement", "discrete_laplace", "1"), ("ranges:16:folded-tree", "replacement", "discrete_laplace", "1"),
    ("histogram:12", "replacement", "discrete_laplace", "1 0.01"), ("sum:100", "replacement", "discrete_laplace", "0.5 1e-6"),
    ("multihot:10:3", "replacement", "discrete_laplace", "1 1e-9"), ("count", "replacement", "discrete_gaussian", "1 1e-9"),
    ("histogram:12", "replacement", "discrete_gaussian", "0.317 1e-9"),
    ("histogram:12", "replacement", "discrete_gaussian", "0.906 1e-9"),
    ("histogram:12", "replacement", "discrete_gaussian", "1.528 1e-9"),
    ("histogram:12", "replacement", "discrete_gaussian", "5 1e-9"), ("histogram:12", "deletion", "discrete_gaussian", "0.906 1e-9"),
    ("sum:4", "replacement", "discrete_gaussian", "1 1e-6"), ("sumvec:16:4", "replacement", "discrete_gaussian", "1 1e-9"),
    ("multihot:10:3", "replacement", "discrete_gaussian", "1 1e-9"), ("multihot:5:4", "deletion", "discrete_gaussian", "2 1e-6"),
    ("l1boundsum:6:5", "replacement", "discrete_gaussian", "1 1e-9"), ("average:80", "replacement", "discrete_gaussian", "0.1 1e-12"),
    ("ranges:16:toeplitz", "replacement", "discrete_gaussian", "1 1e-8"),
    ("histogram:12", "replacement", "discrete_gaussian", "rho 1/8"), ("sumvec:16:4", "replacement", "discrete_gaussian", "rho 0.01"),
    ("ranges:16:circulant", "replacement", "discrete_gaussian", "rho 1/8"),
];

/// A budget and its JSON object, from the text `EPSILON`, `EPSILON DELTA` or `rho RHO`.
fn budget(text: &str) -> Outcome<(Budget, Value)> {
    Ok(match text.split_once(' ') {
        None => (Budget::Pure { epsilon: text.parse()? }, json!({ "epsilon": text })),
        Some(("rho", rho)) => {
            (Budget::ZeroConcentrated { rho: rho.parse()? }, json!({ "rho": rho }))
        }
        Some((epsilon, delta)) => {
            let cell = json!({ "epsilon": epsilon, "delta": delta });
            (Budget::approximate(epsilon.parse()?, delta.parse()?), cell)
        }
    })
}

/// A lower and an upper bound on the least scale or variance from which on all noise is enough for
/// the budget; equal where it is exact. `Err` if the lower one is not found.
fn least(
    query: &Query,
    adjacency: Adjacency,
    noise: &str,
    budget: &Budget,
) -> Outcome<(Rational, Rational)> {
    let sensitivity = query.sensitivity(adjacency)?;
    let twice = |exact: Rational| (exact.clone(), exact);
    Ok(match (noise, budget) {
        ("discrete_laplace", Budget::Pure { epsilon }) => {
            twice(discrete_laplace::pure_scale(epsilon, &sensitivity.l1)?)
        }
        ("discrete_laplace", Budget::Approximate { epsilon, delta }) => {
            let found =
                discrete_laplace::calibrate(epsilon, delta, query.sensitivity_bound(adjacency)?)?;
            (found.refuted.ok_or("a scale that is not enough")?, found.scale)
        }
        (_, Budget::ZeroConcentrated { rho }) => {
            twice(zcdp::variance(rho, &sensitivity.l2_squared)?)
        }
        (_, Budget::Approximate { epsilon, delta }) => {
            let found =
                discrete_gaussian::calibrate(epsilon, delta, query.sensitivity_bound(adjacency)?)?;
            // Behind a strategy matrix: the one entry of y that changes most has to be hidden.
            let entry = || -> Outcome<Option<Rational>> {
                let difference = WorstCaseDifference::new(1, sensitivity.linf)?;
                Ok(discrete_gaussian::calibrate(epsilon, delta, &difference)?.refuted)
            };
            let refuted = if found.refuted.is_some() { found.refuted } else { entry()? };
            (refuted.ok_or("a variance that is not enough")?, found.variance)
        }
        _ => return Err("no such noise for this budget".into()),
    })
}

/// The variance 2·ln(1.25/δ)·Δ₂²/ε² of the classical Gaussian mechanism, a known mistake here,
/// rounded to the nearest with 25 digits.
fn classical(epsilon: &Epsilon, delta: &Delta, l2_squared: &Rational) -> Outcome<Rational> {
    let quotient = Rational::new(5, 4)?.checked_div(delta.value()).ok_or("a delta above 0")?;
    let logarithm = upper(&Interval::rational(&quotient, 128).ln().ok_or("a logarithm")?)?;
    let square = (l2_squared + l2_squared).checked_div(&epsilon.value().pow(2)).ok_or("epsilon")?;
    Ok((logarithm * square).round_to_digits(DIGITS, Rounding::Nearest))
}

/// The test vector of a row of [`ROWS`]: the scale or variance, with those that known mistakes
/// give.
pub(super) fn vector(
    &(text, adjacency, noise, allowed): &(&str, &str, &str, &str),
) -> Outcome<Vector> {
    let (query, (budget, budget_cell)) = (queries::read(text)?, budget(allowed)?);
    let related: Adjacency = adjacency.parse()?;
    let (low, high) = least(&query, related, noise, &budget)?;
    let is_gaussian = noise == "discrete_gaussian";
    let mut figure = Figure::bound(if is_gaussian { "variance" } else { "scale" }, &low, &high);
    let mut plant = |name, value: &Rational| figure = figure.clone().mistake(name, value);
    let of = |query: &Query, adjacency| least(query, adjacency, noise, &budget);
    plant("add_remove", &of(&query, Adjacency::Deletion)?.1);
    if let Some(filled) = queries::max_from_bits(&query) {
        plant("max_from_bits", &of(&filled, related)?.1);
    }
    if let Query::HistogramRanges { length, .. } = query {
        plant("matrix_ignored", &of(&Query::Histogram { length }, related)?.1);
    }
    let sensitivity = query.sensitivity(related)?;
    if is_gaussian {
        plant("sigma_for_variance", &square_root_up(&high, DIGITS)?);
        plant("noise_split", &(&high * &Rational::new(1, 2)?));
        if matches!(query, Query::Histogram { .. }) {
            plant("sqrt2_forgotten", &of(&Query::Count, related)?.1);
        }
    }
    match &budget {
        Budget::Approximate { epsilon, delta } if is_gaussian => {
            let continuous = analytic_gaussian::sigma(epsilon, delta, &sensitivity.l2_squared)?;
            plant("continuous_gaussian", &continuous.pow(2));
            plant(
                "classical_gaussian",
                &classical(epsilon, delta, &whole(&sensitivity.l2_squared))?,
            );
            let single = WorstCaseDifference::new(1, sensitivity.l1)?;
            plant("l1_for_l2", &discrete_gaussian::calibrate(epsilon, delta, &single)?.variance);
        }
        Budget::Approximate { epsilon, .. } => {
            plant("delta_unused", &discrete_laplace::pure_scale(epsilon, &sensitivity.l1)?);
        }
        Budget::ZeroConcentrated { rho } => {
            plant("l1_for_l2", &zcdp::variance(rho, &sensitivity.l1.pow(2))?);
        }
        _ => {}
    }
    let input = json!({
        "query": text, "adjacency": adjacency, "noise": noise, "budget": budget_cell
    });
    let name = format!("{text} {adjacency} {noise} {allowed}");
    Ok(Vector { name, input, figures: vec![figure] })
}
