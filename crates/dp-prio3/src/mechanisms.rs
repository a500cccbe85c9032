//! The noise that an aggregator adds to its share.
//!
//! One file for each mechanism: which budgets it keeps, its law, its tail. A further mechanism is
//! one further file and one line here. [`Calibrate`] says to which kinds of budget a mechanism can
//! be calibrated, for every query of Prio3: any other pair does not compile.

use std::fmt;

use dp_calibration::NoiseLaw;
use dp_calibration::{Budget, Query, conversion};
use dp_exact::{Delta, Epsilon, ParameterError};
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::frontier::Loss;

mod discrete_gaussian;
mod discrete_laplace;

pub use discrete_gaussian::DiscreteGaussian;
pub use discrete_laplace::DiscreteLaplace;

/// Independent integer noise, the same law at every coordinate.
pub trait NoiseMechanism: Clone + fmt::Debug + Send + Sync {
    /// The law, for people.
    const NAME: &'static str;

    /// Overwrites `noise` with fresh draws.
    ///
    /// # Errors
    ///
    /// If a draw does not fit.
    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized;

    /// The variance of one draw. For estimates, not for guarantees.
    fn variance(&self) -> f64;

    /// The fourth central moment over the squared variance, less 3. For estimates.
    fn excess_kurtosis(&self) -> f64;

    /// A number b with P(|X| > b) ≤ 2^−`bits` for one draw X, by a proved bound.
    fn tail_bound(&self, bits: u32) -> BigUint;

    /// What one release with this noise costs, if one aggregator adds it.
    fn budget(&self) -> &Budget;

    /// What one release costs at a δ of at most `delta` if the noise of `aggregators` honest
    /// aggregators is in it; `None` if nothing is proved at so small a δ. Unless a mechanism knows
    /// better, that is its budget: noise of further aggregators takes nothing from it.
    ///
    /// # Errors
    ///
    /// If it is beyond the calibration's reach.
    fn loss_at(
        &self,
        _query: &Query,
        _aggregators: usize,
        delta: &Delta,
    ) -> Result<Option<Loss>, Error> {
        loss_of(self.budget(), delta)
    }

    /// The law as the calibration of hedged policies speaks of it; `None` if it does not know it, so
    /// that such a policy promises what its parts promise.
    fn law(&self) -> Option<NoiseLaw> {
        None
    }

