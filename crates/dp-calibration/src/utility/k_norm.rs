//! One entry X of a draw of K-norm noise P(z) ∝ q^‖z‖∞ on vectors of d integers, q = e^(−1/t), in
//! floating point.
//!
//! X is uniform on {−S, …, S} for a half side S with P(S = s) ∝ (2s + 1)^d·q^s, and e^(−zS) + … +
//! e^(zS) is sinh((2S + 1)z/2)/sinh(z/2). With the series A_n(x) = Σ_s (2s + 1)^n·x^s
//!
//! ```text
//! E[e^(zX)] = (e^(z/2)·A_{d−1}(q·e^z) − e^(−z/2)·A_{d−1}(q·e^(−z)))/(2·sinh(z/2)·A_d(q)),
//! Var(X) = E[S(S + 1)]/3 = (A_{d+2}(q)/A_d(q) − 1)/12.
//! ```

use std::f64::consts::{LN_2, PI};

use dp_exact::{Rational, directed, elementary};

use super::complex::Complex;

/// Up to this n a series A_n is a quotient of polynomials.
const FEW: u32 = 10;

/// Terms below this fraction of the largest one are omitted.
const NEGLIGIBLE: f64 = 1e-17;

/// The distribution of one entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct KNorm {
    /// 1/t for the scale t.
    pub(super) rate: f64,
    /// d, the number of entries of a draw.
    length: u32,
}

impl KNorm {
    /// The distribution of an entry of draws of `length` entries with this scale.
    pub(super) fn new(scale: &Rational, length: u32) -> Self {
        Self { rate: scale.to_f64().recip(), length }
    }

    /// ln E[e^(zX)] for 0 < |Re z| < 1/t.
    pub(super) fn cumulant(self, z: Complex) -> Complex {
        let Self { rate, length } = self;
        // X is symmetric. With Re z > 0 the upper series is the larger one, and e^(l − u) is small.
        let z = if z.re < 0.0 { z.times(-1.0) } else { z };
        let series = |sign: f64| {
            let power = Complex { re: rate - sign * z.re, im: -sign * z.im };
            ln_series(length - 1, power).plus(z.times(sign / 2.0))
        };
        let (upper, lower) = (series(1.0), series(-1.0));
        // ln(e^u − e^l) = u + ln(1 − e^(l − u)), and 2·sinh(z/2) = e^(z/2)·(1 − e^(−z)).
        let difference = upper.plus(lower.plus(upper.times(-1.0)).ln_one_minus_exp());
        let sinh = z.times(0.5).plus(z.times(-1.0).ln_one_minus_exp());
        let mut sum = difference.plus(sinh.times(-1.0));
        sum.re -= ln_series(length, Complex { re: rate, im: 0.0 }).re;
        sum
    }
}

/// The standard deviation of an entry of draws of `length` entries with this scale.
pub(crate) fn standard_deviation(scale: &Rational, length: u32) -> f64 {
    let rate = Complex { re: scale.to_f64().recip(), im: 0.0 };
    let ratio = ln_series(length + 2, rate).re - ln_series(length, rate).re;
    (elementary::exp_m1(ratio) / 12.0).sqrt()
}

/// ln A_n(e^(−w)) for the `power` w with Re w > 0, up to a multiple of 2πi.
fn ln_series(n: u32, power: Complex) -> Complex {
    if n <= FEW {
        by_polynomial(n, power)
    } else if power.re < 1.0 {
        by_periods(n, power)
    } else {
        by_terms(n, power)
    }
}

/// [`ln_series`] by A_n(x) = B_n(x)/(1 − x)^(n+1), B_n(x) = Σ_j B(n, j)·x^j with the Eulerian
/// numbers of type B (the docs of `dp_samplers::DiscreteKNorm`).
fn by_polynomial(n: u32, power: Complex) -> Complex {
    let mut row = vec![1.0];
    for k in 1..=n {
        row.push(0.0);
        // From the end on, so that the number before is still that of the row before.
        for j in (1..row.len()).rev() {
            let (place, rest) = (directed::index(j), f64::from(k) - directed::index(j));
            row[j] = row[j] * (2.0 * place + 1.0) + row[j - 1] * (2.0 * rest + 1.0);
        }
    }
    let negative = power.times(-1.0);
    let x = negative.exp_m1();
    let x = Complex { re: x.re + 1.0, im: x.im };
    // Horner's rule.
    let polynomial = row.iter().rev().fold(Complex { re: 0.0, im: 0.0 }, |sum, number| Complex {
        re: sum.re * x.re - sum.im * x.im + number,
        im: sum.re * x.im + sum.im * x.re,
    });
    polynomial.ln().plus(negative.ln_one_minus_exp().times(-f64::from(n + 1)))
}

/// [`ln_series`] for n > 10 and 0 < Re w < 1, by Poisson's summation (Lipschitz): A_n(e^(−w)) =
/// e^(w/2)·2^n·n!·Σ_k (−1)^k/(w + 2πik)^(n+1), of which the periods k from −1 to 1 count.
fn by_periods(n: u32, power: Complex) -> Complex {
    let exponent = -f64::from(n + 1);
    let middle = power.ln().times(exponent);
    let (mut re, mut im) = (1.0, 0.0);
    for period in [-1.0, 1.0] {
        let turned = Complex { re: power.re, im: power.im + 2.0 * PI * period };
        let ratio = turned.ln().times(exponent).plus(middle.times(-1.0));
        let size = elementary::exp(ratio.re);
        re -= size * elementary::cos(ratio.im);
        im -= size * elementary::sin(ratio.im);
    }
    let mut sum = Complex { re, im }.ln().plus(middle).plus(power.times(0.5));
    sum.re += f64::from(n) * LN_2 + ln_factorial(f64::from(n));
    sum
}

/// ln n! for n > 10, to 1e-12, by Stirling's series.
fn ln_factorial(n: f64) -> f64 {
    let square = n * n;
    let series =
        1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / (1680.0 * square)) / square) / square;
    (n + 0.5) * elementary::ln(n) - n + elementary::ln(2.0 * PI) / 2.0 + series / n
}

/// [`ln_series`] for n > 10 and Re w ≥ 1, by its terms on both sides of the largest.
fn by_terms(n: u32, power: Complex) -> Complex {
    let middle = (f64::from(n) / power.re - 0.5).round().max(0.0);
    let (mut re, mut im) = (1.0, 0.0);
    for direction in [-1.0, 1.0] {
        let (mut place, mut ln_size) = (middle, 0.0);
        loop {
            let next = place + direction;
            if next < 0.0 {
                break;
            }
            let ratio = (2.0 * next + 1.0) / (2.0 * place + 1.0);
            ln_size += f64::from(n) * elementary::ln(ratio) - power.re * direction;
            let size = elementary::exp(ln_size);
            if size < NEGLIGIBLE {
                break;
            }
            let angle = -power.im * (next - middle);
            re += size * elementary::cos(angle);
            im += size * elementary::sin(angle);
            place = next;
        }
    }
    let largest = f64::from(n) * elementary::ln(2.0 * middle + 1.0);
    let mut sum = Complex { re, im }.ln().plus(power.times(-middle));
    sum.re += largest;
    sum
}
