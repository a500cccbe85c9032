//! A limit, and what was spent from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Vacancy;
use std::fmt;
use std::sync::Arc;

use dp_calibration::Adjacency;
use dp_exact::{Delta, OwnerProcess, ParameterError, Rational, Rounding, check_name};
use num_bigint::BigUint;

use crate::charged_amounts::ChargedAmounts;
use crate::cost;
use crate::{Cost, IndividualCosts, LedgerError, Release, Rule, SharesDigest, Terms};

/// The most releases that are recorded at once.
pub const MAX_TIMES: u64 = 1 << 20;

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
#[derive(PartialEq, Eq)]
pub struct Ledger {
    terms: Terms,
    /// The limit of the terms as it is counted, rounded down.
    limit: ChargedAmounts,
    /// The sum of what all entries cost, exactly.
    spent: ChargedAmounts,
    /// In the order in which they were recorded.
    entries: Vec<Entry>,
    /// The index of each name in `entries`.
    by_name: HashMap<Arc<str>, usize>,
    /// The process that may spend.
    process: OwnerProcess,
}

/// A release in a ledger: its name, its guarantee, what it cost, and the shares it stands for.
#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) booking: Arc<ChargedRelease>,
    pub(crate) shares: Option<SharesDigest>,
}

/// A release and its cost. Entries of equal releases share one.
#[derive(PartialEq, Eq)]
pub(crate) struct ChargedRelease {
    pub(crate) release: Release,
    /// The cost of the release in this ledger, rounded up.
    pub(crate) charge: ChargedAmounts,
}

/// The effect of spending on a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spending {
    /// The release was paid for.
    New,
    /// The release was paid for before: nothing was spent.
    Repeated,
}

/// The effect of spending a client's individual cost. It is as private as the cost.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum IndividualSpending {
    /// All of it: the measurement may be sent.
    Own,
    /// Nothing, because not enough is left: zeros may be sent.
    Nothing,
    /// Nothing, because a release of this name was recorded before: nothing may be sent.
    Repeated,
}

/// An entry at a client's individual cost or at none, and the total that is spent with it.
pub(crate) struct IndividualEntry {
    pub(crate) entry: Entry,
    /// The cost as digits of a fixed length.
    pub(crate) rho: String,
    /// The total that is spent with it.
    spent: ChargedAmounts,
}

/// Both entries that may be recorded, and which of them is.
pub(crate) struct IndividualEntries {
    /// The entry at no cost, and the entry at the client's own.
    pub(crate) of: [IndividualEntry; 2],
    /// Whether the client's own cost fits, so that the second entry is recorded.
    pub(crate) fits: bool,
}

impl Ledger {
    /// A ledger by these terms with nothing spent.
    ///
    /// # Errors
    /// If the limit is out of range: an amount from 1e-350 to 1e9, or a δ of 0. It is rounded down
    /// to 30 digits. If the rule does not guarantee the limit: its ρ is too large.
    pub fn new(terms: Terms) -> Result<Self, LedgerError> {
        terms.rule.check(&terms.limit)?;
        Self::checked(terms)
    }

    /// A ledger by terms that were checked when it was created.
    pub(crate) fn checked(terms: Terms) -> Result<Self, LedgerError> {
        let limit = terms.limit_charge()?;
        Ok(Self {
            spent: limit.nothing(),
            limit,
            terms,
            entries: Vec::new(),
            by_name: HashMap::new(),
            process: OwnerProcess::this(),
        })
    }

    /// The limit, the neighbour relation, the trust model and the rule.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The limit as it is counted, rounded down.
    pub(crate) const fn limit(&self) -> &ChargedAmounts {
        &self.limit
    }

