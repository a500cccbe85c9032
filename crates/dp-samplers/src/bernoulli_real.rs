//! Bernoulli(p) for a real number p in [0, 1] that is known by enclosures: U < p with U uniform on
//! [0, 1), compared lazily as `threshold.rs` describes. The first 64 bits of U are compared with two
//! precomputed integers.

use dp_exact::{Interval, ParameterError, Rational, Real, refine};
use num_bigint::BigInt;
use rand_core::CryptoRng;

use crate::Error;
use crate::masks::{declassify, less};
use crate::threshold::{ceil_shifted, refine_tie};

/// Bits of the first random word that is compared with the probability p.
const WORD: u32 = 64;

/// A coin whose probability is a real number known by enclosures.
///
/// One 64-bit word and two comparisons decide all but about 2^−64 of the draws. The rest draw 64
/// more bits and ask for 64 more bits of p, to any depth. The output is distributed exactly as
/// Bernoulli(p); nothing is rounded.
///
/// ```
/// use dp_samplers::{BernoulliReal, Interval, Real, os_rng};
///
/// /// 1/(e + 1), which no fraction equals.
/// #[derive(Debug)]
/// struct Flip;
///
/// impl Real for Flip {
///     fn enclose(&self, precision: u32) -> Interval {
///         let one = Interval::integer(1, precision);
///         let denominator = one.exp().expect("e is small") + &one;
///         one.checked_div(&denominator).expect("e + 1 is not 0")
///     }
/// }
///
/// let flip = BernoulliReal::new(Flip)?;
/// let mut rng = os_rng()?;
/// let heads = (0..1000).filter(|_| flip.sample(&mut rng)).count();
/// assert!((180..360).contains(&heads)); // 269 expected
/// # Ok::<(), dp_samplers::Error>(())
/// ```
///
/// # Timing
/// Which side a draw falls does not change the work, except on the undecided path. At most three
/// words in 2^64 take it, so time distinguishes two outcomes with an advantage below 2^−62 a draw
/// on hardware that compares words in constant time.
#[derive(Clone, Debug)]
pub struct BernoulliReal<P> {
    probability: P,
    /// Words, the first 64 bits of U, below this one decide that U < p.
    below: u64,
    /// How many words from `below` on are undecided, at most three. Larger words decide U ≥ p.
    undecided: u64,
}

impl<P: Real> BernoulliReal<P> {
    /// The coin that is true with this probability.
    ///
    /// # Errors
    /// [`Error::Parameter`] if the number certainly lies outside [0, 1];
    /// [`Error::Precision`] if its enclosures do not narrow to 2^−64 at any precision up to
    /// [`MAX_PRECISION`](dp_exact::MAX_PRECISION). A number so close outside [0, 1] that its
    /// first narrow enclosure does not tell is taken for the nearer of 0 and 1.
    pub fn new(probability: P) -> Result<Self, Error> {
        let (enclosure, below, undecided) = refine(|precision| {
            let enclosure = probability.enclose(precision.max(2 * WORD));
            let (below, undecided) = words_around(&enclosure);
            // A narrow enclosure meets at most three words; outside [0, 1] no width is needed.
            let decided = undecided <= 3 || out_of_range(&enclosure);
            decided.then_some((enclosure, below, undecided))
        })?;
        if out_of_range(&enclosure) {
            let value = enclosure.lower();
            return Err(ParameterError::new("probability", value, "a number from 0 to 1").into());
        }
        Ok(Self { probability, below, undecided })
    }

    /// The probability of `true`.
    pub fn probability(&self) -> &P {
        &self.probability
    }

    /// Draws: true with probability exactly p.
    #[inline]
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> bool {
        let word = rng.next_u64();
        // Words before `below` wrap around to large differences.
        if declassify(less(word.wrapping_sub(self.below), self.undecided)) {
            return refine_tie(&self.probability, word, WORD, rng);
        }
        less(word, self.below) == 1
    }
}

/// The first of the words of 64 bits that do not decide U < p for every p in the enclosure, and how
/// many words from there on do not decide U ≥ p for every p either; [`u64::MAX`] stands for all.
fn words_around(enclosure: &Interval) -> (u64, u64) {
    // The largest word is undecided where p = 1, and the word 0 where p = 0: the next bits decide,
    // and the distribution does not change.
    let word = |value: BigInt| u64::try_from(value.max(BigInt::ZERO)).unwrap_or(u64::MAX);
    let below = word(enclosure.lower().floor_shifted(WORD.into()));
    let last = word(ceil_shifted(enclosure.upper(), WORD.into()) - 1);
    // Where the last word comes before the first, none is undecided.
    (below, last.checked_sub(below).map_or(0, |more| more.saturating_add(1)))
}

/// Whether every number in the enclosure is below 0, or every one is above 1.
fn out_of_range(enclosure: &Interval) -> bool {
    let below = enclosure.upper().cmp_rational(&Rational::zero()).is_lt();
    below || enclosure.lower().cmp_rational(&Rational::one()).is_gt()
}

#[cfg(test)]
mod tests;
