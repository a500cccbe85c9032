//! Sums of randomized bits of many clients.

use serde_json::json;

use crate::{aggregated, block_ends, holds};

/// Whether ε with δ = 1e-9 is accepted for a histogram of 100 000 clients with ε₀ = 5. A larger
/// `share`, as of [`block_ends`], or more `nodes` of the curve make the bound tighter.
fn accepts(epsilon: &str, share: u64, nodes: u64) -> bool {
    let release = json!([{"mechanism": "rappor", "query": "histogram", "epsilon0": "5", "clients": 100_000}]);
    let ends = block_ends(100_000, share);
    let steering = json!({"step": format!("3/{}", nodes * 10), "nodes": nodes, "block_ends": ends});
    holds(&aggregated(epsilon, "1e-9", release, steering))
}

#[test]
fn the_published_epsilon_is_accepted_and_less_than_is_attained_is_refused() {
    // Others who hold (99 899, 0) attain 0.297382, and (99 999, 0) 0.297408.
    assert!(accepts("0.29749", 10, 400));
    assert!(!accepts("0.297408", 10, 400));
}

#[test]
fn coarser_steering_is_looser_and_nothing_else() {
    assert!(!accepts("0.29749", 10, 40));
    assert!(accepts("0.31", 10, 40));
    assert!(!accepts("0.29749", 1, 400));
    assert!(accepts("0.35", 1, 400));
}
