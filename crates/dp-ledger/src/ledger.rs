//! A limit, and what was spent from it.

mod individual;
mod several;

use std::collections::HashMap;
use std::collections::hash_map::Entry as Place;
use std::fmt;
use std::sync::Arc;

use dp_calibration::Adjacency;
use dp_exact::{Delta, Process, Rational, Rounding};

pub use self::individual::Paid;
pub(crate) use self::individual::{Choice, chosen};
pub use self::several::MAX_TIMES;
use crate::charge::Charge;
use crate::cost;
use crate::entry::Booking;
use crate::name::Name;
use crate::{Cost, Declared, Entry, LedgerError, Release, Rule, SharesDigest, Terms};

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
/// assert_eq!(ledger.spent()?, Some(Budget::Pure { epsilon: "0.8".parse()? }.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A purse is spent once: a ledger cannot be copied, neither by `clone` nor by writing and reading it
/// as a value, and the copy that a fork makes cannot be spent from. The one way to keep it is a
/// [`Journal`](crate::Journal), whose file is locked.
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
#[derive(PartialEq, Eq)]
pub struct Ledger {
    terms: Terms,
    limit: Charge,
    spent: Charge,
    entries: Vec<Entry>,
    places: HashMap<Name, usize>,
    /// The one that may spend.
    process: Process,
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
    /// to 30 digits. If the rule does not promise the limit: its ρ is too large, or the declared releases
    /// come to more.
    pub fn new(terms: Terms) -> Result<Self, LedgerError> {
        terms.check()?;
        Self::checked(terms)
    }

