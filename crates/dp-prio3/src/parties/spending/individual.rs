//! A client that pays for what it sends itself.

use std::borrow::Borrow;
use std::fmt;

use dp_calibration::{Adjacency, Budget, NoiseDistribution, TrustModel, zcdp};
use dp_exact::Rational;
use dp_ledger::{IndividualCosts, IndividualSpending, Ledger, Mechanism, Noise, Release, Rule};
use num_bigint::BigUint;

use super::{Account, SpendingError, cost_of_a_release};
use crate::Error;
use crate::guarantees::Circumstances;
use crate::mechanisms::DiscreteGaussian;
use crate::parties::client::Client;
use crate::parties::message::Report;
use crate::parties::replay::TimeWindow;
use crate::policies::AggregatorNoise;
use crate::policy::PolicyDescription as _;
use crate::types::MeasurementType;

/// A client that pays for each report what its own measurement x costs, ρ = ‖x‖₂²/(2σ²) for Gaussian noise of
/// parameter σ² at each aggregator, and not what the largest measurement would (Feldman, Zrnic 2021). Once
/// that does not fit any more, **it sends zeros, and goes on sending them**.
///
/// With the ledger's limit ρ*, or (ε, δ), and one honest aggregator, all releases together are that hard to tell from
/// those with a client that sends zeros throughout: deletion. Two sequences of measurements are told apart by 4ρ* at
/// most (`docs/filters.md` of `dp-ledger`, Theorem 3).
///
/// **What the caller must keep to.** *Report in every round*, whatever is measured and left: who stops when the
/// account is empty says that its measurements were large. *Show the account to nobody*: [`Self::ledger`], its file,
/// and whether a measurement was sent are functions of the measurements; [`Self::report`] does not say it and takes
/// the same steps either way. *Give valid measurements only*: an error tells that one was not.
///
/// It needs a type with a valid measurement of zeros, which a histogram has not.
///
/// ```
/// use std::sync::Arc;
///
/// use dp_calibration::{Adjacency, Budget};
/// use dp_exact::Rho;
/// use dp_ledger::{Ledger, Rule, Terms};
/// use dp_prio3::mechanisms::DiscreteGaussian;
/// use dp_prio3::spending::IndividualClient;
/// use dp_prio3::types::Sum;
/// use dp_prio3::{AggregatorNoise, Circumstances, Client};
///
/// // Up to 80 cigarettes a day; who smokes 8 spends a hundredth of who smokes 80.
/// let day: Rho = "0.01".parse()?;
/// let policy: AggregatorNoise<_, DiscreteGaussian> = AggregatorNoise::new(Sum::new(2, 80)?, day)?;
/// let limit = Budget::ZeroConcentrated { rho: "0.1".parse()? };
/// let rule = Rule::zero_concentrated(&limit)?;
/// let terms = Terms::new(limit).with_adjacency(Adjacency::Deletion).with_rule(rule);
/// let client = Client::new(Arc::new(policy), b"cigarettes")?;
/// let (model, alone) = ("OAOC".parse()?, Circumstances::new(1, "1e-9".parse()?));
/// let mut client = IndividualClient::new(client, Ledger::new(terms)?, model, &alone, 0)?;
/// let report = client.report("monday", &8)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IndividualClient<V, Z> {
    client: Client<AggregatorNoise<V, DiscreteGaussian>>,
    account: Account,
    costs: IndividualCosts,
    zeros: Z,
}

impl<V: fmt::Debug, Z: fmt::Debug> fmt::Debug for IndividualClient<V, Z> {
    /// The parameters, not the account, from which the measurements follow.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndividualClient")
            .field("client", &self.client)
            .field("worst_cost", self.costs.release())
            .field("zeros", &self.zeros)
            .finish_non_exhaustive()
    }
}

