//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// Why a ledger's promise holds whatever is asked next.
///
#[doc = include_str!("../docs/filters.md")]
pub mod filters {}
