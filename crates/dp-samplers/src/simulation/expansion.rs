//! The expansion of `crate::expansion`, with digits of 8 bits and words of 16.

use alloc::vec::Vec;

use dp_exact::Rational;
use num_bigint::BigInt;
use rand_core::Rng;

use super::lanes::{self, Lanes, words};
use crate::alias::{Law, Short};
use crate::engine::Engine;
use crate::expansion::{NARROW, low_bits};
use crate::laws::{Digit, OneSided, TwoSided};
use crate::words::{Direct, Source, Words};
use crate::{Error, FromDraw, bulk};

/// Bits of a word.
const WORD: u32 = 16;

/// Bits of a digit.
const DIGIT_BITS: u32 = 8;

/// A top part and digits, the most significant first.
#[derive(Clone)]
pub(super) struct Expansion<L> {
    top: Short<L>,
    digits: Vec<Short<Digit>>,
    low_bits: u32,
}

impl Expansion<OneSided> {
    pub(super) fn geometric(scale: &Rational) -> Option<Self> {
        Self::new(scale, |rate| OneSided { rate })
    }
}

impl Expansion<TwoSided> {
    pub(super) fn laplace(scale: &Rational) -> Option<Self> {
        let sign_rate = scale.reciprocal()?;
        Self::new(scale, |rate| TwoSided { rate, sign_rate })
    }
}

impl<L: Law> Expansion<L> {
    fn new(scale: &Rational, top: impl FnOnce(Rational) -> L) -> Option<Self> {
        let rate = scale.reciprocal()?;
        let count = low_bits(scale)?.div_ceil(DIGIT_BITS);
        let raised = |bits: u32| Rational::integer(BigInt::from(1) << bits) * &rate;
        let digits = (0..count).rev().map(|place| {
            let digit = Digit {
                rate: raised(place * DIGIT_BITS),
                bits: DIGIT_BITS,
            };
            Short::new(digit, WORD)
        });
        Some(Self {
            digits: digits.collect::<Option<_>>()?,
            low_bits: count * DIGIT_BITS,
            top: Short::new(top(raised(count * DIGIT_BITS)), WORD)?,
        })
    }

    /// As in `crate::expansion`: the top part, then the digits, complemented where it is negative.
    #[inline]
    fn draw<T: FromDraw, S: Source>(&self, lanes: &mut Lanes<'_, S, WORD>) -> Option<T> {
        let top = lanes.draw(&self.top);
        if self.low_bits <= NARROW {
            let low = self
                .digits
                .iter()
                .fold(0_i64, |low, digit| (low << DIGIT_BITS) | lanes.draw(digit));
            let ones = !(-1 << self.low_bits);
            return T::from_i64((top << self.low_bits) | (low ^ ((top >> 63) & ones)));
        }
        let low = self.digits.iter().fold(0_i128, |low, digit| {
            (low << DIGIT_BITS) | i128::from(lanes.draw(digit))
        });
        let (top, ones) = (i128::from(top), !(-1 << self.low_bits));
        T::from_i128((top << self.low_bits) | (low ^ ((top >> 127) & ones)))
    }
}

impl<L: Law> Engine for Expansion<L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.draw(&mut Lanes::new(&mut Direct(rng)))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        if self.digits.is_empty() {
            return bulk::complete(lanes::fill::<WORD, 4, _, _, _>(&self.top, rng, out), out);
        }
        let owed = words::<WORD>(out.len(), 1 + self.digits.len());
        let mut source = Words::new(rng, owed);
        let mut lanes = Lanes::new(&mut source);
        bulk::fill_one_by_one(out, || self.draw(&mut lanes))
    }

    fn bytes(&self) -> usize {
        self.top.bytes() + self.digits.iter().map(Short::bytes).sum::<usize>()
    }
}

#[cfg(test)]
mod tests;
