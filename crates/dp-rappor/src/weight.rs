//! The weight of a randomized vector, and the smallest bound that an honest report rarely exceeds.
//!
//! Prio3MultihotCountVec rejects a report of more than m true bits. Of an input of length d with w
//! true bits, K₁ ~ Bin(w, p) true ones flip away and K₀ ~ Bin(d − w, p) false ones flip on,
//! independently:
//!
//! ```text
//! W        = w − K₁ + K₀                 [Bin(w, 1 − p) + Bin(d − w, p)]
//! P(W > m) = Σ_k P(K₁ = k)·P(K₀ ≥ m + 1 − w + k)
//! ```
//!
//! draft-wang-ppm-differential-privacy takes the true bit of a one-hot input as never flipped, W =
//! 1 + Bin(d − 1, p): its m is 1 more than that of d − 1 bits without a true one. It is safe, and
//! one larger at times.
//!
//! **"At most w true bits" is met by computing with exactly w.** For inputs b ≤ b' (bit by bit)
//! couple the outputs: where the bits are equal flip both or neither; where b has 0 and b' has 1
//! take one uniform U and output \[U < p\] and \[U < 1 − p\]. As p < 1/2 the first is never larger,
//! so the weight under b is never larger than under b', and P(W > m) grows with w, for every m.
//!
//! Probabilities are enclosed by floats with directed rounding ([`BinomialBounds`]), to about nine
//! digits.

// DIFFERENCE from draft-wang §6.1.1: the bit that is set may flip as well.

use alloc::format;
use alloc::vec::Vec;
use core::iter::zip;

use dp_exact::binomial::BinomialBounds;
use dp_exact::directed::{Bounds, add_down, add_up, mul_down, mul_up, to_index};
use dp_exact::search::{bisect, integer_midpoint};
use dp_exact::{Interval, ParameterError, PrecisionError, Rational};

use crate::{Error, SymmetricRappor};

/// The longest vector for which a weight bound is computed.
pub const MAX_LENGTH: usize = 1 << 20;

/// The least odds of a flip that floats multiply without leaving their normal range.
const LEAST_ODDS: f64 = 1e-290;

/// Minus the logarithm of the least probability in a window, relative to the mode: below all that
/// floats hold.
const DEPTH: f64 = 2000.0;

/// A bound on the weight of a report, and how often an honest report exceeds it.
#[derive(Clone, Debug)]
pub struct WeightBound {
    /// The bound m: a report with more than m true bits is rejected.
    pub bound: usize,
    /// The achieved rate, no larger than the requested one: an enclosure, to about nine digits, of
    /// the probability that an honest report of the largest input weight has more than m true bits.
    pub rate: Interval,
}

impl WeightBound {
    /// Why the bound is the least, in words.
    #[must_use]
    pub const fn certificate(&self) -> &'static str {
        "The weight of a report is Bin(w, 1-p) + Bin(length-w, p) with p = 1/(e^epsilon0 + 1). Its \
         tail is enclosed by floats with directed rounding: one bit less would reject more often, \
         or as often to nine digits."
    }
}

/// The smallest m such that a randomized input of `length` bits, at most `input_weight` of them
/// true, has more than m true bits with a probability that is certainly at most `rate`.
///
/// The rejection of honest reports depends on the data, so the rate enters the privacy guarantee:
/// keep it negligible. Where an attained rate agrees with `rate` to nine digits, m may be one
/// larger than the least. A rate below 10^−300 counts as 0.
///
/// ```
/// use dp_rappor::{SymmetricRappor, weight_bound};
///
/// let rappor = SymmetricRappor::new("3".parse()?)?;
/// let rate = "1/200".parse()?;
/// assert_eq!(weight_bound(&rappor, 100_000, 1, &rate)?.bound, 4917);
/// // By the Internet-Draft, in which the true bit never flips.
/// assert_eq!(1 + weight_bound(&rappor, 99_999, 0, &rate)?.bound, 4918);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the length is 0 or above [`MAX_LENGTH`], the input weight above the length, or the rate not
/// between 0 and 1/2.
pub fn weight_bound(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    rate: &Rational,
) -> Result<WeightBound, Error> {
    if rate.is_negative() || rate + rate > Rational::one() {
        let accepted = "a number from 0 to 1/2";
        return Err(ParameterError::new("false_positive_rate", rate, accepted).into());
    }
    let weight = Weight::new(rappor, length, input_weight)?;
    // P(W > m) falls from m to m + 1, and is 0 for m = d.
    let is_met = |bound: &usize| weight.above(*bound).upper().cmp_rational(rate).is_le();
    let bound = match is_met(&0) {
        true => 0,
        false => bisect(0, length, integer_midpoint, is_met).1,
    };
    Ok(WeightBound { bound, rate: weight.above(bound) })
}

/// The probability that a randomized input of `length` bits, `input_weight` of them true, has
/// more than `bound` true bits: an upper bound for inputs with fewer true bits as well.
///
/// The enclosure is narrow to about nine digits; below 10^−300 it may reach down to 0.
///
/// # Errors
/// If the length is 0 or above [`MAX_LENGTH`], or the input weight above the length.
pub fn rejection_rate(
    rappor: &SymmetricRappor,
    length: usize,
    input_weight: usize,
    bound: usize,
) -> Result<Interval, Error> {
    Ok(Weight::new(rappor, length, input_weight)?.above(bound))
}

