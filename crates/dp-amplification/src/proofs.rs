//! The proofs behind the figures of this crate, from its folder `docs`. A link to another proof
//! leads to its file there, and to its page here.

/// What the sum of many clients' flipped bits hides.
///
#[doc = include_str!("../docs/aggregated-rappor.md")]
pub mod aggregated_rappor {}

/// What the sum of many clients' randomized answers hides.
///
/// [aggregated-rappor]: ../aggregated_rappor/index.html
#[doc = include_str!("../docs/aggregated-responses.md")]
pub mod aggregated_responses {}

/// Flips of clients and noise of aggregators together, and compensation.
///
/// [aggregated-rappor]: ../aggregated_rappor/index.html [aggregated-rappor#6-dropped-reports]:
/// ../aggregated_rappor/index.html#6-dropped-reports
/// [aggregated-rappor#7-inputs-with-several-ones]:
/// ../aggregated_rappor/index.html#7-inputs-with-several-ones
#[doc = include_str!("../docs/hedging.md")]
pub mod hedging {}