    /// The parameters by name, exactly.
    fn parameters(&self) -> Vec<(&'static str, String)>;
}

/// The pair that follows from a budget alone.
fn loss_of(budget: &Budget, delta: &Delta) -> Result<Option<Loss>, Error> {
    let epsilon = match budget {
        Budget::Pure { .. } | Budget::Approximate { .. } => {
            let loss = Loss::of(budget)?;
            return Ok(loss.filter(|loss| loss.delta() <= delta));
        }
        _ if delta.value().is_zero() => return Ok(None),
        Budget::ZeroConcentrated { rho } => conversion::rho_to_epsilon(rho, delta)?,
        Budget::Renyi { alpha, tau } => conversion::renyi_to_epsilon(alpha, tau, delta)?,
    };
    Loss::new(epsilon, delta.clone()).map(Some)
}

/// A mechanism that can be calibrated to budgets of the kind `B`.
///
/// A pair without a proof is not a policy. These are, for any type:
///
/// ```
/// use dp_exact::{Epsilon, Rho};
/// use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace};
/// use dp_prio3::types::{Histogram, SumVec};
/// use dp_prio3::AggregatorNoise;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let epsilon: Epsilon = "1".parse()?;
/// AggregatorNoise::<SumVec, DiscreteLaplace>::new(SumVec::new(2, 8, 255)?, epsilon)?;
/// let rho: Rho = "0.5".parse()?;
/// AggregatorNoise::<Histogram, DiscreteGaussian>::new(Histogram::new(2, 8)?, rho)?;
/// # Ok(())
/// # }
/// ```
///
/// No Gaussian noise keeps a pure ε, so with `DiscreteGaussian` in the first it does not compile:
///
/// ```compile_fail,E0277
/// # use dp_exact::Epsilon;
/// # use dp_prio3::mechanisms::DiscreteGaussian;
/// # use dp_prio3::types::SumVec;
/// # use dp_prio3::AggregatorNoise;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let epsilon: Epsilon = "1".parse()?;
/// AggregatorNoise::<SumVec, DiscreteGaussian>::new(SumVec::new(2, 8, 255)?, epsilon)?;
/// # Ok(())
/// # }
/// ```
///
/// nor with `DiscreteLaplace` in the second, for Laplace noise is not measured by ρ:
///
/// ```compile_fail,E0277
/// # use dp_exact::Rho;
/// # use dp_prio3::mechanisms::DiscreteLaplace;
/// # use dp_prio3::types::Histogram;
/// # use dp_prio3::AggregatorNoise;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let rho: Rho = "0.5".parse()?;
/// AggregatorNoise::<Histogram, DiscreteLaplace>::new(Histogram::new(2, 8)?, rho)?;
/// # Ok(())
/// # }
/// ```
///
/// nor with a sampler in place of a mechanism, which is calibrated to nothing:
///
/// ```compile_fail,E0599
/// # use dp_exact::Epsilon;
/// # use dp_prio3::types::SumVec;
/// # use dp_prio3::AggregatorNoise;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let epsilon: Epsilon = "1".parse()?;
/// AggregatorNoise::<SumVec, dp_samplers::DiscreteLaplace>::new(SumVec::new(2, 8, 255)?, epsilon)?;
/// # Ok(())
/// # }
/// ```
///
/// nor with a local randomizer's parameters in place of a Prio3 type:
///
/// ```compile_fail,E0599
/// # use dp_exact::Epsilon;
/// # use dp_prio3::mechanisms::DiscreteLaplace;
/// # use dp_prio3::AggregatorNoise;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let epsilon: Epsilon = "1".parse()?;
/// let rappor = dp_rappor::SymmetricRappor::new(epsilon.clone())?;
/// AggregatorNoise::<dp_rappor::SymmetricRappor, DiscreteLaplace>::new(rappor, epsilon)?;
/// # Ok(())
/// # }
/// ```
pub trait Calibrate<B>: NoiseMechanism {
    /// The least noise known to keep `budget` when one measurement of `query` is replaced.
    ///
    /// # Errors
    ///
    /// If the budget cannot be kept, or its parameters are out of range.
    fn calibrate(query: &Query, budget: B) -> Result<Self, Error>;
}

/// An (ε, δ) budget with δ above 0. A pure budget is an [`Epsilon`], a zero-concentrated one a
/// [`Rho`](dp_exact::Rho).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpsilonDelta {
    /// ε.
    pub epsilon: Epsilon,
    /// δ, above 0.
    pub delta: Delta,
}

impl EpsilonDelta {
    /// The budget of a guarantee, once its δ is known to be above 0.
    fn checked(self) -> Result<Self, ParameterError> {
        if self.delta.value().is_zero() {
            let accepted = "above 0 and below 1: delta = 0 is a pure budget";
            return Err(ParameterError::new("delta", &self.delta, accepted));
        }
        Ok(self)
    }
}

impl From<EpsilonDelta> for Budget {
    fn from(budget: EpsilonDelta) -> Self {
        Self::Approximate {
            epsilon: budget.epsilon,
            delta: budget.delta,
        }
    }
}

/// The parameters of a budget by name.
fn budget_parameters(budget: &Budget) -> Vec<(&'static str, String)> {
    match budget {
        Budget::Pure { epsilon } => vec![("epsilon", epsilon.to_string())],
        Budget::Approximate { epsilon, delta } => vec![
            ("epsilon", epsilon.to_string()),
            ("delta", delta.to_string()),
        ],
        Budget::ZeroConcentrated { rho } => vec![("rho", rho.to_string())],
        Budget::Renyi { alpha, tau } => {
            vec![("alpha", alpha.to_string()), ("tau", tau.to_string())]
        }
    }
}