    /// The recorded releases, in the order of recording.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.by_name.get(name)?)
    }

    /// Pays for a release under a name: 1 to 256 bytes without control characters. With `shares` the
    /// name stands for these shares from now on. If the same was recorded before, nothing happens.
    ///
    /// # Errors
    /// If it does not fit, if the name was used for another guarantee or for other shares, or if the
    /// guarantee says less than the ledger's terms ask ([`Terms::charge`]); [`LedgerError::Forked`] in a
    /// forked process. Nothing is spent then.
    pub fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        let prepared = self.prepared(name, release, shares)?;
        let is_new = prepared.is_some_and(|entry| self.push(entry));
        Ok(if is_new { Spending::New } else { Spending::Repeated })
    }

    /// Pays for `times` releases under the names `name 1`, `name 2` and so on: for all of them or for none.
    /// Names that were recorded before cost nothing again. Returns the number of new names.
    ///
    /// # Errors
    /// Those of [`Ledger::spend`], of any of them; if `times` is not from 1 to [`MAX_TIMES`]. Nothing is spent then.
    pub fn spend_times(
        &mut self,
        name: &str,
        times: u64,
        release: &Release,
    ) -> Result<u64, LedgerError> {
        let entries = self.prepared_times(name, times, release)?;
        let new = entries.len() as u64;
        self.push_all(entries);
        Ok(new)
    }

    /// Pays a client's own cost of a release where it fits, and nothing where it does not: **in the same steps**, so
    /// that how long this takes does not tell which. Either is recorded under the name. What is spent that way is itself
    /// private: `docs/filters.md`, Theorem 3, has what the caller must keep to.
    ///
    /// # Errors
    /// If the name has no 1 to 256 bytes or has control characters, if the costs are of another ledger's terms, if the
    /// norm is above the largest that they were made for; [`LedgerError::Forked`] in a forked process. Whether the
    /// cost fits is no error.
    pub fn spend_individual(
        &mut self,
        name: &str,
        costs: &IndividualCosts,
        squared_norm: &BigUint,
    ) -> Result<IndividualSpending, LedgerError> {
        Ok(match self.prepared_own(name, costs, squared_norm)? {
            None => IndividualSpending::Repeated,
            Some(choices) => self.record(choices),
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
    /// limit with all of its δ spent leaves a pure budget.
    ///
    /// # Errors
    /// None in practice.
    pub fn left(&self) -> Result<Option<Cost>, LedgerError> {
        let left = self.limit.after(&self.spent);
        left.map(|left| left.cost(Rounding::Down)).transpose()
    }

    /// The ε at δ that the recorded releases come to, rounded up; `None` if they guarantee nothing at this
    /// δ. The ledger guarantees its limit; this says how much of it is used, as if these releases had been
    /// fixed beforehand.
    ///
    /// # Errors
    /// If δ, ε or ρ is out of the range of the conversions, or the accountant refuses the question.
    pub fn spent_epsilon(&self, delta: &Delta) -> Result<Option<Rational>, LedgerError> {
        match self.spent()? {
            None => Ok(Some(Rational::zero())),
            Some(spent) => Ok(spent.epsilon(delta)?),
        }
    }

    /// The ε at δ that all further releases together can come to, whatever is asked, rounded up; `None` if
    /// that is not bounded at this δ.
    ///
    /// # Errors
    /// Those of [`Ledger::spent_epsilon`].
    pub fn left_epsilon(&self, delta: &Delta) -> Result<Option<Rational>, LedgerError> {
        let Some(left) = self.left()? else {
            return Ok(Some(Rational::zero()));
        };
        match &left {
            // Either the rest of ρ or the rest of ε may be spent.
            Cost::Concentrated { rho, delta: lost, epsilon } => {
                let Some(kept) = cost::without(delta, lost) else {
                    return Ok(None);
                };
                let converted = cost::of_rho(rho, &kept)?;
                Ok(converted.map(|converted| epsilon.iter().cloned().fold(converted, Ord::max)))
            }
            Cost::Sum(_) => Ok(left.epsilon(delta)?),
        }
    }

    /// How many more of these releases fit, if nothing else is spent.
    ///
    /// # Errors
    /// Those of [`Terms::charge`].
    pub fn room_for(&self, release: &Release) -> Result<u64, LedgerError> {
        let one = self.terms.charged("a release", release, &self.limit)?;
        Ok(self.limit.room_for(&self.spent, &one))
    }

    /// The entry to be recorded under `name`; `None` if the same release was recorded under it before.
    /// Refuses one that does not fit, and another release than was recorded.
    pub(crate) fn prepared(
        &self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Option<Entry>, LedgerError> {
        self.process.check()?;
        check_name("name", name)?;
        if let Some(known) = self.entry(name) {
            return self.check_repeated(known, release, shares).map(|()| None);
        }
        let booking = match self.entries.last() {
            Some(last) if !self.has_individual_costs() && last.release() == release => {
                self.fitting(&self.spent, name, Arc::clone(&last.booking))?
            }
            _ => self.charged_after(&self.spent, name, release)?,
        };
        let name = name.into();
        Ok(Some(Entry { name, booking, shares }))
    }

    /// The entries "`name` 1" to "`name` n", n = `times`, that are not recorded yet. Refuses all of
    /// them if they do not fit together, or another release was recorded under one of the names.
    pub(crate) fn prepared_times(
        &self,
        name: &str,
        times: u64,
        release: &Release,
    ) -> Result<Vec<Entry>, LedgerError> {
        self.process.check()?;
        if !(1..=MAX_TIMES).contains(&times) {
            let accepted = format!("an integer from 1 to {MAX_TIMES}");
            return Err(ParameterError::new("times", times, accepted).into());
        }
        let mut spent = self.spent.clone();
        let mut last: Option<Arc<ChargedRelease>> = None;
        let mut entries = Vec::new();
        for number in 1..=times {
            let name = format!("{name} {number}");
            check_name("name", &name)?;
            if let Some(known) = self.entry(&name) {
                self.check_repeated(known, release, None)?;
                continue;
            }
            let booking = match last {
                Some(one) => self.fitting(&spent, &name, one)?,
                None => self.charged_after(&spent, &name, release)?,
            };
            spent.add(&booking.charge);
            entries.push(Entry { name: name.into(), booking: Arc::clone(&booking), shares: None });
            last = Some(booking);
        }
        Ok(entries)
    }

    /// The entry at no cost and the entry at the individual cost of `squared_norm`; `None` if the
    /// name was recorded before.
    pub(crate) fn prepared_own(
        &self,
        name: &str,
        costs: &IndividualCosts,
        squared_norm: &BigUint,
    ) -> Result<Option<IndividualEntries>, LedgerError> {
        self.process.check()?;
        costs.check(&self.terms)?;
        check_name("name", name)?;
        if self.entry(name).is_some() {
            return Ok(None);
        }
        let name: Arc<str> = name.into();
        let [nothing, own] = [costs.nothing(), costs.charge(squared_norm)?];
        let fits = self.spent.leaves_room_for(&own.0, &self.limit);
        let of = [nothing, own].map(|(charge, rho)| {
            let mut spent = self.spent.clone();
            spent.add(&charge);
            let entry = costs.entry(&name, charge);
            IndividualEntry { entry, rho, spent }
        });
        Ok(Some(IndividualEntries { of, fits }))
    }

    /// Refuses another `release`, or other `shares`, than were recorded in the entry `known`.
    fn check_repeated(
        &self,
        known: &Entry,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<(), LedgerError> {
        let name = || known.name().to_owned();
        let mut is_paid = known.release() == release;
        if is_paid && known.shares != shares {
            return Err(LedgerError::OtherShares { name: name() });
        }
        if is_paid && self.has_individual_costs() {
            // A name that was paid at a client's own cost is not one of a release that costs more.
            let nothing = self.limit.nothing();
            let charge = self.terms.charged(&known.name, release, &self.limit)?;
            is_paid = nothing.leaves_room_for(&charge, &known.booking.charge);
        }
        if is_paid {
            return Ok(());
        }
        Err(LedgerError::Conflict { name: name(), spent: Box::new(known.charge()?) })
    }

    /// `release` with its cost in this ledger. Refuses a cost that does not fit into the limit
    /// beside `spent`.
    fn charged_after(
        &self,
        spent: &ChargedAmounts,
        name: &str,
        release: &Release,
    ) -> Result<Arc<ChargedRelease>, LedgerError> {
        let charge = self.terms.charged(name, release, &self.limit)?;
        let release = release.clone();
        self.fitting(spent, name, Arc::new(ChargedRelease { release, charge }))
    }

    /// Returns `booking` unless its cost does not fit into the limit beside `spent`, which is
    /// refused.
    fn fitting(
        &self,
        spent: &ChargedAmounts,
        name: &str,
        booking: Arc<ChargedRelease>,
    ) -> Result<Arc<ChargedRelease>, LedgerError> {
        if spent.leaves_room_for(&booking.charge, &self.limit) {
            return Ok(booking);
        }
        let spent = if *spent == self.limit.nothing() {
            "nothing".to_owned()
        } else {
            spent.cost(Rounding::Up)?.to_string()
        };
        Err(LedgerError::Overspend {
            name: name.to_owned(),
            wanted: Box::new(booking.charge.cost(Rounding::Up)?),
            spent,
            limit: Box::new(self.limit.cost(Rounding::Down)?),
        })
    }

    /// Whether an entry may have cost less than its release does ([`Ledger::spend_individual`]).
    fn has_individual_costs(&self) -> bool {
        matches!(self.terms.rule, Rule::ZeroConcentrated { .. })
            && self.terms.adjacency == Adjacency::Deletion
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

    /// Records entries that were prepared or confirmed.
    pub(crate) fn push_all(&mut self, entries: Vec<Entry>) {
        self.reserve(entries.len() as u64);
        for entry in entries {
            self.push(entry);
        }
    }

    /// Records the second entry of `choices` if it fits, else the first, and drops the other one.
    pub(crate) fn record(&mut self, choices: IndividualEntries) -> IndividualSpending {
        let paid =
            [IndividualSpending::Nothing, IndividualSpending::Own][usize::from(choices.fits)];
        let choice = chosen(choices.of, choices.fits);
        self.insert(choice.entry);
        self.spent = choice.spent;
        paid
    }

    /// Puts an entry behind the others, and says whether its name is new. What it cost is not added.
    fn insert(&mut self, entry: Entry) -> bool {
        let Vacancy::Vacant(place) = self.by_name.entry(Arc::clone(&entry.name)) else {
            return false;
        };
        place.insert(self.entries.len());
        self.entries.push(entry);
        true
    }

    /// Reserves memory for `entries` entries, at most [`MAX_TIMES`].
    pub(crate) fn reserve(&mut self, entries: u64) {
        let entries = usize::try_from(entries.min(MAX_TIMES)).unwrap_or(0);
        self.entries.reserve(entries);
        self.by_name.reserve(entries);
    }
}

/// The second of two values if `second`, else the first, by equal steps: they do not tell which.
pub(crate) fn chosen<T>(mut of: [T; 2], second: bool) -> T {
    of.swap(0, usize::from(second));
    let [chosen, _] = of;
    chosen
}

impl Entry {
    /// Unique in its ledger, such as a date and a query.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The guarantee of the release, as it was given.
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
}

// A client's own cost tells its measurement: nothing that is printed for debugging shows what was spent.

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ledger")
            .field("terms", &self.terms)
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("name", &self.name)
            .field("release", self.release())
            .field("shares", &self.shares)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for IndividualSpending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("IndividualSpending(..)")
    }
}
