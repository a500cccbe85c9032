//! Reference tables and small helpers.

use std::fs;

use dp_accounting::schedule::ScheduledQuery;
use dp_accounting::{AccountedMechanism, Budget};
use dp_calibration::{NoiseDistribution, WorstCaseDifference};
use dp_exact::Rational;

/// The rows of a table in `tests/data`, without its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the table is part of the crate");
    text.lines().skip(1).map(split).collect()
}

/// The fields of a line; a comma between quotation marks does not separate.
fn split(line: &str) -> Vec<String> {
    let mut quoted = false;
    line.split(|character: char| {
        quoted ^= character == '"';
        character == ',' && !quoted
    })
    .map(|field| field.trim_matches('"').to_owned())
    .collect()
}

/// A number that a test states.
pub(crate) fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// |a − b|/|b|
pub(crate) fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// A release of discrete Gaussian noise on one integer.
pub(crate) fn gaussian_one(variance: Rational) -> AccountedMechanism {
    noise(NoiseDistribution::DiscreteGaussian { variance }, WorstCaseDifference::one())
}

/// One line of a schedule.
pub(crate) fn line(coordinates: u64, step: u64, times: u32) -> ScheduledQuery {
    let difference = WorstCaseDifference::new(coordinates, step).expect("a worst-case difference");
    ScheduledQuery { difference, times }
}

/// A budget of approximate differential privacy.
pub(crate) fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("small"),
    }
}

/// A release of discrete Gaussian noise on a histogram.
pub(crate) fn gaussian_pair(variance: Rational) -> AccountedMechanism {
    noise(NoiseDistribution::DiscreteGaussian { variance }, WorstCaseDifference::one_hot())
}

/// A release of discrete Laplace noise on one integer.
pub(crate) fn laplace_one(scale: Rational) -> AccountedMechanism {
    noise(NoiseDistribution::DiscreteLaplace { scale }, WorstCaseDifference::one())
}

/// A release of discrete Laplace noise on a histogram.
pub(crate) fn laplace_pair(scale: Rational) -> AccountedMechanism {
    noise(NoiseDistribution::DiscreteLaplace { scale }, WorstCaseDifference::one_hot())
}

fn noise(law: NoiseDistribution, difference: WorstCaseDifference) -> AccountedMechanism {
    AccountedMechanism::Noise { law, difference }
}
