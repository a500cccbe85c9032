#![doc = include_str!("../README.md")]
//!
//! What was spent, what is left, and the refusal to spend more.
//!
//! A [`Ledger`] holds a limit and the entries that were spent from it, for one client or for one
//! population. The entries add up as their kind does ([`dp_calibration::composition`]): (ε, δ) by sums of
//! both, ρ by sums, Rényi budgets of one order by sums. An entry that would exceed the limit is
//! refused, and changes nothing.
//!
//! A [`Journal`] is a ledger in a file. It confirms an entry only after the entry has reached the
//! disk, so that nothing confirmed is lost, whenever the process or the machine stops. An entry is
//! named; spending it again under the same name changes nothing, so that a caller that crashed
//! before it learnt of the confirmation can simply repeat the call, and nothing is spent twice.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use dp_exact::{Delta, Epsilon, Rational, Rho};
use serde::{Deserialize, Serialize};

use dp_calibration::{Budget, Error, composition};

/// Why a ledger does not take an entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// There is not enough left; nothing was spent.
    #[error("{name} does not fit: {wanted}, with {spent} of {limit} spent")]
    Overspend {
        /// The entry.
        name: String,
        /// What it would spend.
        wanted: Box<Budget>,
        /// What was spent before, or "nothing".
        spent: String,
        /// The limit.
        limit: Box<Budget>,
    },
    /// An entry of this name was spent with another budget.
    #[error("{name} was spent before, as {spent}")]
    Conflict {
        /// The entry.
        name: String,
        /// What it spent.
        spent: Box<Budget>,
    },
    /// The budget is of another kind than the limit.
    #[error(transparent)]
    Kind(#[from] Error),
    /// The file cannot be read or written; the entry is not confirmed.
    #[error("the journal cannot be used: {0}")]
    File(#[from] io::Error),
    /// The file holds something else than a journal.
    #[error("line {line} of the journal is not an entry: {reason}")]
    Malformed {
        /// Counted from 1.
        line: usize,
        /// What was found.
        reason: String,
    },
}

/// One release: its name, and what it spends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Unique in its ledger, such as a date and a query.
    pub name: String,
    /// What the release spends.
    pub budget: Budget,
}

/// A limit, and what was spent from it.
///
/// ```
/// use dp_calibration::Budget;
/// use dp_ledger::{Ledger, LedgerError};
///
/// let day = Budget::Pure { epsilon: "0.4".parse()? };
/// let mut ledger = Ledger::new(Budget::Pure { epsilon: "1".parse()? });
/// ledger.spend("monday", day.clone())?;
/// ledger.spend("tuesday", day.clone())?;
/// ledger.spend("tuesday", day.clone())?; // spent already: nothing happens
/// assert!(matches!(ledger.spend("wednesday", day), Err(LedgerError::Overspend { .. })));
/// assert_eq!(ledger.spent()?, Some(Budget::Pure { epsilon: "0.8".parse()? }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Ledger {
    limit: Budget,
    entries: Vec<Entry>,
}

/// A ledger as it is read, before its entries are held against its limit.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unchecked {
    limit: Budget,
    entries: Vec<Entry>,
}

impl TryFrom<Unchecked> for Ledger {
    type Error = LedgerError;

    fn try_from(unchecked: Unchecked) -> Result<Self, LedgerError> {
        let mut ledger = Self::new(unchecked.limit);
        for entry in unchecked.entries {
            ledger.spend(&entry.name, entry.budget)?;
        }
        Ok(ledger)
    }
}

impl Ledger {
    /// With nothing spent.
    #[must_use]
    pub fn new(limit: Budget) -> Self {
        Self {
            limit,
            entries: Vec::new(),
        }
    }

    /// The limit.
    #[must_use]
    pub fn limit(&self) -> &Budget {
        &self.limit
    }

