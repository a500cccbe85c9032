//! Discrete Laplace noise: P(x) ∝ e^(−|x|/t), at scale t = Δ₁/ε, or less if δ > 0.
//!
//! At t = Δ₁/ε it is ε-differentially private for any query of sensitivity Δ₁ in the L1 norm and in
//! any dimension: for y' = y + d, P(y)/P(y') ≤ e^(‖d‖₁/t). Reducing the result modulo p is
//! post-processing. Source: Cook, "Differential Privacy Mechanism for Prio3 and
//! PureDpDiscreteLaplace", 2024; for the sampler Canonne, Kamath, Steinke 2020.

use dp_calibration::{
    Adjacency, Budget, NoiseDistribution, Query, WorstCaseDifference, discrete_laplace, laplace,
};
use dp_exact::{Delta, Rational, elementary};
use dp_samplers::FromDraw;
use num_bigint::BigUint;
use rand_core::CryptoRng;

use super::{LazySampler, NoiseMechanism, check_above_zero, get_or_build};
use crate::Error;

/// Discrete Laplace noise, calibrated to pure or approximate differential privacy.
#[derive(Clone, Debug)]
pub struct DiscreteLaplace {
    /// The budget of one release with the noise of one aggregator.
    budget: Budget,
    /// The scale t: P(x) is proportional to e^(−|x|/t).
    scale: Rational,
    sampler: LazySampler<dp_samplers::DiscreteLaplace>,
}

/// The kinds of budget to which the noise is calibrated, for errors.
const ACCEPTED: &str = "a pure or an approximate budget";

impl DiscreteLaplace {
    /// Noise of this scale t, which the caller has shown to keep `budget`.
    fn new(scale: Rational, budget: Budget) -> Result<Self, Error> {
        dp_samplers::DiscreteLaplace::check(&scale)?;
        Ok(Self { budget, scale, sampler: LazySampler::default() })
    }

    /// The scale t.
    #[must_use]
    pub const fn scale(&self) -> &Rational {
        &self.scale
    }

    /// The sampler: it has the distribution of the mechanism. The first call, or the first draw,
    /// builds it.
    ///
    /// # Errors
    /// If it cannot be built.
    pub fn sampler(&self) -> Result<&dp_samplers::DiscreteLaplace, Error> {
        get_or_build(&self.sampler, || dp_samplers::DiscreteLaplace::new(&self.scale))
    }
}

impl NoiseMechanism for DiscreteLaplace {
    const NAME: &'static str = "discrete Laplace";

    /// ε by t = Δ₁/ε, exactly; (ε, δ) by a smaller scale, from the exact hockey-stick divergence.
    fn calibrate(query: &Query, budget: &Budget) -> Result<Self, Error> {
        let adjacency = Adjacency::Replacement;
        let scale = match budget {
            Budget::Pure { epsilon } => laplace::scale(epsilon, &query.sensitivity(adjacency)?.l1)?,
            Budget::Approximate { epsilon, delta } => {
                check_above_zero(delta)?;
                discrete_laplace::calibrate_query(query, adjacency, epsilon, delta)?.scale
            }
            _ => return Err(Error::budget_kind(Self::NAME, budget, ACCEPTED)),
        };
        Self::new(scale, budget.clone())
    }

    fn check_kind(budget: &Budget) -> Result<(), Error> {
        match budget {
            Budget::Pure { .. } | Budget::Approximate { .. } => Ok(()),
            _ => Err(Error::budget_kind(Self::NAME, budget, ACCEPTED)),
        }
    }

    fn fill<T, R>(&self, rng: &mut R, noise: &mut [T]) -> Result<(), Error>
    where
        T: FromDraw,
        R: CryptoRng + ?Sized,
    {
        Ok(self.sampler()?.fill(rng, noise)?)
    }

    /// The variance of one draw, 2q/(1 − q)² with q = e^(−1/t), rounded. The form with sinh keeps
    /// its precision for large t.
    fn variance(&self) -> f64 {
        let half = 0.5 / self.scale.to_f64();
        0.5 / elementary::powi(elementary::sinh(half), 2)
    }

    /// An integer b with P(|X| > b) ≤ 2^−`bits` for one draw X. P(|X| > b) ≤ 2·e^(−b/t), so b ≥
    /// t·(`bits` + 1)·ln 2 suffices, and ln 2 < 7/10.
    fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        let numerator = self.scale.numerator().magnitude() * exponent * 7u32;
        let denominator = self.scale.denominator().magnitude() * 10u32;
        numerator / denominator + 1u32
    }

    fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Upper bound on ε at `delta` under the noise of one aggregator; `None` where the budget
    /// itself holds at `delta`. Further aggregators gain nothing: in its tails, the sum of several
    /// draws has the probability ratios of one draw.
    fn epsilon_of_release(
        &self,
        difference: &WorstCaseDifference,
        delta: &Delta,
        _: usize,
    ) -> Result<Option<Rational>, Error> {
        match &self.budget {
            Budget::Approximate { delta: own, .. } if own != delta => {
                Ok(Some(discrete_laplace::epsilon(&self.scale, delta, difference)?))
            }
            _ => Ok(None),
        }
    }

    fn distribution(&self) -> NoiseDistribution {
        NoiseDistribution::DiscreteLaplace { scale: self.scale.clone() }
    }
}
