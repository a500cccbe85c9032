//! Discrete Gaussian draws for large σ: a bucket from a table, a uniform place in it, and
//! acceptance by a certified comparison.
//!
//! With buckets of width W = 2^k, draw
//!
//! 1. a sign and a bucket m ≥ 0, P(m) ∝ e^(−(mW)²/2σ²), from one table,
//! 2. u uniform on {0, …, W − 1}; the magnitude is y = mW + u,
//! 3. U uniform on [0, 1), and accept if U < e^−γ, γ = (y² − (mW)²)/2σ², unless the sign is
//!    negative and y = 0; else start again.
//!
//! A signed magnitude is proposed with probability ∝ e^(−(mW)²/2σ²) and accepted with e^−γ;
//! the product is e^(−y²/2σ²), and 0 has one sign. So the law is the discrete Gaussian, exactly,
//! whatever k is. With σ/W between 240 and 480 less than 1 in 500 rounds is rejected.
//!
//! # The comparison with e^−γ
//! With D = u/W and c = W²/2σ² ≤ 1/115200, γ = c·D·(2m + D). Outcomes of the table are likelier than
//! 2^−64, and their weights sum to more than 600, so m < 8.8σ/W < 4224 and γ ≤ (2m + 1)·c < 0.037.
//! In fixed point, cut off at each step:
//!
//! - D has 64 bits after the point and errs by less than 2^−64 (it is exact up to W = 2^64);
//! - S = 2mD + D² < 2^14 is cut to 50 bits after the point: it errs by less than 2 units of 2^−50;
//! - c is a fraction of 76 bits; γ = c·S errs by less than 6 units of 2^−64, all cuts included;
//! - γ² errs by less than 2 units of 2^−64;
//! - e^−γ ≈ P(γ²) − γ·Q(γ²), P and Q the even and the odd terms up to γ^8/8! with aᵢ = ⌊2^63/i!⌋,
//!   each by Horner's rule in units of 2^−63. A step errs by 1 in aᵢ, 1 in the cut, less than 1
//!   from γ², and 0.01 times what it got: 3.1 units in all for P and for Q. γ·Q adds 1 for its cut
//!   and 3 for γ, and takes 0.04 of the error of Q. The series is cut off by less than
//!   γ^9/9! < 3.4 units.
//!
//! The computed value is within 11 units of e^−γ. U is compared with it by its first 63 bits,
//! undecided within [`MARGIN`] = 16 units. Then more bits of U are compared with enclosures of the
//! exact e^−γ, as deep as it takes.
//!
//! # Timing
//! Every round uses the same words and the same arithmetic. The number of rounds does not depend
//! on the value that is accepted. A round takes longer with probability below 2^−57 by an undecided
//! comparison, and C·2^−64 by an undecided word of the table.

use alloc::vec::Vec;
use dp_exact::{Interval, Rational, Real};
use num_bigint::BigInt;
use rand_core::Rng;

use crate::alias::Alias;
use crate::enclosure::exp_minus;
use crate::engine::Engine;
use crate::fixed::lower_bound;
use crate::laws::Gaussian;
use crate::threshold::refine_tie;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, Touch, Variant, bulk};

/// W is the least power of two with σ²/W² ≤ 480²: the table then has 8192 cells at most.
pub(crate) const SCALED_LIMIT: u32 = 480 * 480;

/// The largest k: draws of up to 2^(k + 12) fit 128 bits with room to spare.
const MAX_WIDTH_BITS: u32 = 100;

/// With k up to here, draws fit 64 bits.
const NARROW: u32 = 40;

/// Units of 2^−63 within which the first comparison does not decide.
pub(crate) const MARGIN: u64 = 16;

/// ⌊2^63/i!⌋
const INVERSE_FACTORIALS: [u64; 9] = {
    let mut table = [1 << 63; 9];
    let mut factorial = 1;
    let mut i = 1;
    while i < 9 {
        factorial *= i as u64;
        table[i] = (1 << 63) / factorial;
        i += 1;
    }
    table
};

