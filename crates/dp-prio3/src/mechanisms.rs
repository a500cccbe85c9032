//! The noise that an aggregator adds to its share.
//!
//! | noise | pure | approximate | zero-concentrated |
//! |---|---|---|---|
//! | discrete Laplace | scale Δ₁/ε | by the exact divergence | |
//! | discrete K-norm, of all totals at once | scale Δ∞/ε | by the exact divergence | |
//! | discrete Gaussian | | by the exact divergence | variance Δ₂²/(2ρ) |
//!
//! Sources: Cook, "Differential Privacy Mechanism for Prio3 and PureDpDiscreteLaplace", 2024;
//! Canonne, Kamath, Steinke 2020 (CKS20); Hardt, Talwar 2010 (K-norm noise of the norm ℓ∞: the
//! shape of a cube). Reducing the result modulo p is post-processing.

use std::sync::{Arc, OnceLock};

pub use dp_calibration::NoiseKind;
use dp_calibration::{Adjacency, Budget, NoiseDistribution, Query, VectorNoise};
use dp_exact::{Epsilon, ParameterError, Rational, Rho, elementary};
use num_bigint::{BigInt, BigUint};
use rand_core::CryptoRng;

use crate::Error;
use crate::field::{BLOCK, SignedField, add_draws};
use crate::guarantees::{Circumstances, EpsilonDelta, zero_delta};

/// Integer noise in all totals of a release, calibrated to a budget.
#[derive(Clone, Debug)]
pub struct NoiseMechanism {
    /// The budget of one release with the noise of one aggregator.
    budget: Budget,
    distribution: VectorNoise,
    /// The sampler, which the first draw builds, since plans and descriptions draw nothing. Clones
    /// share it.
    sampler: Arc<OnceLock<Sampler>>,
}

/// The sampler of one of the distributions.
#[derive(Debug)]
enum Sampler {
    Laplace(dp_samplers::DiscreteLaplace),
    Gaussian(dp_samplers::DiscreteGaussian),
    KNorm(dp_samplers::DiscreteKNorm),
}

impl NoiseMechanism {
    /// The least noise known to keep `budget` when one measurement of `query` is replaced, by
    /// [`NoiseKind::calibrate`]. Its own budget is pure where its scale needs no δ.
    ///
    /// # Errors
    /// If this distribution is not calibrated to budgets of that kind, the budget cannot be kept,
    /// or its parameters are out of range.
    ///
    /// # Panics
    /// Never: a query has at most 2^24 totals.
    pub fn calibrate(kind: NoiseKind, query: &Query, budget: &Budget) -> Result<Self, Error> {
        kind.check_kind(budget)?;
        if let Budget::Approximate { delta, .. } = budget
            && delta.value().is_zero()
        {
            let accepted = "above 0 and below 1: delta = 0 is a pure budget";
            return Err(ParameterError::new("delta", delta, accepted).into());
        }
        let contribution = query.contribution(Adjacency::Replacement, 1, 1)?;
        let parameter = kind.calibrate(&contribution, budget)?;
        let mut kept = budget.clone();
        if let Budget::Approximate { epsilon, .. } = budget
            && kind != NoiseKind::DiscreteGaussian
        {
            let pure = Budget::Pure { epsilon: epsilon.clone() };
            if kind.calibrate(&contribution, &pure)? == parameter {
                kept = pure;
            }
        }
        let length = u32::try_from(query.totals()).expect("at most 2^24 totals");
        Self::of(kind.vector(parameter, length), kept)
    }

