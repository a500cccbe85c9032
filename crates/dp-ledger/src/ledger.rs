//! A limit, and what was spent from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::sync::Arc;

use dp_calibration::Budget;
use dp_exact::Rounding;

use crate::charge::Charge;
use crate::entry::Booking;
use crate::name::Name;
use crate::{Entry, LedgerError, Release, SharesDigest, Terms};

/// A limit, and what was spent from it.
///
/// ```
/// use dp_calibration::Budget;
/// use dp_ledger::{Ledger, LedgerError, Release, Spending, Terms};
///
/// let day = Release::new(Budget::Pure { epsilon: "0.4".parse()? });
/// let mut ledger = Ledger::new(Terms::new(Budget::Pure { epsilon: "1".parse()? }))?;
/// ledger.spend("monday", &day, None)?;
/// assert_eq!(ledger.spend("tuesday", &day, None)?, Spending::New);
/// assert_eq!(ledger.spend("tuesday", &day, None)?, Spending::Repeated);
/// let refused = ledger.spend("wednesday", &day, None);
/// assert!(matches!(refused, Err(LedgerError::Overspend { .. })));
/// assert_eq!(ledger.spent()?, Some(Budget::Pure { epsilon: "0.8".parse()? }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A purse is spent once: a ledger cannot be copied, neither by `clone` nor by writing and reading it
/// as a value. The one way to keep it is a [`Journal`](crate::Journal), whose file is locked.
///
/// ```compile_fail,E0599
/// # use dp_calibration::Budget;
/// # use dp_ledger::{Ledger, Terms};
/// let ledger = Ledger::new(Terms::new(Budget::Pure { epsilon: "1".parse()? }))?;
/// let twice = ledger.clone();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// ```compile_fail,E0277
/// fn read(text: &str) -> dp_ledger::Ledger {
///     serde_json::from_str(text).expect("a ledger")
/// }
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Ledger {
    terms: Terms,
    limit: Charge,
    spent: Charge,
    entries: Vec<Entry>,
    places: HashMap<Name, usize>,
}

/// What became of a release that was to be recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spending {
    /// It was paid for.
    New,
    /// The same release was paid for before: nothing was spent.
    Repeated,
}

impl Ledger {
    /// With nothing spent.
    ///
    /// # Errors
    /// If the limit is out of range: an amount from 1e-350 to 1e9, or a δ of 0. It is rounded down
    /// to 30 digits.
    pub fn new(terms: Terms) -> Result<Self, LedgerError> {
        let limit = terms.limit_charge()?;
        Ok(Self {
            spent: limit.nothing(),
            limit,
            terms,
            entries: Vec::new(),
            places: HashMap::new(),
        })
    }

    /// The limit, the neighbour relation and the trust model.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The limit as it is counted.
    pub(crate) const fn limit(&self) -> &Charge {
        &self.limit
    }

    /// What was spent, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.places.get(name)?)
    }

    /// Pays for a release under a name: 1 to 256 bytes without control characters. With `shares` the
    /// name stands for these shares from now on. If the same was recorded before, nothing happens.
    ///
    /// # Errors
    /// If it does not fit, if the name was used for another promise or for other shares, or if the
    /// promise says less than the ledger's terms ask ([`Terms::charge`]). Nothing is spent then.
    pub fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        Ok(match self.prepared(name, release, shares)? {
            None => Spending::Repeated,
            Some(entry) => {
                self.push(entry);
                Spending::New
            }
        })
    }

    /// The total, each amount rounded up to 30 digits; `None` if nothing was spent.
    ///
    /// # Errors
    /// If the total is no budget, which only a ledger upgraded from the old format can be: δ ≥ 1.
    pub fn spent(&self) -> Result<Option<Budget>, LedgerError> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        self.spent.budget(Rounding::Up).map(Some)
    }

    /// What is left, each amount rounded down to 30 digits; `None` if that is nothing. An (ε, δ)
    /// limit of which all of δ is spent leaves a pure budget.
    ///
    /// # Errors
    /// None in practice.
    pub fn left(&self) -> Result<Option<Budget>, LedgerError> {
        let left = self.limit.after(&self.spent);
        left.map(|left| left.budget(Rounding::Down)).transpose()
    }

    /// The entry to be recorded; `None` if it was before.
    pub(crate) fn prepared(
        &self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Option<Entry>, LedgerError> {
        let checked = Name::new(name)?;
        if let Some(known) = self.entry(name) {
            return known.repeated_by(release, shares).map(|()| None);
        }
        let booking = self.booking(name, release)?;
        if !self.spent.leaves_room_for(&booking.charge, &self.limit) {
            let spent = self.spent()?;
            return Err(LedgerError::Overspend {
                name: name.to_owned(),
                wanted: Box::new(booking.charge.budget(Rounding::Up)?),
                spent: spent.map_or_else(|| "nothing".to_owned(), |spent| spent.to_string()),
                limit: Box::new(self.limit.budget(Rounding::Down)?),
            });
        }
        Ok(Some(Entry {
            name: checked,
            booking,
            shares,
        }))
    }

    /// What the release costs; that of the last entry again where they are alike.
    pub(crate) fn booking(
        &self,
        name: &str,
        release: &Release,
    ) -> Result<Arc<Booking>, LedgerError> {
        if let Some(last) = self.entries.last()
            && last.booking.release == *release
        {
            return Ok(Arc::clone(&last.booking));
        }
        let charge = self.terms.charged(name, release, &self.limit)?;
        let release = release.clone();
        Ok(Arc::new(Booking { release, charge }))
    }

    /// Records an entry that was prepared or confirmed, and says whether its name is new. If not,
    /// nothing happens.
    pub(crate) fn push(&mut self, entry: Entry) -> bool {
        let Place::Vacant(place) = self.places.entry(entry.name.clone()) else {
            return false;
        };
        place.insert(self.entries.len());
        self.spent.add(&entry.booking.charge);
        self.entries.push(entry);
        true
    }

    /// Makes room for so many entries, within reason.
    pub(crate) fn reserve(&mut self, entries: u64) {
        let entries = usize::try_from(entries.min(1 << 20)).unwrap_or(0);
        self.entries.reserve(entries);
        self.places.reserve(entries);
    }
}

impl Entry {
    /// Whether recording the release again under this name is the same release.
    fn repeated_by(
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
}
