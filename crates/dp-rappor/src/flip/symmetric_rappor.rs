//! Symmetric RAPPOR: every bit of a vector is flipped, independently, with one probability.
//!
//! ```text
//! P(output = y | input = b) = ∏ᵢ p^[yᵢ ≠ bᵢ]·(1 − p)^[yᵢ = bᵢ],     p = 1/(e^ε₀ + 1)
//! ```
//!
//! Source: Chen, McMillan, Patton, Talwar, Wang, "Differential Privacy Mechanisms for DAP",
//! draft-wang-ppm-differential-privacy (symmetric RAPPOR, parameter ε₀). It is the one-time basic
//! RAPPOR of Erlingsson, Pihur, Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving
//! Ordinal Response" (CCS 2014), with ε = 2ε₀ for one-hot inputs under replacement.
//!
//! The likelihood ratio of an output under inputs b and b' is ∏ e^(±ε₀) over the d coordinates
//! where they differ, and one output attains e^(ε₀·d): (d·ε₀, 0)-local privacy, and no smaller ε.

// DIFFERENCE from draft-wang §4.3.2: the flip probability is exact, and not compared with a float.

use alloc::sync::Arc;

use dp_exact::{Epsilon, Interval, Rational, Real};
use rand_core::CryptoRng;
use zeroize::zeroize_stack;

use super::FlipProbability;
use super::block::{Flips, STACK};
use super::deposit::{WORDS, select};
use crate::Error;

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
#[derive(Clone, Debug)]
pub struct SymmetricRappor {
    epsilon0: Epsilon,
    /// Draws the flips, shared by all clones.
    flips: Arc<Flips<FlipProbability>>,
}

impl SymmetricRappor {
    /// The mechanism with parameter ε₀, of any size that an [`Epsilon`] has.
    ///
    /// # Errors
    /// [`Error::Precision`] if enclosures of 2^16 bits do not decide 18 binary digits of p. e^ε₀ is
    /// transcendental (Lindemann 1882), so p is no fraction, and some precision decides them. No
    /// bound on that precision is proved, and no ε₀ that needs more is known.
    pub fn new(epsilon0: Epsilon) -> Result<Self, Error> {
        let flips = Arc::new(Flips::new(&FlipProbability::new(&epsilon0))?);
        Ok(Self { epsilon0, flips })
    }

    /// Basic RAPPOR with parameter ε: symmetric RAPPOR with ε₀ = ε/2, so that replacing one one-hot
    /// vector by another has the privacy loss ε, exactly.
    ///
    /// ```
    /// use dp_rappor::SymmetricRappor;
    ///
    /// let rappor = SymmetricRappor::basic(&"5".parse()?)?;
    /// assert_eq!(rappor.epsilon0().to_string(), "2.5");
    /// assert_eq!(rappor.local_epsilon(2).to_string(), "5");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If ε/2 has more bits than an [`Epsilon`] holds.
    pub fn basic(epsilon: &Epsilon) -> Result<Self, Error> {
        let half = Rational::new(1, 2)? * epsilon.value();
        let epsilon0 = Epsilon::new(half).map_err(|error| error.renamed("epsilon/2"))?;
        Self::new(epsilon0)
    }

    /// The parameter ε₀: the privacy loss of one bit.
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
        self.flip().of_pattern(flipped, length, precision)
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
    /// For each 1024 coordinates it draws 114 words of 64 bits. Neither their number nor an address
    /// depends on bits or flips, except with a probability below 2^−53: what the running time of a
    /// block can add to δ.
    pub fn randomize<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        self.flip_blocks(rng, bits);
        zeroize_stack::<STACK>();
    }

    /// Flips each bit with probability p, independently, 1024 bits at a time. Not inlined, so that
    /// the caller can wipe its stack.
    #[inline(never)]
    fn flip_blocks<R: CryptoRng + ?Sized>(&self, rng: &mut R, bits: &mut [bool]) {
        let mut masks = [0; WORDS];
        for block in bits.chunks_mut(64 * WORDS) {
            let masks = &mut masks[..block.len().div_ceil(64)];
            self.flips.fill(rng, block.len(), masks);
            for (bits, mask) in block.chunks_mut(64).zip(masks) {
                // A set bit becomes one unless it flips, and another one if it does.
                select(bits, !*mask, *mask);
            }
        }
    }

    /// Randomized response: the answer `bit`, flipped with probability p = 1/(e^ε₀ + 1), for the
    /// privacy loss ε₀ (Warner, "Randomized Response: A Survey Technique for Eliminating Evasive
    /// Answer Bias", JASA 1965).
    ///
    /// One 64-bit word and two comparisons for every answer and flip; more only with probability at
    /// most 3·2^−64.
    ///
    /// ```
    /// use dp_rappor::{SymmetricRappor, os_rng};
    ///
    /// let response = SymmetricRappor::new("1".parse()?)?;
    /// let mut rng = os_rng()?;
    /// let yes = (0..1000).filter(|client| response.randomize_bit(&mut rng, client % 4 == 0)).count();
    /// let estimate = response.estimate(yes, 1000);
    /// assert!((estimate.value - 250.0).abs() < 7.0 * estimate.standard_error);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "randomized response")]
    #[must_use]
    #[inline]
    pub fn randomize_bit<R: CryptoRng + ?Sized>(&self, rng: &mut R, bit: bool) -> bool {
        bit ^ (self.flips.single(rng) & 1 == 1)
    }

    /// The probability p = 1/(e^ε₀ + 1) that a bit is flipped.
    pub(crate) fn flip(&self) -> &FlipProbability {
        self.flips.probability()
    }
}
