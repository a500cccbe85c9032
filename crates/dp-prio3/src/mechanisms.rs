//! The noise that an aggregator adds to its share.
//!
//! One file for each mechanism: its budgets, its distribution, its tail bound. A further mechanism
//! is one further file and one line here.
//!
//! | noise | pure | approximate | zero-concentrated |
//! |---|---|---|---|
//! | [`DiscreteLaplace`] | scale Δ₁/ε | by the exact divergence | |
//! | [`DiscreteGaussian`] | | by the exact divergence | variance Δ₂²/(2ρ) |
//!
//! A pair without a proof is refused, [`Error::BudgetKind`].

use std::fmt;
use std::sync::{Arc, OnceLock};

use dp_calibration::{
    Adjacency, Budget, NoiseDistribution, Query, WorstCaseDifference, conversion, zcdp,
};
use dp_exact::{Delta, ParameterError, Rational};
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::field::{NoiseBlock, SignedField};
use crate::guarantees::{Circumstances, EpsilonDelta};

mod discrete_gaussian;
mod discrete_laplace;

pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;

/// Independent integer noise with one distribution at every coordinate.
pub trait NoiseMechanism: Clone + fmt::Debug + Send + Sync {
    /// The distribution, for people.
    const NAME: &'static str;

    /// The least noise known to keep `budget` when one measurement of `query` is replaced.
    ///
    /// # Errors
    /// [`Error::BudgetKind`] if this distribution is not calibrated to budgets of that kind;
    /// otherwise if the budget cannot be kept, or its parameters are out of range.
    fn calibrate(query: &Query, budget: &Budget) -> Result<Self, Error>;

    /// Checks that this distribution is calibrated to budgets of this kind.
    ///
    /// # Errors
    /// [`Error::BudgetKind`] if it is not.
    fn check_kind(budget: &Budget) -> Result<(), Error>;

    /// Overwrites `noise` with fresh draws.
    ///
    /// # Errors
    /// If a draw does not fit.
    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized;

