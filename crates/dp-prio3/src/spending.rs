//! A policy that runs again and again over the same people: who spends what, and who refuses.
//!
//! Every release of a policy costs its promise once more, and costs add up
//! (`dp_calibration::composition`). A [`SpendingClient`] pays for each of its reports out of its own
//! ledger, at the promise that it relies on, and makes none that it cannot pay. A
//! [`SpendingCollector`] keeps the ledger of a population and says with each result what was spent.
//!
//! **Order.** A report leaves the client only after the ledger has confirmed the cost; with a
//! [`Journal`] the cost is on the disk then. A client that stops between the two has paid for a
//! report that nobody saw, and does not make another one under the same name: whether the first
//! was seen is not known, and two reports would cost twice what was paid.

use dp_calibration::{Budget, TrustModel};
use dp_ledger::{Journal, Ledger, LedgerError};
use rand_core::CryptoRng;

use crate::Error;
use crate::client::Client;
use crate::collector::{CollectError, Collection, Collector};
use crate::guarantee::{Circumstances, Promise};
use crate::message::{EncodedAggregateShare, Report};
use crate::policy::DpPolicy;

/// Why nothing was reported or collected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpendingError {
    /// The policy promises nothing in this trust model, so nothing can be paid for.
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
    /// The ledger refuses, for one because not enough is left. Nothing was released.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The client makes no report. If the randomized measurement was not valid
    /// ([`Error::Dropped`]), this is paid for: others see that no report comes.
    #[error(transparent)]
    Client(Error),
    /// The collector refuses the shares. They are paid for: the aggregators have let go of them.
    #[error(transparent)]
    Collect(#[from] CollectError),
}

/// What keeps account: a [`Ledger`] in memory or a [`Journal`] on disk.
pub trait Purse {
    /// What was spent.
    fn ledger(&self) -> &Ledger;

    /// Spends `budget` under `name`, once.
    ///
    /// # Errors
    ///
    /// If the ledger refuses; nothing is spent then.
    fn spend(&mut self, name: &str, budget: Budget) -> Result<(), LedgerError>;
}

impl Purse for Ledger {
    fn ledger(&self) -> &Ledger {
        self
    }

    fn spend(&mut self, name: &str, budget: Budget) -> Result<(), LedgerError> {
        Self::spend(self, name, budget)
    }
}

impl Purse for Journal {
    fn ledger(&self) -> &Ledger {
        Self::ledger(self)
    }

    fn spend(&mut self, name: &str, budget: Budget) -> Result<(), LedgerError> {
        Self::spend(self, name, budget)
    }
}

/// What one release of the policy costs those who rely on `trust_model`.
///
/// # Errors
///
/// [`SpendingError::NoGuarantee`] if there is no promise.
pub fn cost_of_a_release<P: DpPolicy>(
    policy: &P,
    trust_model: TrustModel,
    circumstances: &Circumstances,
) -> Result<Budget, SpendingError> {
    match policy.guarantee(trust_model, circumstances).promise {
        Promise::Proved(budget)
        | Promise::TotalVariation {
            counted_as: budget, ..
        } => Ok(budget),
        Promise::Absent { reason } => Err(SpendingError::NoGuarantee {
            trust_model,
            reason,
        }),
    }
}

/// A client that pays for every report.
///
/// ```
/// use std::sync::Arc;
///
/// use dp_calibration::Budget;
/// use dp_ledger::Ledger;
/// use dp_prio3::randomizers::RandomizedResponse;
/// use dp_prio3::spending::{SpendingClient, SpendingError};
/// use dp_prio3::types::Count;
/// use dp_prio3::{Circumstances, Client, ClientNoise, TrustModel};
///
/// let response = RandomizedResponse::new("0.5".parse()?)?;
/// let policy = Arc::new(ClientNoise::new(Count::new(2)?, response)?);
/// let client = Client::new(policy, b"a daily question")?;
///
/// let alone = Circumstances::new(1, "1e-9".parse()?);
/// let ledger = Ledger::new(Budget::Pure { epsilon: "1".parse()? });
/// let mut client = SpendingClient::new(client, ledger, TrustModel::OneClient, &alone)?;
/// let mut rng = dp_samplers::os_rng()?;
/// client.report("monday", &true, &mut rng)?;
/// client.report("tuesday", &true, &mut rng)?;
/// let refused = client.report("wednesday", &false, &mut rng);
/// assert!(matches!(refused, Err(SpendingError::Ledger(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SpendingClient<P, L> {
    client: Client<P>,
    purse: L,
    cost: Budget,
}