    /// Noise of this distribution, with the budget that it keeps exactly for one release of
    /// `query`: ε = Δ₁/t, for K-norm noise ε = Δ∞/t, or ρ = Δ₂²/(2σ²). [`Self::calibrate`] gives
    /// the same noise for that budget, and so does a policy.
    ///
    /// # Errors
    /// If its parameter is beyond the samplers.
    pub fn exactly(query: &Query, distribution: VectorNoise) -> Result<Self, Error> {
        let sensitivity = query.sensitivity(Adjacency::Replacement)?;
        let ratio = |numerator: BigUint, denominator: &Rational| {
            let numerator = Rational::integer(BigInt::from(numerator));
            let accepted = "a number greater than 0";
            let zero = || ParameterError::new(distribution.parameter().0, denominator, accepted);
            numerator.checked_div(denominator).ok_or_else(zero)
        };
        let budget = match &distribution {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                Budget::Pure { epsilon: Epsilon::new(ratio(sensitivity.l1, scale)?)? }
            }
            VectorNoise::DiscreteKNorm { scale, .. } => {
                Budget::Pure { epsilon: Epsilon::new(ratio(sensitivity.linf, scale)?)? }
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                let rho = ratio(sensitivity.l2_squared, &(variance + variance))?;
                Budget::ZeroConcentrated { rho: Rho::new(rho)? }
            }
        };
        Self::of(distribution, budget)
    }

    /// Noise of this distribution, with this budget, which is taken as given. `Err` if the sampler
    /// does not take the scale, the variance or the number of totals.
    fn of(distribution: VectorNoise, budget: Budget) -> Result<Self, Error> {
        match &distribution {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                dp_samplers::DiscreteLaplace::check(scale)?;
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                dp_samplers::DiscreteGaussian::check(variance)?;
            }
            VectorNoise::DiscreteKNorm { scale, length } => {
                dp_samplers::DiscreteKNorm::check(scale, *length as usize)?;
            }
        }
        Ok(Self { budget, distribution, sampler: Arc::default() })
    }

    /// The distribution of the noise in all totals.
    pub const fn distribution(&self) -> &VectorNoise {
        &self.distribution
    }

    /// The kind of the distribution.
    #[must_use]
    pub const fn kind(&self) -> NoiseKind {
        self.distribution.kind()
    }

    /// The budget of one release with the noise of one aggregator.
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The sampler, built by the first call that succeeds.
    fn sampler(&self) -> Result<&Sampler, Error> {
        if let Some(built) = self.sampler.get() {
            return Ok(built);
        }
        let built = match &self.distribution {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                Sampler::Laplace(dp_samplers::DiscreteLaplace::new(scale)?)
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                Sampler::Gaussian(dp_samplers::DiscreteGaussian::new(variance)?)
            }
            VectorNoise::DiscreteKNorm { scale, length } => {
                Sampler::KNorm(dp_samplers::DiscreteKNorm::new(scale, *length as usize)?)
            }
        };
        Ok(self.sampler.get_or_init(|| built))
    }

    /// Adds a fresh draw to every entry of a share, K-norm noise as one draw for the whole share.
    /// The draws are wiped.
    ///
    /// # Errors
    /// If a draw does not fit, or K-norm noise has another number of totals. Some entries of the
    /// share then lack noise, and it must not be released.
    pub fn add_to<F, R>(&self, share: &mut [F], rng: &mut R) -> Result<(), Error>
    where
        F: SignedField,
        R: CryptoRng + ?Sized,
    {
        let sampler = self.sampler()?;
        // A cube for each part of a share would cost its ε for each part.
        let block = if let Sampler::KNorm(_) = sampler { share.len() } else { BLOCK };
        Ok(add_draws(share, block, |draws| match sampler {
            Sampler::Laplace(sampler) => sampler.fill(rng, draws),
            Sampler::Gaussian(sampler) => sampler.fill(rng, draws),
            Sampler::KNorm(sampler) => sampler.fill(rng, draws),
        })?)
    }

    /// The variance of the noise in one total, rounded, for estimates.
    #[must_use]
    pub fn variance(&self) -> f64 {
        elementary::powi(self.distribution.standard_deviation(), 2)
    }

    /// The excess kurtosis of the continuous distribution, which is near the discrete one's: for
    /// estimates.
    pub(crate) fn excess_kurtosis(&self) -> f64 {
        match self.distribution {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { .. }) => 3.0,
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { .. }) => 0.0,
            VectorNoise::DiscreteKNorm { length, .. } => {
                let d = f64::from(length);
                1.8 * (d + 3.0) * (d + 4.0) / ((d + 1.0) * (d + 2.0)) - 3.0
            }
        }
    }

    /// An integer b with P(|X| > b) ≤ 2^−`bits` for the noise X in one total; for K-norm noise in
    /// all totals together.
    ///
    /// P(|X| > b) is at most 2·e^(−b/t) for Laplace noise, and at most 2·e^(−b²/(2σ²)) for Gaussian
    /// noise, as E[e^(λX)] ≤ e^(λ²σ²/2) (CKS20, the discrete Gaussian is sub-Gaussian). So b ≥
    /// t·(`bits` + 1)·ln 2, or b² ≥ 2σ²·(`bits` + 1)·ln 2, suffices, and ln 2 < 7/10. K-norm noise
    /// of d totals is at most J + G₀ + … + G_d (`dp_samplers::DiscreteKNorm`), J ≤ d and each G at
    /// most t times an exponential variable. The sum of m = d + 1 of these exceeds m + √(2mL) + L
    /// with probability at most e^(−L) (Laurent, Massart 2000, Lemma 1); L ≥ `bits`·ln 2.
    #[must_use]
    pub fn tail_bound(&self, bits: u32) -> BigUint {
        let exponent = BigUint::from(bits) + 1u32;
        let least = |parameter: &Rational, factor: u32| -> BigUint {
            parameter.numerator().magnitude() * exponent * factor
                / (parameter.denominator().magnitude() * 10u32)
        };
        // One more is an integer above the number that `least` rounds down.
        match &self.distribution {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                least(scale, 7) + 1u32
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                least(variance, 14).sqrt() + 1u32
            }
            VectorNoise::DiscreteKNorm { scale, length } => {
                let m = u64::from(*length) + 1;
                let exponent = (7 * u64::from(bits)).div_ceil(10);
                let root = (2 * m * exponent).isqrt() + 1;
                let reach = scale * &Rational::from(m + root + exponent);
                reach.ceil().magnitude() + m
            }
        }
    }

    /// An integer within which, up to its sign, the noise of `aggregators` aggregators together
    /// stays in each of `totals` totals, except with probability 2^−64.
    ///
    /// With A aggregators and L totals it is A·b: each of the A·L draws of a batch exceeds b with
    /// probability at most 2^−64 / (A·L).
    #[must_use]
    pub fn bound_of_totals(&self, aggregators: usize, totals: usize) -> BigUint {
        let draws = aggregators as u128 * totals as u128;
        let bits = 64 + u128::BITS - draws.leading_zeros();
        self.tail_bound(bits) * aggregators
    }

    /// Upper bound on the (ε, δ) of all releases of the circumstances together, with the noise of
    /// `aggregators` honest aggregators in each. δ is at most the δ of the circumstances. `None`
    /// for Gaussian noise at δ = 0, where nothing is proved.
    ///
    /// A ρ is not divided by the number of aggregators: a sum of discrete Gaussians is no discrete
    /// Gaussian. `Err` if the bound is beyond the calibration's reach.
    pub(crate) fn composed_pair(
        &self,
        query: &Query,
        aggregators: u32,
        circumstances: &Circumstances,
    ) -> Result<Option<EpsilonDelta>, Error> {
        let Circumstances { delta, adjacency, reports_per_client, releases, .. } = circumstances;
        let is_gaussian = self.kind() == NoiseKind::DiscreteGaussian;
        let own = match self.budget.clone() {
            Budget::Pure { epsilon } => Some(EpsilonDelta { epsilon, delta: zero_delta() }),
            Budget::Approximate { epsilon, delta } => Some(EpsilonDelta { epsilon, delta }),
            _ => None,
        };
        let own = own.filter(|own| circumstances.is_one_report() && own.delta <= *delta);
        // The budget of the noise is its exact bound. A search for ε could exceed it by a last
        // digit.
        let is_exact = own.as_ref().is_some_and(|own| {
            own.delta.value().is_zero()
                || (own.delta == *delta && !(is_gaussian && aggregators > 1))
        });
        if is_exact || (is_gaussian && delta.value().is_zero()) {
            return Ok(own);
        }
        let contribution = query.contribution(*adjacency, *reports_per_client, *releases)?;
        let accounted = contribution.accounted(self.kind());
        let (epsilon, delta) =
            accounted.loss(&self.distribution.accounted(), delta, aggregators)?;
        let own = own.filter(|own| *own.epsilon.value() <= epsilon);
        Ok(Some(match own {
            Some(own) => own,
            None => EpsilonDelta::new(epsilon, delta)?,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HISTOGRAM: Query = Query::Histogram { length: 24 };

    /// A count at a δ that narrows Laplace noise, and a histogram at one that hardly does.
    #[test]
    fn noise_keeps_its_own_budget_which_is_pure_where_delta_gains_under_a_thousandth() {
        let pure = Budget::Pure { epsilon: "1".parse().expect("valid") };
        for (query, delta, is_pure) in [(Query::Count, "1e-3", false), (HISTOGRAM, "1e-9", true)] {
            let asked =
                Budget::approximate("1".parse().expect("valid"), delta.parse().expect("valid"));
            let of = |kind, budget| NoiseMechanism::calibrate(kind, &query, budget).expect("valid");
            assert_eq!(of(NoiseKind::DiscreteGaussian, &asked).budget(), &asked, "{query}");
            let laplace = of(NoiseKind::DiscreteLaplace, &asked);
            assert_eq!(laplace.budget(), if is_pure { &pure } else { &asked }, "{query}");
            let scale = |noise: &NoiseMechanism| noise.distribution().parameter().1.clone();
            let without_delta = of(NoiseKind::DiscreteLaplace, &pure);
            assert_eq!(scale(&laplace) == scale(&without_delta), is_pure, "{query}");
        }
    }
}
