//! Unary encoding: every bit of a vector is reported as one with probability p if it is set, and
//! with q if it is not.
//!
//! ```text
//! P(output = y | input = b) = ∏ᵢ rᵢ^[yᵢ = 1]·(1 − rᵢ)^[yᵢ = 0],     rᵢ = p if bᵢ = 1, else q
//! ```
//!
//! Source: Wang, Blocki, Li, Jha, "Locally Differentially Private Protocols for Frequency
//! Estimation" (USENIX Security 2017), section 4. With p + q = 1 it is [`crate::SymmetricRappor`].
//! One after another, two of them are the permanent and the instantaneous response of Erlingsson,
//! Pihur, Korolova, "RAPPOR" (CCS 2014), section 3. `docs/two-probabilities.md` has the proofs.

use alloc::sync::Arc;
use core::iter::zip;

use dp_exact::{Epsilon, Interval, ParameterError, PrecisionError, Rational, Rounding};
use num_bigint::BigInt;
#[cfg(not(feature = "std"))]
use num_traits::Float as _;
use rand_core::CryptoRng;
use zeroize::zeroize_stack;

use super::block::{Flips, STACK};
use super::deposit::{WORDS, select};
use crate::{Error, Estimate};

/// Bits of the enclosures from which the best pair is rounded.
const PRECISION: u32 = 192;

/// Significant digits of the best pair.
const DIGITS: usize = 12;

/// Unary encoding: reports a set bit as one with probability exactly p, and another one with
/// exactly q < p.
///
/// ```
/// use dp_rappor::{UnaryEncoding, os_rng};
///
/// let bits = UnaryEncoding::new("0.75".parse()?, "0.05".parse()?)?;
/// // A bucket that is replaced by another: p(1 − q)/(q(1 − p)), and ε is its logarithm.
/// assert_eq!(bits.likelihood_ratio(1, 1).to_string(), "57");
/// let mut report = [false, true, false];
/// bits.randomize(&mut os_rng()?, &mut report);
/// // 110 of 1 000 reports have a one: (110 − 1 000·0.05)/0.7.
/// assert!((bits.estimate(110, 1000).value - 85.714).abs() < 0.001);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "optimized unary encoding")]
pub struct UnaryEncoding {
    /// Draws the report of a set bit: one with probability p. Shared by all clones.
    of_set: Arc<Flips<Rational>>,
    /// Draws the report of a bit that is not set: one with probability q. Shared by all clones.
    of_unset: Arc<Flips<Rational>>,
    /// 1/(p − q), by which an estimate grows with the count.
    slope: Rational,
}

impl UnaryEncoding {
    /// The mechanism that reports a set bit as one with probability `p`, and another one with `q`.
    ///
    /// # Errors
    /// Unless 0 < q < p < 1.
    pub fn new(p: Rational, q: Rational) -> Result<Self, Error> {
        if !p.is_positive() || p >= Rational::one() {
            return Err(ParameterError::new("p", p, "a number above 0 and below 1").into());
        }
        let slope = (&p - &q).reciprocal().filter(Rational::is_positive);
        let Some(slope) = slope.filter(|_| q.is_positive()) else {
            let accepted = "a number above 0 and below the probability of a set bit";
            return Err(ParameterError::new("q", q, accepted).into());
        };
        let [of_set, of_unset] = [Flips::new(&p)?, Flips::new(&q)?].map(Arc::new);
        Ok(Self { of_set, of_unset, slope })
    }

    /// The pair (p, q) of least error among those with privacy loss at most ε between two one-hot
    /// vectors, rounded to 12 digits such that the loss stays at most ε.
    ///
    /// With k `buckets`, at least 2, it has the least mean squared error over all buckets. Without
    /// it has the least error in a bucket that nobody holds, which is the limit for many buckets: p
    /// = 1/2, q = 1/(e^ε + 1), *optimized unary encoding*. For two buckets it is symmetric RAPPOR.
    ///
    /// ```
    /// use dp_rappor::UnaryEncoding;
    ///
    /// let best = UnaryEncoding::optimized(&"2".parse()?, None)?;
    /// assert_eq!([best.p(), best.q()].map(|p| p.to_string()), ["0.5", "0.119202922023"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there are fewer than two buckets, or 12 digits do not tell p from q, nor q from 0.
    pub fn optimized(epsilon: &Epsilon, buckets: Option<u64>) -> Result<Self, Error> {
        if let Some(buckets @ 0..2) = buckets {
            return Err(ParameterError::new("buckets", buckets, "an integer of at least 2").into());
        }
        let whole = |number: u64| Interval::integer(number, PRECISION);
        let x = Interval::rational(&-epsilon.value(), PRECISION).exp().ok_or(PrecisionError)?;
        // b = √(x·(1 + mx)/(m + x)), the odds of q for m = k − 1, tends to x.
        let odds = match buckets {
            Some(buckets) => {
                let others = whole(buckets - 1);
                let square = (&x * (whole(1) + &others * &x)).checked_div(&(others + &x));
                square.and_then(|square| square.sqrt())
            }
            None => Some(x.clone()),
        };
        let odds = odds.ok_or(PrecisionError)?;
        // The odds of p are b/x. The loss falls as q grows, and as p falls: upper end and lower
        // end.
        let q = odds.checked_div(&(whole(1) + &odds)).and_then(|q| q.upper().to_rational());
        let p = match buckets {
            Some(_) => odds.checked_div(&(x + &odds)).and_then(|p| p.lower().to_rational()),
            None => Some(Rational::new(1, 2)?),
        };
        let (p, q) = p.zip(q).ok_or(PrecisionError)?;
        let p = p.round_to_digits(DIGITS, Rounding::Down);
        Self::new(p, q.round_to_digits(DIGITS, Rounding::Up))
    }

