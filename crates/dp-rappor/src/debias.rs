//! From the count of randomized bits to an estimate of the count of true bits.
//!
//! Of n reports let b hold a true bit at some coordinate, and let y be the number that report it as
//! true. With flip probability p the expectation of y is b·(1 − p) + (n − b)·p and its variance
//! n·p·(1 − p), for every b. With p = 1/(e^ε₀ + 1) and x = e^(−ε₀),
//!
//! ```text
//! estimate           = (y − n·p)/(1 − 2p) = (y·(e^ε₀ + 1) − n)/(e^ε₀ − 1) = y + (2y − n)·x/(1 − x)
//! standard deviation = √(n·p·(1 − p))/(1 − 2p) = √(n·e^ε₀)/(e^ε₀ − 1)     = √(n·x)/(1 − x)
//! ```
//!
//! The form in x does not overflow for a huge ε₀. It may cancel, and 1 − x does for a tiny ε₀:
//! the precision grows until a float is decided.
//!
//! k-ary randomized response differs in one number, k where there is a 2
//! (`kary/debias.rs`).

use dp_exact::{Interval, refine};
use num_bigint::BigInt;

use crate::flip::FlipProbability;
use crate::{Estimate, SymmetricRappor};

impl SymmetricRappor {
    /// The unbiased estimate of the number of reports whose true bit is set, from the `count` of
    /// `reports` that arrived with the bit set: (count·(e^ε₀ + 1) − reports)/(e^ε₀ − 1).
    ///
    /// The count may carry further noise, so it may be negative or exceed `reports`. The result
    /// is less than one unit in the last place off the exact value, for every ε₀; beyond the
    /// range of `f64` it is an infinity, and it is never NaN.
    pub fn debias(&self, count: impl Into<BigInt>, reports: u64) -> f64 {
        let count = count.into();
        to_float(|precision| self.debias_enclosed(count.clone(), reports, precision))
    }

    /// An enclosure of the number that [`debias`](Self::debias) rounds, computed with at least
    /// `precision` bits.
    ///
    /// `None` if this precision does not distinguish e^(−ε₀) from 1.
    pub fn debias_enclosed(
        &self,
        count: impl Into<BigInt>,
        reports: u64,
        precision: u32,
    ) -> Option<Interval> {
        unbiased(self.flip(), 2, &count.into(), reports, precision)
    }

    /// The standard deviation of [`debias`](Self::debias) at one coordinate over `reports` reports,
    /// √(reports·e^ε₀)/(e^ε₀ − 1). It does not depend on the true bits.
    ///
    /// Less than one unit in the last place off the exact value; 0 or infinite where that lies
    /// beyond the range of `f64`.
    #[must_use]
    pub fn standard_deviation(&self, reports: u64) -> f64 {
        deviation(self.flip(), reports)
    }

    /// [`debias`](Self::debias) with its [`standard_deviation`](Self::standard_deviation).
    pub fn estimate(&self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        Estimate {
            value: self.debias(count, reports),
            standard_error: self.standard_deviation(reports),
        }
    }
}

/// The unbiased estimate y + (k·y − n)·x/(1 − x), enclosed, in reports. y = `count` of n =
/// `reports` show the answer; x = e^(−ε₀) are the odds of a flip. k = `answers`, 2 for bits. `None`
/// if `precision` bits do not distinguish x from 1.
pub(crate) fn unbiased(
    odds: &FlipProbability,
    answers: u32,
    count: &BigInt,
    reports: u64,
    precision: u32,
) -> Option<Interval> {
    let slope = odds.slope(precision)?;
    let number = |value: BigInt| Interval::integer(value, slope.precision());
    let excess = count * answers - BigInt::from(reports);
    Some(number(count.clone()) + number(excess) * &slope)
}

/// √(n·x)/(1 − x), the standard deviation, in reports, of a debiased count of n = `reports` bits;
/// less than one unit in the last place off. x = e^(−ε₀) are the odds of a flip.
pub(crate) fn deviation(odds: &FlipProbability, reports: u64) -> f64 {
    to_float(|precision| {
        let x = odds.odds(precision);
        let reports = Interval::integer(reports, x.precision());
        let root = (reports * x).sqrt()?;
        root.checked_div(&odds.one_minus_odds(precision))
    })
}

/// A float next to an estimate or deviation, which `enclose` encloses with a given number of bits.
///
/// 2^14 bits always give one: both ends of an enclosure narrower than half the distance of the
/// floats around it are rounded to one float, or to neighbours. With s = x/(1 − x), an estimate y +
/// (k·y − n)·s adds two numbers of one sign, and a deviation has one term, where y < 0 or y ≥ n/k:
/// both are known within a factor of 1 ± 2^−16000, as e^−ε₀ loses at most 41 bits where it is not
/// below 2^(−2^40), which is 0 beside any y. Else |k·y − n| ≤ n < 2^64, and s < 2^4097, as ε₀ has
/// at most 4096 bits: the enclosure is narrower than 2^−11000, and the least float is 2^−1074.
pub(crate) fn to_float(enclose: impl Fn(u32) -> Option<Interval>) -> f64 {
    let float = refine(|precision| {
        let value = enclose(precision)?;
        let (lower, upper) = (value.lower().to_f64(), value.upper().to_f64());
        (upper <= lower.next_up()).then_some(lower)
    });
    float.expect("2^14 bits bring both ends to one float, or to neighbours")
}