/// The distribution of the weight W = w − K₁ + K₀ of a randomized vector with w true bits before
/// the flips: K₁ true bits flip away, and K₀ false bits flip on.
struct Weight {
    /// d, the number of bits of the vector.
    length: usize,
    /// w, the number of true bits before the flips.
    input_weight: usize,
    /// K₁, the number of true bits that flip away.
    lost: BinomialBounds,
    /// K₀, the number of false bits that flip on.
    gained: BinomialBounds,
    /// P(K₀ ≥ j) for each j of the window of K₀.
    tails: Vec<Bounds>,
}

impl Weight {
    /// Bounds of the distribution of the weight for a vector of `length` bits, `input_weight` of
    /// them true. `Err` unless `length` is from 1 to [`MAX_LENGTH`] and `input_weight` at most
    /// `length`.
    fn new(rappor: &SymmetricRappor, length: usize, input_weight: usize) -> Result<Self, Error> {
        if length == 0 || length > MAX_LENGTH {
            let accepted = format!("1 to {MAX_LENGTH} bits");
            return Err(ParameterError::new("length", length, accepted).into());
        }
        let Some(zeros) = length.checked_sub(input_weight) else {
            let accepted = format!("at most the length {length}");
            return Err(ParameterError::new("input_weight", input_weight, accepted).into());
        };
        let mut odds = Bounds::of(&rappor.flip().odds(64)).ok_or(PrecisionError)?;
        if odds.lower < LEAST_ODDS {
            odds = Bounds { lower: 0.0, upper: odds.upper.max(LEAST_ODDS) };
        }
        let among = |trials: usize| BinomialBounds::new(trials as u64, odds, DEPTH);
        let lost = among(input_weight).ok_or(PrecisionError)?;
        let gained = among(zeros).ok_or(PrecisionError)?;
        let tails = tails(&gained);
        Ok(Self { length, input_weight, lost, gained, tails })
    }

    /// P(W > `bound`) for the number W of true bits after the flips, enclosed.
    fn above(&self, bound: usize) -> Interval {
        if bound >= self.length {
            return Interval::integer(0, 64);
        }
        // Σ P(K₁ = k)·P(K₀ ≥ m + 1 − w + k); fewer than none are needed of K₀ for small m and k.
        let mut sum = Bounds { lower: 0.0, upper: 0.0 };
        for (lost, probability) in cells(&self.lost) {
            let needed = (bound as u64 + 1 + lost).saturating_sub(self.input_weight as u64);
            let tail = self.at_least(needed);
            sum.lower = add_down(sum.lower, mul_down(probability.lower, tail.lower)).max(0.0);
            sum.upper = add_up(sum.upper, mul_up(probability.upper, tail.upper));
        }
        // Of the outcomes of K₁ outside the window nothing is known but their total mass.
        let upper = add_up(sum.upper, add_up(self.lost.below, self.lost.above));
        let lower = self.lost.normalized_down(sum.lower);
        let [lower, upper] = [lower, self.lost.normalized_up(upper).min(1.0)].map(exactly);
        lower.hull(&upper)
    }

    /// Bounds of P(K₀ ≥ j) for the number K₀ of false bits that flip on; wider, but still valid,
    /// where j is outside the window of K₀.
    fn at_least(&self, j: u64) -> Bounds {
        if j == 0 {
            return Bounds { lower: 1.0, upper: 1.0 };
        }
        if j > self.gained.trials {
            return Bounds { lower: 0.0, upper: 0.0 };
        }
        let Some(index) = j.checked_sub(self.gained.first).map(to_index) else {
            // Below the window: at least what its first count has.
            return Bounds { lower: self.tails[0].lower, upper: 1.0 };
        };
        // Above the window nothing is known but the total mass there.
        let above = || Bounds { lower: 0.0, upper: self.gained.normalized_up(self.gained.above) };
        self.tails.get(index).copied().unwrap_or_else(above)
    }
}

/// Each number of successes in the window, with bounds of its probability times a factor that is
/// common to all.
fn cells(window: &BinomialBounds) -> impl Iterator<Item = (u64, Bounds)> + '_ {
    let values = zip(&window.lower, &window.upper);
    zip(window.first.., values.map(|(&lower, &upper)| Bounds { lower, upper }))
}

/// Bounds of P(at least j successes), with the mass beyond the window, for each j of the window in
/// order.
fn tails(window: &BinomialBounds) -> Vec<Bounds> {
    let mut tail = Bounds { lower: 0.0, upper: window.above };
    let values = zip(&window.lower, &window.upper).rev();
    let tails = values.map(|(&lower, &upper)| {
        tail = Bounds { lower: add_down(tail.lower, lower), upper: add_up(tail.upper, upper) };
        Bounds {
            lower: window.normalized_down(tail.lower),
            upper: window.normalized_up(tail.upper).min(1.0),
        }
    });
    let mut tails: Vec<Bounds> = tails.collect();
    tails.reverse();
    tails
}

/// The finite float `number`, exactly.
fn exactly(number: f64) -> Interval {
    let number = Rational::from_f64(number).expect("a bound of a probability is finite");
    Interval::rational(&number, 64)
}
