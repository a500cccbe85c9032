//! Discrete Gaussian draws for large σ: a bucket, a uniform place in it, and acceptance by a
//! certified comparison. No address depends on a secret.
//!
//! With buckets of width W = 2^k, draw
//!
//! 1. a bucket m ≥ 0, P(m) ∝ e^(−(mW)²/2σ²), by a scan of thresholds, and a sign;
//! 2. u uniform on {0, …, W − 1}; the magnitude is y = mW + u;
//! 3. U uniform on [0, 1), and accept if U < e^−γ, γ = (y² − (mW)²)/2σ², unless the sign is
//!    negative and y = 0; else start again.
//!
//! A signed magnitude is proposed with probability ∝ e^(−(mW)²/2σ²) and accepted with e^−γ;
//! the product is e^(−y²/2σ²), and 0 has one sign. So the law is the discrete Gaussian, exactly,
//! whatever k is. With σ²/W² between 243/4 and 243 less than 1 in 20 rounds is rejected.
//!
//! # The comparison with e^−γ
//! With D = u/W and c = W²/2σ², 1/486 ≤ c < 1/121, γ = c·D·(2m + D). Buckets up to
//! [`Shape::last`] have γ < 13/10; all others are *far*, less likely than 2^−75, and compared by
//! enclosures alone. In fixed point, cut off at each step:
//!
//! - D has 64 bits after the point and errs by less than 2^−64 (it is exact up to W = 2^64);
//! - S = 2mD + D² < 2·316 is cut to 54 bits after the point;
//! - c is a fraction of 70 bits. γ = c·S errs by less than 2^−54/121 for S, 632·2^−70 for c, 2·2^−64
//!   for D, and the last cut: less than 5 + 5 + 1 + 1 units of 2^−63, of 16;
//! - [`exp_minus`] errs by 33 units of 2^−63.
//!
//! The computed value is within 49 units of 2^−63 of e^−γ. U is undecided within [`MARGIN`] units; then
//! more bits of U are compared with enclosures of the exact e^−γ, as deep as it takes.
//!
//! A single draw compares like this at once. Draws of a slice are made in batches
//! ([`batch`]), with a first comparison of 16 bits.
//!
//! # Timing
//! Every round, and every batch, uses the same words and the same arithmetic. Which rounds are
//! rejected does not depend on the values that are accepted. What takes longer is counted in
//! [`Engine::undecided`].

mod batch;
mod lanes;

use core::hint::black_box;

use dp_exact::{Interval, Rational, Real};
use num_bigint::BigInt;
use rand_core::Rng;

use self::lanes::Slope;
use crate::enclosure::exp_minus as exact_exp_minus;
use crate::engine::{Engine, whole};
use crate::exponential::{EXP_ERROR, exp_minus, low_64};
use crate::fixed::lower_bound;
use crate::laws::HalfGaussian;
use crate::scan::Scan;
use crate::threshold::refine_tie;
use crate::words::Direct;
use crate::{Error, FromDraw, Variant};

/// W is the least power of two with σ²/W² ≤ 243: the scan then has 64 thresholds of 16 bits at most.
const SCALED_LIMIT: u32 = 243;

/// The largest k: draws of up to 2^(k + 9) fit 128 bits with room to spare.
const MAX_WIDTH_BITS: u32 = 104;

/// With k up to here, draws fit 64 bits.
const NARROW: u32 = 40;

/// With k up to here, place, sign and comparison of a single draw come from one word.
const ONE_WORD: u32 = 16;

/// Units of 2^−63 within which a comparison does not decide.
const MARGIN: u64 = EXP_ERROR + 16;

/// The sampler for one variance.
#[derive(Clone, Debug)]
pub(crate) struct Buckets {
    table: Scan<HalfGaussian>,
    shape: Shape,
    slope: Slope,
    /// 1/2σ²
    rate: Rational,
}

/// The numbers that comparisons are made with.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// k
    width_bits: u32,
    /// The largest m with (2m + 2)·c ≤ 13/10.
    last: i64,
    /// ⌊c·2^70⌋
    c: u64,
}

