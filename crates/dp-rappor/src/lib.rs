//! [`dp-exact`]: dp_exact
//! [`dp-samplers`]: dp_samplers
#![cfg_attr(not(any(feature = "std", test)), no_std)]
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

extern crate alloc;

mod debias;
mod estimate;
mod flip;
mod kary;
mod reference;
mod sent_bits;
mod weight;

/// The proofs behind the figures of this crate, as they stand in its folder `docs`.
#[cfg(doc)]
pub mod proofs {
    /// How the bits of sent reports are distributed, where heavy ones are dropped.
    #[doc = include_str!("../docs/dropped-reports.md")]
    pub mod dropped_reports {}

    /// What a report guarantees to a client who is replaced by a draw from a public distribution.
    #[doc = include_str!("../docs/reference-distribution.md")]
    pub mod reference_distribution {}

    /// The loss, the estimates and the best pair of bits that are reported with two probabilities.
    #[doc = include_str!("../docs/two-probabilities.md")]
    pub mod two_probabilities {}
}

pub use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError, Rational};
#[cfg(feature = "os_rng")]
pub use dp_samplers::os_rng;
pub use dp_samplers::{Error, NoiseRng, Seed};
pub use estimate::Estimate;
pub use flip::{CoinFlip, SymmetricRappor, UnaryEncoding};
pub use kary::{KaryRandomizedResponse, MAX_ANSWERS};
pub use num_bigint::BigInt;
pub use rand_core::CryptoRng;
pub use sent_bits::SentBits;
pub use weight::{MAX_LENGTH, WeightBound, rejection_rate, weight_bound};
