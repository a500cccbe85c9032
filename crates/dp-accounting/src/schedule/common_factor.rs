//! The common factor of all parameters of a schedule.

use dp_calibration::{Budget, Error, NoiseDistribution, analytic_gaussian};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rho, Rounding, elementary};

use super::proportions::spent;
use super::{NoiseFamily, NoiseSchedule, ScheduleProof, ScheduledQuery};
use crate::accountant::added;
use crate::{Accountant, AccountedMechanism};

/// Significant digits of a noise parameter.
const DIGITS: usize = 13;

/// The most factors that are tried in the search for the one that keeps the budget.
const MOST_STEPS: u32 = 12;

/// Attempts at a factor that is certainly enough, and at one that is certainly not.
const ATTEMPTS: i32 = 12;

/// Lines with noise parameters in given proportions; a common factor F scales all of them.
pub(super) struct ScaledSchedule<'a> {
    lines: &'a [ScheduledQuery],
    mechanism: NoiseFamily,
    /// The parameter, σ² or t, of each line at the factor 1.
    relative: Vec<Rational>,
}

/// A factor F that was tried; floats that are no bounds.
#[derive(Clone, Copy)]
struct FactorTrial {
    /// The natural logarithm of the factor F.
    place: f64,
    /// The value of ln(δ/target) at F, from the middle of the enclosure of δ or its upper end.
    excess: f64,
    /// The width of the enclosure of ln δ at F.
    width: f64,
}

impl<'a> ScaledSchedule<'a> {
    /// These `lines`, with the `relative` parameters at F = 1.
    pub(super) fn new(
        lines: &'a [ScheduledQuery],
        mechanism: NoiseFamily,
        relative: Vec<Rational>,
    ) -> Self {
        Self { lines, mechanism, relative }
    }

