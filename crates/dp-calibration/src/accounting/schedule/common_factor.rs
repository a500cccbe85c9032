//! The common factor of all parameters of a schedule.

use crate::{Budget, Error, NoiseDistribution, NoiseKind, Result, analytic_gaussian};
use dp_exact::search::try_bisect;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, elementary};

use super::proportions::spent;
use super::{CONCENTRATED, LOSSES, NoiseSchedule, PURE, PURE_TOO, ScheduledQuery};
use crate::accounting::accountant::added;
use crate::accounting::{Accountant, AccountedMechanism};

/// Significant digits of a noise parameter.
const DIGITS: usize = 13;

/// Where the bisection of ln F ends.
const CLOSE: f64 = 1e-9;

/// The first distance of ln F from its estimate; each further one is eight times as long.
const FIRST_STEP: f64 = 1e-5;

/// The most distances that are tried: the last one is e^21.
const MOST_STEPS: i32 = 8;

/// Lines with noise parameters in given proportions; a common factor F scales all of them.
pub(super) struct ScaledSchedule<'a> {
    pub(super) lines: &'a [ScheduledQuery],
    pub(super) mechanism: NoiseKind,
    /// The parameter, σ² or t, of each line at the factor 1.
    pub(super) relative: Vec<Rational>,
}

