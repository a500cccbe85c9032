//! The generators that the samplers draw from.

use serde::Serialize;

/// The generators of `rand_chacha`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum Generator {
    /// 8 rounds.
    ChaCha8,
    /// 12 rounds. Targets are for this one.
    ChaCha12,
    /// 20 rounds.
    ChaCha20,
}

impl Generator {
    /// All three.
    pub const ALL: [Self; 3] = [Self::ChaCha8, Self::ChaCha12, Self::ChaCha20];
}