    /// The least noise in the given proportions that keeps the budget.
    pub(super) fn solve(&self, budget: &Budget) -> Result<NoiseSchedule, Error> {
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

    /// The noise of each line at F = `factor`, with parameters rounded up to `digits` digits, or
    /// exact if that is `None`.
    fn noises_at(&self, factor: &Rational, digits: Option<usize>) -> Vec<NoiseDistribution> {
        let parameter = |relative: &Rational| {
            let exact = relative * factor;
            digits.map_or(exact.clone(), |digits| exact.round_to_digits(digits, Rounding::Up))
        };
        self.relative.iter().map(|relative| self.mechanism.noise(parameter(relative))).collect()
    }

    /// Upper bound on what all lines spend at F = 1: Σ 2ρ of Gaussian or Σ ε of Laplace noise. At
    /// another F the sum is this bound over F.
    fn spent_at_one(&self) -> Rational {
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            spent(line, self.mechanism).checked_div(relative).unwrap_or_else(Rational::zero)
        });
        added(&each.collect::<Vec<_>>(), Rounding::Up)
    }

    /// The Laplace noise whose largest losses add up to ε: Σ nΔ₁/t = ε over all lines, exactly.
    fn pure(&self, epsilon: &Epsilon) -> Result<NoiseSchedule, Error> {
        if self.mechanism == NoiseFamily::Gaussian {
            let accepted = "a budget with a delta or a rho: Gaussian noise has no pure guarantee";
            return Err(Error::parameter("epsilon", epsilon, accepted));
        }
        let noises = self.noises_at(&self.pure_factor(epsilon)?, None);
        Ok(NoiseSchedule::unrefuted(noises, none_spent(), Some(0.0), ScheduleProof::Pure))
    }

    /// The factor F at which the largest Laplace losses of all lines add up to ε, rounded up.
    fn pure_factor(&self, epsilon: &Epsilon) -> Result<Rational, Error> {
        let factor = self.spent_at_one().checked_div(epsilon.value());
        factor.ok_or_else(|| Error::parameter("epsilon", epsilon, "a number greater than 0"))
    }

    /// The Gaussian noise whose ρ adds up to `rho`: Σ nΔ₂²/(2σ²) = ρ, exactly.
    fn concentrated(&self, rho: &Rho) -> Result<NoiseSchedule, Error> {
        let twice = rho.value() + rho.value();
        let factor = self.spent_at_one().checked_div(&twice);
        let factor = factor.filter(|_| self.mechanism == NoiseFamily::Gaussian);
        let refused = || {
            let accepted = "a budget with an epsilon, as it is laplace noise";
            Error::parameter("rho", rho, accepted)
        };
        let noises = self.noises_at(&factor.ok_or_else(refused)?, None);
        Ok(NoiseSchedule::unrefuted(noises, None, Some(0.0), ScheduleProof::Concentrated))
    }

    /// Enclosure of the δ of all releases together at ε, with these `noises` for the lines.
    fn delta(&self, noises: &[NoiseDistribution], epsilon: &Epsilon) -> Result<Interval, Error> {
        let mut accountant = Accountant::new();
        for (line, law) in self.lines.iter().zip(noises) {
            let (law, difference) = (law.clone(), line.difference.clone());
            accountant.add(AccountedMechanism::Noise { law, difference }, line.times)?;
        }
        accountant.quick_delta(epsilon)
    }

    /// The least noise for (ε, δ) by the distribution of all losses, or Laplace noise by the
    /// largest losses where that noise is less.
    fn approximate(&self, epsilon: &Epsilon, delta: &Delta) -> Result<NoiseSchedule, Error> {
        let pure = match self.mechanism {
            NoiseFamily::Laplace => Some(self.pure_factor(epsilon)?),
            NoiseFamily::Gaussian => None,
        };
        let most = pure.as_ref().map_or(f64::MAX, |pure| elementary::ln(pure.to_f64()));
        match (self.by_losses(epsilon, delta, most), pure) {
            (Ok(Some(found)), _) => Ok(found),
            (_, Some(pure)) => {
                let (noises, proof) = (self.noises_at(&pure, None), ScheduleProof::PureToo);
                Ok(NoiseSchedule::unrefuted(noises, none_spent(), None, proof))
            }
            (Err(error), None) => Err(error),
            (Ok(None), None) => {
                let accepted = "a budget that Gaussian noise of these lines can keep";
                Err(Error::parameter("delta", delta, accepted))
            }
        }
    }

    /// The least noise for (ε, δ) that is found by the distribution of all losses with ln F below
    /// `most`; `None` where none is found.
    fn by_losses(
        &self,
        epsilon: &Epsilon,
        delta: &Delta,
        most: f64,
    ) -> Result<Option<NoiseSchedule>, Error> {
        let target = dp_calibration::accepted::delta(delta)?;
        let log_target = Interval::rational(target, 64).ln().map_or(f64::MIN, |log| log.midpoint());
        let noises = |place: f64| -> Result<Vec<NoiseDistribution>, Error> {
            Ok(self.noises_at(&Rational::from_f64(elementary::exp(place))?, Some(DIGITS)))
        };
        let tried = |place: f64| -> Result<FactorTrial, Error> {
            let found = self.delta(&noises(place)?, epsilon)?;
            let (lower, upper) = (found.lower().to_f64(), found.upper().to_f64());
            let width = if lower > 0.0 { elementary::ln(upper / lower) } else { 1.0 };
            let log = |value: f64| elementary::ln(value.max(1e-320));
            Ok(FactorTrial {
                place,
                excess: f64::midpoint(log(lower), log(upper)).max(log(upper) - 1.0) - log_target,
                width,
            })
        };
        let found = near_zero(tried, self.start(epsilon, delta)?.min(most - 1e-3), most)?;
        // From both sides, by as much as the width of the enclosure asks for, and then more.
        let (slope, near) = (found.1, found.0);
        let least = (near.width / slope.abs()).max(1e-11);
        let middle = near.place - near.excess / slope;
        let mut enough: Option<(Vec<NoiseDistribution>, Interval)> = None;
        for attempt in 0..ATTEMPTS {
            let place = middle + least * elementary::powi(2f64, attempt);
            if place >= most {
                break;
            }
            let noises = noises(place)?;
            let delta = self.delta(&noises, epsilon)?;
            if delta.upper().cmp_rational(target).is_le() {
                enough = Some((noises, delta));
                break;
            }
        }
        let Some((enough, delta)) = enough else {
            return Ok(None);
        };
        let mut refuted = None;
        for attempt in 0..ATTEMPTS {
            let candidates = noises(middle - least * elementary::powi(2f64, attempt))?;
            match self.delta(&candidates, epsilon) {
                Ok(delta) if delta.lower().cmp_rational(target).is_gt() => {
                    refuted = Some(candidates);
                    break;
                }
                _ => {}
            }
        }
        Ok(Some(NoiseSchedule {
            gap: refuted.as_ref().map(|refuted| gap(&enough, refuted)),
            noises: enough,
            delta: Some(delta),
            refuted,
            proof: ScheduleProof::Losses,
        }))
    }

    /// ln F at which continuous Gaussian noise of one release with equal Σ nΔ₂²/σ² has (ε, δ),
    /// rounded: the start of the search, no bound.
    fn start(&self, epsilon: &Epsilon, delta: &Delta) -> Result<f64, Error> {
        let sigma = analytic_gaussian::sigma(epsilon, delta, &1u32.into())?.to_f64();
        let each = self.lines.iter().zip(&self.relative).map(|(line, relative)| {
            let square = spent(line, NoiseFamily::Gaussian).to_f64();
            match self.mechanism {
                NoiseFamily::Gaussian => square / relative.to_f64(),
                NoiseFamily::Laplace => square / elementary::powi(relative.to_f64(), 2),
            }
        });
        let factor = each.sum::<f64>() * sigma * sigma;
        Ok(match self.mechanism {
            NoiseFamily::Gaussian => elementary::ln(factor),
            NoiseFamily::Laplace => elementary::ln(factor) / 2.0,
        })
    }
}

