//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// What several releases about the same clients guarantee together.
///
#[doc = include_str!("../docs/composition.md")]
pub mod composition {}
