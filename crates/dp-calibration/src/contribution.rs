//! The contribution of one person to a sequence of releases, and the noise that hides it.
//!
//! A person with r reports in a release changes its aggregate by the sum d of r differences of
//! measurements: |dᵢ| ≤ rΔ and ‖d‖₁ ≤ crΔ, with c coordinates and step Δ of one report
//! ([`Query::worst_case_difference`]). The noises of k releases are independent, so that k releases
//! are one release on k times as many coordinates, also for data that depend on earlier results
//! (`docs/composition.md`).
//!
//! - *Discrete Laplace noise*: c coordinates that change by rΔ each are the worst of all these d
//!   (`docs/calibration.md`, section 1). Some client attains them.
//! - *One coordinate of each report*: ‖d‖₁ ≤ rΔ, so that rΔ on one coordinate is the worst for
//!   noise of either distribution (`docs/calibration.md`, section 1).
//! - *K-norm noise of ℓ∞*: one entry that changes by rΔ is the worst, in the accounting of discrete
//!   Laplace noise (`docs/k-norm.md`).
//! - *Discrete Gaussian noise*: the norm ‖d‖₂² ≤ c(rΔ)² bounds ρ. The worst difference is known but
//!   for several reports of a MultihotCountVec, whose differences are no box.

use dp_exact::search::bisect;
use dp_exact::{Delta, Rational, Rho, Rounding};
use num_bigint::BigUint;

use crate::discrete_gaussian::{least_epsilon, wide_midpoint};
use crate::discrete_laplace::pure_scale;
use crate::{
    Adjacency, Budget, Error, NoiseDistribution, Query, Refusal, Result, Sensitivity,
    SensitivityBound, WorstCaseDifference, conversion, discrete_gaussian, discrete_laplace,
    noise_sum, norm_gaussian, zcdp,
};

/// Significant digits of a ρ of zero-concentrated privacy.
const DIGITS: usize = 12;

/// Significant digits of a variance or a scale that [`SensitivityBound::raised`] returns.
const PARAMETER: usize = 13;

/// The most honest aggregators whose Gaussian noises are added up.
const MAX_HONEST: u32 = 64;

impl Query {
    /// The contribution of one person with `reports` reports in each of `releases` releases.
    ///
    /// # Errors
    /// As [`Query::sensitivity`]; if no measurement changes anything, or a number is 0.
    pub fn contribution(
        &self,
        adjacency: Adjacency,
        reports: u32,
        releases: u32,
    ) -> Result<SensitivityBound> {
        for (name, number) in [("reports", reports), ("releases", releases)] {
            Error::check(number != 0, name, 0, "an integer of at least 1")?;
        }
        let Sensitivity { l1, l2_squared, linf } = self.sensitivity(adjacency)?;
        let accepted = "at least 2 buckets: the measurement of a single one cannot be replaced by another, and needs no noise";
        Error::check(l1 != BigUint::ZERO, "length", 1, accepted)?;
        let difference = |entries: BigUint, step: BigUint| {
            let coordinates = u64::try_from(entries * releases).ok()?;
            WorstCaseDifference::new(coordinates, step).ok()
        };
        let largest = difference(1u32.into(), &linf * reports);
        let worst = difference(&l1 / &linf, linf * reports);
        let l1 = l1 * reports;
        let l2_squared = l2_squared * reports * reports;
        let (laplace, gaussian, matrix) = match *self {
            // All of Δ₁ on one coordinate is worse than every difference for Laplace noise.
            Self::HistogramRanges { length, .. } => {
                let rows = BigUint::from(length) * releases;
                (difference(1u32.into(), l1.clone()), None, Some(rows))
            }
            Self::MultihotCountVec { .. }
                if reports > 1 && adjacency != Adjacency::OneCoordinate =>
            {
                (worst, None, None)
            }
            // These differences are a box, or no worse than one.
            Self::Count
            | Self::Sum { .. }
            | Self::Average { .. }
            | Self::SumVec { .. }
            | Self::Histogram { .. }
            | Self::MultihotCountVec { .. }
            | Self::L1BoundSum { .. } => (worst.clone(), worst, None),
        };
        let (l1, l2_squared) = (l1 * releases, l2_squared * releases);
        let is_norm = gaussian.is_none();
        Ok(SensitivityBound { laplace, gaussian, largest, matrix, l1, l2_squared, is_norm })
    }

