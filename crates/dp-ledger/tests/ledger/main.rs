//! The ledger and its file, as their users meet them.

mod adversary;
mod damage;
mod files;
mod filters;
mod journal;
mod own_costs;
mod rules;
mod sums;
mod terms;
mod writers;

use dp_calibration::Budget;
use dp_ledger::{Ledger, Release, Terms};

fn pure(epsilon: &str) -> Budget {
    Budget::Pure {
        epsilon: epsilon.parse().expect("positive"),
    }
}

fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("in range"),
    }
}

fn concentrated(rho: &str) -> Budget {
    Budget::ZeroConcentrated {
        rho: rho.parse().expect("positive"),
    }
}

fn renyi(alpha: &str, tau: &str) -> Budget {
    let number = |text: &str| text.parse().expect("a number");
    Budget::renyi(number(alpha), number(tau)).expect("in range")
}

/// A release of a pure budget.
fn day(epsilon: &str) -> Release {
    Release::new(pure(epsilon))
}

fn ledger(limit: Budget) -> Ledger {
    Ledger::new(Terms::new(limit)).expect("a limit in range")
}
