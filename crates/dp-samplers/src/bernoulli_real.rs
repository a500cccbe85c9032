//! Bernoulli(p) for a real number p in [0, 1] that is known by enclosures: U < p with U uniform on
//! [0, 1), compared lazily as `threshold.rs` describes.

use dp_exact::{Interval, ParameterError, Rational, Real, refine};
use rand_core::CryptoRng;

use crate::Error;
use crate::threshold::{Threshold, refine_tie};

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
    /// Which first words of a uniform U decide that U < p, which decide U ≥ p, and which are
    /// undecided.
    threshold: Threshold,
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
        let (enclosure, threshold) = refine(|precision| {
            let enclosure = probability.enclose(precision.max(2 * WORD));
            let threshold = Threshold::new(&enclosure, WORD);
            // A narrow enclosure meets at most three words; outside [0, 1] no width is needed.
            let decided = threshold.undecided <= 3 || out_of_range(&enclosure);
            decided.then_some((enclosure, threshold))
        })?;
        if out_of_range(&enclosure) {
            let value = enclosure.lower();
            return Err(ParameterError::new("probability", value, "a number from 0 to 1").into());
        }
        Ok(Self { probability, threshold })
    }

    /// The probability of `true`.
    pub fn probability(&self) -> &P {
        &self.probability
    }

    /// Draws: true with probability exactly p.
    #[inline]
    pub fn sample<R: CryptoRng + ?Sized>(&self, rng: &mut R) -> bool {
        let word = rng.next_u64();
        if self.threshold.is_undecided(word) {
            return refine_tie(&self.probability, word, WORD, rng);
        }
        self.threshold.is_below(word)
    }
}

/// Whether every number in the enclosure is below 0, or every one is above 1.
fn out_of_range(enclosure: &Interval) -> bool {
    let below = enclosure.upper().cmp_rational(&Rational::zero()).is_lt();
    below || enclosure.lower().cmp_rational(&Rational::one()).is_gt()
}

#[cfg(test)]
mod tests;
