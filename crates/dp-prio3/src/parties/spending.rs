//! Collections that a ledger pays for, for a policy that runs again and again over the same people.
//!
//! A collector pays for each [`collection`](collect) out of the ledger of a population. The ledger
//! records a [`Release`]; its limit holds for any later release ([`dp_ledger::Terms`]). A client
//! that keeps a ledger of its own spends there before it makes a report.

use dp_calibration::TrustModel;
use dp_ledger::Terms;
pub use dp_ledger::{Journal, LedgerError, Release, SharesDigest};
use prio::codec::Encode;

use super::collector::{CollectError, Collection, Collector};
use super::message::EncodedAggregateShare;
use crate::guarantees::{AbsenceReason, Circumstances, PrivacyBound};
use crate::policy::Policy;

/// The reason why nothing was collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpendingError {
    /// The policy guarantees nothing in this trust model, so nothing can be paid for.
    #[error("{trust_model} gives no guarantee to pay for: {reason}")]
    NoGuarantee {
        /// The trust model.
        trust_model: TrustModel,
        /// The reason.
        reason: Box<AbsenceReason>,
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
    /// The collector refuses the shares. Errors that show without adding them up, such as a missing
    /// share, cost nothing; later ones are paid for.
    #[error(transparent)]
    Collect(#[from] CollectError),
}

/// The cost of one release of the policy in `trust_model`, for batches of at least the honest
/// clients of the circumstances and the reports that the policy assumes to be malicious.
///
/// # Errors
/// [`SpendingError::NoGuarantee`] if there is no guarantee.
pub fn cost_of_a_release(
    policy: &Policy,
    trust_model: TrustModel,
    circumstances: &Circumstances,
) -> Result<Release, SpendingError> {
    let guarantee = policy.guarantee(trust_model, circumstances);
    // No batch has as many reports as the largest integer, so that none is paid for then.
    let reports = circumstances.honest_clients.saturating_add(policy.assumed_malicious());
    match guarantee.bound {
        PrivacyBound::Proved(budget) => Ok(Release {
            budget,
            adjacency: guarantee.adjacency,
            trust_model,
            mechanism: policy
                .recorded_mechanism(guarantee.adjacency, circumstances.reports_per_client),
            minimum_batch: reports.max(policy.min_reports()).max(1),
            task: None,
        }),
        PrivacyBound::Absent { reason } => {
            Err(SpendingError::NoGuarantee { trust_model, reason: Box::new(reason) })
        }
    }
}

/// The terms of a ledger that takes as many releases of the policy as the circumstances say, and no
/// others. The limit is the guarantee of all of them together, whatever their data depend on.
/// `task` is the digest of the task, in hexadecimal digits, by which a release is known.
///
/// # Errors
/// [`SpendingError::NoGuarantee`] if there is no guarantee.
pub fn schedule(
    policy: &Policy,
    trust_model: TrustModel,
    circumstances: &Circumstances,
    task: String,
) -> Result<Terms, SpendingError> {
    let one = cost_of_a_release(policy, trust_model, &circumstances.clone().over(1))?;
    let all = cost_of_a_release(policy, trust_model, circumstances)?;
    let release = Release { task: Some(task), ..one };
    Ok(Terms::scheduled(all.budget, release, circumstances.releases.into()))
}

/// Collects the shares of `release`, once it is paid for:
///
/// 1. checks the shares without adding them up; a refusal costs nothing;
/// 2. pays, under the name **and the digest of the shares**: other shares under the name are
///    refused, also after a restart;
/// 3. adds them up, checks that the totals are plausible, and estimates. A refusal here is paid
///    for, lest an aggregator that shifts its own share search the other's total.
///
/// Equal shares can be collected again under their name at no cost.
///
/// # Errors
/// As the variants of [`SpendingError`] say.
pub fn collect(
    collector: &Collector,
    journal: &mut Journal,
    release: &str,
    cost: &Release,
    shares: &[EncodedAggregateShare],
) -> Result<Collection, SpendingError> {
    let (reports, minimum) = (collector.check_set(shares)?.reports, cost.minimum_batch);
    if reports < minimum {
        return Err(SpendingError::TooFewReports { reports, minimum });
    }
    let encoded = shares.iter().map(|share| {
        share.get_encoded().map_err(|error| CollectError::malformed(share.aggregator, error))
    });
    let digest = SharesDigest::of(encoded.collect::<Result<Vec<_>, _>>()?);
    journal.spend(release, cost, Some(digest))?;
    Ok(collector.collect(shares)?)
}
