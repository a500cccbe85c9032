//! Elementary functions of floating point numbers that have the same bits on every platform.
//!
//! IEEE 754 fixes the results of +, −, ·, / and √. Those of `f64::exp` and its like it does not: they are the
//! platform's C library's, and differ in the last bit between platforms and versions. What is computed with them may
//! steer a search or place the nodes of a bound; then every further digit depends on them, although the bound holds
//! whatever they are. So this library takes the functions of the crate `libm`, which are compiled from one source
//! for every platform and use nothing but the arithmetic that IEEE 754 fixes.
//!
//! They are close to the true values, mostly to a unit in the last place, and **prove nothing**: what must be proved is
//! computed by [`crate::Interval`] or with directed rounding ([`crate::directed`]).
//!
//! ```
//! use dp_exact::elementary::{exp, ln, powi};
//!
//! assert_eq!(ln(exp(1.0)), 1.0);
//! assert_eq!(powi(1.5, -2), 1.0 / 2.25);
//! ```

/// e^x.
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// e^x − 1, precise near 0.
#[must_use]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// The natural logarithm.
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// ln(1 + x), precise near 0.
#[must_use]
pub fn ln_1p(x: f64) -> f64 {
    libm::log1p(x)
}

/// The logarithm to base 2.
#[must_use]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// The logarithm to base 10.
#[must_use]
pub fn log10(x: f64) -> f64 {
    libm::log10(x)
}

/// x to the power of a real number.
#[must_use]
pub fn powf(x: f64, power: f64) -> f64 {
    libm::pow(x, power)
}

/// x to the power of an integer, by squaring.
#[must_use]
pub fn powi(x: f64, power: i32) -> f64 {
    let mut rest = power.unsigned_abs();
    let (mut square, mut product) = (x, 1.0);
    while rest > 0 {
        if rest % 2 == 1 {
            product *= square;
        }
        square *= square;
        rest /= 2;
    }
    match power < 0 {
        true => 1.0 / product,
        false => product,
    }
}

/// (e^x − e^−x)/2.
#[must_use]
pub fn sinh(x: f64) -> f64 {
    libm::sinh(x)
}

/// (e^x + e^−x)/2.
#[must_use]
pub fn cosh(x: f64) -> f64 {
    libm::cosh(x)
}

/// sinh(x)/cosh(x).
#[must_use]
pub fn tanh(x: f64) -> f64 {
    libm::tanh(x)
}

/// The inverse of [`sinh`].
#[must_use]
pub fn asinh(x: f64) -> f64 {
    libm::asinh(x)
}

/// The sine of an angle in radians.
#[must_use]
pub fn sin(x: f64) -> f64 {
    libm::sin(x)
}

/// The cosine of an angle in radians.
#[must_use]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// The angle in radians, from −π to π, of the point (x, y).
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// √(x² + y²), without overflow.
#[must_use]
pub fn hypot(x: f64, y: f64) -> f64 {
    libm::hypot(x, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Named = (&'static str, fn(f64) -> f64);

    /// Values that a C library gives differently: of ten thousand arguments each function has these bits on every
    /// platform, summed up.
    #[test]
    fn the_bits_are_those_on_file() {
        let functions: [Named; 14] = [
            ("exp", exp),
            ("exp_m1", exp_m1),
            ("ln", |x| ln(x.abs())),
            ("ln_1p", |x| ln_1p(x.abs())),
            ("log2", |x| log2(x.abs())),
            ("log10", |x| log10(x.abs())),
            ("powf", |x| powf(x.abs(), 1.7)),
            ("sinh", sinh),
            ("cosh", cosh),
            ("tanh", tanh),
            ("asinh", asinh),
            ("sin", sin),
            ("cos", cos),
            ("atan2", |x| atan2(x, 1.7)),
        ];
        let sums = functions.map(|(name, function)| {
            let bits = |i: i32| function(f64::from(i - 5_000) / 677.3).to_bits();
            let sum = (0..10_000).map(bits).fold(0_u64, |sum, bits| sum.rotate_left(5) ^ bits);
            format!("{name} {sum:016x}")
        });
        let on_file = [
            "exp 7ced7d2aedb32585",
            "exp_m1 bba6e3ca599d2745",
            "ln 1552a4d2e9253916",
            "ln_1p 04730111cd1329d5",
            "log2 f2d515daa172a7a6",
            "log10 4084068d6f534a1f",
            "powf 9ba2ad000d073afb",
            "sinh 3c9b155b975cc428",
            "cosh be98b82954f50cc0",
            "tanh 990e23a5a3e1723c",
            "asinh c5b2407566ef2f93",
            "sin 6f206cf4246ed639",
            "cos e1c25f6f7266624a",
            "atan2 1b7f34560167b85d",
        ];
        assert_eq!(sums, on_file);
    }

    #[test]
    fn integer_powers_are_products() {
        for (power, expected) in [(0, 1.0), (1, 1.1), (2, 1.1 * 1.1), (-1, 1.0 / 1.1)] {
            assert_eq!(powi(1.1, power), expected);
        }
        let square = 1.1 * 1.1;
        assert_eq!(powi(1.1, 3), 1.1 * square);
        assert_eq!(powi(2.0, 1023), f64::MAX / 2.0 + f64::powi(2.0, 970));
        assert_eq!(powi(2.0, i32::MIN), 0.0);
        assert_eq!(powi(-2.0, -3), -0.125);
    }

    #[test]
    fn a_hypotenuse_does_not_overflow() {
        assert_eq!(hypot(3e300, 4e300), 5e300);
    }
}
