//! The buckets of `crate::gaussian_buckets`, with 16 bits for the bucket and 12 for a first
//! comparison, so that a round takes a single word up to σ of about 2^42.
//!
//! Buckets are wider than there, σ/W is between 60 and 120, so that their law fits words of 16
//! bits. Then S < 2^12 and γ < 8.9/60 + 1/7200 < 0.15; what the error bound of e^−γ there gains is
//! the remainder of the series, γ^9/9! < 2^−42. [`MARGIN`] covers it by far.

use dp_exact::Rational;
use rand_core::Rng;

use super::lanes::lowest;
use crate::alias::Short;
use crate::engine::Engine;
use crate::gaussian_buckets::{Buckets, Proposal, exp_minus_fixed};
use crate::laws::Gaussian;
use crate::words::{Direct, Source};
use crate::{Error, FromDraw, bulk};

/// Bits of the first comparison.
const FIRST: u32 = 12;

/// Bits of a place that fit a word beside the bucket and the first comparison.
const PLACE: u32 = 64 - 16 - FIRST;

/// σ²/W² is at most this.
const SCALED_LIMIT: u32 = 120 * 120;

/// Units of 2^−63 within which the first comparison does not decide.
const MARGIN: u64 = 1 << 24;

/// The sampler for one variance.
#[derive(Clone)]
pub(super) struct ShortBuckets {
    table: Short<Gaussian>,
    buckets: Buckets,
}

impl ShortBuckets {
    pub(super) fn new(variance: &Rational) -> Option<Self> {
        let buckets = Buckets::new(variance, SCALED_LIMIT)?;
        let table = Short::new(buckets.law().clone(), 16)?;
        Some(Self { table, buckets })
    }

    /// A word is the bucket, the first comparison and up to 36 bits of the place, from the least
    /// significant bits on.
    #[inline]
    fn draw<T: FromDraw, S: Source>(&self, source: &mut S) -> Option<T> {
        loop {
            let word = source.word();
            let bucket = match self.table.look_up(lowest::<16>(word)) {
                Some(bucket) => bucket,
                None => self.table.draw_remainder(source),
            };
            let proposal = if self.buckets.width_bits() <= PLACE {
                self.buckets.place_in(bucket, word)
            } else {
                let place = source.word();
                self.buckets.place(bucket, place, source)
            };
            let uniform = u64::from(lowest::<FIRST>(word >> 16));
            if self.accept(proposal, uniform, source)
                && let Some(draw) = self.buckets.signed(proposal)
            {
                return draw;
            }
        }
    }

    #[inline]
    fn accept<S: Source>(&self, proposal: Proposal, uniform: u64, source: &mut S) -> bool {
        if self.buckets.holds(proposal.bucket) {
            // In units of 2^−63.
            let low = uniform << (63 - FIRST);
            let high = low + (1 << (63 - FIRST)) + MARGIN;
            // 1 − γ ≤ e^−γ decides all but a few in a hundred.
            let gamma = self.buckets.gamma(proposal);
            if high < (1 << 63) - (gamma >> 1) {
                return true;
            }
            let threshold = exp_minus_fixed(gamma);
            if high < threshold {
                return true;
            }
            if low >= threshold + MARGIN {
                return false;
            }
        }
        let more = source.word() >> FIRST;
        self.buckets
            .accept_exactly(proposal, (uniform << (64 - FIRST)) | more, source)
    }
}

impl Engine for ShortBuckets {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        self.draw(&mut Direct(rng))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        // Words that a round uses.
        let width_bits = self.buckets.width_bits();
        let words = 1 + usize::from(width_bits > PLACE) + usize::from(width_bits > 64);
        bulk::fill(rng, words, out, |words| self.draw(words))
    }

    fn bytes(&self) -> usize {
        self.table.bytes() + self.buckets.bytes()
    }
}
