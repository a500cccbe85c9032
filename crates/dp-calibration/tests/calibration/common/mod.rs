//! Reference tables and small helpers.

use std::fs;

use dp_calibration::{NoiseDistribution, NoiseKind, WorstCaseDifference};
use dp_exact::{Delta, Epsilon, Interval, Rational};

/// The cells of each row of a table in `tests/data`, without its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the table is part of the crate");
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    text.lines().skip(1).map(cells).collect()
}

/// A number that a test states.
pub(crate) fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// |a − b|/|b|
pub(crate) fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// The upper end of an enclosure.
pub(crate) fn upper(interval: &Interval) -> Rational {
    interval.upper().to_rational().expect("a sane exponent")
}

/// An ε that a test states.
pub(crate) fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap_or_else(|_| panic!("{text} is an epsilon"))
}

/// A δ that a test states.
pub(crate) fn delta_of(text: &str) -> Delta {
    text.parse().unwrap_or_else(|_| panic!("{text} is a delta"))
}

/// `coordinates` entries that change by `step` each.
pub(crate) fn difference_of(coordinates: u64, step: u64) -> WorstCaseDifference {
    WorstCaseDifference::new(coordinates, step).expect("in range")
}

/// Discrete Laplace noise of a scale that a test states.
pub(crate) fn laplace(scale: &str) -> NoiseDistribution {
    NoiseKind::DiscreteLaplace.distribution(number(scale))
}

/// Discrete Gaussian noise of a variance that a test states.
pub(crate) fn gaussian(variance: &str) -> NoiseDistribution {
    NoiseKind::DiscreteGaussian.distribution(number(variance))
}

/// The distribution in proportion to `weight` on −`reach`, …, `reach`.
pub(crate) fn distribution(reach: i32, weight: impl Fn(f64) -> f64) -> Vec<f64> {
    let weights: Vec<f64> = (-reach..=reach).map(|x| weight(f64::from(x))).collect();
    let total: f64 = weights.iter().sum();
    weights.into_iter().map(|weight| weight / total).collect()
}

/// The distribution of the sum of two independent numbers.
pub(crate) fn plus(one: &[f64], other: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; one.len() + other.len() - 1];
    for (place, mass) in one.iter().enumerate() {
        for (sum, other) in sums[place..].iter_mut().zip(other) {
            *sum += mass * other;
        }
    }
    sums
}

/// The distribution of the sum of `draws` independent draws.
pub(crate) fn sum_of(draws: u32, one: &[f64]) -> Vec<f64> {
    (0..draws).fold(vec![1.0], |law, _| plus(&law, one))
}

/// δ at ε by its definition: the positive part of P(x) − e^ε·P(x + `moved`), added up over all
/// noise vectors x with independent entries from `law`, in floating point.
pub(crate) fn hockey_stick(law: &[f64], moved: &[i64], epsilon: f64) -> f64 {
    let coordinates: Vec<_> = moved.iter().map(|step| outcomes(law, *step)).collect();
    excess(&coordinates, (1.0, epsilon.exp()))
}

/// P(x) and P(x + `step`) for each x; neighbouring x of one ratio count as one outcome.
fn outcomes(law: &[f64], step: i64) -> Vec<(f64, f64)> {
    let mut outcomes: Vec<(f64, f64)> = Vec::new();
    for (place, here) in (0i64..).zip(law) {
        let moved = usize::try_from(place + step).ok().and_then(|place| law.get(place));
        let there = moved.copied().unwrap_or(0.0);
        match outcomes.last_mut() {
            Some((p, q)) if (*p * there - here * *q).abs() <= 1e-13 * *p * there => {
                (*p, *q) = (*p + here, *q + there);
            }
            _ => outcomes.push((*here, there)),
        }
    }
    outcomes
}

/// The sum of (`here`·P − `there`·Q)₊ over all combinations of outcomes (P, Q) of coordinates.
fn excess(coordinates: &[Vec<(f64, f64)>], (here, there): (f64, f64)) -> f64 {
    let Some((first, others)) = coordinates.split_first() else {
        return (here - there).max(0.0);
    };
    let likely = first.iter().filter(|(p, _)| here * p > 1e-20);
    likely.map(|(p, q)| excess(others, (here * p, there * q))).sum()
}

/// [`hockey_stick`] for a worst difference.
pub(crate) fn enumerated_delta(law: &[f64], difference: &WorstCaseDifference, epsilon: f64) -> f64 {
    let step = i64::try_from(difference.step()).expect("small");
    let coordinates = usize::try_from(difference.coordinates()).expect("small");
    hockey_stick(law, &vec![step; coordinates], epsilon)
}
