//! The masses of a sum of independent draws of integer noise, by a discrete Fourier transform.

use std::f64::consts::PI;

use dp_exact::{directed, elementary};

use super::complex::Complex;
use super::float_noise::FloatNoise;

/// The masses of a symmetric sum S of draws, and their running sums, each to about 1e-14.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Masses {
    /// P(S = −h), P(S = 1 − h), …, P(S = h − 1).
    masses: Vec<f64>,
    /// P(S ≤ −h), …, P(S ≤ h − 1).
    sums: Vec<f64>,
}

impl Masses {
    /// Of this number of draws of `noise`, whose sum has this variance.
    ///
    /// The masses modulo n = 2h are (1/n)·Σ_j φ(2πj/n)·cos(2πjs/n), φ the real characteristic
    /// function of S. Beyond h = 40 deviations and 40 is less than e^(−40).
    pub(super) fn new(noise: FloatNoise, draws: f64, variance: f64) -> Self {
        let reach = 40.0 * variance.sqrt() + 40.0;
        let length =
            directed::to_index(directed::floor_to_count(reach, 1 << 30)).next_power_of_two() * 2;
        let characteristic = |place: usize| {
            let place = directed::index(place.min(length - place));
            let im = 2.0 * PI * place / directed::index(length);
            // A characteristic function of noise alone is positive: its logarithm is real.
            let size = elementary::exp(draws * noise.cumulant(Complex { re: 0.0, im }).re);
            Complex { re: size, im: 0.0 }
        };
        let transformed = transform((0..length).map(characteristic).collect());
        let half = length / 2;
        let mass = |place: usize| {
            (transformed[(place + half) % length].re / directed::index(length)).max(0.0)
        };
        let masses: Vec<f64> = (0..length).map(mass).collect();
        let mut sum = 0.0;
        let sums = masses.iter().map(|mass| {
            sum += mass;
            sum
        });
        Self { sums: sums.collect(), masses }
    }

    /// Each value that S has but with probability e^(−40), and its mass.
    pub(super) fn values(&self) -> impl Iterator<Item = (f64, f64)> {
        let first = -directed::index(self.masses.len() / 2);
        (0..).map(directed::index).map(move |place| first + place).zip(self.masses.iter().copied())
    }

    /// P(S ≤ `value`) for an integer.
    pub(super) fn at_most(&self, value: f64) -> f64 {
        let place = value + directed::index(self.masses.len() / 2);
        if place < 0.0 {
            return 0.0;
        }
        let place = directed::to_index(directed::floor_to_count(place, 1 << 40));
        self.sums.get(place).copied().unwrap_or(1.0)
    }
}

/// Σ_j v_j·e^(2πijk/n) for k = 0, …, n − 1, n a power of two: of the even and the odd places, each
/// by itself.
fn transform(values: Vec<Complex>) -> Vec<Complex> {
    let length = values.len();
    if length == 1 {
        return values;
    }
    let every_other = |first| transform(values.iter().skip(first).step_by(2).copied().collect());
    let (even, odd) = (every_other(0), every_other(1));
    let turned = |place: usize| {
        let angle = 2.0 * PI * directed::index(place) / directed::index(length);
        let (cos, sin) = (elementary::cos(angle), elementary::sin(angle));
        let Complex { re, im } = odd[place];
        Complex { re: re * cos - im * sin, im: re * sin + im * cos }
    };
    let turned: Vec<Complex> = (0..length / 2).map(turned).collect();
    let sums = even.iter().zip(&turned).map(|(even, odd)| even.plus(*odd));
    let differences = even.iter().zip(&turned).map(|(even, odd)| even.plus(odd.times(-1.0)));
    sums.chain(differences).collect()
}
