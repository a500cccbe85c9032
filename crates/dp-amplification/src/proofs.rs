//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// What the sum of many clients' flipped bits hides.
///
#[doc = include_str!("../docs/aggregated-rappor.md")]
pub mod aggregated_rappor {}

/// What the sum of many clients' randomized answers hides.
///
#[doc = include_str!("../docs/aggregated-responses.md")]
pub mod aggregated_responses {}

/// Flips of clients and noise of aggregators together, and compensation.
///
#[doc = include_str!("../docs/hedging.md")]
pub mod hedging {}
