//! Reference tables and small helpers.

use std::fs;

use dp_calibration::accounting::schedule::ScheduledQuery;
use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_calibration::{Budget, NoiseDistribution, WorstCaseDifference};
use dp_exact::{Delta, Rational};

/// The rows of a table in `tests/data`, without its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the table is part of the crate");
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// A number that a test states.
pub(crate) fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// |a − b|/|b|
pub(crate) fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// A release of discrete Gaussian noise on `coordinates` integers that change by `step`.
pub(crate) fn gaussian(variance: impl ToString, coordinates: u64, step: u64) -> AccountedMechanism {
    let variance = number(&variance.to_string());
    noise(NoiseDistribution::DiscreteGaussian { variance }, coordinates, step)
}

/// A release of discrete Laplace noise on `coordinates` integers that change by `step`.
pub(crate) fn laplace(scale: impl ToString, coordinates: u64, step: u64) -> AccountedMechanism {
    let scale = number(&scale.to_string());
    noise(NoiseDistribution::DiscreteLaplace { scale }, coordinates, step)
}

fn noise(law: NoiseDistribution, coordinates: u64, step: u64) -> AccountedMechanism {
    let difference = WorstCaseDifference::new(coordinates, step).expect("a worst-case difference");
    AccountedMechanism::Noise { law, difference }
}

pub(crate) fn response(epsilon: &str, delta: &str) -> AccountedMechanism {
    let epsilon = epsilon.parse().expect("positive");
    AccountedMechanism::RandomizedResponse { epsilon, delta: small(delta) }
}

pub(crate) fn kary(epsilon: &str, answers: u64) -> AccountedMechanism {
    let epsilon = epsilon.parse().expect("positive");
    AccountedMechanism::KaryResponse { epsilon, answers }
}

/// An accountant of each release, as often as the number beside it says.
pub(crate) fn accountant(
    releases: impl IntoIterator<Item = (AccountedMechanism, u32)>,
) -> Accountant {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release, times).expect("accepted");
    }
    accountant
}

/// A δ that a test states.
pub(crate) fn small(delta: &str) -> Delta {
    delta.parse().expect("a delta")
}

/// The parameter of a noise distribution: σ² or t.
pub(crate) fn parameter(law: &NoiseDistribution) -> &Rational {
    law.parameter().1
}

/// The standard deviation of one draw.
pub(crate) fn deviation(law: &NoiseDistribution) -> f64 {
    law.standard_deviation()
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

/// A number near `whole` with no short common multiple.
pub(crate) fn odd(whole: u64) -> Rational {
    Rational::new(whole * 1_000_003 + 7 * whole * whole, 1_000_000u64).expect("positive")
}