    /// The [contribution](Self::contribution) of one report to one release.
    ///
    /// # Errors
    /// As [`Query::sensitivity`]; if no measurement can be replaced by another.
    pub fn sensitivity_bound(&self, adjacency: Adjacency) -> Result<SensitivityBound> {
        self.contribution(adjacency, 1, 1)
    }
}

impl SensitivityBound {
    /// (ε, δ) of the noise of `honest` aggregators, each with this distribution, in all releases
    /// together, where δ is `delta`, or 0 where Laplace noise needs none. Gaussian noise of up to
    /// 64 aggregators adds up; Laplace noise of several counts as the noise of one.
    ///
    /// # Errors
    /// If a parameter is out of range, or `delta` is 0 for Gaussian noise.
    pub fn loss(
        &self,
        distribution: &NoiseDistribution,
        delta: &Delta,
        honest: u32,
    ) -> Result<(Rational, Delta)> {
        match distribution {
            NoiseDistribution::DiscreteLaplace { scale } => self.of_laplace(scale, delta),
            NoiseDistribution::DiscreteGaussian { variance } => {
                let epsilon = self.of_gaussian(variance, delta, honest)?;
                Ok((epsilon, delta.clone()))
            }
        }
    }

    /// ε and the δ that is spent for one aggregator's Laplace noise: `delta` with the ε that it
    /// allows, or 0 with the pure ε where `delta` would lower ε by less than 0.1 %.
    fn of_laplace(&self, scale: &Rational, delta: &Delta) -> Result<(Rational, Delta)> {
        let pure = Rational::integer(self.l1.clone())
            .checked_div(scale)
            .ok_or_else(|| Error::parameter("scale", scale, "a number greater than 0"))?;
        if let Some(difference) = self.laplace_difference(delta) {
            let least = discrete_laplace::epsilon(scale, delta, difference)?;
            if is_worth_its_delta(&least, &pure) {
                return Ok((least, delta.clone()));
            }
        }
        Ok((pure, Delta::new(Rational::zero())?))
    }

    /// The worst difference for Laplace noise; `None` if δ is 0 or too many coordinates change.
    fn laplace_difference(&self, delta: &Delta) -> Option<&WorstCaseDifference> {
        let difference = self.laplace.as_ref().filter(|_| !delta.value().is_zero());
        difference.filter(|it| it.coordinates() <= discrete_laplace::MAX_COORDINATES)
    }

    /// The least ε proved at δ = `delta` for Gaussian noise of each of `honest` aggregators, of
    /// which 1 to 64 count. `Err` if δ is 0, or a parameter out of range.
    fn of_gaussian(&self, variance: &Rational, delta: &Delta, honest: u32) -> Result<Rational> {
        if delta.value().is_zero() {
            return Err(never_pure());
        }
        let least = zcdp::epsilon(&zcdp::rho(variance, &self.l2_squared)?, delta)?;
        let honest = honest.clamp(1, MAX_HONEST);
        if let Some(difference) = &self.gaussian {
            return Ok(least.min(noise_sum::gaussian_epsilon(variance, delta, difference, honest)?));
        }
        // Without a matrix the entries of a shared difference are too small next to its rounding.
        let norm = self.norm().shared(if self.matrix.is_some() { honest } else { 1 });
        least_epsilon(least, |epsilon| {
            let target = delta.value();
            Ok(norm_gaussian::delta(variance, epsilon.value(), target, &norm)? <= *target)
        })
    }

    /// A scale of Laplace noise of one aggregator that keeps `budget`: the least for a pure budget,
    /// and for (ε, δ) up to rounding. Where δ gains less than 0.1 %, the scale that needs none.
    ///
    /// # Errors
    /// If the budget is out of range, or is a Rényi budget.
    pub fn scale(&self, budget: &Budget) -> Result<Rational> {
        match budget {
            Budget::Pure { epsilon } => pure_scale(epsilon, &self.l1),
            Budget::Approximate { epsilon, delta } => {
                let pure = pure_scale(epsilon, &self.l1)?;
                let Some(difference) = self.laplace_difference(delta) else {
                    return Ok(pure);
                };
                let least = discrete_laplace::calibrate(epsilon, delta, difference)?.scale;
                Ok(if is_worth_its_delta(&least, &pure) { least } else { pure })
            }
            Budget::ZeroConcentrated { rho } => self.scale_of_rho(rho),
            Budget::Renyi { .. } => {
                let change = "give an epsilon or a rho";
                Err(Refusal::not_available("Laplace noise for a Rényi budget", change).into())
            }
        }
    }