impl<P: DpPolicy, L: Purse> SpendingClient<P, L> {
    /// A client that pays for each report what the policy promises in `trust_model`, the one that
    /// its owner relies on.
    ///
    /// # Errors
    ///
    /// [`SpendingError::NoGuarantee`] if there is no promise.
    pub fn new(
        client: Client<P>,
        purse: L,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Self, SpendingError> {
        let cost = cost_of_a_release(&**client.policy(), trust_model, circumstances)?;
        Ok(Self {
            client,
            purse,
            cost,
        })
    }

    /// What one report costs.
    #[must_use]
    pub const fn cost(&self) -> &Budget {
        &self.cost
    }

    /// What was spent.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.purse.ledger()
    }

    /// The report of a measurement for `release`, such as a day, once it is paid for.
    ///
    /// # Errors
    ///
    /// [`SpendingError::AlreadyReported`] if the release was paid for before,
    /// [`SpendingError::Ledger`] if not enough is left, and [`SpendingError::Client`] if the
    /// measurement is not valid, which costs nothing, or was dropped, which costs as much.
    pub fn report<R: CryptoRng + ?Sized>(
        &mut self,
        release: &str,
        measurement: &P::Measurement,
        rng: &mut R,
    ) -> Result<Report, SpendingError> {
        let mut entries = self.purse.ledger().entries().iter();
        if entries.any(|entry| entry.name == release) {
            return Err(SpendingError::AlreadyReported {
                release: release.to_owned(),
            });
        }
        let report = self.client.report(measurement, rng);
        if let Ok(_) | Err(Error::Dropped { .. }) = report {
            self.purse.spend(release, self.cost.clone())?;
        }
        report.map_err(SpendingError::Client)
    }
}

/// A collector that keeps the ledger of a population.
#[derive(Debug)]
pub struct SpendingCollector<P, L> {
    collector: Collector<P>,
    purse: L,
    cost: Budget,
}

/// A result, and what it cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The result.
    pub collection: Collection,
    /// What this release cost.
    pub cost: Budget,
    /// What all releases cost together.
    pub spent: Budget,
    /// What is left; `None` if that is nothing.
    pub left: Option<Budget>,
}

impl<P: DpPolicy, L: Purse> SpendingCollector<P, L> {
    /// A collector that spends for each release what the policy promises in `trust_model`.
    ///
    /// # Errors
    ///
    /// [`SpendingError::NoGuarantee`] if there is no promise.
    pub fn new(
        collector: Collector<P>,
        purse: L,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Self, SpendingError> {
        let cost = cost_of_a_release(&**collector.policy(), trust_model, circumstances)?;
        Ok(Self {
            collector,
            purse,
            cost,
        })
    }

    /// What was spent.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.purse.ledger()
    }

    /// Collects the shares of `release`, once it is paid for. The same shares may be collected
    /// again under the same name, at no further cost: they are what was released.
    ///
    /// # Errors
    ///
    /// [`SpendingError::Ledger`] if not enough is left: the shares are not looked at. Those of
    /// [`Collector::collect`], when the release is paid for.
    pub fn collect(
        &mut self,
        release: &str,
        shares: &[EncodedAggregateShare],
    ) -> Result<Statement, SpendingError> {
        self.purse.spend(release, self.cost.clone())?;
        let collection = self.collector.collect(shares)?;
        let ledger = self.purse.ledger();
        Ok(Statement {
            collection,
            cost: self.cost.clone(),
            spent: ledger.spent()?.unwrap_or_else(|| self.cost.clone()),
            left: ledger.left()?,
        })
    }
}