    /// Unary encoding of what `self` reports, such as the instantaneous response on top of the
    /// permanent one. A report has the smaller loss of both steps, or less; all reports on one
    /// output of `self` together have at most the loss of `self`.
    ///
    /// ```
    /// use dp_rappor::UnaryEncoding;
    ///
    /// // RAPPOR with f = 1/2, p = 1/2, q = 3/4 (Erlingsson, Pihur, Korolova 2014).
    /// let permanent = UnaryEncoding::new("3/4".parse()?, "1/4".parse()?)?;
    /// let report = permanent.then(&UnaryEncoding::new("3/4".parse()?, "1/2".parse()?)?)?;
    /// assert_eq!([report.p(), report.q()].map(|p| p.to_string()), ["0.6875", "0.5625"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the new probabilities are so long that 2^16 bits do not decide their first digits.
    pub fn then(&self, second: &Self) -> Result<Self, Error> {
        // One with probability r after the first step: r·p₂ + (1 − r)·q₂ after the second.
        let after = |r: &Rational| second.q() + &(r * &(second.p() - second.q()));
        Self::new(after(self.p()), after(self.q()))
    }

    /// The probability that a set bit is reported as one.
    #[must_use]
    pub fn p(&self) -> &Rational {
        self.of_set.probability()
    }

    /// The probability that a bit that is not set is reported as one.
    #[must_use]
    pub fn q(&self) -> &Rational {
        self.of_unset.probability()
    }

    /// The largest ratio of the probabilities of one report under two vectors, e^ε exactly, where
    /// the first one has `removed` ones that the second one lacks, and lacks `added` ones:
    /// (p/q)^`removed`·((1 − q)/(1 − p))^`added`. Attained.
    ///
    /// A one-hot vector that is replaced by another has 1 and 1. For the zero vector take the
    /// larger of the ratios for 1 and 0 and for 0 and 1.
    ///
    /// # Panics
    /// Never: p and q are above 0 and below 1.
    #[must_use]
    pub fn likelihood_ratio(&self, removed: u32, added: u32) -> Rational {
        let (p, q, one) = (self.p(), self.q(), Rational::one());
        let of_one = p.checked_div(q).expect("q is above 0");
        let of_zero = (&one - q).checked_div(&(&one - p)).expect("p is below 1");
        of_one.pow(removed) * of_zero.pow(added)
    }

    /// Reports every bit of the vector, independently of the others.
    ///
    /// Twice the words of [`SymmetricRappor::randomize`](crate::SymmetricRappor::randomize): those
    /// of a set bit and those of another one are drawn for every bit, and a mask selects. Neither
    /// their number nor an address depends on bits or reports, except with a probability below
    /// 2^−52 a block of 1024 bits.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        self.report_blocks(rng, bits);
        zeroize_stack::<STACK>();
    }

    /// Reports each bit, independently, 1024 bits at a time. Not inlined, so that the caller can
    /// wipe its stack.
    #[inline(never)]
    fn report_blocks<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        let (mut of_set, mut of_unset) = ([0; WORDS], [0; WORDS]);
        for block in bits.chunks_mut(64 * WORDS) {
            let words = block.len().div_ceil(64);
            let (of_set, of_unset) = (&mut of_set[..words], &mut of_unset[..words]);
            self.of_set.fill(rng, block.len(), of_set);
            self.of_unset.fill(rng, block.len(), of_unset);
            for (bits, (of_set, of_unset)) in zip(block.chunks_mut(64), zip(of_set, of_unset)) {
                select(bits, *of_set, *of_unset);
            }
        }
    }

    /// The unbiased estimate (count − reports·q)/(p − q) of the number of reports whose true bit is
    /// set, from the `count` of `reports` that show a one, with the standard deviation that its
    /// noise would have if the truth were the estimate, cut to the range from 0 to `reports`.
    ///
    /// The count may carry further noise, so it may be negative or exceed `reports`.
    pub fn estimate(&self, count: impl Into<BigInt>, reports: u64) -> Estimate {
        let reports = Rational::from(reports);
        let value = (Rational::integer(count) - &reports * self.q()) * &self.slope;
        let holding = value.clone().clamp(Rational::zero(), reports.clone());
        let standard_error = self.deviation(&holding, &reports);
        Estimate { value: value.to_f64(), standard_error }
    }

    /// The standard deviation of an [`estimate`](Self::estimate) where `holding` of `reports` true
    /// bits are set: √(b·p(1 − p) + (n − b)·q(1 − q))/(p − q). More than `reports` count as
    /// `reports`. Utility figure in `f64`.
    #[must_use]
    pub fn standard_deviation(&self, holding: u64, reports: u64) -> f64 {
        self.deviation(&Rational::from(holding.min(reports)), &Rational::from(reports))
    }

    /// The standard deviation of an estimate, in reports, if `holding` of `reports` true bits are
    /// set. Infinite or 0 where that lies beyond the range of `f64`.
    fn deviation(&self, holding: &Rational, reports: &Rational) -> f64 {
        let spread = |p: &Rational| p * &(Rational::one() - p);
        let variance = holding * &spread(self.p()) + (reports - holding) * spread(self.q());
        (variance * self.slope.pow(2)).to_f64().sqrt()
    }
}
