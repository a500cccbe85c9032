//! The weight of a randomized vector, and the smallest bound that an honest report rarely exceeds.
//!
//! Prio3MultihotCountVec rejects a report of more than m true bits. A randomized report carries
//! its input's bits and flips besides, so m has to leave room for them. Let the input have length
//! d and w true bits. Of its true bits K₁ ~ Bin(w, p) flip away and of its false bits
//! K₀ ~ Bin(d − w, p) flip on, independently:
//!
//! ```text
//! exact distribution    W = w − K₁ + K₀                 [Bin(w, 1 − p) + Bin(d − w, p)]
//! draft's distribution  W = w + K₀                      [1 + Bin(d − 1, p) for a one-hot input]
//! m = min { m : P(W > m) ≤ rate }
//! ```
//!
//! The draft's distribution (Chen et al., draft-wang-ppm-differential-privacy) takes the true bit as never
//! flipped. It is never below the exact one, so its m is safe, and is one larger at times.
//!
//! **"At most w true bits" is met by computing with exactly w.** For inputs b ≤ b' (bit by bit)
//! couple the outputs: where the bits are equal flip both or neither; where b has 0 and b' has 1
//! take one uniform U and output \[U < p\] and \[U < 1 − p\]. As p < 1/2 the first is never larger,
//! so the weight under b is never larger than under b', and P(W > m) grows with w, for every m
//! and under either distribution.
//!
//! P(W > m) for w ≤ m < d is strictly between 0 and 1 and tends to 0 as p does (for m < w, to 1
//! from below, or it is 1): a polynomial in p with rational coefficients that is not constant. As
//! p is transcendental, the value equals no rational, so enough precision always decides how it
//! compares with a rate.

// DIFFERENCE from draft-wang §6.1.1: the bit that is set may flip as well.

use alloc::format;
use core::cmp::Ordering;

use dp_exact::{Interval, ParameterError, Rational, refine};

use super::WeightDistribution;
use super::tails::{WeightTails, is_narrow};
use crate::{Error, SymmetricRappor};

/// The longest vector for which a weight bound is computed.
pub const MAX_LENGTH: usize = 1 << 20;

/// [`rejection_rate`] resolves probabilities down to 2 to the power of minus this.
pub(crate) const RESOLVED_BITS: u32 = 4096;

/// A bound on the weight of a report, and how often an honest report exceeds it.
#[derive(Clone, Debug)]
pub struct WeightBound {
    /// m, the largest accepted number of true bits.
    bound: usize,
    /// The probability that an honest report exceeds the bound, enclosed.
    rate: Interval,
}

impl WeightBound {
    /// The bound m: a report with more than m true bits is rejected.
    #[must_use]
    pub fn bound(&self) -> usize {
        self.bound
    }

    /// The achieved rate: an enclosure of the probability that an honest report of the guaranteed
    /// input weight has more than m true bits, no larger than the rate that was asked for. Its
    /// width is a small fraction of that rate.
    #[must_use]
    pub fn rate(&self) -> &Interval {
        &self.rate
    }

    /// Why the bound is the least, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "The weight of a report is Bin(w, 1-p) + Bin(length-w, p) with p = 1/(e^epsilon0 + 1). Its \
         tail is enclosed in interval arithmetic, with the precision raised until every comparison \
         with the rate is decided: one bit less would reject more often."
    }
}

