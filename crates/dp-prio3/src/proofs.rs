//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// Over which batches a guarantee quantifies, and from where on it protects nobody.
///
#[doc = include_str!("../docs/promises.md")]
pub mod promises {}
