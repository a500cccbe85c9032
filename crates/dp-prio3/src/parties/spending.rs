//! Parties that pay for releases out of a ledger, for a policy that runs again and again over the
//! same people.
//!
//! A [`SpendingClient`] pays for each report out of its own ledger, at the guarantee that it relies
//! on. A [`SpendingCollector`] keeps the ledger of a population. Neither reports or collects what it
//! cannot pay.
//!
//! The ledger records a [`Release`]: the guarantee with its neighbouring relation, trust model,
//! mechanism and fewest reports. It converts or refuses ([`dp_ledger::Terms`]) and counts by its
//! rule ([`dp_ledger::Rule`]), so that its limit holds for any later release.

use dp_calibration::TrustModel;
pub use dp_ledger::{Cost, Journal, Ledger, LedgerError, Release, SharesDigest, Spending};

use super::collector::CollectError;
use crate::Error;
use crate::guarantees::{Circumstances, PrivacyBound};
use crate::policy::PolicyDescription;

mod client;
mod collector;

pub use client::SpendingClient;
pub use collector::{PaidCollection, SpendingCollector, digest_of};

/// The reason why nothing was reported or collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpendingError {
    /// The policy guarantees nothing in this trust model, so nothing can be paid for.
    #[error("{trust_model} gives no guarantee to pay for: {reason}")]
    NoGuarantee {
        /// The trust model.
        trust_model: TrustModel,
        /// The reason.
        reason: String,
    },
    /// There may be a report under this name: the client paid for it.
    #[error("the report {release} was paid for before: a second one would cost again")]
    AlreadyReported {
        /// The release.
        release: String,
    },
    /// The batch has fewer reports than the recorded guarantee needs. Nothing was spent.
    #[error("a batch of {reports} reports: what is booked for it holds from {minimum} on")]
    TooFewReports {
        /// The number of reports in the batch.
        reports: u64,
        /// The fewest reports for which the guarantee holds.
        minimum: u64,
    },
    /// The ledger refuses, for example because not enough is left. Nothing was released.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The client makes no report. A dropped measurement ([`Error::Dropped`]) is paid for: others
    /// see that no report comes.
    #[error(transparent)]
    Client(Error),
    /// The collector refuses the shares. Errors that show without adding them up, such as a missing
    /// share, cost nothing; later ones are paid for.
    #[error(transparent)]
    Collect(#[from] CollectError),
}

/// A [`Ledger`] in memory or a [`Journal`] on the disk.
///
/// It cannot be copied: two parties cannot spend from one account.
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
    /// The ledger.
    #[must_use]
    pub const fn ledger(&self) -> &Ledger {
        match self {
            Self::Memory(ledger) => ledger,
            Self::Disk(journal) => journal.ledger(),
        }
    }

    /// The cost of one release of the policy; `what` names the release in errors of the ledger.
    /// `Err` if no guarantee is proved, or the ledger takes no cost of this kind.
    fn cost_of(
        &self,
        what: &str,
        policy: &dyn PolicyDescription,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Release, SpendingError> {
        let cost = cost_of_a_release(policy, trust_model, circumstances)?;
        self.ledger().terms().charge(what, &cost)?;
        Ok(cost)
    }

    /// Pays for `release` under `name`; a name that was paid before costs nothing more. `shares`
    /// binds the name to one set of shares.
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

/// The cost of one release of the policy for those who rely on `trust_model`. It holds for batches
/// of at least the honest clients of the circumstances and the reports that the policy assumes to
/// be malicious.
///
/// # Errors
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
