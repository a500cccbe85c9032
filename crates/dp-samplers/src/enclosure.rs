//! Exponentials of exact arguments, enclosed to a wanted relative precision.

use dp_exact::{Dyadic, Interval, MAX_PRECISION, Rational, Real};

/// `precision` in bits, raised to at least 16 and cut to at most [`MAX_PRECISION`].
pub(crate) fn bounded(precision: u32) -> u32 {
    precision.clamp(16, MAX_PRECISION)
}

/// e^−`exponent` for an exponent of at least 0, enclosed with a relative width of about
/// 2^−`precision`. A number below 2^(−2^40) is enclosed between 0 and that bound.
pub(crate) fn exp_minus(exponent: &Rational, precision: u32) -> Interval {
    // The argument loses as many bits as its integer part has; 2^41 is beyond every exponent.
    let whole_bits = u32::try_from(exponent.floor().bits().min(41)).expect("at most 41");
    let precision = precision.saturating_add(whole_bits + 8);
    let power = Interval::rational(&-exponent, precision).exp();
    power.expect("only a positive power of e may be too large")
}

/// e^−γ for the γ ≥ 0 inside.
#[derive(Clone, Debug)]
pub(crate) struct ExpMinus(pub(crate) Rational);

impl Real for ExpMinus {
    fn enclose(&self, precision: u32) -> Interval {
        exp_minus(&self.0, precision)
    }
}

/// 1 − e^−`rate` for a rate above 0, enclosed with a relative width of about 2^−`precision`,
/// however small the number is.
pub(crate) fn one_minus_exp_minus(rate: &Rational, precision: u32) -> Interval {
    let precision = precision.saturating_add(8);
    let difference = Interval::rational(&-rate, precision).exp_m1();
    -difference.expect("only a positive power of e may be too large")
}

/// [0, 1], which contains every probability.
pub(crate) fn unit(precision: u32) -> Interval {
    Interval::hull_of(Dyadic::new(0, 0), Dyadic::new(1, 0), precision)
}
