//! A client that pays.

use dp_calibration::TrustModel;
use dp_ledger::{Ledger, Release};

use super::{Account, Spending, SpendingError};
use crate::Error;
use crate::guarantees::Circumstances;
use crate::parties::client::Client;
use crate::parties::message::Report;
use crate::parties::replay::TimeWindow;
use crate::policy::DpPolicy;

/// A client that pays for every report.
///
/// A report leaves only after the ledger has recorded the cost, on the disk with a
/// [`Journal`](dp_ledger::Journal). A client that stops between the two has paid for a report that
/// nobody saw, and makes no other one under that name. A cost that counts on other honest clients
/// holds if the aggregators release no smaller batch than [`Release::minimum_batch`].
///
/// ```
/// use std::sync::Arc;
///
/// use dp_calibration::Budget;
/// use dp_ledger::{Ledger, Terms};
/// use dp_prio3::randomizers::RandomizedResponse;
/// use dp_prio3::spending::{SpendingClient, SpendingError};
/// use dp_prio3::types::Count;
/// use dp_prio3::{Circumstances, Client, ClientNoise, TimeWindow, TrustModel};
///
/// let response = RandomizedResponse::new("0.5".parse()?)?;
/// let policy = Arc::new(ClientNoise::new(Count::new(2)?, response)?);
/// let client = Client::new(policy, b"a daily question")?;
/// let (model, alone) = (TrustModel::OneClient, Circumstances::new(1, "1e-9".parse()?));
/// let limit = Budget::Pure { epsilon: "1".parse()? };
/// let ledger = Ledger::new(Terms::new(limit).with_trust_model(model))?;
/// let mut client = SpendingClient::new(client, ledger, model, &alone)?;
/// let window = TimeWindow::default();
/// client.report("monday", window, &true)?;
/// client.report("tuesday", window, &true)?;
/// let refused = client.report("wednesday", window, &false);
/// assert!(matches!(refused, Err(SpendingError::Ledger(_))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SpendingClient<P> {
    client: Client<P>,
    account: Account,
    cost: Release,
}

impl<P: DpPolicy> SpendingClient<P> {
    /// A client that pays for each report at the policy's guarantee in `trust_model`, on which
    /// its owner relies.
    ///
    /// # Errors
    /// [`SpendingError::NoGuarantee`] if there is no guarantee, and [`SpendingError::Ledger`] if it
    /// says less than the ledger asks: it trusts others, or is about other neighbours.
    pub fn new(
        client: Client<P>,
        account: impl Into<Account>,
        trust_model: TrustModel,
        circumstances: &Circumstances,
    ) -> Result<Self, SpendingError> {
        let account = account.into();
        let cost = account.cost_of("a report", &**client.policy(), trust_model, circumstances)?;
        Ok(Self { client, account, cost })
    }

    /// The cost of one report.
    #[must_use]
    pub const fn cost(&self) -> &Release {
        &self.cost
    }

    /// The ledger.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.account.ledger()
    }

    /// The report of a measurement in a time window, for `release`, such as a day, once it is paid for.
    ///
    /// # Errors
    /// [`SpendingError::AlreadyReported`] if the release was paid for before,
    /// [`SpendingError::Ledger`] if not enough is left, and [`SpendingError::Client`] if the
    /// measurement is not valid, which costs nothing, or was dropped, which costs as much.
    pub fn report(
        &mut self,
        release: &str,
        window: TimeWindow,
        measurement: &P::Measurement,
    ) -> Result<Report, SpendingError> {
        let report = self.client.report_in(window, measurement);
        if let Ok(_) | Err(Error::Dropped { .. }) = report
            && self.account.spend(release, &self.cost, None)? != Spending::New
        {
            return Err(SpendingError::AlreadyReported { release: release.to_owned() });
        }
        report.map_err(SpendingError::Client)
    }
}
