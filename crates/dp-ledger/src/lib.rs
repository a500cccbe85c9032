#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod amount;
mod chain;
mod charge;
mod charging;
mod contents;
mod cost;
mod declared;
mod digest;
mod entry;
mod error;
mod format;
mod journal;
mod kept;
mod ledger;
mod name;
mod own_costs;
mod place;
#[cfg(doc)]
pub mod proofs;
mod release;
mod rule;
mod slots;
mod snapshot;
mod terms;

pub use chain::Head;
pub use cost::Cost;
pub use declared::{Declared, DominatedBy};
pub use digest::SharesDigest;
pub use dp_calibration::{
    Adjacency, Budget, Corner, Mechanism, Noise, NoiseLaw, Randomizer, TrustModel,
};
pub use dp_exact::{Delta, Epsilon, Forked, MAX_NAME, ParameterError, Rational, Rho, check_name};
pub use entry::Entry;
pub use error::LedgerError;
pub use format::{MAX_FILE, MAX_LINE, VERSION};
pub use journal::{Journal, Opening};
pub use kept::is_ledger;
pub use ledger::{Ledger, MAX_TIMES, Paid, Spending};
pub use num_bigint::BigUint;
pub use own_costs::OwnCosts;
pub use release::Release;
pub use rule::Rule;
pub use snapshot::Snapshot;
pub use terms::Terms;