/// A place in a bucket.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The upper 64 bits of u as a fraction of W, and the bits below them if W > 2^64.
    upper: u64,
    below: u64,
}

/// e^−γ
#[derive(Debug)]
struct Acceptance(Rational);

impl Real for Acceptance {
    fn enclose(&self, precision: u32) -> Interval {
        exact_exp_minus(&self.0, precision)
    }
}

impl Shape {
    /// A place from random bits, at least k of them in all: of `upper`, then of `below`.
    #[inline]
    fn place(self, upper: u64, below: u64) -> Place {
        match self.width_bits.checked_sub(64) {
            None | Some(0) => Place {
                upper: upper & (u64::MAX << (64 - self.width_bits)),
                below: 0,
            },
            Some(more) => Place {
                upper,
                below: below >> (64 - more),
            },
        }
    }

    /// Words of 64 bits that a place needs.
    fn place_words(self) -> usize {
        1 + usize::from(self.width_bits > 64)
    }

    /// mW + u, for k up to [`NARROW`].
    #[inline]
    #[expect(clippy::cast_possible_wrap, reason = "at most 40 bits are left")]
    fn magnitude_narrow(self, bucket: i64, place: Place) -> i64 {
        (bucket << self.width_bits) | (place.upper >> (64 - self.width_bits)) as i64
    }

    /// mW + u
    #[inline]
    fn magnitude(self, bucket: i64, place: Place) -> i128 {
        let u = match self.width_bits.checked_sub(64) {
            None => i128::from(place.upper >> (64 - self.width_bits)),
            Some(more) => (i128::from(place.upper) << more) | i128::from(place.below),
        };
        (i128::from(bucket) << self.width_bits) | u
    }

    /// The magnitude with its sign, as far as it fits; `None` at the zero that is not to count. The
    /// bucket is not far.
    #[inline]
    fn signed<T: FromDraw>(self, bucket: i64, place: Place, negative: bool) -> Option<Option<T>> {
        let sign = -i64::from(negative);
        if self.width_bits <= NARROW {
            let y = self.magnitude_narrow(bucket, place);
            // One number, so that no jump depends on the sign alone.
            return (black_box(y | !sign) != 0).then(|| T::from_i64((y ^ sign) - sign));
        }
        let (y, sign) = (self.magnitude(bucket, place), i128::from(sign));
        (black_box(y | !sign) != 0).then(|| T::from_i128((y ^ sign) - sign))
    }

    /// γ in units of 2^−63, for a bucket that is not far.
    #[inline]
    fn gamma(self, bucket: i64, place: Place) -> u64 {
        let d = u128::from(place.upper);
        let sum = d * u128::from(bucket.unsigned_abs() << 1 & 0x3ff) + ((d * d) >> 64);
        low_64((u128::from(self.c) * (sum >> 10)) >> 61)
    }
}

impl Buckets {
    /// Buckets of the least width W = 2^k with σ²/W² ≤ 243; `None` if σ² itself is at most that, or
    /// above what 128 bits hold.
    pub(crate) fn new(variance: &Rational) -> Option<Self> {
        let square = |bits: u32| Rational::integer(BigInt::from(1) << (2 * bits));
        let limit = Rational::integer(SCALED_LIMIT);
        let width_bits = (0..=MAX_WIDTH_BITS).find(|&bits| *variance <= square(bits) * &limit)?;
        if width_bits == 0 {
            return None;
        }
        let scaled = variance.checked_div(&square(width_bits))?;
        // 13/10/c = 26/10·σ²/W².
        let ends = (&scaled * &Rational::new(13, 10).ok()?).floor();
        // 2c
        let rate = Interval::rational(&scaled.reciprocal()?, 192);
        let rate = lower_bound(&rate);
        Some(Self {
            table: Scan::new(HalfGaussian::new(&scaled)?)?,
            shape: Shape {
                width_bits,
                last: i64::try_from(ends).ok()? - 1,
                c: u64::try_from(rate >> (128 - 69)).ok()?,
            },
            slope: Slope::new(u32::try_from(rate >> (128 - 31)).ok()?)?,
            rate: (variance + variance).reciprocal()?,
        })
    }

