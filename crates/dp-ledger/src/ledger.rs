//! A limit, and what was spent from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Vacancy;
use std::sync::Arc;

use dp_calibration::check_name;
use dp_exact::{Delta, Rational, Rounding};
use dp_files::OwnerProcess;

use crate::amounts::Amounts;
use crate::{Cost, LedgerError, Release, Rule, SharesDigest, Terms};

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
/// assert_eq!(ledger.spent(), Some(Budget::Pure { epsilon: "0.8".parse()? }.into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A ledger cannot be copied, and the copy that a fork makes cannot be spent from. The one way to
/// keep it is a [`Journal`](crate::Journal), whose file is locked.
///
/// ```compile_fail,E0599
/// # use dp_calibration::Budget;
/// # use dp_ledger::{Ledger, Terms};
/// let ledger = Ledger::new(Terms::new(Budget::Pure { epsilon: "1".parse()? }))?;
/// let twice = ledger.clone();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, PartialEq, Eq)]
pub struct Ledger {
    terms: Terms,
    /// The limit of the terms as it is counted.
    pub(crate) limit: Amounts,
    /// The sum of what all entries cost.
    spent: Amounts,
    /// In the order in which they were recorded.
    entries: Vec<Entry>,
    /// The index of each name in `entries`.
    by_name: HashMap<Arc<str>, usize>,
    /// The process that may spend.
    process: OwnerProcess,
}

/// A release in a ledger: its name, its guarantee, what it cost, and the shares it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) booking: Arc<ChargedRelease>,
    pub(crate) shares: Option<SharesDigest>,
}

/// A release and its cost. Entries of equal releases share one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChargedRelease {
    pub(crate) release: Release,
    /// The cost of the release in this ledger, exactly.
    pub(crate) amounts: Amounts,
    /// The same cost, each amount rounded up to 30 digits.
    pub(crate) charge: Cost,
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

impl Ledger {
    /// A ledger by these terms with nothing spent.
    ///
    /// # Errors
    /// If an amount of the limit is neither 0 nor from 1e-350 to 1e9; if the rule does not
    /// guarantee the limit, as its ρ is too large.
    pub fn new(terms: Terms) -> Result<Self, LedgerError> {
        terms.rule.check(&terms.limit)?;
        Self::checked(terms)
    }

    /// A ledger with nothing spent, by terms that were checked when it was created. `Err` if an
    /// amount of the limit is out of range.
    pub(crate) fn checked(terms: Terms) -> Result<Self, LedgerError> {
        let limit = terms.limit_amounts()?;
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
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The recorded releases, in the order of recording.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of this name.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<&Entry> {
        self.entries.get(*self.by_name.get(name)?)
    }

    /// Pays for a release under a name: 1 to 256 bytes without control characters. With `shares`
    /// the name stands for these shares from now on. If the same was recorded before, nothing
    /// happens.
    ///
    /// # Errors
    /// If it does not fit, if the name was used for another guarantee or for other shares, or if
    /// the guarantee says less than the ledger's terms ask ([`Terms::charge`]);
    /// [`LedgerError::Forked`] in a forked process. Nothing is spent then.
    pub fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        let Some(entry) = self.prepared(name, release, shares)? else {
            return Ok(Spending::Repeated);
        };
        self.push(entry);
        Ok(Spending::New)
    }

    /// The total, each amount rounded up to 30 digits; `None` if nothing was spent.
    pub fn spent(&self) -> Option<Cost> {
        (!self.entries.is_empty()).then(|| self.terms.cost(&self.spent, Rounding::Up))
    }

    /// What is left, each amount rounded down to 30 digits; `None` if that is nothing. An (ε, δ)
    /// limit with all of its δ spent leaves a pure budget.
    pub fn left(&self) -> Option<Cost> {
        Some(self.terms.cost(&self.limit.after(&self.spent)?, Rounding::Down))
    }