    /// Adds a fresh draw to every entry of a share. The draws are wiped.
    ///
    /// # Errors
    /// If a draw does not fit. Some entries of the share then lack noise, and it must not be
    /// released.
    fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        NoiseBlock::new().add_to(share, |noise| self.fill(rng, noise))
    }

    /// The variance of one draw. For estimates, not for guarantees.
    fn variance(&self) -> f64;

    /// A number b with P(|X| > b) ≤ 2^−`bits` for one draw X, by a proved bound.
    fn tail_bound(&self, bits: u32) -> BigUint;

    /// The budget of one release with the noise of one aggregator.
    fn budget(&self) -> &Budget;

    /// The distribution of one draw.
    fn distribution(&self) -> NoiseDistribution;

    /// Upper bound on ε at `delta` of the noise of `aggregators` honest aggregators in one release
    /// that one person changes by `difference`, by the exact divergence. `None` where the budget
    /// says as much.
    ///
    /// # Errors
    /// If it is beyond the calibration's reach.
    fn epsilon_of_release(
        &self,
        difference: &WorstCaseDifference,
        delta: &Delta,
        aggregators: usize,
    ) -> Result<Option<Rational>, Error>;

    /// (ε, δ) of all releases of the circumstances together, at their δ at most, with the noise of
    /// `aggregators` honest aggregators in each. `None` if nothing is proved at so small a δ.
    ///
    /// # Errors
    /// If it is beyond the calibration's reach.
    fn composed_pair(
        &self,
        query: &Query,
        aggregators: usize,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let (delta, noise) = (circumstances.delta(), self.distribution());
        if circumstances.is_one_report() {
            let own = converted(self.budget(), delta)?;
            if let Some(difference) = query.worst_case_difference(Adjacency::Replacement)? {
                let epsilon = self.epsilon_of_release(&difference, delta, aggregators)?;
                return match (own, epsilon) {
                    (Some(own), Some(epsilon)) if *own.epsilon() <= epsilon => Ok(Some(own)),
                    (_, Some(epsilon)) => EpsilonDelta::new(epsilon, delta.clone()).map(Some),
                    (own, None) => Ok(own),
                };
            }
            // The calibration behind a strategy matrix keeps its own δ; a search for ε could exceed
            // the budget by a last digit. The ε of a ρ is larger than the one of the noise.
            let is_matrix = matches!(query, Query::HistogramRanges { .. });
            let is_concentrated = matches!(self.budget(), Budget::ZeroConcentrated { .. });
            if !is_matrix || (aggregators < 2 && own.is_some() && !is_concentrated) {
                return Ok(own);
            }
        }
        if matches!(noise, NoiseDistribution::DiscreteGaussian { .. }) && delta.value().is_zero() {
            return Ok(None);
        }
        let reports = circumstances.reports_per_client();
        let adjacency = circumstances.adjacency();
        let contribution = query.contribution(adjacency, reports, circumstances.releases())?;
        let honest = u32::try_from(aggregators).unwrap_or(u32::MAX);
        let (epsilon, delta) = contribution.loss(&noise, delta, honest)?;
        EpsilonDelta::new(epsilon, delta).map(Some)
    }

    /// The parameters by name, exactly: the budget's, then the distribution's.
    fn parameters(&self) -> Vec<(&'static str, String)> {
        let mut parameters = match self.budget() {
            Budget::Pure { epsilon } => vec![("epsilon", epsilon.to_string())],
            Budget::Approximate { epsilon, delta } => {
                vec![("epsilon", epsilon.to_string()), ("delta", delta.to_string())]
            }
            Budget::ZeroConcentrated { rho } => vec![("rho", rho.to_string())],
            Budget::Renyi { alpha, tau } => {
                vec![("alpha", alpha.to_string()), ("tau", tau.to_string())]
            }
        };
        parameters.push(match self.distribution() {
            NoiseDistribution::DiscreteLaplace { scale } => ("scale", scale.to_string()),
            NoiseDistribution::DiscreteGaussian { variance } => ("variance", variance.to_string()),
        });
        parameters
    }
}

/// A sampler that the first draw builds, since plans and descriptions draw nothing. Clones share
/// the sampler.
type LazySampler<S> = Arc<OnceLock<S>>;

/// Returns the sampler, which `build` makes if there is none yet. An error of `build` leaves the
/// place empty.
fn get_or_build<S>(
    sampler: &LazySampler<S>,
    build: impl FnOnce() -> Result<S, dp_samplers::Error>,
) -> Result<&S, Error> {
    match sampler.get() {
        Some(built) => Ok(built),
        None => {
            let built = build()?;
            Ok(sampler.get_or_init(|| built))
        }
    }
}

/// The pair (ε, δ') with δ' ≤ `delta` that follows from the budget alone. `None` if δ' would exceed
/// `delta`, or δ = 0 meets a concentrated or Rényi budget.
fn converted(budget: &Budget, delta: &Delta) -> Result<Option<EpsilonDelta>, Error> {
    let epsilon = match budget {
        Budget::Pure { .. } | Budget::Approximate { .. } => {
            let pair = EpsilonDelta::of(budget)?;
            return Ok(pair.filter(|pair| pair.delta() <= delta));
        }
        _ if delta.value().is_zero() => return Ok(None),
        Budget::ZeroConcentrated { rho } => zcdp::epsilon(rho, delta)?,
        Budget::Renyi { alpha, tau } => conversion::renyi_to_epsilon(alpha, tau, delta)?,
    };
    EpsilonDelta::new(epsilon, delta.clone()).map(Some)
}

/// `Err` if δ is 0: noise calibrated to an approximate budget needs δ above 0.
fn check_above_zero(delta: &Delta) -> Result<(), ParameterError> {
    if delta.value().is_zero() {
        let accepted = "above 0 and below 1: delta = 0 is a pure budget";
        return Err(ParameterError::new("delta", delta, accepted));
    }
    Ok(())
}
