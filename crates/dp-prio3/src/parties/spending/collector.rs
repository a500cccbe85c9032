//! A collector that pays for each release.

use dp_calibration::TrustModel;
use dp_ledger::{Cost, Ledger, Release, SharesDigest};
use prio::codec::Encode;

use super::{Account, SpendingError};
use crate::guarantees::Circumstances;
use crate::parties::collector::{CollectError, Collection, Collector};
use crate::parties::message::EncodedAggregateShare;
use crate::policy::DpPolicy;

/// A collector that keeps the ledger of a population.
///
/// For a set of shares under a name it
///
/// 1. checks the shares without adding them up. A refusal costs nothing, and says nothing of the
///    totals;
/// 2. pays, under the name **and the digest of the shares**: other shares under the name are
///    refused, also after a restart, whether of another batch or of the same one with fresh noise;
/// 3. adds them up, checks that the totals are plausible, and estimates. A refusal here is paid
///    for: a dishonest aggregator, who can shift its own share, would otherwise search the other's
///    total.
///
/// A set of shares can be collected again under its name at no cost.
#[derive(Debug)]
pub struct SpendingCollector<P> {
    collector: Collector<P>,
    account: Account,
    cost: Release,
}

/// A result and its cost.
#[derive(Clone, Debug, PartialEq)]
pub struct PaidCollection {
    /// The result.
    pub collection: Collection,
    /// The cost of this release, as the ledger counts.
    pub cost: Cost,
    /// The cost of all releases together.
    pub spent: Cost,
    /// The rest of the budget; `None` if it is used up.
    pub left: Option<Cost>,
}

/// The digest of a release's shares, whatever their order, over their whole encodings.
///
/// # Errors
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
    /// A collector that pays for each release at the policy's guarantee in `trust_model` and
    /// `circumstances`. It refuses a batch of fewer reports than the honest clients.
    ///
    /// # Errors
    /// [`SpendingError::NoGuarantee`] if there is no guarantee, and [`SpendingError::Ledger`] if it
    /// says less than the ledger asks: it trusts others, or is about other neighbours.
    pub fn new(
        collector: Collector<P>,
        account: impl Into<Account>,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Self, SpendingError> {
        let account = account.into();
        let cost =
            account.cost_of("a release", &**collector.policy(), trust_model, circumstances)?;
        Ok(Self { collector, account, cost })
    }

    /// Raises the least number of reports in a batch: dishonest clients come on top of the honest
    /// ones.
    #[must_use]
    pub fn with_minimum_batch(self, reports: u64) -> Self {
        let minimum = reports.max(self.cost.minimum_batch);
        Self { cost: self.cost.with_minimum_batch(minimum), ..self }
    }

    /// The cost of one release.
    #[must_use]
    pub const fn cost(&self) -> &Release {
        &self.cost
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.account.ledger()
    }

    /// Collects the shares of `release`, once it is paid for. A repetition under this name with
    /// equal shares costs nothing.
    ///
    /// # Errors
    /// [`SpendingError::Collect`] for shares that do not make up a set, or, when they are paid for,
    /// no plausible totals; [`SpendingError::TooFewReports`]; [`SpendingError::Ledger`] if not
    /// enough is left or the name stands for other shares.
    pub fn collect(
        &mut self,
        release: &str,
        shares: &[EncodedAggregateShare],
    ) -> Result<PaidCollection, SpendingError> {
        let reports = self.collector.check_set(shares)?.reports;
        let minimum = self.cost.minimum_batch;
        if reports < minimum {
            return Err(SpendingError::TooFewReports { reports, minimum });
        }
        let digest = digest_of(shares)?;
        self.account.spend(release, &self.cost, Some(digest))?;

        let collection = self.collector.collect(shares)?;
        let ledger = self.account.ledger();
        let cost = ledger.terms().charge(release, &self.cost)?;
        Ok(PaidCollection {
            collection,
            spent: ledger.spent()?.unwrap_or_else(|| cost.clone()),
            cost,
            left: ledger.left()?,
        })
    }
}
