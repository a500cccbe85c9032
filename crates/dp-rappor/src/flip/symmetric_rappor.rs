//! Symmetric RAPPOR: every bit of a vector is flipped, independently, with one probability.
//!
//! ```text
//! P(output = y | input = b) = ∏ᵢ p^[yᵢ ≠ bᵢ]·(1 − p)^[yᵢ = bᵢ],     p = 1/(e^ε₀ + 1)
//! ```
//!
//! Source: Chen, McMillan, Patton, Talwar, Wang, "Differential Privacy Mechanisms for DAP",
//! draft-wang-ppm-differential-privacy (symmetric RAPPOR, parameter ε₀). It is the one-time
//! basic RAPPOR of Erlingsson, Pihur, Korolova, "RAPPOR: Randomized Aggregatable
//! Privacy-Preserving Ordinal Response" (CCS 2014), whose parameter ε is for one-hot inputs under
//! replacement: it flips with 1/(e^(ε/2) + 1), so ε = 2ε₀.
//!
//! The guarantee: the likelihood ratio of an output under inputs b and b' is
//! ∏ e^(±ε₀) over the coordinates where b and b' differ, and one output attains e^(ε₀·d) when d
//! coordinates differ. So the mechanism is (d·ε₀, 0)-locally private for them, and no less.

use alloc::sync::Arc;
use core::fmt::{self, Debug, Formatter};

use dp_exact::{Epsilon, Interval, PrecisionError, Rational, Real};
use dp_samplers::alias::Alias;
use rand_core::CryptoRng;

use super::FlipProbability;
use super::patterns::{COORDINATES, FlipPatterns};
use crate::{Error, PackedBits};

/// Symmetric RAPPOR with parameter ε₀: flips every bit independently with probability exactly
/// p = 1/(e^ε₀ + 1).
///
/// ```
/// use dp_rappor::{SymmetricRappor, os_rng};
///
/// let rappor = SymmetricRappor::new("2.5".parse()?)?;
/// let mut report = vec![false; 10];
/// report[3] = true;
/// rappor.randomize(&mut os_rng()?, &mut report);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct SymmetricRappor {
    epsilon0: Epsilon,
    patterns: Arc<Alias<FlipPatterns>>,
}

impl SymmetricRappor {
    /// The mechanism with parameter ε₀, of any size that an [`Epsilon`] has.
    ///
    /// # Errors
    /// None: 256 patterns of flips fit a table for every parameter. The type is that of every
    /// certified computation.
    pub fn new(epsilon0: Epsilon) -> Result<Self, Error> {
        let patterns = FlipPatterns(FlipProbability::new(&epsilon0));
        let patterns = Arc::new(Alias::new(patterns).ok_or(PrecisionError)?);
        Ok(Self { epsilon0, patterns })
    }

    /// The parameter ε₀: the privacy loss of one bit.
    #[must_use]
    pub fn epsilon0(&self) -> &Epsilon {
        &self.epsilon0
    }

    /// The flip probability p = 1/(e^ε₀ + 1), enclosed with at least `precision` bits.
    #[must_use]
    pub fn flip_probability(&self, precision: u32) -> Interval {
        self.flip().enclose(precision)
    }

    /// The probability p^f·(1 − p)^(length − f) of one given output that differs from the input
    /// in f = `flipped` of `length` coordinates, enclosed with at least `precision` bits.
    ///
    /// 0 if `flipped` exceeds `length`.
    #[must_use]
    pub fn probability(&self, flipped: u32, length: u32, precision: u32) -> Interval {
        self.patterns.law().probability(flipped, length, precision)
    }

    /// The exact privacy loss `differing_bits`·ε₀ of one report, between two inputs that differ
    /// in that many coordinates: pure local differential privacy, attained.
    ///
    /// A one-hot vector that is replaced by another differs in 2 coordinates, from the zero
    /// vector in 1; arbitrary vectors of length d in up to d.
    #[must_use]
    pub fn local_epsilon(&self, differing_bits: u64) -> Rational {
        self.epsilon0.value() * Rational::integer(differing_bits)
    }

    /// Flips every bit, independently of the others and of its value, with probability p.
    ///
    /// Gives the same flips as [`randomize_packed`](Self::randomize_packed) for the same state of
    /// the generator. Draws one 64-bit word for eight coordinates, whatever the bits and flips;
    /// more only if a word does not decide, with probability at most 2^−56 a word.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        let (blocks, rest) = bits.as_chunks_mut::<COORDINATES>();
        for block in blocks {
            flip(block, self.patterns.sample(rng));
        }
        if !rest.is_empty() {
            flip(rest, self.patterns.sample(rng));
        }
    }

    /// Flips every bit, independently of the others and of its value, with probability p.
    ///
    /// Gives the same flips as [`randomize`](Self::randomize) for the same state of the
    /// generator.
    pub fn randomize_packed<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut PackedBits) {
        bits.flip_by(|coordinates| self.mask(rng, coordinates));
    }

    /// The flips of 1 to 64 coordinates, the first in the least significant bit.
    #[inline]
    fn mask<R: CryptoRng + ?Sized>(&self, rng: &mut R, coordinates: usize) -> u64 {
        let mask = (0..coordinates)
            .step_by(COORDINATES)
            .fold(0, |mask, place| {
                mask | self.patterns.sample(rng).cast_unsigned() << place
            });
        mask & u64::MAX >> (64 - coordinates)
    }

    /// How many of 2^64 words do not decide the flips of their eight coordinates at once, at
    /// most. Divided by 2^64 it is the δ that the running time can add for each eight coordinates.
    #[must_use]
    pub fn undecided(&self) -> u64 {
        self.patterns.undecided()
    }

    #[cfg(test)]
    pub(super) fn table(&self) -> &Alias<FlipPatterns> {
        &self.patterns
    }

    pub(crate) fn flip(&self) -> &FlipProbability {
        &self.patterns.law().0
    }
}

impl Debug for SymmetricRappor {
    /// The parameter, not the tables.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("SymmetricRappor")
            .field("epsilon0", &format_args!("{}", self.epsilon0))
            .finish_non_exhaustive()
    }
}

/// Flips the bits whose place is set in the pattern.
#[inline]
fn flip(bits: &mut [bool], pattern: i64) {
    for (place, bit) in bits.iter_mut().enumerate() {
        *bit ^= pattern >> place & 1 == 1;
    }
}
