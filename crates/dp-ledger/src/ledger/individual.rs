//! A client's own cost of a release: the measurement follows from it, so that nothing may tell it.

use std::fmt;
use std::sync::Arc;

use dp_exact::Rational;
use num_bigint::BigUint;

use super::Ledger;
use crate::charge::Charge;
use crate::entry::Booking;
use crate::name::Name;
use crate::{Entry, LedgerError, OwnCosts, Release, Spending};

/// What was paid of a client's own cost. It is as private as the cost.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Paid {
    /// All of it: the measurement may be sent.
    Own,
    /// Nothing, because not enough is left: zeros may be sent.
    Nothing,
    /// Nothing, because a release of this name was recorded before: nothing may be sent.
    Repeated,
}

impl fmt::Debug for Paid {
    /// Never shows which.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Paid(..)")
    }
}

/// An entry that can be recorded, and what is spent with it.
pub(crate) struct Choice {
    pub(crate) entry: Entry,
    /// Its cost in words of the same length for all.
    pub(crate) rho: String,
    spent: Charge,
}

/// Both entries that may be recorded, and which of them is.
pub(crate) struct Prepared {
    /// At no cost, and at the client's own.
    pub(crate) choices: [Choice; 2],
    pub(crate) fits: bool,
}

impl Prepared {
    /// What is recorded. The other one goes.
    pub(crate) fn chosen(self) -> (Choice, Paid) {
        let paid = [Paid::Nothing, Paid::Own][usize::from(self.fits)];
        (chosen(self.choices, self.fits), paid)
    }
}

/// The second of two values, or the first; the other one goes. Either takes the same steps.
pub(crate) fn chosen<T>(mut of: [T; 2], second: bool) -> T {
    of.swap(0, usize::from(second));
    let [chosen, _] = of;
    chosen
}

impl Ledger {
    /// Pays a client's own cost `rho` of a release, which is at most that of any client: ‖x‖²/(2σ²) for the
    /// measurement x and Gaussian noise of parameter σ². It may be 0. How long this takes, and its refusal, tell whether it
    /// fits: [`Ledger::spend_own`] does not. **What is spent that way is itself
    /// private**, and so is whether something fits: `docs/filters.md`, Theorem 4, has what the caller must
    /// keep to.
    ///
    /// # Errors
    /// As [`Ledger::spend`]; if the ledger or the release is not for deletion, the rule is not
    /// [`Rule::ZeroConcentrated`](crate::Rule::ZeroConcentrated), or `rho` is above what the release costs; and
    /// [`LedgerError::Conflict`] if less was paid under this name before, as for zeros.
    pub fn spend_individually(
        &mut self,
        name: &str,
        release: &Release,
        rho: &Rational,
    ) -> Result<Spending, LedgerError> {
        Ok(match self.prepared_individually(name, release, rho)? {
            None => Spending::Repeated,
            Some(entry) => {
                self.push(entry);
                Spending::New
            }
        })
    }

    /// Pays a client's own cost of a release where it fits, and nothing where it does not: **in the same steps**, so
    /// that how long this takes does not tell which. Either is recorded under the name.
    ///
    /// # Errors
    /// If the name has no 1 to 256 bytes or has control characters, if the costs are of another ledger's terms, if the
    /// norm is above the largest that they were made for; [`LedgerError::Forked`] in a forked process. Whether the
    /// cost fits is no error.
    pub fn spend_own(
        &mut self,
        name: &str,
        costs: &OwnCosts,
        squared_norm: &BigUint,
    ) -> Result<Paid, LedgerError> {
        Ok(match self.prepared_own(name, costs, squared_norm)? {
            None => Paid::Repeated,
            Some(prepared) => {
                let (choice, paid) = prepared.chosen();
                self.record(choice);
                paid
            }
        })
    }

    /// The entry to be recorded at a client's own cost; `None` if it was before.
    pub(crate) fn prepared_individually(
        &self,
        name: &str,
        release: &Release,
        rho: &Rational,
    ) -> Result<Option<Entry>, LedgerError> {
        self.process.check()?;
        let checked = Name::new(name)?;
        let charge = self.terms.individual(name, release, rho, &self.limit)?;
        if let Some(known) = self.entry(name) {
            known.repeated_by(release, None)?;
            return known.has_paid(&charge).map(|()| None);
        }
        self.check_room(name, &charge)?;
        let release = release.clone();
        Ok(Some(Entry {
            name: checked,
            booking: Arc::new(Booking { release, charge }),
            shares: None,
        }))
    }

    /// The entries of which one is to be recorded; `None` if there is one of this name.
    pub(crate) fn prepared_own(
        &self,
        name: &str,
        costs: &OwnCosts,
        squared_norm: &BigUint,
    ) -> Result<Option<Prepared>, LedgerError> {
        self.process.check()?;
        costs.check(&self.terms)?;
        let name = Name::new(name)?;
        if self.entry(name.as_str()).is_some() {
            return Ok(None);
        }
        let [nothing, own] = [costs.nothing(), costs.charge(squared_norm)?];
        let fits = self.spent.leaves_room_for(&own.0, &self.limit);
        let choice = |(charge, rho): (Charge, String)| {
            let mut spent = self.spent.clone();
            spent.add(&charge);
            Choice {
                entry: costs.entry(&name, charge),
                rho,
                spent,
            }
        };
        let choices = [nothing, own].map(choice);
        Ok(Some(Prepared { choices, fits }))
    }

    /// Records an entry that was prepared or confirmed.
    pub(crate) fn record(&mut self, choice: Choice) {
        let is_new = self.insert(choice.entry);
        debug_assert!(is_new, "only new entries are prepared");
        self.spent = choice.spent;
    }
}
