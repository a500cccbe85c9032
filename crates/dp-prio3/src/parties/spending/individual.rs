//! A client that pays for its own measurements.

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

/// A client that pays for each report the cost of its own measurement x, ρ = ‖x‖₂²/(2σ²) for
/// Gaussian noise of parameter σ² at each aggregator, instead of the cost of the largest
/// measurement (Feldman, Zrnic 2021). Once that cost does not fit any more, **it sends zeros, and
/// goes on sending them**.
///
/// With one honest aggregator the ledger's limit ρ*, or (ε, δ), bounds the loss of all releases
/// together against a client that sends zeros throughout: deletion. Between two sequences of
/// measurements the loss is 4ρ* at most (`docs/filters.md` of `dp-ledger`, Theorem 3).
///
/// **Rules for the caller.** *Report in every round*, whatever is measured and left: a client that
/// stops when the account is empty reveals that its measurements were large. *Show the account to
/// nobody*: [`Self::ledger`], its file, and whether a measurement was sent depend on the
/// measurements; [`Self::report`] takes the same steps either way. *Give valid measurements only*:
/// an error reveals an invalid one.
///
/// It needs a type with a valid measurement of zeros, which a histogram does not have.
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
/// use dp_prio3::{AggregatorNoise, Circumstances, Client, TimeWindow};
///
/// // Up to 80 cigarettes a day; a client with 8 spends a hundredth of one with 80.
/// let day: Rho = "0.01".parse()?;
/// let policy: AggregatorNoise<_, DiscreteGaussian> = AggregatorNoise::new(Sum::new(2, 80)?, day)?;
/// let limit = Budget::ZeroConcentrated { rho: "0.1".parse()? };
/// let rule = Rule::zero_concentrated(&limit)?;
/// let terms = Terms::new(limit).with_adjacency(Adjacency::Deletion).with_rule(rule);
/// let client = Client::new(Arc::new(policy), b"cigarettes")?;
/// let (model, alone) = ("OAOC".parse()?, Circumstances::new(1, "1e-9".parse()?));
/// let mut client = IndividualClient::new(client, Ledger::new(terms)?, model, &alone, 0)?;
/// let report = client.report("monday", TimeWindow::default(), &8)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct IndividualClient<V, Z> {
    client: Client<AggregatorNoise<V, DiscreteGaussian>>,
    account: Account,
    costs: IndividualCosts,
    zeros: Z,
}

impl<V: fmt::Debug, Z: fmt::Debug> fmt::Debug for IndividualClient<V, Z> {
    /// Shows the parameters. The account is left out, since the measurements follow from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndividualClient")
            .field("client", &self.client)
            .field("worst_cost", self.costs.release())
            .field("zeros", &self.zeros)
            .finish_non_exhaustive()
    }
}

impl<V: MeasurementType, Z: Borrow<V::Measurement>> IndividualClient<V, Z> {
    /// A client that pays out of an account of its own, at the guarantee in `trust_model`. It sends
    /// `zeros` when it can pay for no other measurement.
    ///
    /// # Errors
    /// [`SpendingError::NoGuarantee`] if no aggregator is honest in this trust model;
    /// [`SpendingError::NotIndividual`] if the ledger is not for deletion by the rule of
    /// zero-concentrated privacy, or `zeros` is not a valid measurement that adds nothing to any
    /// total; and [`SpendingError::Ledger`] if the guarantee says less than the ledger asks.
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
        if terms.adjacency != Adjacency::Deletion {
            let needed = "a ledger that counts deletion";
            return Err(SpendingError::NotIndividual { needed });
        }
        if !matches!(terms.rule, Rule::ZeroConcentrated { .. }) {
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
        let costs = IndividualCosts::new(terms, &worst_cost(policy, &cost)?, &one)?;
        Ok(Self { client, account, costs, zeros })
    }

    /// The cost of a report of the largest measurement.
    #[must_use]
    pub const fn worst_cost(&self) -> &Release {
        self.costs.release()
    }

    /// The ledger. It is private: see above.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.account.ledger()
    }

    /// A report in a time window for `release`, such as a day: of the measurement, once it is paid
    /// for, or of zeros, where not enough is left.
    ///
    /// # Errors
    /// [`SpendingError::AlreadyReported`] if there was a report for the release;
    /// [`SpendingError::Client`] if the measurement is not valid, and [`SpendingError::Ledger`] if
    /// the file cannot be written.
    pub fn report(
        &mut self,
        release: &str,
        window: TimeWindow,
        measurement: &V::Measurement,
    ) -> Result<Report, SpendingError> {
        // Both are made, so that errors and time do not reveal which one is sent.
        let zeros = self.client.report_in(window, self.zeros.borrow());
        let report = self.client.report_in(window, measurement);
        let mut reports =
            [zeros.map_err(SpendingError::Client)?, report.map_err(SpendingError::Client)?];
        let policy = self.client.policy();
        let norm = policy.measurement_type().squared_norm(measurement);
        let paid = self.account.spend_individual(release, &self.costs, &norm)?;
        if paid == IndividualSpending::Repeated {
            return Err(SpendingError::AlreadyReported { release: release.to_owned() });
        }
        reports.swap(0, usize::from(paid == IndividualSpending::Own));
        let [sent, _] = reports;
        Ok(sent)
    }
}

/// The cost of a release to a client with the largest measurement, under deletion. `Err` if the
/// query has no change that the ledger can count.
fn worst_cost<V: MeasurementType>(
    policy: &AggregatorNoise<V, DiscreteGaussian>,
    cost: &Release,
) -> Result<Release, SpendingError> {
    let difference = policy.query().worst_case_difference(Adjacency::Deletion);
    let difference = difference.map_err(|error| SpendingError::Client(error.into()))?;
    let needed = "a query that one client can change";
    let difference = difference.ok_or(SpendingError::NotIndividual { needed })?;
    let variance = policy.mechanism().variance_parameter().clone();
    let rho = zcdp::rho(&variance, &difference.l2_squared());
    let rho = rho.map_err(|error| SpendingError::Client(Error::from(error)))?;
    let distribution = NoiseDistribution::DiscreteGaussian { variance };
    Ok(Release::new(Budget::ZeroConcentrated { rho })
        .with_adjacency(Adjacency::Deletion)
        .with_trust_model(cost.trust_model)
        .with_mechanism(Mechanism::Aggregators(Noise { distribution, difference }))
        .with_minimum_batch(cost.minimum_batch))
}