    #[inline]
    fn draw<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        let shape = self.shape;
        loop {
            let bucket: i64 = whole(&self.table, rng);
            let mut word = rng.next_u64();
            // Bits of U, and the place, which are the lowest and the uppermost bits of one word.
            let (place, bits) = if shape.width_bits <= ONE_WORD {
                (shape.place(word, 0), 63 - shape.width_bits)
            } else {
                let below = if shape.place_words() > 1 {
                    rng.next_u64()
                } else {
                    0
                };
                let place = shape.place(word, below);
                word = rng.next_u64();
                (place, 63)
            };
            let negative = word & 1 == 1;
            let uniform = (word >> 1) & (u64::MAX >> (64 - bits));
            if bucket > shape.last {
                if let Some(draw) = self.draw_far(bucket, place, negative, (uniform, bits), rng) {
                    return draw;
                }
            } else if self.accept(bucket, place, (uniform, bits), rng)
                && let Some(draw) = shape.signed(bucket, place, negative)
            {
                return draw;
            }
        }
    }

    /// Whether U < e^−γ, where the first bits of U are these. The bucket is not far.
    #[inline]
    fn accept<R: Rng + ?Sized>(
        &self,
        bucket: i64,
        place: Place,
        (uniform, bits): (u64, u32),
        rng: &mut R,
    ) -> bool {
        let threshold = exp_minus(self.shape.gamma(bucket, place));
        // In units of 2^−63, U lies between these two.
        let low = uniform << (63 - bits);
        let high = low + (1 << (63 - bits));
        if high + MARGIN <= threshold {
            true
        } else if low >= threshold + MARGIN {
            false
        } else {
            self.accept_exactly(bucket, place, (uniform, bits), rng)
        }
    }

    #[cold]
    #[inline(never)]
    fn accept_exactly<R: Rng + ?Sized>(
        &self,
        bucket: i64,
        place: Place,
        (uniform, bits): (u64, u32),
        rng: &mut R,
    ) -> bool {
        let start = BigInt::from(bucket) << self.shape.width_bits;
        let y = &start + self.offset(place);
        let gamma = Rational::integer(&y * &y - &start * &start) * &self.rate;
        refine_tie(&Acceptance(gamma), uniform, bits, &mut Direct(rng))
    }

    /// u
    fn offset(&self, place: Place) -> BigInt {
        BigInt::from(self.shape.magnitude(0, place))
    }

    /// The draw from a bucket that is far, if it is accepted.
    #[cold]
    #[inline(never)]
    fn draw_far<T: FromDraw, R: Rng + ?Sized>(
        &self,
        bucket: i64,
        place: Place,
        negative: bool,
        uniform: (u64, u32),
        rng: &mut R,
    ) -> Option<Option<T>> {
        let accepted = self.accept_exactly(bucket, place, uniform, rng);
        accepted.then(|| {
            let y = (BigInt::from(bucket) << self.shape.width_bits) + self.offset(place);
            T::from_big(if negative { -y } else { y })
        })
    }
}

impl Engine for Buckets {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.draw(rng)
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        self.fill_in_batches(rng, out)
    }

    fn bytes(&self) -> usize {
        self.table.bytes()
    }

    /// Of 2^64 rounds of a single draw; those of a batch share its chance. U is known within 2^(63 − bits)
    /// units of 2^−63 for single draws; units are two words.
    fn undecided(&self) -> Option<u64> {
        let unknown = match self.shape.width_bits {
            bits @ ..=ONE_WORD => 1 << bits,
            _ => 1,
        };
        let single = 4 * MARGIN + 2 * unknown;
        Some(self.table.undecided()? + single.max(batch::UNDECIDED))
    }

    fn variant(&self) -> Variant {
        Variant::Rounds
    }
}

#[cfg(test)]
mod tests;
