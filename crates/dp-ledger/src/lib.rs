#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod amounts;
mod concentrated_cost;
mod cost;
mod digest;
mod error;
mod file_reader;
mod format;
mod journal;
mod ledger;
mod release;
mod rule;
mod terms;

pub use cost::Cost;
pub use digest::SharesDigest;
pub use dp_calibration::{
    Adjacency, Budget, MAX_NAME, Mechanism, Noise, NoiseDistribution, Randomizer, TrustModel,
    WorstCaseDifference, check_name,
};
pub use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
pub use dp_files::Forked;
pub use error::LedgerError;
pub use format::{Head, MAX_FILE, MAX_LINE, VERSION, is_ledger};
pub use journal::{Journal, Opening, Snapshot};
pub use ledger::{Entry, Ledger, Spending};
pub use release::Release;
pub use rule::Rule;
pub use terms::Terms;

/// The proofs behind the figures of this crate, as they stand in its folder `docs`.
#[cfg(doc)]
pub mod proofs {
    /// Why a ledger's guarantee holds whatever is asked next.
    ///
    #[doc = include_str!("../docs/filters.md")]
    pub mod filters {}
}
