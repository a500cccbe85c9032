//! Composition that is a sum.
//!
//! The releases may be chosen adaptively, each after seeing the ones before.
//!
//! - **Basic**: (ε₁, δ₁), (ε₂, δ₂), … together are (Σε, Σδ) (Dwork, Rothblum, Vadhan 2010,
//!   Theorem III.1). Exact.
//! - **Zero-concentrated**: ρ₁, ρ₂, … together are Σρ (Bun, Steinke 2016, Lemma 1.7). Exact.
//! - **Rényi**: (α, τ₁), (α, τ₂), … together are (α, Στ), for one order α (Mironov 2017,
//!   Proposition 1). Exact.
//!
//! [`crate::kov15`] is the best that (ε, δ) alone allow, and a privacy-loss accountant what the
//! mechanisms themselves allow.

use dp_exact::{Delta, Epsilon, Rational, Refusal, Rho};

use dp_calibration::{Budget, Error};

/// The pure or approximate budget Σε, Σδ of a sequence of pure or approximate budgets.
///
/// # Errors
/// If there are none, one is of another kind, or Σδ ≥ 1.
pub fn basic(budgets: &[Budget]) -> Result<Budget, Error> {
    let mut epsilon = Rational::zero();
    let mut delta = Rational::zero();
    for budget in budgets {
        match budget {
            Budget::Pure { epsilon: spent } => epsilon = epsilon + spent.value(),
            Budget::Approximate {
                epsilon: spent,
                delta: slack,
            } => {
                epsilon = epsilon + spent.value();
                delta = delta + slack.value();
            }
            _ => return Err(mixed(budget, "a pure or approximate budget")),
        }
    }
    let epsilon = Epsilon::new(epsilon)?;
    Ok(if delta.is_zero() {
        Budget::Pure { epsilon }
    } else {
        let delta = Delta::new(delta)?;
        Budget::Approximate { epsilon, delta }
    })
}

/// The zero-concentrated budget Σρ of a sequence of those.
///
/// # Errors
/// If there are none, or one is of another kind.
pub fn zero_concentrated(budgets: &[Budget]) -> Result<Budget, Error> {
    let mut sum = Rational::zero();
    for budget in budgets {
        let Budget::ZeroConcentrated { rho } = budget else {
            return Err(mixed(budget, "a zero-concentrated budget"));
        };
        sum = sum + rho.value();
    }
    let rho = Rho::new(sum)?;
    Ok(Budget::ZeroConcentrated { rho })
}

/// The Rényi budget (α, Στ) of a sequence of Rényi budgets of one order.
///
/// # Errors
/// If there are none, one is of another kind, or two orders differ.
pub fn renyi(budgets: &[Budget]) -> Result<Budget, Error> {
    let mut order: Option<&Rational> = None;
    let mut sum = Rational::zero();
    for budget in budgets {
        let Budget::Renyi { alpha, tau } = budget else {
            return Err(mixed(budget, "a Rényi budget"));
        };
        if order.is_some_and(|order| order != alpha) {
            return Err(mixed(
                budget,
                "a Rényi budget of the same order as the others",
            ));
        }
        order = Some(alpha);
        sum = sum + tau;
    }
    let order = order.ok_or_else(|| Refusal::missing("budgets", "at least one budget"))?;
    Budget::renyi(order.clone(), sum)
}

fn mixed(budget: &Budget, accepted: &'static str) -> Error {
    Error::parameter("budget", budget, accepted)
}
