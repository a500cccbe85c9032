//! The cumulant function of a draw of noise, in floating point.

use std::f64::consts::PI;

use dp_exact::elementary;

use super::complex::Complex;
use super::k_norm::KNorm;
use crate::{NoiseDistribution, VectorNoise};

/// The distribution of a draw, its parameter as a float.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FloatNoise {
    /// 1/t for the scale t.
    Laplace(f64),
    /// The variance parameter σ².
    Gaussian(f64),
    /// One entry of a vector.
    KNorm(KNorm),
}

impl FloatNoise {
    /// The noise in one total with its parameter as a float: 1/t of a scale t, or the variance σ².
    pub(super) fn of(noise: &VectorNoise) -> Self {
        match noise {
            VectorNoise::Independent(NoiseDistribution::DiscreteLaplace { scale }) => {
                Self::Laplace(scale.to_f64().recip())
            }
            VectorNoise::Independent(NoiseDistribution::DiscreteGaussian { variance }) => {
                Self::Gaussian(variance.to_f64())
            }
            VectorNoise::DiscreteKNorm { scale, length } => Self::KNorm(KNorm::new(scale, *length)),
        }
    }

    /// ln E[e^(zX)] for a draw X, z = t + iθ.
    ///
    /// - Discrete Laplace noise: 2·ln(1 − q) − ln(1 − qe^z) − ln(1 − qe^(−z)), q = e^(−1/t).
    /// - An entry of K-norm noise: [`KNorm::cumulant`].
    /// - Discrete Gaussian noise: of Σ e^(zx − x²/(2σ²)), or by Poisson's summation of Σ e^(σ²(z −
    ///   2πik)²/2).
    pub(super) fn cumulant(self, z: Complex) -> Complex {
        match self {
            Self::Laplace(rate) => {
                let one = -elementary::exp_m1(-rate);
                let up = Complex { re: z.re - rate, im: z.im }.ln_one_minus_exp();
                let down = Complex { re: -z.re - rate, im: -z.im }.ln_one_minus_exp();
                let both = up.plus(down);
                Complex { re: 2.0 * elementary::ln(one) - both.re, im: -both.im }
            }
            Self::Gaussian(variance) if variance < 1.0 => by_outcomes(variance, z),
            Self::Gaussian(variance) => by_periods(variance, z),
            Self::KNorm(noise) => noise.cumulant(z),
        }
    }
}

/// ln E[e^(zX)] for discrete Gaussian X with σ² < 1, by the 25 integers that count: ln of Σ e^(zx −
/// x²/(2σ²)) over Σ e^(−x²/(2σ²)).
fn by_outcomes(variance: f64, z: Complex) -> Complex {
    let middle = (variance * z.re).round();
    let (mut re, mut im, mut total) = (0.0, 0.0, 0.0);
    for step in -12_i32..=12 {
        let x = middle + f64::from(step);
        // The size of the middle term is taken out.
        let exponent = z.re * (x - middle) - (x * x - middle * middle) / (2.0 * variance);
        let size = elementary::exp(exponent);
        re += size * elementary::cos(x * z.im);
        im += size * elementary::sin(x * z.im);
        total += elementary::exp(-f64::from(step * step) / (2.0 * variance));
    }
    let taken = z.re * middle - middle * middle / (2.0 * variance);
    let mut sum = Complex { re, im }.ln();
    sum.re += taken - elementary::ln(total);
    sum
}

/// ln E[e^(zX)] for discrete Gaussian X with σ² ≥ 1, by Poisson's summation: three periods of θ,
/// the imaginary part of z.
fn by_periods(variance: f64, z: Complex) -> Complex {
    let (mut re, mut im, mut total) = (1.0, 0.0, 1.0);
    for period in [-1.0, 1.0] {
        let turn = 2.0 * PI * period;
        let size = elementary::exp(variance * (turn * z.im - turn * turn / 2.0));
        re += size * elementary::cos(variance * z.re * turn);
        im -= size * elementary::sin(variance * z.re * turn);
        total += elementary::exp(-variance * turn * turn / 2.0);
    }
    let rest = Complex { re, im }.ln();
    Complex {
        re: rest.re - elementary::ln(total) + variance * (z.re * z.re - z.im * z.im) / 2.0,
        im: rest.im + variance * z.re * z.im,
    }
}
