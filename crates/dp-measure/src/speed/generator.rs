//! The generators that the samplers draw from.

use serde::Serialize;

/// The generators of the crate `chacha20`, of which [`dp_samplers::NoiseRng`] is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Generator {
    /// ChaCha with 8 rounds.
    ChaCha8,
    /// ChaCha with 12 rounds.
    ChaCha12,
    /// [`dp_samplers::NoiseRng`]: ChaCha with 20 rounds.
    ChaCha20,
}

impl Generator {
    /// All.
    pub const ALL: [Self; 3] = [Self::ChaCha8, Self::ChaCha12, Self::ChaCha20];

    /// That of [`dp_samplers::os_rng`]. Targets are for this one.
    pub const DEFAULT: Self = Self::ChaCha20;
}