impl ScaledSchedule<'_> {
    /// The least noise in the given proportions that keeps the budget. `Err` if the budget is of
    /// Rényi privacy, pure with Gaussian noise, or a ρ with Laplace noise, or no noise is found
    /// that keeps it.
    pub(super) fn solve(&self, budget: &Budget) -> Result<NoiseSchedule> {
        match budget {
            Budget::ZeroConcentrated { rho } => self.concentrated(rho),
            Budget::Pure { epsilon } => self.pure(epsilon),
            Budget::Approximate { epsilon, delta } => self.approximate(epsilon, delta),
            Budget::Renyi { .. } => {
                let accepted = "a pure, approximate or zero-concentrated budget";
                Err(Error::parameter("budget", budget, accepted))
            }
        }
    }

    /// The noise of each line at the common factor F = `factor`, exactly.
    fn noises_at(&self, factor: &Rational) -> Vec<NoiseDistribution> {
        let parameters = self.relative.iter().map(|relative| relative * factor);
        parameters.map(|parameter| self.mechanism.distribution(parameter)).collect()
    }

    /// The noise of each line at the common factor F = e^`log`, with parameters rounded up to
    /// thirteen digits. `Err` if F is no finite float.
    fn noises_near(&self, log: f64) -> Result<Vec<NoiseDistribution>> {
        let factor = Rational::from_f64(elementary::exp(log))?;
        let parameters = self.relative.iter().map(|relative| relative * &factor);
        let parameters = parameters.map(|exact| exact.round_to_digits(DIGITS, Rounding::Up));
        Ok(parameters.map(|parameter| self.mechanism.distribution(parameter)).collect())
    }

    /// What all lines spend at the common factor F = 1: Σ 2ρ with Gaussian noise, Σ ε with Laplace
    /// noise. Exact for at most 32 lines, else rounded up. It falls like 1/F.
    fn spent_at_one(&self) -> Rational {
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            spent(line, self.mechanism).checked_div(relative).expect("a parameter is positive")
        });
        added(&each.collect::<Vec<_>>(), Rounding::Up)
    }

    /// The Laplace noise whose largest losses add up to ε: Σ nΔ₁/t = ε over all lines, exactly for
    /// at most 32 lines, else a hair below ε. `Err` for Gaussian noise.
    fn pure(&self, epsilon: &Epsilon) -> Result<NoiseSchedule> {
        let accepted = "a budget with a delta or a rho: Gaussian noise has no pure guarantee";
        Error::check(self.mechanism != NoiseKind::DiscreteGaussian, "epsilon", epsilon, accepted)?;
        let noises = self.noises_at(&self.pure_factor(epsilon));
        Ok(NoiseSchedule { noises, delta: Some(no_delta()), proof: PURE })
    }

    /// The factor F at which the largest Laplace losses of all lines add up to ε: exact for at most
    /// 32 lines, else rounded up.
    fn pure_factor(&self, epsilon: &Epsilon) -> Rational {
        self.spent_at_one().checked_div(epsilon.value()).expect("an epsilon is positive")
    }

    /// The Gaussian noise whose ρ adds up to `rho`: Σ nΔ₂²/(2σ²) = ρ, exactly for at most 32 lines,
    /// else a hair below ρ. `Err` for Laplace noise.
    fn concentrated(&self, rho: &Rho) -> Result<NoiseSchedule> {
        let accepted = "a budget with an epsilon, as it is laplace noise";
        Error::check(self.mechanism != NoiseKind::DiscreteLaplace, "rho", rho, accepted)?;
        let twice = rho.value() + rho.value();
        let factor = self.spent_at_one().checked_div(&twice).expect("a rho is positive");
        let noises = self.noises_at(&factor);
        Ok(NoiseSchedule { noises, delta: None, proof: CONCENTRATED })
    }

    /// Enclosure of the δ of all releases together at ε, with these `noises` for the lines.
    fn delta(&self, noises: &[NoiseDistribution], epsilon: &Epsilon) -> Result<Interval> {
        let mut accountant = Accountant::new();
        for (line, law) in self.lines.iter().zip(noises) {
            let (law, difference) = (law.clone(), line.difference.clone());
            accountant.add(AccountedMechanism::Noise { law, difference }, line.times)?;
        }
        accountant.quick_delta(epsilon)
    }

    /// The least noise for (ε, δ) by the distribution of all losses. Where it has no answer for
    /// Laplace noise, the noise whose largest losses add up to ε; for Gaussian noise `Err`.
    fn approximate(&self, epsilon: &Epsilon, delta: &Delta) -> Result<NoiseSchedule> {
        if self.mechanism == NoiseKind::DiscreteGaussian {
            let found = self.by_losses(epsilon, delta, f64::MAX)?;
            let accepted = "a budget that Gaussian noise of these lines can keep";
            return found.ok_or_else(|| Error::parameter("delta", delta, accepted));
        }
        let pure = self.pure_factor(epsilon);
        let most = elementary::ln(pure.to_f64());
        // The accountant does not reach every δ; the largest losses always answer.
        if let Ok(Some(found)) = self.by_losses(epsilon, delta, most) {
            return Ok(found);
        }
        let noises = self.noises_at(&pure);
        Ok(NoiseSchedule { noises, delta: Some(no_delta()), proof: PURE_TOO })
    }

    /// The least noise for ε = `rate` and δ by the distribution of all losses, within 1e-9 of F,
    /// with ln F below `most`. `None` if the factors that are tried are all enough, or all not.
    /// Floats choose factors; the accountant decides.
    fn by_losses(&self, rate: &Epsilon, delta: &Delta, most: f64) -> Result<Option<NoiseSchedule>> {
        let target = crate::accepted::delta(delta)?;
        let is_enough = |log: &f64| -> Result<bool> {
            let delta = self.delta(&self.noises_near(*log)?, rate)?;
            Ok(delta.upper().cmp_rational(target).is_le())
        };
        let start = self.start(rate, delta)?.min(most - CLOSE);
        // Ends on either side of the least factor; the end that is tried first is near the estimate.
        let start_is_enough = is_enough(&start)?;
        let (mut low, mut high) = (start, start);
        let mut is_between = false;
        for step in 0..MOST_STEPS {
            let distance = FIRST_STEP * elementary::powi(8.0, step);
            if start_is_enough {
                (high, low) = (low, start - distance);
                is_between = !is_enough(&low)?;
            } else {
                (low, high) = (high, (start + distance).min(most - CLOSE));
                is_between = is_enough(&high)?;
            }
            if is_between {
                break;
            }
        }
        if !is_between {
            return Ok(None);
        }
        let halves =
            |low: &f64, high: &f64| (high - low > CLOSE).then(|| f64::midpoint(*low, *high));
        let (_, log) = try_bisect(low, high, halves, is_enough)?;
        let noises = self.noises_near(log)?;
        let delta = Some(self.delta(&noises, rate)?);
        Ok(Some(NoiseSchedule { noises, delta, proof: LOSSES }))
    }

    /// An estimate of ln F at which the search starts. There the lines have the Σ nΔ₂²/σ² that
    /// continuous Gaussian noise has for (ε, δ); Laplace noise counts with σ = t.
    fn start(&self, epsilon: &Epsilon, delta: &Delta) -> Result<f64> {
        let sigma = analytic_gaussian::sigma(epsilon, delta, &1u32.into())?.to_f64();
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            let square = spent(line, NoiseKind::DiscreteGaussian).to_f64();
            match self.mechanism {
                NoiseKind::DiscreteGaussian => square / relative.to_f64(),
                NoiseKind::DiscreteLaplace => square / elementary::powi(relative.to_f64(), 2),
            }
        });
        let factor = each.sum::<f64>() * sigma * sigma;
        Ok(match self.mechanism {
            NoiseKind::DiscreteGaussian => elementary::ln(factor),
            NoiseKind::DiscreteLaplace => elementary::ln(factor) / 2.0,
        })
    }
}

/// The enclosure of δ = 0, for a pure guarantee.
fn no_delta() -> Interval {
    Interval::integer(0, 64)
}
