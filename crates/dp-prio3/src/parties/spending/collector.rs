//! A collector that keeps account.

use dp_calibration::TrustModel;
use dp_ledger::{Cost, Ledger, Release, SharesDigest};
use prio::codec::Encode;

use super::{Account, SpendingError, cost_of_a_release};
use crate::guarantees::Circumstances;
use crate::parties::collector::{CollectError, Collection, Collector};
use crate::parties::message::EncodedAggregateShare;
use crate::policy::DpPolicy;

/// A collector that keeps the ledger of a population.
///
/// For a set of shares under a name it
///
/// 1. checks what shows without adding the shares up. A refusal costs nothing, and says nothing of the totals;
/// 2. pays, under the name **and the digest of the shares**: other shares under it are refused, also after a restart,
///    be they of another batch or of the same one with fresh noise;
/// 3. adds them up, checks that the totals are plausible, and estimates. What is refused here is paid for: a
///    dishonest aggregator, who can shift its own share, would otherwise search the other's total.
///
/// What is paid for can be collected again under its name for nothing.
#[derive(Debug)]
pub struct SpendingCollector<P> {
    collector: Collector<P>,
    account: Account,
    cost: Release,
}

/// A result, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct PaidCollection {
    /// The result.
    pub collection: Collection,
    /// What this release cost, as the ledger counts.
    pub cost: Cost,
    /// What all releases cost together.
    pub spent: Cost,
    /// What is left; `None` if that is nothing.
    pub left: Option<Cost>,
}

/// The digest of a release's shares, whatever their order: over the encodings, with all that they
/// say of their task, batch and reports.
///
/// # Errors
///
/// [`CollectError::Malformed`] if a share is too long to be encoded.
pub fn digest_of(shares: &[EncodedAggregateShare]) -> Result<SharesDigest, CollectError> {
    let encoded = shares.iter().map(|share| {
        share.get_encoded().map_err(|error| CollectError::Malformed {
            aggregator: share.aggregator,
            reason: error.to_string(),
        })
    });
    Ok(SharesDigest::of(encoded.collect::<Result<Vec<_>, _>>()?))
}

impl<P: DpPolicy> SpendingCollector<P> {
    /// A collector that pays for each release what the policy guarantees in `trust_model`, with as many
    /// honest clients in every batch as `circumstances` says. It refuses a batch of fewer reports, in
    /// which there cannot be so many.
    ///
    /// # Errors
    ///
    /// [`SpendingError::NoGuarantee`] if there is no guarantee, and [`SpendingError::Ledger`] if it
    /// says less than the ledger asks: it trusts others, or is about other neighbours.
    pub fn new(
        collector: Collector<P>,
        account: impl Into<Account>,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Self, SpendingError> {
        let cost = cost_of_a_release(&**collector.policy(), trust_model, circumstances)?;
        let account = account.into();
        account.ledger().terms().charge("a release", &cost)?;
        Ok(Self { collector, account, cost })
    }

    /// For batches of at least `reports` reports: dishonest clients come on top of the honest ones that the
    /// circumstances count.
    #[must_use]
    pub fn with_minimum_batch(self, reports: u64) -> Self {
        let minimum = reports.max(self.cost.minimum_batch());
        Self { cost: self.cost.with_minimum_batch(minimum), ..self }
    }

    /// What one release costs.
    #[must_use]
    pub const fn cost(&self) -> &Release {
        &self.cost
    }

    /// What was spent.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.account.ledger()
    }

    /// Collects the shares of `release`, once it is paid for. The same shares may be collected
    /// again under the same name, at no further cost: they are what was released.
    ///
    /// # Errors
    ///
    /// [`SpendingError::Collect`] for shares that do not make up a set, or, when they are paid for, no
    /// plausible totals; [`SpendingError::TooFewReports`]; [`SpendingError::Ledger`] if not enough is
    /// left or the name stands for other shares.
    pub fn collect(
        &mut self,
        release: &str,
        shares: &[EncodedAggregateShare],
    ) -> Result<PaidCollection, SpendingError> {
        let reports = self.collector.check_set(shares)?.reports;
        let minimum = self.cost.minimum_batch();
        if reports < minimum {
            return Err(SpendingError::TooFewReports { reports, minimum });
        }
        let digest = digest_of(shares)?;
        self.account.spend(release, &self.cost, Some(digest))?;

        let collection = self.collector.collect(shares)?;
        let ledger = self.account.ledger();
        // The recorded charge, which a client's individual cost may have made smaller.
        let cost = match ledger.entry(release) {
            Some(entry) => entry.charge()?,
            None => ledger.terms().charge(release, &self.cost)?,
        };
        Ok(PaidCollection {
            collection,
            spent: ledger.spent()?.unwrap_or_else(|| cost.clone()),
            cost,
            left: ledger.left()?,
        })
    }
}
