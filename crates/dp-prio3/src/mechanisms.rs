//! The noise that an aggregator adds to its share.
//!
//! One file for each mechanism: what it is calibrated for, its law, its tail. A further mechanism
//! is one further file and one line here. [`Calibrate`] says for which types a mechanism has a
//! proved calibration: a pair without one does not compile.

use std::fmt;

use dp_calibration::Budget;
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use crate::Error;
use crate::types::MeasurementType;

mod discrete_gaussian;
mod discrete_laplace;

pub use discrete_gaussian::{DiscreteGaussian, EpsilonDelta};
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

    /// What one release with this noise costs.
    fn budget(&self) -> Budget;

    /// The parameters by name, exactly.
    fn parameters(&self) -> Vec<(&'static str, String)>;
}

/// A mechanism with a proved calibration for the type `V`, under replacement.
///
/// A pair without one is not a policy. Discrete Gaussian noise is calibrated for histograms only:
///
/// ```compile_fail,E0599
/// use dp_prio3::mechanisms::{DiscreteGaussian, EpsilonDelta};
/// use dp_prio3::types::SumVec;
/// use dp_prio3::AggregatorNoise;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let budget = EpsilonDelta { epsilon: "1".parse()?, delta: "1e-9".parse()? };
/// AggregatorNoise::<SumVec, DiscreteGaussian>::new(SumVec::new(2, 8, 255)?, budget)?;
/// # Ok(())
/// # }
/// ```
///
/// Laplace noise takes no delta:
///
/// ```compile_fail,E0308
/// use dp_prio3::mechanisms::EpsilonDelta;
/// use dp_prio3::types::Histogram;
/// use dp_prio3::HistogramLaplace;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let budget = EpsilonDelta { epsilon: "1".parse()?, delta: "1e-9".parse()? };
/// HistogramLaplace::new(Histogram::new(2, 8)?, budget)?;
/// # Ok(())
/// # }
/// ```
pub trait Calibrate<V: MeasurementType>: NoiseMechanism {
    /// What the noise is calibrated to.
    type Budget;

    /// The least noise known to keep `budget` when one measurement is replaced.
    ///
    /// # Errors
    ///
    /// If the budget cannot be kept, or its parameters are out of range.
    fn calibrate(measurement_type: &V, budget: Self::Budget) -> Result<Self, Error>;
}