/// The sampler for one variance.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    table: Alias<Gaussian>,
    /// k
    width_bits: u32,
    /// ⌊c·2^76⌋
    c: u64,
    /// 1/2σ²
    rate: Rational,
}

/// A signed bucket and a place in it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proposal {
    /// m, or −1 − m.
    pub(crate) bucket: i64,
    /// The upper 64 bits of u as a fraction of W, and the bits below them if W > 2^64.
    place: u64,
    below: u64,
}

/// e^−γ
#[derive(Debug)]
struct Acceptance(Rational);

impl Real for Acceptance {
    fn enclose(&self, precision: u32) -> Interval {
        exp_minus(&self.0, precision)
    }
}

impl Buckets {
    /// Buckets of the least width W = 2^k with σ²/W² ≤ `limit`; `None` if the variance itself is at
    /// most that, or above what 128 bits hold.
    pub(crate) fn new(variance: &Rational, limit: u32) -> Option<Self> {
        let square = |bits: u32| Rational::integer(BigInt::from(1) << (2 * bits));
        let limit = Rational::integer(limit);
        let width_bits = (0..=MAX_WIDTH_BITS).find(|&bits| *variance <= square(bits) * &limit)?;
        if width_bits == 0 {
            return None;
        }
        let width_squared = square(width_bits);
        let scaled = variance.checked_div(&width_squared)?;
        let c = (&scaled + &scaled).reciprocal()?;
        let c = lower_bound(&Interval::rational(&c, 192)) >> (128 - 76);
        Some(Self {
            table: Alias::new(Gaussian::with_sign_apart(&scaled)?)?,
            width_bits,
            c: u64::try_from(c).ok()?,
            rate: (variance + variance).reciprocal()?,
        })
    }

    /// The law of signed buckets.
    #[cfg(feature = "simulation")]
    pub(crate) fn law(&self) -> &Gaussian {
        self.table.law()
    }

    /// k
    #[cfg(feature = "simulation")]
    pub(crate) fn width_bits(&self) -> u32 {
        self.width_bits
    }

    /// Whether the bucket is one of the table, so that the error bounds above hold.
    #[cfg(feature = "simulation")]
    #[inline]
    pub(crate) fn holds(&self, bucket: i64) -> bool {
        self.table.holds(bucket)
    }

    #[inline]
    fn draw<T: FromDraw, S: Source>(&self, source: &mut S) -> Option<T> {
        loop {
            let [bucket, place, uniform] = source.words();
            let (bucket, in_table) = match self.table.look_up(bucket) {
                Some(bucket) => (bucket, true),
                None => (self.table.draw_remainder(source), false),
            };
            let proposal = self.place(bucket, place, source);
            if self.accept(proposal, in_table, uniform, source)
                && let Some(draw) = self.signed(proposal)
            {
                return draw;
            }
        }
    }

    /// The magnitude with its sign, as far as it fits; `None` at the zero that is not to count.
    #[inline]
    pub(crate) fn signed<T: FromDraw>(&self, proposal: Proposal) -> Option<Option<T>> {
        let negative = proposal.bucket >> 63;
        if self.width_bits <= NARROW {
            let y = self.magnitude_narrow(proposal);
            return (y | !negative != 0).then(|| T::from_i64((y ^ negative) - negative));
        }
        let (y, negative) = (self.magnitude(proposal), i128::from(negative));
        (y | !negative != 0).then(|| T::from_i128((y ^ negative) - negative))
    }

    /// A uniform place from a word, and one more if W > 2^64.
    #[inline]
    pub(crate) fn place<S: Source>(&self, bucket: i64, word: u64, source: &mut S) -> Proposal {
        match self.width_bits.checked_sub(64) {
            None | Some(0) => self.place_in(bucket, word),
            Some(more) => Proposal {
                bucket,
                place: word,
                below: source.word() >> (64 - more),
            },
        }
    }

