//! The strategies: a law of noise, and the budget that its size follows from.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use dp_calibration::{Budget, Query};
use dp_exact::ParameterError;
use prio::dp::{DifferentialPrivacyBudget, DifferentialPrivacyStrategy};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::{ApproximateBudget, CircuitQuery, ConcentratedBudget, Noise, PureBudget};
use crate::Error;
use crate::error::within;
use crate::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};

/// The version of the written form, and of what it means: the same query and the same budget give
/// the same law of noise.
pub const VERSION: u32 = 1;

/// The most queries for which one strategy keeps its calibrations.
const MAX_KEPT: usize = 8;

/// A source of calibrated noise: what each strategy here does with a query.
pub trait NoiseStrategy: DifferentialPrivacyStrategy {
    /// What one release with this strategy costs, under replacement of one measurement.
    fn promise(&self) -> Budget;

    /// The noise that keeps the promise for `query`. Calibrated once, and kept.
    ///
    /// # Errors
    ///
    /// If the query's parameters are out of range, or no measurement changes the result (a
    /// histogram of one bucket).
    fn noise(&self, query: &Query) -> Result<Arc<Noise>, Error>;

    /// Adds noise to an aggregate share over `reports` reports, entry by entry.
    ///
    /// # Errors
    ///
    /// Those of [`noise`](Self::noise) and [`CircuitQuery::enforced_query`]; if the share is not one of
    /// this circuit; if totals and noise could leave (−p/2, p/2). **A share for which this fails is
    /// not private, and must not be released.**
    fn add_noise<C, R>(
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
        within("aggregate share length", share.len(), entries..=entries)?;
        let noise = self.noise(&circuit.enforced_query()?)?;
        noise.check_room::<C::Field>(entries, reports)?;
        noise.add_to(share, rng)
    }
}

/// A law of noise that is calibrated to budgets of the kind `B`.
pub trait Law<B>: 'static {
    /// The least noise known to keep `budget` for `query`, under replacement.
    ///
    /// # Errors
    ///
    /// Those of [`NoiseStrategy::noise`].
    fn calibrate(budget: &B, query: &Query) -> Result<Noise, Error>;
}

/// P(x) ∝ e^(−|x|/t) on the integers.
#[derive(Debug)]
pub enum Laplace {}

/// P(x) ∝ e^(−x²/(2σ²)) on the integers.
#[derive(Debug)]
pub enum Gaussian {}

impl Law<PureBudget> for Laplace {
    fn calibrate(budget: &PureBudget, query: &Query) -> Result<Noise, Error> {
        let mechanism = DiscreteLaplace::calibrate(query, &budget.into())?;
        Ok(Noise::laplace(query, mechanism))
    }
}

impl Law<ApproximateBudget> for Laplace {
    fn calibrate(budget: &ApproximateBudget, query: &Query) -> Result<Noise, Error> {
        let mechanism = DiscreteLaplace::calibrate(query, &budget.into())?;
        Ok(Noise::laplace(query, mechanism))
    }
}

impl Law<ApproximateBudget> for Gaussian {
    fn calibrate(budget: &ApproximateBudget, query: &Query) -> Result<Noise, Error> {
        let mechanism = DiscreteGaussian::calibrate(query, &budget.into())?;
        Ok(Noise::gaussian(query, mechanism))
    }
}

impl Law<ConcentratedBudget> for Gaussian {
    fn calibrate(budget: &ConcentratedBudget, query: &Query) -> Result<Noise, Error> {
        let mechanism = DiscreteGaussian::calibrate(query, &budget.into())?;
        Ok(Noise::gaussian(query, mechanism))
    }
}

/// Noise of the law `L` at each aggregator, calibrated to a budget `B`.
///
/// Two strategies are equal if their budgets are.
#[derive(Serialize, Deserialize)]
#[serde(
    into = "Form<B>",
    try_from = "Form<B>",
    bound(
        serialize = "B: Clone + Serialize",
        deserialize = "B: Deserialize<'de>"
    )
)]
pub struct Strategy<L, B> {
    budget: B,
    /// Shared by clones.
    kept: Arc<Mutex<Vec<Arc<Noise>>>>,
    law: PhantomData<fn() -> L>,
}

impl<L, B> Strategy<L, B> {
    /// The budget.
    pub const fn budget(&self) -> &B {
        &self.budget
    }
}

impl<L, B: DifferentialPrivacyBudget> DifferentialPrivacyStrategy for Strategy<L, B> {
    type Budget = B;

    fn from_budget(budget: B) -> Self {
        Self {
            budget,
            kept: Arc::default(),
            law: PhantomData,
        }
    }
}

impl<L, B> NoiseStrategy for Strategy<L, B>
where
    L: Law<B>,
    B: DifferentialPrivacyBudget,
    for<'a> Budget: From<&'a B>,
{
    fn promise(&self) -> Budget {
        Budget::from(&self.budget)
    }

    fn noise(&self, query: &Query) -> Result<Arc<Noise>, Error> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept().iter().find(|noise| noise.query() == query) {
            return Ok(known.clone());
        }
        let noise = Arc::new(L::calibrate(&self.budget, query)?);
        let mut kept = kept();
        if kept.len() == MAX_KEPT {
            kept.remove(0);
        }
        kept.push(noise.clone());
        Ok(noise)
    }
}

impl<L, B: Clone> Clone for Strategy<L, B> {
    fn clone(&self) -> Self {
        Self {
            budget: self.budget.clone(),
            kept: self.kept.clone(),
            law: PhantomData,
        }
    }
}

impl<L, B: fmt::Debug> fmt::Debug for Strategy<L, B> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut form = formatter.debug_struct("Strategy");
        form.field("budget", &self.budget).finish_non_exhaustive()
    }
}

impl<L, B: PartialEq> PartialEq for Strategy<L, B> {
    fn eq(&self, other: &Self) -> bool {
        self.budget == other.budget
    }
}

impl<L, B: Eq> Eq for Strategy<L, B> {}

impl<L, B: PartialOrd> PartialOrd for Strategy<L, B> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        self.budget.partial_cmp(&other.budget)
    }
}

impl<L, B: Ord> Ord for Strategy<L, B> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.budget.cmp(&other.budget)
    }
}

impl<L, B: Hash> Hash for Strategy<L, B> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.budget.hash(state);
    }
}

/// A strategy as it is written.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form<B> {
    version: u32,
    budget: B,
}

impl<L, B> From<Strategy<L, B>> for Form<B> {
    fn from(strategy: Strategy<L, B>) -> Self {
        Self {
            version: VERSION,
            budget: strategy.budget,
        }
    }
}

impl<L, B> TryFrom<Form<B>> for Strategy<L, B> {
    type Error = ParameterError;

    fn try_from(form: Form<B>) -> Result<Self, ParameterError> {
        if form.version != VERSION {
            let accepted = format!("{VERSION}, the version that this release knows");
            return Err(ParameterError::new("version", form.version, accepted));
        }
        Ok(Self {
            budget: form.budget,
            kept: Arc::default(),
            law: PhantomData,
        })
    }
}
