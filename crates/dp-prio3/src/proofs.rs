//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// Over which batches a guarantee quantifies, and from where on it protects nobody.
///
#[doc = include_str!("../docs/promises.md")]
pub mod promises {}

/// What ties the parts of a report together, and what an aggregator has to remember.
///
#[doc = include_str!("../docs/binding.md")]
pub mod binding {}
