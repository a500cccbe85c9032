//! Certificates that are accepted, and certificates that are refused.

mod draws;
mod hostile;
mod matrices;
mod mutated;
mod oracles;
mod sums;

use dp_check::{Refusal, check};
use serde_json::{Value, json};

/// The certificate that `releases` are (ε, δ) private together, under replacement and OAOC.
fn certificate(epsilon: &str, delta: &str, releases: Value, steering: Value) -> String {
    json!({
        "format": "dp-check certificate", "version": 1,
        "claim": {
            "epsilon": epsilon, "delta": delta, "adjacency": "replacement", "trust_model": "OAOC",
            "releases": releases,
        },
        "steering": steering,
    })
    .to_string()
}

/// Whether a certificate is accepted; it may not be unreadable.
fn holds(certificate: &str) -> bool {
    match check(certificate) {
        Ok(_) => true,
        Err(Refusal::NotProved(_)) => false,
        Err(other) => panic!("{other}: {certificate}"),
    }
}

/// The certificate of one aggregation with this steering, under replacement and OAMC.
fn aggregated(epsilon: &str, delta: &str, releases: Value, steering: Value) -> String {
    certificate(epsilon, delta, releases, json!({"aggregations": [steering]}))
        .replace("OAOC", "OAMC")
}

/// Ends of blocks of the numbers 0 to `clients` − 1. A block is about as wide as its distance from
/// the last number, divided by `share`.
fn block_ends(clients: u64, share: u64) -> Vec<u64> {
    let mut ends = Vec::new();
    let mut left = Some(clients - 1);
    while let Some(end) = left {
        ends.push(end);
        left = end.checked_sub(1 + (clients - 1 - end) / share);
    }
    ends.reverse();
    ends
}
