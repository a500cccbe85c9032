//! A release that was recorded.

use std::fmt;
use std::sync::Arc;

use dp_exact::Rounding;

use crate::charge::Charge;
use crate::name::Name;
use crate::{Cost, LedgerError, Release, SharesDigest};

/// A release in a ledger: its name, its promise, what it cost, and the shares it stands for.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    pub(crate) name: Name,
    pub(crate) booking: Arc<Booking>,
    pub(crate) shares: Option<SharesDigest>,
}

/// What releases of the same kind have in common. They share one.
#[derive(PartialEq, Eq)]
pub(crate) struct Booking {
    pub(crate) release: Release,
    pub(crate) charge: Charge,
}

impl Entry {
    /// Unique in its ledger, such as a date and a query.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// What the release promises.
    #[must_use]
    pub fn release(&self) -> &Release {
        &self.booking.release
    }

    /// What it cost in this ledger: under the ledger's neighbour relation, by its rule, rounded up.
    ///
    /// # Errors
    /// None in practice: what is no budget is not recorded.
    pub fn charge(&self) -> Result<Cost, LedgerError> {
        self.booking.charge.cost(Rounding::Up)
    }

    /// The digest of the shares that were released under this name, where it is known.
    #[must_use]
    pub const fn shares(&self) -> Option<&SharesDigest> {
        self.shares.as_ref()
    }

    /// Whether recording the release again under this name is the same release.
    pub(crate) fn repeated_by(
        &self,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<(), LedgerError> {
        let name = || self.name().to_owned();
        if self.release() != release {
            return Err(LedgerError::Conflict {
                name: name(),
                spent: Box::new(self.charge()?),
            });
        }
        if self.shares != shares {
            return Err(LedgerError::OtherShares { name: name() });
        }
        Ok(())
    }

    /// Refuses to release for nothing what costs more than was paid under this name.
    pub(crate) fn has_paid(&self, charge: &Charge) -> Result<(), LedgerError> {
        if charge
            .nothing()
            .leaves_room_for(charge, &self.booking.charge)
        {
            return Ok(());
        }
        Err(LedgerError::Conflict {
            name: self.name().to_owned(),
            spent: Box::new(self.charge()?),
        })
    }
}

impl fmt::Debug for Entry {
    /// Without what it cost: a client's own cost tells its measurement.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name())
            .field("release", self.release())
            .field("shares", &self.shares)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Booking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Booking")
            .field("release", &self.release)
            .finish_non_exhaustive()
    }
}
