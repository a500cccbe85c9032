//! Geometric and discrete Laplace draws of any scale, without rejection: a top part from one
//! table, and below it digits from a table each.
//!
//! Let G be geometric of scale t. In base B = 2^b, G = B^n·V + Σ_{i<n} B^i·D_i with independent
//! parts: V is geometric of scale t/B^n, and the digits have the laws of `laws/digit.rs`. For the
//! discrete Laplace distribution draw a sign s with P(s = 1) = 1/(e^(1/t) + 1), independent of G,
//! and let X = G if s = 0, else −1 − G. Then P(X = x) = (1 − q)/(1 + q)·q^|x|, with one zero.
//!
//! Sign and top part come from one table: its outcome W is V, or −1 − V where s = 1. In two's
//! complement −1 − G is the bitwise complement of G, so X is W followed by the digits,
//! complemented where W is negative. The digits of |X| itself are not independent.

use alloc::vec::Vec;

use rand_core::Rng;

use crate::alias::{Alias, Law};
use crate::engine::Engine;
use crate::laws::{Digit, OneSided, TwoSided};
use crate::variant::LINE;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, Touch, Variant, bulk};
use dp_exact::Rational;
use num_bigint::BigInt;

/// The top part has at most this scale, so that its two-sided table takes 32 KiB.
const TOP_SCALE: i64 = 24;

/// The most bits of a digit: its table takes 32 KiB.
const DIGIT_BITS: u32 = 11;

/// The most bits below the top part: outcomes fit 128 bits with room to spare.
const MAX_LOW_BITS: u32 = 99;

/// With at most this many bits below the top part, outcomes fit 64 bits.
pub(crate) const NARROW: u32 = 40;

/// A top part and digits, the most significant first.
#[derive(Clone, Debug)]
pub(crate) struct Expansion<L> {
    top: Alias<L>,
    digits: Vec<Alias<Digit>>,
    digit_bits: u32,
    low_bits: u32,
}

impl Expansion<OneSided> {
    /// The geometric distribution of this scale; `None` if it is too large.
    pub(crate) fn geometric(scale: &Rational) -> Option<Self> {
        Self::new(scale, |rate| OneSided { rate })
    }
}

impl Expansion<TwoSided> {
    /// The discrete Laplace distribution of this scale; `None` if it is too large.
    pub(crate) fn laplace(scale: &Rational) -> Option<Self> {
        let sign_rate = scale.reciprocal()?;
        Self::new(scale, |rate| TwoSided { rate, sign_rate })
    }
}

impl<L: Law> Expansion<L> {
    fn new(scale: &Rational, top: impl FnOnce(Rational) -> L) -> Option<Self> {
        let rate = scale.reciprocal()?;
        let wanted = low_bits(scale)?;
        let count = wanted.div_ceil(DIGIT_BITS);
        let digit_bits = wanted.div_ceil(count.max(1));
        let raised = |bits: u32| Rational::integer(BigInt::from(1) << bits) * &rate;
        let digits = (0..count).rev().map(|place| {
            Alias::new(Digit {
                rate: raised(place * digit_bits),
                bits: digit_bits,
            })
        });
        Some(Self {
            digits: digits.collect::<Option<_>>()?,
            digit_bits,
            low_bits: count * digit_bits,
            top: Alias::new(top(raised(count * digit_bits)))?,
        })
    }

    /// Words that a draw uses.
    fn words(&self) -> usize {
        1 + self.digits.len()
    }

    /// The digits as one number.
    #[inline]
    fn draw_low<S: Source>(&self, source: &mut S) -> i128 {
        self.digits.iter().fold(0, |low, digit| {
            (low << self.digit_bits) | i128::from(digit.draw(source))
        })
    }

    #[inline]
    fn draw_low_narrow<S: Source>(&self, source: &mut S) -> i64 {
        self.digits.iter().fold(0, |low, digit| {
            (low << self.digit_bits) | digit.draw(source)
        })
    }

    #[inline]
    pub(crate) fn draw<T: FromDraw, S: Source>(&self, source: &mut S) -> Option<T> {
        let top = self.top.draw(source);
        if self.digits.is_empty() {
            T::from_i64(top)
        } else if self.low_bits <= NARROW {
            self.draw_narrow(top, source)
        } else {
            self.draw_wide(top, source)
        }
    }

    #[inline]
    fn draw_narrow<T: FromDraw, S: Source>(&self, top: i64, source: &mut S) -> Option<T> {
        // All ones where the top part is negative; it is far below 2^23 in size.
        let sign = top >> 63;
        let ones = !(-1 << self.low_bits);
        let low = self.draw_low_narrow(source);
        T::from_i64((top << self.low_bits) | (low ^ (sign & ones)))
    }

    fn draw_wide<T: FromDraw, S: Source>(&self, top: i64, source: &mut S) -> Option<T> {
        let top = i128::from(top);
        let (sign, ones) = (top >> 127, !(-1_i128 << self.low_bits));
        let low = self.draw_low(source);
        T::from_i128((top << self.low_bits) | (low ^ (sign & ones)))
    }
}

impl<L: Law> Engine for Expansion<L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.draw(&mut Direct(rng))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        if self.digits.is_empty() {
            return Engine::fill(&self.top, rng, out);
        }
        bulk::fill(rng, self.words(), out, |words| self.draw(words))
    }

    fn bytes(&self) -> usize {
        self.top.bytes() + self.digits.iter().map(Alias::bytes).sum::<usize>()
    }

    fn undecided(&self) -> Option<u64> {
        Some(self.top.undecided() + self.digits.iter().map(Alias::undecided).sum::<u64>())
    }

    fn variant(&self) -> Variant {
        Variant::Digits
    }

    /// Of the top part, then of each digit.
    fn touches(&self) -> Vec<Touch> {
        let mut touches = self.top.touches();
        let mut lines = self.top.bytes().div_ceil(LINE);
        for digit in &self.digits {
            let more = digit.touches().into_iter().map(|touch| Touch {
                line: lines + touch.line,
                ..touch
            });
            touches.extend(more);
            lines += digit.bytes().div_ceil(LINE);
        }
        touches
    }
}

/// The least number l with scale/2^l ≤ [`TOP_SCALE`]; `None` beyond [`MAX_LOW_BITS`].
pub(crate) fn low_bits(scale: &Rational) -> Option<u32> {
    let limit = Rational::integer(TOP_SCALE);
    (0..=MAX_LOW_BITS).find(|&bits| *scale <= Rational::integer(BigInt::from(1) << bits) * &limit)
}