impl<V: MeasurementType, Z: Borrow<V::Measurement>> IndividualClient<V, Z> {
    /// A client that pays out of an account of its own, for those who rely on `trust_model`. `zeros` is the
    /// measurement that it sends when it can pay for no other.
    ///
    /// # Errors
    ///
    /// [`SpendingError::NoGuarantee`] if no aggregator is honest in this trust model;
    /// [`SpendingError::NotIndividual`] if the ledger is not for deletion by the rule of zero-concentrated
    /// privacy, or `zeros` is not a valid measurement that adds nothing to any total; and
    /// [`SpendingError::Ledger`] if the guarantee says less than the ledger asks.
    pub fn new(
        client: Client<AggregatorNoise<V, DiscreteGaussian>>,
        account: impl Into<Account>,
        trust_model: TrustModel,
        circumstances: &Circumstances,
        zeros: Z,
    ) -> Result<Self, SpendingError> {
        let policy = client.policy();
        let cost = cost_of_a_release(&**policy, trust_model, circumstances)?;
        let account = account.into();
        let terms = account.ledger().terms();
        if terms.adjacency() != Adjacency::Deletion {
            let needed = "a ledger that counts deletion";
            return Err(SpendingError::NotIndividual { needed });
        }
        if !matches!(terms.rule(), Rule::ZeroConcentrated { .. }) {
            let needed = "a ledger with the rule of zero-concentrated privacy";
            return Err(SpendingError::NotIndividual { needed });
        }
        let measurement_type = policy.measurement_type();
        let norm = measurement_type.squared_norm(zeros.borrow());
        let is_valid = measurement_type.check(zeros.borrow()).is_ok();
        if !is_valid || norm != BigUint::ZERO {
            let needed =
                "a valid measurement that adds nothing to any total: who stops sending is seen";
            return Err(SpendingError::NotIndividual { needed });
        }
        let variance = policy.mechanism().variance_parameter();
        let needed = "noise above zero";
        let one = Rational::integer(1).checked_div(&(variance + variance));
        let one = one.ok_or(SpendingError::NotIndividual { needed })?;
        let costs = IndividualCosts::new(terms, &worst(policy, &cost)?, &one)?;
        Ok(Self { client, account, costs, zeros })
    }

    /// What a report of the largest measurement costs.
    #[must_use]
    pub const fn worst_cost(&self) -> &Release {
        self.costs.release()
    }

    /// What was spent. It is private: see above.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.account.ledger()
    }

    /// A report for `release`, such as a day: of the measurement, once that is paid for, or of zeros, where not
    /// enough is left.
    ///
    /// # Errors
    ///
    /// [`SpendingError::AlreadyReported`] if there was a report for the release, of whatever;
    /// [`SpendingError::Client`] if the measurement is not valid, and [`SpendingError::Ledger`] if the file cannot
    /// be written.
    pub fn report(
        &mut self,
        release: &str,
        measurement: &V::Measurement,
    ) -> Result<Report, SpendingError> {
        self.report_in(release, TimeWindow::default(), measurement)
    }

    /// A report for `release`, of a window.
    ///
    /// # Errors
    ///
    /// As [`IndividualClient::report`].
    pub fn report_in(
        &mut self,
        release: &str,
        window: TimeWindow,
        measurement: &V::Measurement,
    ) -> Result<Report, SpendingError> {
        self.account.check_unpaid(release)?;
        // Both are made whichever is sent: what is refused, and how long it takes, does not tell which.
        let zeros = self.client.report_in(window, self.zeros.borrow());
        let report = self.client.report_in(window, measurement);
        let mut reports =
            [zeros.map_err(SpendingError::Client)?, report.map_err(SpendingError::Client)?];
        let policy = self.client.policy();
        let norm = policy.measurement_type().squared_norm(measurement);
        let paid = self.account.spend_individual(release, &self.costs, &norm)?;
        if paid == IndividualSpending::Repeated {
            return Err(SpendingError::already_reported(release));
        }
        reports.swap(0, usize::from(paid == IndividualSpending::Own));
        let [sent, _] = reports;
        Ok(sent)
    }
}

/// What the largest measurement costs under deletion.
fn worst<V: MeasurementType>(
    policy: &AggregatorNoise<V, DiscreteGaussian>,
    cost: &Release,
) -> Result<Release, SpendingError> {
    let difference = policy.query().worst_case_difference(Adjacency::Deletion);
    let difference = difference.map_err(|error| SpendingError::Client(error.into()))?;
    let needed = "a query of which one client moves something";
    let difference = difference.ok_or(SpendingError::NotIndividual { needed })?;
    let variance = policy.mechanism().variance_parameter().clone();
    let rho = zcdp::rho(&variance, &difference.l2_squared());
    let rho = rho.map_err(|error| SpendingError::Client(Error::from(error)))?;
    let law = NoiseDistribution::DiscreteGaussian { variance };
    Ok(Release::new(Budget::ZeroConcentrated { rho })
        .with_adjacency(Adjacency::Deletion)
        .with_trust_model(cost.trust_model())
        .with_mechanism(Mechanism::Aggregators(Noise { distribution: law, difference }))
        .with_minimum_batch(cost.minimum_batch()))
}
