//! The noise of honest aggregators on one count. Discrete Gaussian noise is a window, of several
//! aggregators by one of parameter hσ² up to a factor (`coset_sums`) or by convolution; discrete
//! Laplace noise is added by a recurrence.

use dp_exact::{Rational, Shift, elementary};

use crate::log_concave_window::LogConcaveWindow;
use dp_calibration::for_amplification::ripple;
use dp_exact::directed::{Bounds, index};

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
    /// The sum of `summands` discrete Gaussian values of parameter σ² = `variance`, with tails
    /// followed to e^−`depth`. `None` where that takes too long, or floats do not hold it.
    pub(super) fn gaussian(variance: &Rational, summands: u32, depth: f64) -> Option<Self> {
        if summands > 1
            && let Some(ripple) = ripple(u64::from(summands), variance)
            && let Some(ripple) = Bounds::of(&ripple)
            && ripple.upper < SMOOTH
        {
            let total = variance * &Rational::from(u64::from(summands));
            let window = LogConcaveWindow::gaussian(&total, Shift::Zero, depth)?;
            return Some(Self::Known(window.rippled(ripple.upper)));
        }
        let one = LogConcaveWindow::gaussian(variance, Shift::Zero, depth)?;
        let mut sum = one.clone();
        for _ in 1..summands {
            if index(sum.values.len()) * index(one.values.len()) > LONGEST {
                return None;
            }
            sum = sum.plus(&one, depth)?;
        }
        Some(Self::Known(sum))
    }

    /// `count` plus the noise, with tails to e^−`depth`; `None` if that takes too long, or is not
    /// known precisely enough.
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

    /// About the work of [`Self::added_to`] and of a curve for `length` values, in products.
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
