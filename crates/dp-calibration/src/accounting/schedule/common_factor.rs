//! The common factor of all parameters of a schedule.

use crate::crossing::{crossing, log_excess};
use crate::{Budget, NoiseDistribution, NoiseKind, Result, accepted, analytic_gaussian};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary};

use super::proportions::spent;
use super::{CONCENTRATED, LOSSES, NoiseSchedule, PURE, PURE_TOO, ScheduledQuery, weighted};
use crate::accounting::accountant::added;
use crate::accounting::{Accountant, AccountedMechanism};

/// Significant digits of a noise parameter.
const DIGITS: usize = 13;

/// Significant digits of a factor that is found by a search: with more the search would follow the
/// width of δ's enclosure.
const FACTOR_DIGITS: usize = 8;

/// Lines with noise parameters in given proportions; a common factor F scales all of them.
pub(super) struct ScaledSchedule<'a> {
    pub(super) lines: &'a [ScheduledQuery],
    pub(super) mechanism: NoiseKind,
    /// The parameter, σ² or t, of each line at the factor 1.
    pub(super) relative: Vec<Rational>,
}

impl ScaledSchedule<'_> {
    /// The least noise in the given proportions that keeps the budget, which the caller has checked
    /// to be of a kind that this noise can keep. `Err` if no noise is found that keeps it.
    pub(super) fn solve(&self, budget: &Budget) -> Result<NoiseSchedule> {
        let nothing = Some(Interval::integer(0, 64));
        let (factor, delta, proof) = match budget {
            // Σ nΔ₂²/(2σ²) = ρ
            Budget::ZeroConcentrated { rho } => {
                (self.factor(&(rho.value() + rho.value())), None, CONCENTRATED)
            }
            // Σ nΔ₁/t = ε
            Budget::Pure { epsilon } => (self.factor(epsilon.value()), nothing, PURE),
            Budget::Approximate { epsilon, delta } => {
                let found = self.by_losses(epsilon, delta);
                if self.mechanism == NoiseKind::DiscreteGaussian {
                    return found;
                }
                let pure = self.factor(epsilon.value());
                match found {
                    // Proportions are the same: the noise of one line tells about all.
                    Ok(found) if *found.noises[0].parameter().1 < &self.relative[0] * &pure => {
                        return Ok(found);
                    }
                    // The accountant does not reach every δ; the largest losses always answer.
                    _ => (pure, nothing, PURE_TOO),
                }
            }
            Budget::Renyi { .. } => unreachable!("no noise is calibrated to a Rényi budget"),
        };
        let parameters = self.relative.iter().map(|relative| relative * &factor);
        let noises = parameters.map(|parameter| self.mechanism.distribution(parameter)).collect();
        Ok(NoiseSchedule { noises, delta, proof })
    }

    /// The factor F at which all lines together spend `allowed`: Σ 2ρ with Gaussian noise, Σ ε with
    /// Laplace noise. Exact for at most 32 lines, else rounded up. What is spent falls like 1/F.
    fn factor(&self, allowed: &Rational) -> Rational {
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            spent(line, self.mechanism).checked_div(relative).expect("a parameter is positive")
        });
        let spent = added(&each.collect::<Vec<_>>(), Rounding::Up);
        spent.checked_div(allowed).expect("an epsilon and a rho are positive")
    }

    /// The noise of the lines at the factor F, with parameters rounded up to thirteen digits, and
    /// an enclosure of the δ of all releases together at ε = `rate`. `Err` if the accountant has
    /// none.
    fn at(&self, factor: &Rational, rate: &Epsilon) -> Result<(Vec<NoiseDistribution>, Interval)> {
        let (mut accountant, mut noises) = (Accountant::new(), Vec::new());
        for (line, relative) in self.lines.iter().zip(&self.relative) {
            let parameter = (relative * factor).round_to_digits(DIGITS, Rounding::Up);
            let law = self.mechanism.distribution(parameter);
            noises.push(law.clone());
            let difference = line.difference.clone();
            accountant.add(AccountedMechanism::Noise { law, difference }, line.times)?;
        }
        Ok((noises, accountant.delta(rate)?))
    }

    /// Whether Laplace noise in these proportions may keep (ε, δ) with a weighted error below
    /// `least`: `false` if at this error δ is certainly too large, as it falls while the factor
    /// grows.
    pub(super) fn may_undercut(
        &self,
        least: f64,
        weights: &[f64],
        budget: &Budget,
    ) -> Result<bool> {
        let Budget::Approximate { epsilon, delta } = budget else {
            return Ok(true);
        };
        let start = self.start(epsilon, delta)?;
        let noises =
            self.relative.iter().map(|relative| self.mechanism.distribution(relative * &start));
        let error = weighted(&noises.collect::<Vec<_>>(), weights);
        // The error grows about like F²; of small noise it may not reach `least` here.
        let factor = start * Rational::from_f64(1.001 * (least / error).sqrt())?;
        let Ok((noises, found)) = self.at(&factor, epsilon) else {
            return Ok(true);
        };
        let is_enough = found.lower().cmp_rational(delta.value()).is_le();
        Ok(is_enough || weighted(&noises, weights) < least)
    }

    /// The least noise for ε = `rate` and δ by the distribution of all losses: F of eight digits.
    /// Floats choose factors; the accountant decides. `Err` if it has no answer for one of them.
    fn by_losses(&self, rate: &Epsilon, delta: &Delta) -> Result<NoiseSchedule> {
        let target = accepted::delta(delta)?;
        // Of Gaussian noise the start is nearly the answer.
        let parts = if self.mechanism == NoiseKind::DiscreteGaussian { 4096 } else { 64 };
        let (start, step) = (self.start(rate, delta)?, Rational::new(1, parts)?);
        let (_, factor, _) = crossing(&start, (&step, FACTOR_DIGITS), |factor| {
            Ok(log_excess(&self.at(factor, rate)?.1, target))
        })?;
        let (noises, delta) = self.at(&factor, rate)?;
        Ok(NoiseSchedule { noises, delta: Some(delta), proof: LOSSES })
    }

    /// An estimate of F at which the search starts. There the lines have the Σ nΔ₂²/σ² that
    /// continuous Gaussian noise has for (ε, δ); Laplace noise counts with σ = t.
    fn start(&self, epsilon: &Epsilon, delta: &Delta) -> Result<Rational> {
        let sigma = analytic_gaussian::sigma(epsilon, delta, &1u32.into())?.to_f64();
        // The power of F by which σ² grows.
        let power = match self.mechanism {
            NoiseKind::DiscreteGaussian => 1,
            NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm => 2,
        };
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            let square = spent(line, NoiseKind::DiscreteGaussian).to_f64();
            square / elementary::powi(relative.to_f64(), power)
        });
        let factor = each.sum::<f64>() * sigma * sigma;
        Ok(Rational::from_f64(elementary::powf(factor, f64::from(power).recip()))?)
    }
}