    /// What was spent, in order.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Spends `budget` under `name`. If the same was spent under this name before, nothing
    /// happens.
    ///
    /// # Errors
    /// If it does not fit, if the name was used for another budget, or if the budget is of another
    /// kind than the limit. Nothing is spent then.
    pub fn spend(&mut self, name: &str, budget: Budget) -> Result<(), LedgerError> {
        if self.is_new(name, &budget)? {
            let name = name.to_owned();
            self.entries.push(Entry { name, budget });
        }
        Ok(())
    }

    /// The total; `None` if nothing was spent.
    ///
    /// # Errors
    /// None in practice: what does not add up is refused when it is spent.
    pub fn spent(&self) -> Result<Option<Budget>, LedgerError> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        let budgets: Vec<Budget> = self.budgets().cloned().collect();
        Ok(Some(self.sum(&budgets)?))
    }

    /// What is left; `None` if that is nothing. An (ε, δ) limit of which all of δ is spent leaves
    /// a pure budget.
    ///
    /// # Errors
    /// None in practice.
    pub fn left(&self) -> Result<Option<Budget>, LedgerError> {
        let Some(spent) = self.spent()? else {
            return Ok(Some(self.limit.clone()));
        };
        let (whole, used) = (amounts(&self.limit), amounts(&spent));
        let (first, second) = (whole.0 - used.0, whole.1 - used.1);
        if !first.is_positive() {
            return Ok(None);
        }
        let parameter = |error| LedgerError::Kind(Error::Parameter(error));
        Ok(Some(match &self.limit {
            Budget::ZeroConcentrated { .. } => Budget::ZeroConcentrated {
                rho: Rho::new(first).map_err(parameter)?,
            },
            Budget::Renyi { alpha, .. } => Budget::renyi(alpha.clone(), first)?,
            _ if second.is_zero() => Budget::Pure {
                epsilon: Epsilon::new(first).map_err(parameter)?,
            },
            _ => Budget::Approximate {
                epsilon: Epsilon::new(first).map_err(parameter)?,
                delta: Delta::new(second).map_err(parameter)?,
            },
        }))
    }

    fn budgets(&self) -> impl Iterator<Item = &Budget> {
        self.entries.iter().map(|entry| &entry.budget)
    }

    fn sum(&self, budgets: &[Budget]) -> Result<Budget, Error> {
        match &self.limit {
            Budget::Pure { .. } | Budget::Approximate { .. } => composition::basic(budgets),
            Budget::ZeroConcentrated { .. } => composition::zero_concentrated(budgets),
            Budget::Renyi { .. } => composition::renyi(budgets),
        }
    }

    /// Whether the entry is to be added: it fits and was not spent before.
    fn is_new(&self, name: &str, budget: &Budget) -> Result<bool, LedgerError> {
        if let Some(known) = self.entries.iter().find(|entry| entry.name == name) {
            if known.budget == *budget {
                return Ok(false);
            }
            return Err(LedgerError::Conflict {
                name: name.to_owned(),
                spent: Box::new(known.budget.clone()),
            });
        }
        let mut budgets: Vec<Budget> = self.budgets().cloned().collect();
        budgets.push(budget.clone());
        // A sum that is no budget any more, such as δ ≥ 1, does not fit either.
        let fits = match self.sum(&budgets) {
            Ok(total) => is_within(&total, &self.limit),
            Err(error) => {
                self.sum(std::slice::from_ref(budget))?;
                if budgets.len() == 1 {
                    return Err(error.into());
                }
                false
            }
        };
        if fits {
            return Ok(true);
        }
        let spent = self.spent()?;
        Err(LedgerError::Overspend {
            name: name.to_owned(),
            wanted: Box::new(budget.clone()),
            spent: spent.map_or_else(|| "nothing".to_owned(), |spent| spent.to_string()),
            limit: Box::new(self.limit.clone()),
        })
    }
}