/// The smallest m such that a randomized input of `length` bits, at most `input_weight` of them
/// true, has more than m true bits with a probability of at most `rate`.
///
/// The answer is certain: probabilities are enclosed, and the precision is raised until every
/// comparison is decided. The rejection of honest reports depends on the data, so the rate enters
/// the privacy guarantee of a protocol that drops them: keep it negligible.
///
/// ```
/// use dp_rappor::{SymmetricRappor, WeightDistribution, weight_bound};
///
/// let rappor = SymmetricRappor::new("3".parse()?)?;
/// let rate = "1/200".parse()?;
/// let exact = weight_bound(&rappor, 100_000, 1, &rate, WeightDistribution::Exact)?;
/// let draft = weight_bound(&rappor, 100_000, 1, &rate, WeightDistribution::Draft)?;
/// assert_eq!((exact.bound(), draft.bound()), (4917, 4918));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the length is 0 or above [`MAX_LENGTH`], the input weight above the length, the rate not
/// between 0 and 1/2 or of more than [`Rational::MAX_BITS`] bits. [`Error::Precision`] if the rate
/// agrees with an attained one in many hundred digits, so that telling them apart would take tens
/// of megabytes.
pub fn weight_bound(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    rate: &Rational,
    distribution: WeightDistribution,
) -> Result<WeightBound, Error> {
    check_input(length, input_weight)?;
    check_rate(rate)?;
    if rate.is_zero() {
        // p > 0: every weight up to the length occurs.
        let rate = Interval::integer(0, 64);
        return Ok(WeightBound { bound: length, rate });
    }
    let rate_bits = bits_below_one(rate);
    let mut too_large = false;
    let answer = refine(|precision| {
        if too_large {
            return None; // More precision makes it larger still.
        }
        let cut = u64::from(precision) + rate_bits;
        let Some(weight) =
            WeightTails::new(rappor, length, input_weight, distribution, precision, cut)
        else {
            too_large = true;
            return None;
        };
        let exceeds = |bound| -> Option<bool> {
            let order = weight.above(bound)?.compare_rational(rate)?;
            Some(order == Ordering::Greater)
        };
        let bound = first_not_exceeding(length, exceeds)?;
        let rate = weight.above(bound)?;
        Some(WeightBound { bound, rate })
    })?;
    Ok(answer)
}

/// The least b with 2^−b ≤ `rate`, or one more than that, for a rate below 1.
fn bits_below_one(rate: &Rational) -> u64 {
    rate.denominator().bits() - rate.numerator().bits() + 1
}

/// The probability that a randomized input of `length` bits, `input_weight` of them true, has
/// more than `bound` true bits: an upper bound for inputs with fewer true bits as well.
///
/// The enclosure is narrow to about nine digits; below 2^−4096 it may reach down to 0.
///
/// # Errors
/// If the length is 0 or above [`MAX_LENGTH`], or the input weight above the length.
pub fn rejection_rate(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    bound: usize,
    distribution: WeightDistribution,
) -> Result<Interval, Error> {
    check_input(length, input_weight)?;
    // Nothing cancels in these sums, so few bits do; how far the tails reach is what matters.
    let rate = refine(|cut| {
        let weight =
            WeightTails::new(rappor, length, input_weight, distribution, 64, u64::from(cut))?;
        let rate = weight.above(bound)?;
        (cut >= RESOLVED_BITS || is_narrow(&rate)).then_some(rate)
    })?;
    Ok(rate)
}

/// `Err` unless 1 ≤ `length` ≤ [`MAX_LENGTH`] and `input_weight` ≤ `length`, both in bits.
pub(crate) fn check_input(length: usize, input_weight: usize) -> Result<(), ParameterError> {
    if length == 0 || length > MAX_LENGTH {
        let accepted = format!("1 to {MAX_LENGTH} bits");
        return Err(ParameterError::new("length", length, accepted));
    }
    if input_weight > length {
        let accepted = format!("at most the length {length}");
        return Err(ParameterError::new("input_weight", input_weight, accepted));
    }
    Ok(())
}

/// `Err` unless `rate` is from 0 to 1/2 with at most [`Rational::MAX_BITS`] bits.
fn check_rate(rate: &Rational) -> Result<(), ParameterError> {
    let at_most_half = rate + rate <= Rational::one();
    if rate.is_negative() || !at_most_half {
        return Err(ParameterError::new("false_positive_rate", rate, "a number from 0 to 1/2"));
    }
    if rate.bits() > Rational::MAX_BITS {
        return Err(ParameterError::new(
            "false_positive_rate",
            format_args!("a fraction of {} bits", rate.bits()),
            format!("a fraction of at most {} bits", Rational::MAX_BITS),
        ));
    }
    Ok(())
}

/// The smallest m ≤ `length` for which `exceeds(m)` is false. It must be true up to some m and
/// false from there on, and false at `length`. `None` if `exceeds` does not decide.
fn first_not_exceeding(length: usize, exceeds: impl Fn(usize) -> Option<bool>) -> Option<usize> {
    let (mut low, mut high) = (0, length);
    while low < high {
        let middle = low + (high - low) / 2;
        if exceeds(middle)? {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Some(low)
}