    /// The ε at δ that the recorded releases come to, rounded up, as if they had been fixed
    /// beforehand; of a schedule the ε of its limit. `None` if they guarantee nothing at this δ.
    /// The ledger guarantees its limit.
    ///
    /// # Errors
    /// If δ, ε or ρ is out of the range of the conversions.
    pub fn spent_epsilon(&self, delta: &Delta) -> Result<Option<Rational>, LedgerError> {
        if self.entries.is_empty() {
            return Ok(Some(Rational::zero()));
        }
        let counted = match self.terms.rule {
            Rule::Scheduled { .. } => Amounts::of(&self.terms.limit),
            _ => Some(self.spent.rounded(Rounding::Up)),
        };
        // Rényi privacy, which is not counted, has no bound.
        Ok(counted.map(|counted| counted.epsilon(delta)).transpose()?.flatten())
    }

    /// How many more of these releases fit, if nothing else is spent.
    ///
    /// # Errors
    /// Those of [`Terms::charge`].
    pub fn room_for(&self, release: &Release) -> Result<u64, LedgerError> {
        let one = self.terms.charged("a release", release, &self.limit)?;
        Ok(self.limit.room_for(&self.spent, &one))
    }

    /// The entry to be recorded under `name`; `None` if the same release was recorded under it
    /// before. Refuses one that does not fit, and another release or other shares than were
    /// recorded.
    pub(crate) fn prepared(
        &self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Option<Entry>, LedgerError> {
        self.process.check()?;
        check_name("name", name)?;
        if let Some(known) = self.entry(name) {
            let name = name.to_owned();
            if known.release() != release {
                return Err(LedgerError::Conflict { name, spent: Box::new(known.charge()) });
            }
            if known.shares != shares {
                return Err(LedgerError::OtherShares { name });
            }
            return Ok(None);
        }
        let booking = match self.entries.last() {
            Some(last) if last.release() == release => Arc::clone(&last.booking),
            _ => {
                let amounts = self.terms.charged(name, release, &self.limit)?;
                Arc::new(ChargedRelease::new(&self.terms, release.clone(), amounts))
            }
        };
        if self.spent.plus(&booking.amounts).is_within(&self.limit) {
            return Ok(Some(Entry { name: name.into(), booking, shares }));
        }
        Err(LedgerError::Overspend {
            name: name.to_owned(),
            wanted: Box::new(booking.charge.clone()),
            left: self.left().map_or_else(|| "nothing".to_owned(), |left| left.to_string()),
            limit: Box::new(self.terms.cost(&self.limit, Rounding::Down)),
        })
    }

    /// Whether the recorded releases together are within the limit.
    pub(crate) fn is_within_limit(&self) -> bool {
        self.spent.is_within(&self.limit)
    }

    /// Records an entry that was prepared or confirmed, and says whether its name is new. If not,
    /// nothing happens.
    pub(crate) fn push(&mut self, entry: Entry) -> bool {
        let Vacancy::Vacant(place) = self.by_name.entry(Arc::clone(&entry.name)) else {
            return false;
        };
        place.insert(self.entries.len());
        self.spent = self.spent.plus(&entry.booking.amounts);
        self.entries.push(entry);
        true
    }
}

impl ChargedRelease {
    /// A release with its exact cost `amounts`, and that cost rounded up, in a ledger by `terms`.
    pub(crate) fn new(terms: &Terms, release: Release, amounts: Amounts) -> Self {
        let charge = terms.cost(&amounts, Rounding::Up);
        Self { release, amounts, charge }
    }
}

impl Entry {
    /// Unique in its ledger, such as a date and a query.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The guarantee of the release, as it was given.
    pub fn release(&self) -> &Release {
        &self.booking.release
    }

    /// What it cost in this ledger: under the ledger's neighbour relation, by its rule, rounded up.
    pub fn charge(&self) -> Cost {
        self.booking.charge.clone()
    }

    /// The digest of the shares that were released under this name, where it is known.
    pub const fn shares(&self) -> Option<&SharesDigest> {
        self.shares.as_ref()
    }
}
