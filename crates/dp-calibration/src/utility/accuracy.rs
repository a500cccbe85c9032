//! The accuracy under given noise, and the least ε for a target accuracy.

use dp_exact::{Delta, Rational};
use num_bigint::{BigInt, BigUint};

use super::{TotalNoise, continuous_laplace_bound, gaussian_variance, laplace_scale};
use crate::{Error, NoiseDistribution, SensitivityBound, discrete_gaussian, zcdp};

/// Estimates whose errors are bounded all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimates {
    /// The number of estimates.
    pub coordinates: u64,
    /// The probability that an error exceeds its bound.
    pub beta: Rational,
    /// Aggregators that each add noise, from 1 to 64.
    pub aggregators: u32,
}

/// The errors of estimates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accuracy {
    /// The standard deviation of one estimate, with the noise of all aggregators.
    pub standard_deviation: f64,
    /// The standard deviation of one aggregator's noise alone.
    pub standard_deviation_of_one: f64,
    /// The bound that no error exceeds, but for probability β.
    pub bound: BigUint,
    /// The least bound for one estimate alone.
    pub bound_of_one: BigUint,
    /// The bound by the union bound: never below `bound`.
    pub union_bound: BigUint,
    /// t·ln(d/β) for one aggregator's **continuous** Laplace noise, as lecture notes state it.
    pub continuous_bound: Option<f64>,
}

impl Estimates {
    /// The accuracy of these estimates where each aggregator adds noise of this distribution.
    ///
    /// # Errors
    /// If a parameter is out of the range of [`TotalNoise`].
    pub fn accuracy(&self, distribution: &NoiseDistribution) -> Result<Accuracy, Error> {
        let each = TotalNoise::new(distribution.clone())?;
        let continuous_bound = match distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                let beta = self.beta.to_f64();
                Some(continuous_laplace_bound(scale.to_f64(), self.coordinates, beta))
            }
            NoiseDistribution::DiscreteGaussian { .. } => None,
        };
        let together = each.clone().from_each_of(self.aggregators)?;
        Ok(Accuracy {
            standard_deviation: together.standard_deviation(),
            standard_deviation_of_one: each.standard_deviation(),
            bound: together.simultaneous(self.coordinates, &self.beta)?,
            bound_of_one: together.quantile(&self.beta)?,
            union_bound: together.union_bound(self.coordinates, &self.beta)?,
            continuous_bound,
        })
    }

    /// The largest discrete Laplace noise with which all errors are at most `bound`, and the least
    /// ε that the noise of one aggregator then has, Δ₁/t with δ = 0.
    ///
    /// # Errors
    /// As [`laplace_scale`].
    pub fn laplace_within(
        &self,
        bound: u64,
        sensitivity: &SensitivityBound,
    ) -> Result<NoiseWithin, Error> {
        let bound = bound.into();
        let scale = laplace_scale(self.aggregators, &bound, self.coordinates, &self.beta)?;
        let l1 = Rational::integer(BigInt::from(sensitivity.l1()));
        let epsilon = l1.checked_div(&scale).unwrap_or_else(Rational::zero);
        let distribution = NoiseDistribution::DiscreteLaplace { scale };
        Ok(NoiseWithin {
            accuracy: self.accuracy(&distribution)?,
            distribution,
            epsilon,
            concentrated_epsilon: None,
        })
    }

    /// The largest discrete Gaussian noise with which all errors are at most `bound`, and the ε at
    /// δ that the noise of one aggregator then has: by its exact distribution where the worst
    /// difference is known, else by zero-concentrated privacy.
    ///
    /// # Errors
    /// As [`gaussian_variance`] and [`discrete_gaussian::epsilon`].
    pub fn gaussian_within(
        &self,
        bound: u64,
        sensitivity: &SensitivityBound,
        delta: &Delta,
    ) -> Result<NoiseWithin, Error> {
        let bound = bound.into();
        let variance = gaussian_variance(self.aggregators, &bound, self.coordinates, &self.beta)?;
        let rho = zcdp::rho(&variance, &sensitivity.l2_squared())?;
        let concentrated = zcdp::epsilon(&rho, delta)?;
        let (epsilon, concentrated_epsilon) = match sensitivity.worst_case_difference() {
            Some(difference) => {
                (discrete_gaussian::epsilon(&variance, delta, difference)?, Some(concentrated))
            }
            None => (concentrated, None),
        };
        let distribution = NoiseDistribution::DiscreteGaussian { variance };
        Ok(NoiseWithin {
            accuracy: self.accuracy(&distribution)?,
            distribution,
            epsilon,
            concentrated_epsilon,
        })
    }
}

impl Accuracy {
    /// Why the bounds hold, in words.
    #[must_use]
    pub fn certificate(&self) -> &'static str {
        "Every aggregator adds its own noise, and the error of an estimate is their sum. The \
         probability that it exceeds m is a tail of the distribution of that sum, enclosed in interval \
         arithmetic; the errors are independent, so that all are within m with the power of its \
         complement, exactly. The bound is the least such integer."
    }
}

/// The largest noise for a target accuracy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NoiseWithin {
    /// The noise of each aggregator, its parameter to twelve digits.
    pub distribution: NoiseDistribution,
    /// The ε of one aggregator's noise.
    pub epsilon: Rational,
    /// The ε of Gaussian noise by zero-concentrated privacy alone, where `epsilon` is exact.
    pub concentrated_epsilon: Option<Rational>,
    /// The accuracy under that noise.
    pub accuracy: Accuracy,
}