/// The δ of a pure guarantee: 0.
fn none_spent() -> Option<Interval> {
    Some(Interval::integer(0, 64))
}

/// A trial with ln F below `most` whose excess is about 0, and the slope of the falling `function`
/// there. No bounds.
fn near_zero(
    function: impl Fn(f64) -> Result<FactorTrial, Error>,
    start: f64,
    most: f64,
) -> Result<(FactorTrial, f64), Error> {
    let mut before = function(start)?;
    let mut slope = -10.0;
    let (mut low, mut high) = (f64::MIN, most);
    for step in 0..MOST_STEPS {
        if before.excess > 0.0 {
            low = low.max(before.place);
        } else {
            high = high.min(before.place);
        }
        let enough = before.excess.abs() <= before.width.max(1e-10) && step > 0;
        if enough {
            break;
        }
        let mut next = before.place - (before.excess / slope).clamp(-1.0, 1.0);
        if next <= low || next >= high {
            next = match (low > f64::MIN, high < f64::MAX) {
                (true, true) => f64::midpoint(low, high),
                _ => next.clamp(low, high - 1e-6),
            };
        }
        let found = function(next)?;
        let rise = (found.excess - before.excess) / (found.place - before.place);
        if rise < -0.1 {
            slope = rise;
        }
        before = found;
    }
    Ok((before, slope))
}

/// The largest relative distance by which a parameter exceeds the refuted parameter of its line,
/// rounded: no bound.
pub(super) fn gap(noises: &[NoiseDistribution], refuted: &[NoiseDistribution]) -> f64 {
    let pairs = noises.iter().zip(refuted);
    let above = |(one, other): (&NoiseDistribution, &NoiseDistribution)| {
        let share = one.parameter().1.checked_div(other.parameter().1);
        share.map_or(f64::INFINITY, |share| (share - Rational::one()).to_f64())
    };
    pairs.map(above).fold(0.0, f64::max)
}
