//! The proofs behind the figures of this crate, as they stand in its folder `docs`.

/// How much noise a guarantee needs, and the proofs.
///
#[doc = include_str!("../docs/calibration.md")]
pub mod calibration {}

/// K-norm noise (ℓ∞, cube-shaped).
///
#[doc = include_str!("../docs/k-norm.md")]
pub mod k_norm {}

/// What several releases about the same clients guarantee together.
///
#[doc = include_str!("../docs/composition.md")]
pub mod composition {}
