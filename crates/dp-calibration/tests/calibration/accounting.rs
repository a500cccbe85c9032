//! The accountant: compositions and schedules.

mod composition;
mod contours;
mod outcomes;
mod privacy_loss;
mod ranges;
mod schedules;
mod unlike;

use dp_calibration::NoiseKind;
use dp_calibration::accounting::schedule::ScheduledQuery;
use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_exact::Rational;

use crate::common::{delta_of, difference_of, epsilon, number};

/// A release of discrete Gaussian noise on `coordinates` integers that change by `step`.
fn gaussian(variance: impl ToString, coordinates: u64, step: u64) -> AccountedMechanism {
    noise(NoiseKind::DiscreteGaussian, variance, coordinates, step)
}

/// A release of discrete Laplace noise on `coordinates` integers that change by `step`.
fn laplace(scale: impl ToString, coordinates: u64, step: u64) -> AccountedMechanism {
    noise(NoiseKind::DiscreteLaplace, scale, coordinates, step)
}

fn noise(kind: NoiseKind, value: impl ToString, coordinates: u64, step: u64) -> AccountedMechanism {
    let law = kind.distribution(number(&value.to_string()));
    AccountedMechanism::Noise { law, difference: difference_of(coordinates, step) }
}

fn response(rate: &str, delta: &str) -> AccountedMechanism {
    AccountedMechanism::RandomizedResponse { epsilon: epsilon(rate), delta: delta_of(delta) }
}

fn kary(rate: &str, answers: u64) -> AccountedMechanism {
    AccountedMechanism::KaryResponse { epsilon: epsilon(rate), answers }
}

/// An accountant of each release, as often as the number beside it says.
fn accountant(releases: impl IntoIterator<Item = (AccountedMechanism, u32)>) -> Accountant {
    let mut accountant = Accountant::new();
    for (release, times) in releases {
        accountant.add(release, times).expect("accepted");
    }
    accountant
}

/// One line of a schedule.
fn line(coordinates: u64, step: u64, times: u32) -> ScheduledQuery {
    ScheduledQuery { difference: difference_of(coordinates, step), times }
}

/// A number near `whole` with no short common multiple.
fn odd(whole: u64) -> Rational {
    Rational::new(whole * 1_000_003 + 7 * whole * whole, 1_000_000u64).expect("positive")
}
