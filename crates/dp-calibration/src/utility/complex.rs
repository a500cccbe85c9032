//! Complex numbers of floats, with the logarithms that cumulant functions need.

use dp_exact::elementary;

/// A complex number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Complex {
    pub(super) re: f64,
    pub(super) im: f64,
}

impl Complex {
    /// ln z
    pub(super) fn ln(self) -> Self {
        Self {
            re: elementary::ln(elementary::hypot(self.re, self.im)),
            im: elementary::atan2(self.im, self.re),
        }
    }

    /// e^z − 1.
    pub(super) fn exp_m1(self) -> Self {
        let (size, half) = (elementary::exp(self.re), elementary::sin(self.im / 2.0));
        Self {
            re: elementary::exp_m1(self.re) - 2.0 * size * half * half,
            im: size * elementary::sin(self.im),
        }
    }

    /// ln(1 − e^z).
    pub(super) fn ln_one_minus_exp(self) -> Self {
        let Self { re, im } = self.exp_m1();
        Self { re: -re, im: -im }.ln()
    }

    /// ln(1 + p(e^z − 1)).
    pub(super) fn ln_of_bit(self, p: f64) -> Self {
        let Self { re, im } = self.exp_m1();
        let (u, v) = (p * re, p * im);
        Self {
            re: 0.5 * elementary::ln_1p(2.0 * u + u * u + v * v),
            im: elementary::atan2(v, 1.0 + u),
        }
    }

    /// The sum with `other`.
    pub(super) fn plus(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    /// z times a real factor.
    pub(super) fn times(self, factor: f64) -> Self {
        Self { re: self.re * factor, im: self.im * factor }
    }
}
