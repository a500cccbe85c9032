//! The noise of honest aggregators on one count, as a window.
//!
//! **Discrete Gaussian**: P(y) ∝ e^(−y²/(2σ²)). The values follow from one another,
//! g(y+1) = g(y)·e^(−(2y+1)/(2σ²)), and are taken afresh every 64 steps. Beyond w the ratio is at
//! most ρ = e^(−(2w+3)/(2σ²)), so that the rest is at most 2·g(w+1)/(1 − ρ). The sum of h of them is
//! P(y) ∝ S_(y mod h)·e^(−y²/(2hσ²)), where S lies within 1 ± η of its mean (`coset_sums`): so it is
//! the distribution of one of parameter hσ² up to the factor (1 + η)/(1 − η), and where that is not next to 1,
//! for σ of about 1 and less, the noises are added up by convolution. **Discrete Laplace**:
//! P(y) ∝ e^(−|y|/t), by [`LogConcaveWindow`].

use dp_calibration::NoiseDistribution;
use dp_exact::{Rational, elementary};

use super::log_concave_window::{LogConcaveWindow, MAX_LENGTH};
use dp_calibration::coset_sums::ripple;
use dp_exact::directed::{
    Bounds, div_up, floor_to_count, index, mul_down, mul_up, sub_down, to_index,
};

/// Number of probabilities that a recurrence computes before it starts afresh.
const RUN: usize = 64;

/// The time of a step of a recurrence, as a multiple of the time of a product of a convolution.
const STEP: f64 = 100.0;

/// The most products of floats that the convolution of two noises may take.
const LONGEST: f64 = 1e7;

/// A relative ripple of probabilities below this one makes no difference to a bound.
const SMOOTH: f64 = 1e-10;

/// The noise of all honest aggregators on one count.
#[derive(Clone, Debug)]
pub(super) enum HonestNoise {
    /// A distribution that is known in a window.
    Known(LogConcaveWindow),
    /// The sum of `summands` discrete Laplace values, P(y) ∝ r^|y|.
    Laplace {
        /// Enclosure of r = e^(−1/t).
        ratio: Bounds,
        /// The number of Laplace values in the sum.
        summands: u32,
    },
}

impl HonestNoise {
    /// The sum of `summands` discrete Gaussian values of parameter σ² = `variance`, with tails followed to
    /// e^−`depth`. `None` where that takes too long.
    pub(super) fn gaussian(variance: &Rational, summands: u32, depth: f64) -> Option<Self> {
        if summands > 1
            && let Some(ripple) = ripple(u64::from(summands), variance)
            && let Some(ripple) = Bounds::of(&ripple)
            && ripple.upper < SMOOTH
        {
            let total = variance * &Rational::from(u64::from(summands));
            return Some(Self::Known(gaussian(&total, depth)?.rippled(ripple.upper)));
        }
        let one = gaussian(variance, depth)?;
        let mut sum = one.clone();
        for _ in 1..summands {
            if index(sum.values.len()) * index(one.values.len()) > LONGEST {
                return None;
            }
            sum = sum.plus(&one, depth)?;
        }
        Some(Self::Known(sum))
    }

    /// The distribution of `count` plus the noise, with tails followed to e^−`depth`. `None` where that takes
    /// too long, or floats do not hold it.
    pub(super) fn added_to(&self, count: LogConcaveWindow, depth: f64) -> Option<LogConcaveWindow> {
        match self {
            Self::Known(noise) => count.plus(noise, depth),
            Self::Laplace { ratio, summands } => {
                let mut sum = count;
                for _ in 0..*summands {
                    sum = sum.plus_laplace(*ratio, depth)?;
                }
                Some(sum)
            }
        }
    }

    /// Estimated work of [`Self::added_to`] and of a curve for a count of `length` values, in
    /// products of a convolution.
    pub(super) fn work(&self, length: usize, depth: f64) -> f64 {
        let length = index(length);
        match self {
            Self::Known(noise) => {
                let noise = index(noise.values.len());
                length * noise + STEP * (length + noise)
            }
            Self::Laplace { ratio, summands } => {
                let summands = f64::from(*summands);
                let reach = 2.0 * depth / -elementary::ln(ratio.upper);
                STEP * summands * (length + reach * summands)
            }
        }
    }
}

/// One discrete Gaussian value of parameter σ² = `variance`, with tails followed to e^−`depth`. `None` if it
/// reaches farther than 2^21.
fn gaussian(variance: &Rational, depth: f64) -> Option<LogConcaveWindow> {
    let reach = (2.0 * variance.to_f64() * depth).sqrt().ceil();
    let reach = to_index(floor_to_count(reach, 1 << 40));
    if reach > MAX_LENGTH / 2 {
        return None;
    }
    let rate = (variance + variance).reciprocal()?;
    let exp = |exponent: u64| -> Option<Bounds> {
        let exponent = Rational::from(exponent) * &rate;
        // e^−690 is below 1e-299, and far below what counts.
        let least = Bounds { lower: 0.0, upper: 1e-299 };
        if exponent > 690 {
            return Some(least);
        }
        Bounds::exp(&-exponent)
    };
    let twice = exp(2)?;
    let mut here = Bounds { lower: 1.0, upper: 1.0 };
    let mut step = here;
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for y in 0..=reach {
        let y64 = y as u64;
        if y % RUN == 0 {
            here = exp(y64 * y64)?;
            step = exp(2 * y64 + 1)?;
        }
        if here.lower <= 0.0 {
            break;
        }
        lower.push(here.lower);
        upper.push(here.upper);
        here = times(here, step);
        step = times(step, twice);
    }
    let next = lower.len() as u64;
    let rest = div_up(exp(next * next)?.upper, sub_down(1.0, exp(2 * next + 1)?.upper));
    let mirrored =
        |half: &[f64]| -> Vec<f64> { half[1..].iter().rev().chain(half).copied().collect() };
    LogConcaveWindow::new(mirrored(&lower), &mirrored(&upper), 2.0 * rest, depth)
}

/// Enclosure of the product of two positive numbers that are enclosed in `one` and `other`.
fn times(one: Bounds, other: Bounds) -> Bounds {
    Bounds {
        lower: mul_down(one.lower, other.lower).max(0.0),
        upper: mul_up(one.upper, other.upper),
    }
}

/// The variance of one aggregator's noise on one count, rounded: no bound. For Gaussian noise it is the
/// parameter σ², which is a little above the variance where σ is below 1.
pub(super) fn variance(noise: &NoiseDistribution) -> f64 {
    match noise {
        NoiseDistribution::DiscreteGaussian { variance } => variance.to_f64(),
        NoiseDistribution::DiscreteLaplace { scale } => {
            let half = elementary::sinh(0.5 / scale.to_f64());
            0.5 / (half * half)
        }
    }
}