    /// A place from the upper bits of one word, for W ≤ 2^64.
    #[inline]
    pub(crate) fn place_in(&self, bucket: i64, word: u64) -> Proposal {
        Proposal {
            bucket,
            place: word & (u64::MAX << (64 - self.width_bits)),
            below: 0,
        }
    }

    /// mW + u, for small W.
    #[inline]
    #[expect(clippy::cast_possible_wrap, reason = "at most 40 bits are left")]
    fn magnitude_narrow(&self, proposal: Proposal) -> i64 {
        let m = proposal.bucket ^ (proposal.bucket >> 63);
        (m << self.width_bits) | (proposal.place >> (64 - self.width_bits)) as i64
    }

    /// mW + u.
    #[inline]
    fn magnitude(&self, proposal: Proposal) -> i128 {
        let m = i128::from(proposal.bucket ^ (proposal.bucket >> 63));
        let u = match self.width_bits.checked_sub(64) {
            None => i128::from(proposal.place >> (64 - self.width_bits)),
            Some(more) => (i128::from(proposal.place) << more) | i128::from(proposal.below),
        };
        (m << self.width_bits) | u
    }

    #[inline]
    fn accept<S: Source>(
        &self,
        proposal: Proposal,
        in_table: bool,
        word: u64,
        source: &mut S,
    ) -> bool {
        let threshold = exp_minus_fixed(self.gamma(proposal));
        let uniform = word >> 1;
        if in_table && uniform + MARGIN < threshold {
            true
        } else if in_table && uniform >= threshold + MARGIN {
            false
        } else {
            self.accept_exactly(proposal, word, source)
        }
    }

    /// γ as a fraction of 2^64.
    #[inline]
    pub(crate) fn gamma(&self, proposal: Proposal) -> u64 {
        let m = proposal.bucket ^ (proposal.bucket >> 63);
        let d = u128::from(proposal.place);
        let sum = d * u128::from(m.unsigned_abs() << 1 & 0x3fff) + ((d * d) >> 64);
        let sum = sum >> 14;
        low_64((u128::from(self.c) * sum) >> 62)
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn accept_exactly<S: Source>(
        &self,
        proposal: Proposal,
        word: u64,
        source: &mut S,
    ) -> bool {
        let y = BigInt::from(self.magnitude(proposal));
        let m = proposal.bucket ^ (proposal.bucket >> 63);
        let start = BigInt::from(m) << self.width_bits;
        let gamma = Rational::integer(&y * &y - &start * &start) * &self.rate;
        refine_tie(&Acceptance(gamma), word, 64, source)
    }
}

impl Engine for Buckets {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.draw(&mut Direct(rng))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        // Words that a round uses.
        let words = if self.width_bits > 64 { 4 } else { 3 };
        bulk::fill(rng, words, out, |words| self.draw(words))
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Of 2^64 rounds.
    fn undecided(&self) -> Option<u64> {
        Some(self.table.undecided() + 4 * MARGIN + 4)
    }

    fn variant(&self) -> Variant {
        Variant::Rounds
    }

    fn touches(&self) -> Vec<Touch> {
        self.table.touches()
    }
}

/// e^−γ in units of 2^−63, for γ < 0.037 in units of 2^−64; within 11 units.
#[inline]
pub(crate) fn exp_minus_fixed(gamma: u64) -> u64 {
    let a = INVERSE_FACTORIALS;
    let square = high_product(gamma, gamma);
    // The two sums do not wait for each other.
    let sum = |terms: &[u64]| {
        let step = |sum: u64, term: u64| term.wrapping_add(high_product(square, sum));
        terms.iter().rev().copied().reduce(step).unwrap_or(0)
    };
    let even = sum(&[a[0], a[2], a[4], a[6], a[8]]);
    let odd = sum(&[a[1], a[3], a[5], a[7]]);
    even.wrapping_sub(high_product(gamma, odd))
}

/// ⌊one·other/2^64⌋
#[inline]
fn high_product(one: u64, other: u64) -> u64 {
    low_64((u128::from(one) * u128::from(other)) >> 64)
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "no higher bits are set")]
fn low_64(value: u128) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests;
