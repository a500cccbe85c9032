//! A strategy: a law of noise, and the budget that its size follows from.

use std::sync::Arc;

use dp_calibration::{Budget, Query};
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism as _};
use prio::dp::{DifferentialPrivacyBudget, DifferentialPrivacyStrategy};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use crate::calibrations::Calibrations;
use crate::noise::Mechanism;
use crate::{CircuitQuery, Error, Noise};

/// The version of the written form, and of what it means: the same query and the same budget give
/// the same law of noise.
pub const VERSION: u32 = 1;

/// Noise of a law at each aggregator, calibrated to a budget.
///
/// It is its own [`DifferentialPrivacyStrategy::Budget`], because libprio makes a strategy from its
/// budget without a chance to fail: a strategy that exists is one that can be calibrated.
///
/// ```
/// use dp_libprio::Strategy;
///
/// let strategy: Strategy = serde_json::from_str(
///     r#"{
///         "version": 1,
///         "law": "discrete_gaussian",
///         "budget": {"approximate": {"epsilon": "0.906", "delta": "1e-9"}}
///     }"#,
/// )?;
/// assert_eq!(strategy.budget().to_string(),
///     "approximate differential privacy with epsilon 0.906 and delta 1e-9");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// There is no strategy without noise: a task without differential privacy has none.
///
/// Clones share their calibrations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "Form", try_from = "Form")]
pub struct Strategy {
    law: Law,
    budget: Budget,
    calibrations: Calibrations,
}

/// Whose parameter is yet to be calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Law {
    DiscreteLaplace,
    DiscreteGaussian,
}

impl Strategy {
    /// Discrete Laplace noise, for a pure or an approximate budget.
    ///
    /// # Errors
    ///
    /// [`Error::BudgetKind`] for a budget of another kind; [`Error::Calibration`] for numbers out of
    /// the range of [`Budget::check_range`].
    pub fn discrete_laplace(budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(Law::DiscreteLaplace, budget.into())
    }

    /// Discrete Gaussian noise, for an approximate or a zero-concentrated budget.
    ///
    /// # Errors
    ///
    /// As for [`Self::discrete_laplace`].
    pub fn discrete_gaussian(budget: impl Into<Budget>) -> Result<Self, Error> {
        Self::new(Law::DiscreteGaussian, budget.into())
    }

    fn new(law: Law, budget: Budget) -> Result<Self, Error> {
        match law {
            Law::DiscreteLaplace => DiscreteLaplace::check_kind(&budget)?,
            Law::DiscreteGaussian => DiscreteGaussian::check_kind(&budget)?,
        }
        budget.check_range()?;
        Ok(Self {
            law,
            budget,
            calibrations: Calibrations::default(),
        })
    }

    /// What one release with this strategy costs, under replacement of one measurement.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The noise that keeps the budget for `query`. Calibrated once, and kept.
    ///
    /// # Errors
    ///
    /// If the query's parameters are out of range, or no measurement changes the result (a
    /// histogram of one bucket).
    pub fn noise(&self, query: &Query) -> Result<Arc<Noise>, Error> {
        self.calibrations.get_or_insert(query, || {
            let mechanism = match self.law {
                Law::DiscreteLaplace => {
                    Mechanism::Laplace(DiscreteLaplace::calibrate(query, &self.budget)?)
                }
                Law::DiscreteGaussian => {
                    Mechanism::Gaussian(DiscreteGaussian::calibrate(query, &self.budget)?)
                }
            };
            Ok(Noise::new(query, mechanism))
        })
    }

    /// Adds noise to an aggregate share over `reports` reports, entry by entry.
    ///
    /// # Errors
    ///
    /// Those of [`noise`](Self::noise) and [`CircuitQuery::enforced_query`]; if the share is not one of
    /// this circuit; if totals and noise could leave (−p/2, p/2). **A share for which this fails is
    /// not private, and must not be released.**
    pub fn add_noise<C, R>(
        &self,
        circuit: &C,
        share: &mut [C::Field],
        reports: usize,
        rng: &mut R,
    ) -> Result<(), Error>
    where
        C: CircuitQuery,
        R: CryptoRng + ?Sized,
    {
        let entries = circuit.output_len();
        if share.len() != entries {
            let accepted = format!("{entries}, the entries of the type");
            return Err(
                ParameterError::new("aggregate share length", share.len(), accepted).into(),
            );
        }
        let noise = self.noise(&circuit.enforced_query()?)?;
        noise.check_room::<C::Field>(entries, reports)?;
        noise.add_to(share, rng)
    }
}

/// The law and the budget.
impl DifferentialPrivacyBudget for Strategy {}

impl DifferentialPrivacyStrategy for Strategy {
    type Budget = Self;

    fn from_budget(budget: Self) -> Self {
        budget
    }
}

/// A strategy as it is written.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
struct Form {
    version: u32,
    law: Law,
    budget: Budget,
}

dp_exact::named_fields!(Form: Serialize, Deserialize);

impl From<Strategy> for Form {
    fn from(strategy: Strategy) -> Self {
        Self {
            version: VERSION,
            law: strategy.law,
            budget: strategy.budget,
        }
    }
}

impl TryFrom<Form> for Strategy {
    type Error = Error;

    fn try_from(form: Form) -> Result<Self, Error> {
        if form.version != VERSION {
            let accepted = format!("{VERSION}, the version that this release knows");
            return Err(ParameterError::new("version", form.version, accepted).into());
        }
        Self::new(form.law, form.budget)
    }
}
