//! The probability that a bit is flipped.
//!
//! ```text
//! p = 1/(e^ε₀ + 1) = x/(1 + x)     with the odds of a flip x = p/(1 − p) = e^(−ε₀)
//! ```
//!
//! For rational ε₀ > 0 the number x is transcendental (Lindemann 1882), so it is only known by
//! enclosures. All formulas are written in x, as e^ε₀ may be too large for any number.

use dp_exact::{Epsilon, Interval, Rational, Real, elementary};

/// Bits of working precision beyond the bits that are asked for.
const GUARD_BITS: u32 = 16;

/// Bits of the enclosures that are kept ready, guard bits included.
const READY_PRECISION: u32 = 128;

/// p = 1/(e^ε₀ + 1), the probability that a bit is flipped, and numbers that derive from it.
#[derive(Clone, Debug)]
pub(crate) struct FlipProbability {
    /// −ε₀
    minus_epsilon0: Rational,
    /// x = e^(−ε₀), to [`READY_PRECISION`] bits.
    odds: Interval,
    /// 1 − x, to [`READY_PRECISION`] bits.
    one_minus_odds: Interval,
    /// x/(1 − x), to [`READY_PRECISION`] bits; `None` if so few bits do not distinguish x from 1.
    slope: Option<Interval>,
}

impl FlipProbability {
    /// The flip probability of ε₀, with enclosures of 128 bits that are kept.
    pub(crate) fn new(epsilon0: &Epsilon) -> Self {
        let minus_epsilon0 = -epsilon0.value();
        let exponent = Interval::rational(&minus_epsilon0, READY_PRECISION);
        let (odds, one_minus_odds) = (power(&exponent), one_minus_power(&exponent));
        Self { slope: odds.checked_div(&one_minus_odds), odds, one_minus_odds, minus_epsilon0 }
    }

    /// The odds x = e^(−ε₀) of a flip, enclosed with at least `precision` bits.
    pub(crate) fn odds(&self, precision: u32) -> Interval {
        self.exponent(precision).map_or_else(|| self.odds.clone(), |exponent| power(&exponent))
    }

    /// 1 − x for the odds x of a flip, with a relative width of about 2^−`precision` also where ε₀
    /// is tiny.
    pub(crate) fn one_minus_odds(&self, precision: u32) -> Interval {
        let exponent = self.exponent(precision);
        exponent.map_or_else(|| self.one_minus_odds.clone(), |exponent| one_minus_power(&exponent))
    }

    /// −ε₀ with 16 bits more than `precision`; `None` if the enclosures that are kept have that
    /// many bits.
    fn exponent(&self, precision: u32) -> Option<Interval> {
        let precision = precision.saturating_add(GUARD_BITS);
        (precision > READY_PRECISION).then(|| Interval::rational(&self.minus_epsilon0, precision))
    }

    /// x/(1 − x) for the odds x of a flip, enclosed. A debiased count exceeds the count y of n
    /// reports by (2y − n) times x/(1 − x).
    ///
    /// `None` if this precision does not distinguish x from 1.
    pub(crate) fn slope(&self, precision: u32) -> Option<Interval> {
        match self.exponent(precision) {
            None => self.slope.clone(),
            Some(exponent) => power(&exponent).checked_div(&one_minus_power(&exponent)),
        }
    }

    /// The odds e^(−ε₀) of a flip as a float, for utility figures; 0 if they are below every float.
    pub(crate) fn odds_float(&self) -> f64 {
        elementary::exp(self.minus_epsilon0.to_f64())
    }

    /// The probability p^f·(1 − p)^(length − f) of one pattern of flips over `length` coordinates
    /// with f = `flipped` flips; 0 if there are more flips than coordinates.
    pub(crate) fn of_pattern(&self, flipped: u32, length: u32, precision: u32) -> Interval {
        let Some(kept) = length.checked_sub(flipped) else {
            return Interval::integer(0, precision);
        };
        // p^f·(1 − p)^k = x^f·(1 − p)^(f + k)
        let odds = self.odds(precision).powi(flipped);
        odds * self.complement(precision).powi(kept + flipped)
    }

    /// 1 − p = 1/(1 + x), the probability that a bit is kept, enclosed with at least `precision`
    /// bits, for the odds x of a flip.
    pub(crate) fn complement(&self, precision: u32) -> Interval {
        let odds = self.odds(precision);
        let one = Interval::integer(1, odds.precision());
        one.checked_div(&(&one + &odds)).expect("1 + x is at least 1")
    }
}

impl Real for FlipProbability {
    fn enclose(&self, precision: u32) -> Interval {
        self.odds(precision) * self.complement(precision)
    }
}

/// e^`exponent`, for an exponent below 0.
fn power(exponent: &Interval) -> Interval {
    exponent.exp().expect("only a positive power of e may be too large")
}

/// 1 − e^`exponent`, for an exponent below 0.
fn one_minus_power(exponent: &Interval) -> Interval {
    -exponent.exp_m1().expect("only a positive power of e may be too large")
}
