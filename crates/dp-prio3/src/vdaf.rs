//! Prio3, as the VDAF specification instantiates it.

use std::fmt;

use prio::vdaf::prio3::Prio3;
use prio::vdaf::xof::XofTurboShake128;

/// Bytes of Prio3's seeds and verification key.
pub(crate) const SEED_SIZE: usize = 32;

/// Prio3 over the validity circuit `T`, as the VDAF specification instantiates it.
pub type Vdaf<T> = Prio3<T, XofTurboShake128, SEED_SIZE>;

/// Which Prio3 it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum VdafKind {
    /// Prio3Count.
    Count,
    /// Prio3Sum.
    Sum,
    /// Prio3Average, which is libprio's.
    Average,
    /// Prio3SumVec.
    SumVec,
    /// Prio3Histogram.
    Histogram,
    /// Prio3MultihotCountVec.
    MultihotCountVec,
    /// Prio3L1BoundSum.
    L1BoundSum,
    /// One that is defined elsewhere, by its name.
    Other(&'static str),
}

impl VdafKind {
    /// The name in the VDAF specification.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Count => "Prio3Count",
            Self::Sum => "Prio3Sum",
            Self::Average => "Prio3Average",
            Self::SumVec => "Prio3SumVec",
            Self::Histogram => "Prio3Histogram",
            Self::MultihotCountVec => "Prio3MultihotCountVec",
            Self::L1BoundSum => "Prio3L1BoundSum",
            Self::Other(name) => name,
        }
    }
}

impl fmt::Display for VdafKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
