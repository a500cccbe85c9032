//! The generators that the samplers draw from.

use serde::Serialize;

/// Those of the crate `chacha20`, of which one is [`dp_samplers::NoiseRng`], and [`dp_samplers::AesRng`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Generator {
    /// ChaCha with 8 rounds.
    ChaCha8,
    /// ChaCha with 12 rounds.
    ChaCha12,
    /// [`dp_samplers::NoiseRng`]: ChaCha with 20 rounds.
    ChaCha20,
    /// [`dp_samplers::AesRng`]: AES-128 in counter mode.
    Aes128,
}

impl Generator {
    /// All.
    pub const ALL: [Self; 4] = [Self::ChaCha8, Self::ChaCha12, Self::ChaCha20, Self::Aes128];

    /// That of [`dp_samplers::os_rng`]. Targets are for this one.
    pub const DEFAULT: Self = Self::ChaCha20;
}