    /// By terms of which a ledger was begun before.
    pub(crate) fn checked(terms: Terms) -> Result<Self, LedgerError> {
        let limit = terms.limit_charge()?;
        Ok(Self {
            spent: limit.nothing(),
            limit,
            terms,
            entries: Vec::new(),
            places: HashMap::new(),
            process: Process::this(),
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
    /// promise says less than the ledger's terms ask ([`Terms::charge`]); [`LedgerError::Forked`] in a
    /// forked process. Nothing is spent then.
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
    /// None in practice: a total within the limit is a budget.
    pub fn spent(&self) -> Result<Option<Cost>, LedgerError> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        self.spent.cost(Rounding::Up).map(Some)
    }

    /// What is left, each amount rounded down to 30 digits; `None` if that is nothing. An (ε, δ)
    /// limit of which all of δ is spent leaves a pure budget.
    ///
    /// # Errors
    /// None in practice.
    pub fn left(&self) -> Result<Option<Cost>, LedgerError> {
        let left = self.limit.after(&self.spent);
        left.map(|left| left.cost(Rounding::Down)).transpose()
    }

    /// The ε at δ that the recorded releases come to, rounded up; `None` if they promise nothing at this
    /// δ. The ledger promises its limit; this says how much of it is used, as if these releases had been
    /// fixed beforehand.
    ///
    /// # Errors
    /// If δ, ε or ρ is out of the range of the conversions, or the accountant refuses the question.
    pub fn spent_epsilon(&self, delta: &Delta) -> Result<Option<Rational>, LedgerError> {
        match (&self.spent, self.terms.rule()) {
            (Charge::Declared(counts), Rule::Declared { releases }) => {
                Ok(Some(Declared::epsilon_of(releases, counts, delta)?))
            }
            _ => match self.spent()? {
                None => Ok(Some(Rational::zero())),
                Some(spent) => Ok(spent.epsilon(delta)?),
            },
        }
    }

    /// The ε at δ that all further releases together can come to, whatever is asked, rounded up; `None` if
    /// that is not bounded at this δ.
    ///
    /// # Errors
    /// As [`Ledger::spent_epsilon`].
    pub fn left_epsilon(&self, delta: &Delta) -> Result<Option<Rational>, LedgerError> {
        let Some(left) = self.left()? else {
            return Ok(Some(Rational::zero()));
        };
        match (&left, self.terms.rule()) {
            (Cost::Declared(counts), Rule::Declared { releases }) => {
                Ok(Some(Declared::epsilon_of(releases, counts, delta)?))
            }
            (
                Cost::Concentrated {
                    rho,
                    delta: lost,
                    epsilon,
                },
                _,
            ) => {
                let Some(kept) = cost::without(delta, lost) else {
                    return Ok(None);
                };
                let converted = cost::of_rho(rho, &kept)?;
                Ok(converted.map(|converted| match epsilon {
                    Some(epsilon) => converted.max(epsilon.clone()),
                    None => converted,
                }))
            }
            _ => Ok(left.epsilon(delta)?),
        }
    }

    /// How many more of these releases fit, if nothing else is spent.
    ///
    /// # Errors
    /// As [`Terms::charge`].
    pub fn room_for(&self, release: &Release) -> Result<u64, LedgerError> {
        // Where several declarations dominate it, they are used up one after the other.
        let (mut spent, mut room) = (self.spent.clone(), 0_u64);
        loop {
            let one = self
                .terms
                .charged("a release", release, &self.limit, &spent)?;
            let times = self.limit.room_for(&spent, &one);
            room = room.saturating_add(times);
            match (&mut spent, &one) {
                (Charge::Declared(counts), Charge::Declared(one)) if times > 0 => {
                    for (count, one) in counts.iter_mut().zip(one) {
                        *count = count.saturating_add(one.saturating_mul(times));
                    }
                }
                _ => return Ok(room),
            }
        }
    }

    /// The entry to be recorded; `None` if it was before.
    pub(crate) fn prepared(
        &self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Option<Entry>, LedgerError> {
        self.process.check()?;
        let checked = Name::new(name)?;
        if let Some(known) = self.entry(name) {
            known.repeated_by(release, shares)?;
            if self.has_individual_costs() {
                let nothing = self.limit.nothing();
                let charge = self.terms.charged(name, release, &self.limit, &nothing)?;
                known.has_paid(&charge)?;
            }
            return Ok(None);
        }
        let booking = self.booking(name, release)?;
        self.check_room(name, &booking.charge)?;
        Ok(Some(Entry {
            name: checked,
            booking,
            shares,
        }))
    }

    /// Whether this much is left.
    fn check_room(&self, name: &str, charge: &Charge) -> Result<(), LedgerError> {
        if self.spent.leaves_room_for(charge, &self.limit) {
            return Ok(());
        }
        self.overspend(name, charge, self.spent()?)
    }

    /// The refusal of what does not fit beside what was spent.
    fn overspend<T>(
        &self,
        name: &str,
        charge: &Charge,
        spent: Option<Cost>,
    ) -> Result<T, LedgerError> {
        Err(LedgerError::Overspend {
            name: name.to_owned(),
            wanted: Box::new(charge.cost(Rounding::Up)?),
            spent: spent.map_or_else(|| "nothing".to_owned(), |spent| spent.to_string()),
            limit: Box::new(self.limit.cost(Rounding::Down)?),
        })
    }

    /// What the release costs; that of the last entry again where they are alike.
    pub(crate) fn booking(
        &self,
        name: &str,
        release: &Release,
    ) -> Result<Arc<Booking>, LedgerError> {
        if self.charges_alike()
            && let Some(last) = self.entries.last()
            && last.booking.release == *release
        {
            return Ok(Arc::clone(&last.booking));
        }
        let charge = self
            .terms
            .charged(name, release, &self.limit, &self.spent)?;
        let release = release.clone();
        Ok(Arc::new(Booking { release, charge }))
    }

    /// Whether equal releases cost the same. A client's own costs differ, and declarations are used up.
    fn charges_alike(&self) -> bool {
        !self.has_individual_costs() && !matches!(self.terms.rule(), Rule::Declared { .. })
    }

    /// Whether an entry may have cost less than its release does ([`Ledger::spend_individually`]).
    fn has_individual_costs(&self) -> bool {
        matches!(self.terms.rule(), Rule::ZeroConcentrated { .. })
            && self.terms.adjacency() == Adjacency::Deletion
    }

    /// Records an entry that was prepared or confirmed, and says whether its name is new. If not,
    /// nothing happens.
    pub(crate) fn push(&mut self, entry: Entry) -> bool {
        let booking = Arc::clone(&entry.booking);
        let is_new = self.insert(entry);
        if is_new {
            self.spent.add(&booking.charge);
        }
        is_new
    }

    /// Puts an entry behind the others, and says whether its name is new. What it cost is not added.
    fn insert(&mut self, entry: Entry) -> bool {
        let Place::Vacant(place) = self.places.entry(entry.name.clone()) else {
            return false;
        };
        place.insert(self.entries.len());
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

impl fmt::Debug for Ledger {
    /// The terms and how many entries there are, not what was spent: a client's own costs tell its measurements.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("terms", &self.terms)
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}
