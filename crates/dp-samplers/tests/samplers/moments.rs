//! Mean and second moment of the draws against the exact moments.
//!
//! Each average is within 7.5 of its standard errors; a normal average exceeds that with
//! probability 7e-14, which leaves room for the skewness of averages of 100 000 squares.

use dp_samplers::{DiscreteGaussian, DiscreteLaplace, Geometric};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::chi_square::{DRAWS, rng};
use crate::distributions::{power_of_two, rational};

/// E(X), E(X²) and E(X⁴) of a distribution.
pub(crate) struct Moments(pub(crate) f64, pub(crate) f64, pub(crate) f64);

/// Whether the averages of [`DRAWS`] draws, and of their squares, are within 7.5 standard errors of
/// the moments.
pub(crate) fn agree(moments: &Moments, mut draw: impl FnMut() -> BigInt) -> bool {
    let Moments(mean, second, fourth) = *moments;
    let count = f64::from(DRAWS);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..DRAWS {
        let value = draw().to_f64().expect("finite");
        sum += value;
        squares += value * value;
    }
    let within = |average: f64, expected: f64, variance: f64| {
        (average - expected).abs() <= 7.5 * (variance / count).sqrt()
    };
    within(sum / count, mean, second - mean * mean)
        && within(squares / count, second, fourth - second * second)
}

/// Moments of the geometric distribution of scale t, in closed form with q = e^(−1/t).
fn geometric_moments(scale: f64) -> Moments {
    let (q, p) = ((-1.0 / scale).exp(), -(-1.0 / scale).exp_m1());
    let fourth = q * (1.0 + 11.0 * q + 11.0 * q * q + q.powi(3)) / p.powi(4);
    Moments(q / p, q * (1.0 + q) / (p * p), fourth)
}

pub(crate) fn laplace_moments(scale: f64) -> Moments {
    let (q, p) = ((-1.0 / scale).exp(), -(-1.0 / scale).exp_m1());
    let fourth = 2.0 * q * (1.0 + 10.0 * q + q * q) / p.powi(4);
    Moments(0.0, 2.0 * q / (p * p), fourth)
}

/// Moments of the discrete Gaussian, summed for a variance of up to 30. Beyond, they are the
/// moments of the continuous distribution up to a factor 1 ± e^(−2π²·30)·10⁴.
pub(crate) fn gaussian_moments(variance: f64) -> Moments {
    if variance > 30.0 {
        return Moments(0.0, variance, 3.0 * variance * variance);
    }
    let (mut total, mut second, mut fourth) = (0.0, 0.0, 0.0);
    for x in -100..=100 {
        let square = f64::from(x * x);
        let weight = (-square / (2.0 * variance)).exp();
        total += weight;
        second += weight * square;
        fourth += weight * square * square;
    }
    Moments(0.0, second / total, fourth / total)
}

#[test]
fn geometric_draws_have_the_exact_moments() {
    for (seed, scale) in (600..).zip([rational("2/5"), rational("20"), power_of_two(80)]) {
        let distribution = Geometric::new(&scale).unwrap();
        let mut rng = rng(seed);
        assert!(
            agree(&geometric_moments(scale.to_f64()), || distribution.sample(&mut rng).into()),
            "{scale}"
        );
    }
}

#[test]
fn discrete_laplace_draws_have_the_exact_moments() {
    for (seed, scale) in (610..).zip([rational("2/5"), rational("20"), power_of_two(80)]) {
        let distribution = DiscreteLaplace::new(&scale).unwrap();
        let mut rng = rng(seed);
        assert!(
            agree(&laplace_moments(scale.to_f64()), || distribution.sample(&mut rng)),
            "{scale}"
        );
    }
}

#[test]
fn discrete_gaussian_draws_have_the_exact_moments() {
    for (seed, variance) in (620..).zip([rational("1/4"), rational("27"), power_of_two(80)]) {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut rng = rng(seed);
        assert!(
            agree(&gaussian_moments(variance.to_f64()), || distribution.sample(&mut rng)),
            "{variance}"
        );
    }
}
