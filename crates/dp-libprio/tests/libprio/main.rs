//! The tests of the strategies, in one program.

mod circuits;
mod matrices;
mod noise;
mod written;

use dp_libprio::{Budget, Strategy};

/// Discrete Laplace noise for pure ε.
fn pure(epsilon: &str) -> Strategy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("a number") };
    Strategy::discrete_laplace(budget).expect("in range")
}

/// Discrete K-norm noise for pure ε.
fn k_norm(epsilon: &str) -> Strategy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("a number") };
    Strategy::discrete_k_norm(budget).expect("in range")
}

/// Discrete Laplace noise for an ε so large that it protects nobody: most draws are 0.
fn weak(epsilon: &str) -> Strategy {
    let text = format!(
        r#"{{"version": 1, "law": "discrete_laplace", "budget": {{"pure": {{"epsilon": "{epsilon}"}}}},
            "accept_weak_guarantee": true}}"#
    );
    serde_json::from_str(&text).expect("accepted")
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
