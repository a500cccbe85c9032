//! The ledger and its file, as their users meet them.

mod adversary;
mod damage;
mod files;
mod filters;
mod journal;
mod rules;
mod sums;
mod terms;
mod writers;

use std::path::PathBuf;

use dp_calibration::{Budget, NoiseDistribution, WorstCaseDifference};
use dp_exact::{Delta, Rational};
use dp_ledger::{Ledger, Noise, Release, Rule, Terms};
use tempfile::TempDir;

fn pure(epsilon: &str) -> Budget {
    Budget::Pure { epsilon: epsilon.parse().expect("positive") }
}

fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("in range"),
    }
}

fn concentrated(rho: &str) -> Budget {
    Budget::ZeroConcentrated { rho: rho.parse().expect("positive") }
}

fn renyi(alpha: &str, tau: &str) -> Budget {
    let number = |text: &str| text.parse().expect("a number");
    Budget::renyi(number(alpha), number(tau)).expect("in range")
}

/// The path of a ledger that is not there yet, in a folder that is removed when it is dropped.
fn new_path() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("visits");
    (folder, path)
}

/// A release of a pure budget.
fn day(epsilon: &str) -> Release {
    Release::new(pure(epsilon))
}

fn ledger(limit: Budget) -> Ledger {
    Ledger::new(Terms::new(limit)).expect("a limit in range")
}

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("in range")
}

/// By the filter of zero-concentrated privacy.
fn zcdp(limit: Budget) -> Terms {
    let rule = Rule::zero_concentrated(&limit).expect("a limit with a delta");
    Terms { rule, ..Terms::new(limit) }
}

fn gaussian(variance: &str, difference: WorstCaseDifference) -> Noise {
    let variance = rational(variance);
    let law = NoiseDistribution::DiscreteGaussian { variance };
    Noise { distribution: law, difference }
}

fn laplace(scale: &str, difference: WorstCaseDifference) -> Noise {
    let scale = rational(scale);
    let law = NoiseDistribution::DiscreteLaplace { scale };
    Noise { distribution: law, difference }
}
