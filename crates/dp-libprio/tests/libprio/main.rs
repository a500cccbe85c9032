//! The tests of the strategies, in one program.

mod circuits;
mod matrices;
mod noise;
mod strength;
mod totals;
mod written;
mod yaml;

use dp_libprio::{Budget, Strategy};

/// Discrete Laplace noise for pure ε.
fn pure(epsilon: &str) -> Strategy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("a number") };
    Strategy::discrete_laplace(budget).expect("in range")
}

/// Discrete Laplace noise for an ε so large that it protects nobody: most draws are 0.
fn weak(epsilon: &str) -> Strategy {
    strength::read(strength::LAPLACE, &json::pure(epsilon), Some(true)).expect("accepted")
}

/// (ε, δ).
fn approximate(epsilon: &str, delta: &str) -> Budget {
    let (epsilon, delta) = (epsilon.parse(), delta.parse());
    Budget::approximate(epsilon.expect("a number"), delta.expect("a number"))
}

/// Discrete Gaussian noise for ρ-zero-concentrated privacy.
fn concentrated(rho: &str) -> Strategy {
    let budget = Budget::ZeroConcentrated { rho: rho.parse().expect("a number") };
    Strategy::discrete_gaussian(budget).expect("in range")
}

/// Budgets in their JSON form.
mod json {
    use serde_json::{Value, json};

    /// The JSON of pure ε.
    pub(crate) fn pure(epsilon: &str) -> Value {
        json!({"pure": {"epsilon": epsilon}})
    }

    pub(crate) fn approximate(epsilon: &str, delta: &str) -> Value {
        json!({"approximate": {"epsilon": epsilon, "delta": delta}})
    }

    pub(crate) fn concentrated(rho: &str) -> Value {
        json!({"zero_concentrated": {"rho": rho}})
    }
}