/// What adds up: (ε, δ), (ρ, 0) or (τ, 0).
fn amounts(budget: &Budget) -> (Rational, Rational) {
    match budget {
        Budget::Pure { epsilon } => (epsilon.value().clone(), Rational::zero()),
        Budget::Approximate { epsilon, delta } => (epsilon.value().clone(), delta.value().clone()),
        Budget::ZeroConcentrated { rho } => (rho.value().clone(), Rational::zero()),
        Budget::Renyi { tau, .. } => (tau.clone(), Rational::zero()),
    }
}

fn is_within(total: &Budget, limit: &Budget) -> bool {
    let same_order = match (total, limit) {
        (Budget::Renyi { alpha: one, .. }, Budget::Renyi { alpha: other, .. }) => one == other,
        _ => true,
    };
    let (total, limit) = (amounts(total), amounts(limit));
    same_order && total.0 <= limit.0 && total.1 <= limit.1
}

/// A ledger in a file: one line of JSON for the limit, then one for each entry.
///
/// The file is locked while the journal is open, so that two processes cannot spend the same
/// budget.
#[derive(Debug)]
pub struct Journal {
    ledger: Ledger,
    file: File,
    /// The bytes of the file that are confirmed.
    confirmed: u64,
}

impl Journal {
    /// Opens the journal at `path`, or begins one with `limit`.
    ///
    /// A last line without its end is the trace of an entry that was never confirmed, and is
    /// removed.
    ///
    /// # Errors
    /// If the file cannot be read or is in use, is no journal, or has another limit.
    pub fn open(path: impl AsRef<Path>, limit: Budget) -> Result<Self, LedgerError> {
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path)?;
        file.try_lock().map_err(io::Error::from)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut lines = text[..whole].lines().enumerate();
        let mut journal = Self {
            ledger: Ledger::new(limit),
            file,
            confirmed: whole as u64,
        };
        match lines.next() {
            None => journal.append(&json(&journal.ledger.limit)?)?,
            Some((_, line)) => {
                let found: Budget = parse(0, line)?;
                if found != journal.ledger.limit {
                    let reason = format!("the limit is {found}");
                    return Err(LedgerError::Malformed { line: 1, reason });
                }
            }
        }
        for (number, line) in lines {
            let entry: Entry = parse(number, line)?;
            journal.ledger.spend(&entry.name, entry.budget)?;
        }
        Ok(journal)
    }

    /// The ledger with every confirmed entry.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Spends `budget` under `name`, as [`Ledger::spend`] does. When this returns, the entry is on
    /// the disk.
    ///
    /// # Errors
    /// As [`Ledger::spend`], and if the file cannot be written. The entry is not confirmed then;
    /// whether it is found spent after opening the journal again is open, and the call can be
    /// repeated safely.
    pub fn spend(&mut self, name: &str, budget: Budget) -> Result<(), LedgerError> {
        if !self.ledger.is_new(name, &budget)? {
            return Ok(());
        }
        let name = name.to_owned();
        let entry = Entry { name, budget };
        self.append(&json(&entry)?)?;
        self.ledger.entries.push(entry);
        Ok(())
    }

    /// Writes a line after what is confirmed, and waits for the disk.
    fn append(&mut self, line: &str) -> Result<(), LedgerError> {
        self.file.set_len(self.confirmed)?;
        self.file.seek(SeekFrom::Start(self.confirmed))?;
        let line = format!("{line}\n");
        self.file.write_all(line.as_bytes())?;
        self.file.sync_all()?;
        self.confirmed += line.len() as u64;
        Ok(())
    }
}

fn json(value: &impl Serialize) -> Result<String, LedgerError> {
    serde_json::to_string(value).map_err(|error| io::Error::other(error).into())
}

fn parse<'a, T: Deserialize<'a>>(number: usize, line: &'a str) -> Result<T, LedgerError> {
    serde_json::from_str(line).map_err(|error| LedgerError::Malformed {
        line: number + 1,
        reason: error.to_string(),
    })
}
