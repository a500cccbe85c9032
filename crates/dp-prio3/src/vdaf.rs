//! Prio3, as the VDAF specification instantiates it.

use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;

/// The length of Prio3's seeds and verification key in bytes.
pub(crate) const SEED_SIZE: usize = 32;

/// Prio3 over the validity circuit `T`, as the VDAF specification instantiates it.
pub type Vdaf<T> = Prio3<T, XofTurboShake128, SEED_SIZE>;