    /// The least scale of Laplace noise, of twelve digits, at which ρ is at most `target`. `Err` if
    /// no scale up to 1e9 times the change of a coordinate is enough.
    fn scale_of_rho(&self, target: &Rho) -> Result<Rational> {
        let keeps = |scale: &Rational| {
            let distribution = NoiseDistribution::DiscreteLaplace { scale: scale.clone() };
            self.rho(&distribution).is_some_and(|found| found <= *target)
        };
        // The scales at which the ρ of a pure ε is known.
        let refused =
            || Refusal::not_available("Laplace noise for this rho", "take fewer releases");
        let step = self.laplace.as_ref().ok_or_else(refused)?.rational_step();
        let (low, high) =
            (&step * &Rational::new(1, 10_000)?, step * Rational::from(1_000_000_000u64));
        if !keeps(&high) {
            return Err(refused().into());
        }
        Ok(bisect(low, high, wide_midpoint(DIGITS), keeps).1)
    }

    /// A variance of one aggregator's Gaussian noise that keeps `budget`; so does every larger one.
    ///
    /// # Errors
    /// If the budget is out of range, or is pure or a Rényi budget.
    pub fn variance(&self, budget: &Budget) -> Result<Rational> {
        match budget {
            Budget::ZeroConcentrated { rho } => zcdp::variance(rho, &self.l2_squared),
            Budget::Approximate { epsilon, delta } => {
                Ok(discrete_gaussian::calibrate(epsilon, delta, self)?.variance)
            }
            Budget::Pure { .. } | Budget::Renyi { .. } => Err(never_pure()),
        }
    }

    /// Noise of one aggregator whose ε, as [`Self::loss`] computes it to twelve digits, is within
    /// the budget: the given noise, or a little more where rounding put its ε above.
    ///
    /// # Errors
    /// As [`Self::loss`].
    pub fn raised(
        &self,
        mut distribution: NoiseDistribution,
        budget: &Budget,
    ) -> Result<NoiseDistribution> {
        let Budget::Approximate { epsilon, delta } = budget else {
            return Ok(distribution);
        };
        let mut margin: Rational = "1e-11".parse()?;
        while self.loss(&distribution, delta, 1)?.0 > *epsilon.value() {
            let (NoiseDistribution::DiscreteLaplace { scale: parameter }
            | NoiseDistribution::DiscreteGaussian { variance: parameter }) = &mut distribution;
            let more = &*parameter + &(&*parameter * &margin);
            *parameter = more.round_to_digits(PARAMETER, Rounding::Up);
            margin = &margin * &Rational::from(64u64);
        }
        Ok(distribution)
    }

    /// An upper bound on ρ of one aggregator's noise in all releases, if not too many coordinates
    /// change.
    #[must_use]
    pub fn rho(&self, distribution: &NoiseDistribution) -> Option<Rho> {
        match distribution {
            NoiseDistribution::DiscreteGaussian { variance } => {
                zcdp::rho(variance, &self.l2_squared).ok()
            }
            NoiseDistribution::DiscreteLaplace { scale } => {
                let difference = self.largest_difference(distribution)?;
                let each = conversion::laplace_rho(scale, difference.step()).ok()?;
                let all = each.value() * &Rational::from(difference.coordinates());
                Rho::new(all.round_to_digits(DIGITS, Rounding::Up)).ok()
            }
        }
    }
}

/// Whether an ε or a scale that costs a δ is below the pure one by more than a factor of 1.001.
#[must_use]
pub fn is_worth_its_delta(approximate: &Rational, pure: &Rational) -> bool {
    approximate * &Rational::integer(1001) < pure * &Rational::integer(1000)
}

/// The error for a pure budget, which Gaussian noise cannot keep: its δ is above 0.
fn never_pure() -> Error {
    let what = "a pure guarantee (delta 0) of Gaussian noise";
    Refusal::not_available(what, "give a delta above 0, such as 1e-9").into()
}
