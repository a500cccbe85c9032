//! A policy that runs again and again over the same people: who spends what, and who refuses.
//!
//! A [`SpendingClient`] pays for each report out of its own ledger, at the guarantee that it relies on, and makes none
//! that it cannot pay; an [`IndividualClient`] pays for what it sends itself. A [`SpendingCollector`] keeps the ledger
//! of a population, looks at no release that it cannot pay, and says with each result what was spent.
//!
//! What is booked is a [`Release`]: the guarantee with its neighbour relation, trust model, mechanism and fewest reports.
//! A ledger converts or refuses ([`dp_ledger::Terms`]) and counts by its rule ([`dp_ledger::Rule`]); whatever is asked
//! next, its limit holds.

use dp_calibration::TrustModel;
use dp_ledger::{BigUint, IndividualCosts, IndividualSpending};
pub use dp_ledger::{Cost, Journal, Ledger, LedgerError, Release, SharesDigest, Spending};

use super::collector::CollectError;
use crate::Error;
use crate::guarantees::{Circumstances, PrivacyBound};
use crate::policy::PolicyDescription;

mod client;
mod collector;
mod individual;

pub use client::SpendingClient;
pub use collector::{PaidCollection, SpendingCollector, digest_of};
pub use individual::IndividualClient;

/// Why nothing was reported or collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpendingError {
    /// The policy guarantees nothing in this trust model, so nothing can be paid for.
    #[error("{trust_model} gives no guarantee to pay for: {reason}")]
    NoGuarantee {
        /// The trust model.
        trust_model: TrustModel,
        /// Why.
        reason: String,
    },
    /// There is a report under this name, or there may be: the client stopped after it had paid.
    #[error("the report {release} was paid for before: a second one would cost again")]
    AlreadyReported {
        /// The release.
        release: String,
    },
    /// The batch has fewer reports than the guarantee that is booked rests on. Nothing was spent.
    #[error("a batch of {reports} reports: what is booked for it holds from {minimum} on")]
    TooFewReports {
        /// The reports of the batch.
        reports: u64,
        /// The fewest of which the guarantee holds.
        minimum: u64,
    },
    /// The ledger refuses, for one because not enough is left. Nothing was released.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// What a client sends cannot be paid for by itself: the ledger, the policy or the measurement of zeros
    /// is not one for that. Nothing was spent.
    #[error("an account of what one client sends needs {needed}")]
    NotIndividual {
        /// What is missing.
        needed: &'static str,
    },
    /// The client makes no report. If the randomized measurement was not valid
    /// ([`Error::Dropped`]), this is paid for: others see that no report comes.
    #[error(transparent)]
    Client(Error),
    /// The collector refuses the shares. What shows without adding them up, such as a missing share,
    /// costs nothing; from there on they are paid for.
    #[error(transparent)]
    Collect(#[from] CollectError),
}

impl SpendingError {
    fn already_reported(release: &str) -> Self {
        let release = release.to_owned();
        Self::AlreadyReported { release }
    }
}

/// Whatever keeps the account: a report leaves only for what was paid just now.
fn check_new(spending: Spending, release: &str) -> Result<(), SpendingError> {
    match spending {
        Spending::New => Ok(()),
        _ => Err(SpendingError::already_reported(release)),
    }
}

/// What keeps account: a [`Ledger`] in memory or a [`Journal`] on the disk.
///
/// It cannot be copied, so that two parties cannot spend from one account:
///
/// ```compile_fail,E0277
/// fn copied<T: Clone>() {}
/// copied::<dp_prio3::spending::Account>();
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum Account {
    /// In memory: it forgets when the process ends.
    Memory(Ledger),
    /// On the disk.
    Disk(Journal),
}

impl Account {
    /// What was spent.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        match self {
            Self::Memory(ledger) => ledger,
            Self::Disk(journal) => journal.ledger(),
        }
    }

    /// Refuses a report for a release that was paid for before.
    fn check_unpaid(&self, name: &str) -> Result<(), SpendingError> {
        match self.ledger().entry(name) {
            Some(_) => Err(SpendingError::already_reported(name)),
            None => Ok(()),
        }
    }

    /// Pays for `release` under `name`, once; with `shares` the name stands for them from now on.
    fn spend(
        &mut self,
        name: &str,
        release: &Release,
        shares: Option<SharesDigest>,
    ) -> Result<Spending, LedgerError> {
        match self {
            Self::Memory(ledger) => ledger.spend(name, release, shares),
            Self::Disk(journal) => journal.spend(name, release, shares),
        }
    }

    /// Pays a client's own cost under `name`, once, or nothing where not enough is left.
    fn spend_individual(
        &mut self,
        name: &str,
        costs: &IndividualCosts,
        squared_norm: &BigUint,
    ) -> Result<IndividualSpending, LedgerError> {
        match self {
            Self::Memory(ledger) => ledger.spend_individual(name, costs, squared_norm),
            Self::Disk(journal) => journal.spend_individual(name, costs, squared_norm),
        }
    }
}

impl From<Ledger> for Account {
    fn from(ledger: Ledger) -> Self {
        Self::Memory(ledger)
    }
}

impl From<Journal> for Account {
    fn from(journal: Journal) -> Self {
        Self::Disk(journal)
    }
}

/// What one release of the policy costs those who rely on `trust_model`, and what that rests on: the
/// batch has at least as many reports as the circumstances count honest clients, and those that the
/// policy assumes to be malicious.
///
/// # Errors
///
/// [`SpendingError::NoGuarantee`] if there is no guarantee.
pub fn cost_of_a_release(
    policy: &dyn PolicyDescription,
    trust_model: TrustModel,
    circumstances: &Circumstances,
) -> Result<Release, SpendingError> {
    let guarantee = policy.guarantee(trust_model, circumstances);
    let reports = circumstances.honest_clients().saturating_add(policy.assumed_malicious());
    match guarantee.bound {
        PrivacyBound::Proved(budget) | PrivacyBound::TotalVariation { counted_as: budget, .. } => {
            Ok(Release::new(budget)
                .with_adjacency(guarantee.adjacency)
                .with_trust_model(trust_model)
                .with_mechanism(policy.recorded_mechanism())
                .with_minimum_batch(reports.max(policy.min_reports())))
        }
        PrivacyBound::Absent { reason } => Err(SpendingError::NoGuarantee { trust_model, reason }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second look: the first one is at what was paid before ([`Account::check_unpaid`]).
    #[test]
    fn a_report_leaves_only_for_what_is_paid_just_now() {
        assert!(check_new(Spending::New, "monday").is_ok());
        let refused = check_new(Spending::Repeated, "monday");
        assert!(matches!(
            refused,
            Err(SpendingError::AlreadyReported { release }) if release == "monday"
        ));
    }
}
