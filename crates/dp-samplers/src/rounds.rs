//! Draws from wide distributions in rounds: a bucket, a uniform offset in it, and acceptance by a
//! certified comparison. No address and no branch depends on a secret.
//!
//! Let P(y) ∝ e^(−f(y)) on y ≥ 0 with f convex and rising, and buckets of width W = 2^k. Draw
//!
//! 1. a bucket m with P(m) ∝ e^(−f(mW)), by a [`TableScan`], and a side;
//! 2. u uniform on {0, …, W − 1}; the magnitude is y = mW + u;
//! 3. U uniform on [0, 1), and accept if U < e^−γ, γ = f(y) − f(mW); else start again.
//!
//! A magnitude is proposed with probability ∝ e^(−f(mW)) and accepted with e^−γ; the product is
//! e^(−f(y)), for any k. [`Exponent`] gives γ.
//!
//! - *Gaussians* have a fair side, y or −y, and −0 is rejected. W is such that 52 < σ²/W² ≤ 208
//!   where k > 1: at most one in 17 proposals is rejected.
//! - *Laplace distributions* have sides y and −1 − y; the second side has e^(−1/t) times the
//!   probability of the first. The bucket has two digits; 16 < t/W ≤ 32, and at most one
//!   in 32 proposals is rejected.
//! - *Binomials* have buckets on both sides of the mode: the bucket chooses the side.
//!
//! # Comparison
//! A slice is drawn in batches of 256 proposals ([`batch`]). A first comparison of 16 bits
//! ([`lanes`]) decides nearly all of them; the undecided ones are compared with 48 bits more, a
//! single draw with 47 bits or more at once. γ < 13/10 is known within [`Exponent::error`] units of
//! 2^−63, and [`exp_minus`] errs by 33 of them. Where U is within their sum, more bits of U are
//! compared with enclosures of the exact e^−γ, as deep as it takes. Buckets beyond
//! [`Rounds::last`], where γ may be larger, are *far*, and compared by enclosures alone.
//!
//! # Timing
//! Every round, and every batch, uses the same words and the same arithmetic. An observer learns
//! which proposals are accepted; proposals are independent, and an accepted one has the
//! distribution P whether others are accepted or not, so that this is independent of the draws. An
//! undecided second comparison and a far bucket are the exceptional path, whose probability
//! [`Rounds::undecided`] bounds.

mod batch;
mod exponent;
mod lanes;

use alloc::sync::Arc;

use dp_exact::Rational;
use num_bigint::BigInt;
use rand_core::CryptoRng;
use zeroize::zeroize_stack;

use self::batch::{Batch, SHORT};
use self::exponent::Exponent;
use self::lanes::Slope;
use crate::distributions::{Envelope, LowDigit, Magnitude};
use crate::exponential::{EXP_ERROR, exp_minus, low_64};
use crate::fixed::lower_bound;
use crate::masks::{declassify, less};
use crate::table_scan::{TableScan, enough};
use crate::threshold::refine_tie;
use crate::{Error, FromDraw, bulk};

/// The largest k for which draws from buckets of width 2^k fit 64 bits.
const NARROW: u32 = 40;

/// The largest k, for buckets of width 2^k, for which offset, sign and comparison of a single draw
/// come from one word.
const ONE_WORD: u32 = 16;

/// The largest k, for buckets of width 2^k: draws of up to 2^(k + 9) fit 128 bits with room to
/// spare.
const MAX_WIDTH_BITS: u32 = 104;

/// The most proposals of a batch that the second comparison decides.
const MAX_SLOTS: usize = 60;

/// Bits of the low digit of a bucket of Laplace distributions.
const LOW_BITS: u32 = 4;

/// The largest bucket that fits a signed lane of 16 bits.
const LAST_LANE: u16 = i16::MAX.unsigned_abs();

/// The scan of the discrete Laplace distribution of scale t ≤ 128: of one digit for t ≤ 4, else of
/// two. `None` for a larger scale.
pub(crate) fn scan_of_scale(scale: &Rational) -> Option<TableScan> {
    let rate = scale.reciprocal()?;
    let limits = [(0, 4), (3, 16), (4, 32), (5, 64), (6, 128)];
    let serves = |(_, limit): &(u32, u32)| *scale <= Rational::integer(*limit);
    match limits.into_iter().find(serves)? {
        (0, _) => TableScan::new(Arc::new(Magnitude::laplace(rate, true))),
        (low_bits, _) => digits(&rate, &rate, low_bits),
    }
}

/// The scan of G = L + b·H with P(G) ∝ e^(−`rate`·G), in digits L < b = 2^`low_bits` and H, and of
/// −1 − G, with e^(−`side_rate`) times the probability of G. `None` if there would be too many
/// thresholds.
fn digits(rate: &Rational, side_rate: &Rational, low_bits: u32) -> Option<TableScan> {
    let base = 1 << low_bits;
    let low = LowDigit { rate: rate.clone(), side_rate: side_rate.clone(), base };
    let high = Magnitude::laplace(rate * &Rational::integer(base), false);
    TableScan::of_digits(low, high, low_bits)
}

/// The sampler of one wide distribution.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// Draws the bucket and, unless it is fair, the side.
    table: TableScan,
    /// Added to each lane that the table draws.
    origin: i16,
    /// Computes γ for the second comparison and beyond; a proposal is accepted with probability
    /// e^−γ.
    exponent: Exponent,
    /// The constants of the first comparison.
    slope: Slope,
    /// Whether the lower of two sides is −y for the magnitude y, with a fair side and −0 rejected;
    /// else it is −1 − y.
    is_fair: bool,
    /// k: a bucket holds W = 2^k magnitudes.
    width_bits: u32,
    /// The last bucket on each side that is not far: γ < 13/10 up to it.
    last: u16,
    /// Added to every draw: the centre of a binomial distribution, else 0.
    base: i64,
    /// Upper bound on the error of e^−γ in the second comparison, in units of 2^−63.
    margin: u64,
    /// The most undecided proposals that a batch decides by the second comparison.
    slots: usize,
    /// Upper bound on the probability that a batch has more undecided proposals than slots, in
    /// units of 2^−64.
    overflow: u64,
    /// Upper bound on the probability that a proposal is in a far bucket, in units of 2^−64.
    far: u64,
}

/// An offset u in a bucket of width W, as the fraction u/W.
#[derive(Clone, Copy, Debug, Default)]
struct Offset {
    /// The upper 64 bits after the point.
    upper: u64,
    /// The bits of the fraction below the upper 64, if W > 2^64.
    below: u64,
}

/// A proposed draw.
#[derive(Clone, Copy, Debug)]
struct Proposal {
    /// All ones for the lower of two sides, else 0.
    side: i64,
    /// m ≥ 0, the number of the bucket.
    bucket: i64,
    offset: Offset,
}

/// The first bits of U, uniform on [0, 1), as an integer, and the number of these bits.
type Bits = (u64, u32);

/// The least k ≥ 1 for buckets of width W = 2^k with t/W ≤ `limit` for a scale t (`per_bit` 1), or
/// σ²/W² ≤ `limit` for a variance (`per_bit` 2), and that quotient. `None` if k exceeds 104.
fn width(parameter: &Rational, limit: u32, per_bit: u32) -> Option<(u32, Rational)> {
    let power = |bits: u32| Rational::integer(BigInt::from(1) << (per_bit * bits));
    let limit = Rational::integer(limit);
    let bits = (1..=MAX_WIDTH_BITS).find(|&bits| *parameter <= power(bits) * &limit)?;
    Some((bits, parameter.checked_div(&power(bits))?))
}

/// ⌊`number`·2^`bits`⌋ for a `number` in [0, 1) and at most 128 bits; `None` if it exceeds 64 bits.
fn fixed(number: &Rational, bits: u32) -> Option<u64> {
    let bound = lower_bound(&dp_exact::Interval::rational(number, 192));
    u64::try_from(bound >> (128 - bits)).ok()
}

impl Rounds {
    /// The discrete Gaussian of this variance σ². The bucket width W is the least power of two with
    /// σ²/W² ≤ 208. From σ²/W² = 52 on, γ < 13/10 for all but 2^−61 of the proposals. `None` unless
    /// 208 < σ² ≤ 208·2^208.
    pub(crate) fn gaussian(variance: &Rational) -> Option<Self> {
        let (width_bits, scaled) = width(variance, 208, 2)?;
        if scaled <= Rational::integer(52) {
            return None;
        }
        // The largest m with (2m + 2)·c ≤ 13/10, where 13/10/c = 26/10·σ²/W².
        let ends = (&scaled * &Rational::new(13, 10).ok()?).floor();
        let twice_c = scaled.reciprocal()?;
        let exponent =
            Exponent::Square { c: fixed(&twice_c, 69)?, rate: (variance + variance).reciprocal()? };
        let slope = u32::try_from(fixed(&twice_c, 31)?).ok()?;
        let slope = Slope::rising(slope, width_bits > 16)?;
        let table = TableScan::new(Arc::new(Magnitude::gaussian(&scaled, false)?))?;
        let last = u16::try_from(ends).ok()?.checked_sub(1)?;
        Self::new(table, exponent, slope, true, (width_bits, last))
    }

    /// The discrete Laplace distribution of this scale t. The bucket width W is the least power of
    /// two from 2 on with t/W ≤ 32. `None` for t > 2^109.
    pub(crate) fn laplace(scale: &Rational) -> Option<Self> {
        let (width_bits, scaled) = width(scale, 1 << (LOW_BITS + 1), 1)?;
        let (rate, c) = (scale.reciprocal()?, scaled.reciprocal()?);
        let table = digits(&c, &rate, LOW_BITS)?;
        let slope = Slope::flat(u16::try_from(fixed(&c, 20)?).ok()?);
        let exponent = Exponent::Line { c: fixed(&c, 65)?, rate };
        Self::new(table, exponent, slope, false, (width_bits, LAST_LANE))
    }

    /// The binomial distribution with this envelope; `None` if too few proposals would be decided
    /// by the first comparison, or the envelope does not fit its integers.
    pub(crate) fn binomial(envelope: Envelope) -> Option<Self> {
        let width_bits = envelope.width_bits;
        let last = envelope.last()?;
        let table = TableScan::new(Arc::new(envelope.clone()))?;
        let twice_c = envelope.twice_c()?;
        let slope = u32::try_from(fixed(&twice_c, 31)?).ok()?;
        let slope = Slope::rising(slope, width_bits > 16)?;
        let base = envelope.centre.cast_signed();
        let errors = envelope.lane_errors(last)?;
        // The bucket up to which the first comparison decides, such that the fewest slots are
        // needed.
        let cores = (0..).zip(errors).skip(16).step_by(3);
        let slopes = cores.filter_map(|(core, error)| {
            let slope = slope.within(core, error)?;
            Some((Self::slots(&table, slope, last)?.0, slope))
        });
        let (_, slope) = slopes.min_by_key(|(slots, _)| *slots)?;
        let exponent = Exponent::Binomial(envelope);
        let distribution = Self::new(table, exponent, slope, false, (width_bits, last))?;
        Some(Self { base, ..distribution })
    }

    /// The least number of slots that a batch exceeds with probability at most 2^−50, and an upper
    /// bound on that probability in units of 2^−64. A proposal that the first comparison leaves
    /// undecided takes a slot. `last` is the last bucket that is not far. `None` if a batch would
    /// need more than [`MAX_SLOTS`].
    fn slots(table: &TableScan, slope: Slope, last: u16) -> Option<(usize, u64)> {
        let decided = i64::from(slope.core.min(last));
        let undecided = (u64::from(slope.undecided) << 48).checked_add(table.beyond(decided))?;
        enough(undecided, 64, 1, MAX_SLOTS)
    }

    /// The sampler of these parts, for buckets of width 2^`width_bits`, of which `last` is the last
    /// that is not far; `None` if a batch would need more than [`MAX_SLOTS`] slots, or the outcomes
    /// of the table do not fit 16 bits.
    fn new(
        table: TableScan,
        exponent: Exponent,
        slope: Slope,
        is_fair: bool,
        (width_bits, last): (u32, u16),
    ) -> Option<Self> {
        let (slots, overflow) = Self::slots(&table, slope, last)?;
        Some(Self {
            origin: i16::try_from(table.lanes_origin()).ok()?,
            far: table.beyond(last.into()),
            margin: EXP_ERROR + exponent.error(),
            base: 0,
            table,
            exponent,
            slope,
            is_fair,
            width_bits,
            last,
            slots,
            overflow,
        })
    }

    /// Upper bound on the probability that a round of a single draw, or a batch, takes the
    /// exceptional path, in units of 2^−64.
    pub(crate) fn undecided(&self) -> u64 {
        // Units of 2^−63 are two words. U is known within 2^k words where it counts its word with
        // the offset.
        let unknown = match self.width_bits {
            bits @ ..=ONE_WORD => 1 << bits,
            _ => 1,
        };
        let single = 4 * self.margin + 2 * unknown + self.far;
        // Each of 256 proposals is undecided by both comparisons with the chance of the second.
        let batch = self.overflow + 256 * (4 * (self.margin + 1) + self.far);
        self.table.undecided() + single.max(batch)
    }

    /// An offset from at least k random bits, in a bucket of width 2^k. It takes the uppermost bits
    /// of `upper`, then the uppermost of `below`.
    #[inline]
    fn offset_from_bits(&self, upper: u64, below: u64) -> Offset {
        match self.width_bits.checked_sub(64) {
            None | Some(0) => {
                Offset { upper: upper & (u64::MAX << (64 - self.width_bits)), below: 0 }
            }
            Some(more) => Offset { upper, below: below >> (64 - more) },
        }
    }

    /// The magnitude mW + u of a proposal with the offset u in bucket m of width W.
    #[inline]
    fn magnitude(&self, Proposal { bucket, offset, .. }: Proposal) -> i128 {
        let u = match self.width_bits.checked_sub(64) {
            None => i128::from(offset.upper >> (64 - self.width_bits)),
            Some(more) => (i128::from(offset.upper) << more) | i128::from(offset.below),
        };
        (i128::from(bucket) << self.width_bits) | u
    }

    /// All ones if a fair bit chooses the side, else 0.
    #[inline]
    fn fair(&self) -> i64 {
        -i64::from(self.is_fair)
    }

    /// The draw with magnitude y, less the base, for widths up to 2^[`NARROW`]. `side` is all ones
    /// for the lower side, else 0.
    #[inline]
    fn signed_narrow(&self, y: i64, side: i64) -> i64 {
        // y on the upper side. On the lower y ^ side is −1 − y, and one more is −y.
        (y ^ side) - (side & self.fair())
    }

    /// The draw of a proposal, `None` if it does not fit `T`; and 1, or 0 for the proposal −0,
    /// which is rejected.
    #[inline]
    fn signed<T: FromDraw>(&self, proposal: Proposal) -> (Option<T>, u64) {
        let side = proposal.side;
        if self.width_bits <= NARROW {
            let u = (proposal.offset.upper >> (64 - self.width_bits)).cast_signed();
            let y = (proposal.bucket << self.width_bits) | u;
            // The sign of y − 1 is 1 for y = 0 alone.
            let is_negative_zero = ((y - 1) & side & self.fair()).cast_unsigned() >> 63;
            let draw = self.signed_narrow(y, side) + self.base;
            return (T::try_from(draw).ok(), 1 ^ is_negative_zero);
        }
        // The same in 128 bits.
        let y = self.magnitude(proposal);
        let fair = i128::from(side & self.fair());
        let is_negative_zero = low_64(((y - 1) & fair).cast_unsigned() >> 127);
        let draw = (y ^ i128::from(side)) - fair + i128::from(self.base);
        (T::try_from(draw).ok(), 1 ^ is_negative_zero)
    }

    /// The second comparison: two flags, 1 or 0, for U < e^−γ being certain, and for being
    /// undecided. U decides whether the proposal is accepted. `uniform` holds the first `bits` bits
    /// of U; the bucket is not far.
    #[inline]
    fn compare(&self, proposal: Proposal, (uniform, bits): Bits) -> (u64, u64) {
        let threshold = exp_minus(self.exponent.gamma(self.width_bits, proposal));
        // In units of 2^−63, U lies between these two, and e^−γ within `margin` of the threshold.
        let low = uniform << (63 - bits);
        let high = low + (1 << (63 - bits));
        // Certain where high ≤ threshold − margin, or where low ≥ threshold + margin.
        let accepted = less(high + self.margin, threshold + 1);
        let rejected = less(threshold + self.margin, low + 1);
        (accepted, 1 ^ (accepted | rejected))
    }

    /// Whether the proposal is accepted, U < e^−γ, for a bucket that is not a tail. More bits of U
    /// are drawn until that is decided. `uniform` holds the first `bits` bits of U.
    #[cold]
    #[inline(never)]
    fn accept_exactly<R: CryptoRng + ?Sized>(
        &self,
        proposal: Proposal,
        (uniform, bits): Bits,
        rng: &mut R,
    ) -> bool {
        let start = BigInt::from(proposal.bucket) << self.width_bits;
        let y = self.magnitude_integer(proposal);
        let acceptance = self.exponent.acceptance(self.width_bits, proposal, &start, &y);
        refine_tie(&*acceptance, uniform, bits, rng)
    }

    /// The magnitude mW + u of a proposal, as [`Self::magnitude`], for a bucket m of any size.
    fn magnitude_integer(&self, proposal: Proposal) -> BigInt {
        let offset = self.magnitude(Proposal { bucket: 0, ..proposal });
        (BigInt::from(proposal.bucket) << self.width_bits) + offset
    }

    /// The draw of a proposal in a far bucket: `None` if the proposal is rejected, `Some(None)` if
    /// its draw does not fit `T`. `uniform` holds the first bits of the U that decides.
    #[cold]
    #[inline(never)]
    fn draw_far<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        proposal: Proposal,
        uniform: Bits,
        rng: &mut R,
    ) -> Option<Option<T>> {
        if let Exponent::Binomial(envelope) = &self.exponent
            && let Some(drawn) =
                envelope.draw_in_tail(proposal.bucket ^ proposal.side, uniform, rng)
        {
            return drawn.map(|draw| T::try_from(draw).ok());
        }
        let accepted = self.accept_exactly(proposal, uniform, rng);
        accepted.then(|| {
            let y = self.magnitude_integer(proposal);
            let signed = match (proposal.side, self.is_fair) {
                (0, _) => y,
                (_, true) => -y,
                _ => -y - 1,
            };
            T::try_from(signed + self.base).ok()
        })
    }

    /// A draw from the generator; `None` if it does not fit `T`.
    #[inline]
    pub(crate) fn draw<T: FromDraw, R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        loop {
            let outcome = self.table.draw(rng);
            let first = rng.next_u64();
            // The offset is the uppermost bits of the first word. The lowest bit of the last word
            // is the fair side, and the bits above it are U: the same word if there is room.
            let (offset, last, bits) = if self.width_bits <= ONE_WORD {
                (self.offset_from_bits(first, 0), first, 63 - self.width_bits)
            } else {
                let below = if self.width_bits > 64 { rng.next_u64() } else { 0 };
                (self.offset_from_bits(first, below), rng.next_u64(), 63)
            };
            // Outcomes are m and −1 − m: the sign is all ones for the lower side.
            let sign = outcome >> 63;
            let fair = (last & 1).cast_signed().wrapping_neg() & self.fair();
            let proposal = Proposal { side: sign | fair, bucket: outcome ^ sign, offset };
            let uniform = ((last >> 1) & (u64::MAX >> (64 - bits)), bits);
            if declassify(less(self.last.into(), proposal.bucket.cast_unsigned())) {
                if let Some(draw) = self.draw_far(proposal, uniform, rng) {
                    return draw;
                }
                continue;
            }
            let (mut accepted, undecided) = self.compare(proposal, uniform);
            if declassify(undecided) {
                accepted = self.accept_exactly(proposal, uniform, rng).into();
            }
            let (draw, counts) = self.signed(proposal);
            if declassify(accepted & counts) {
                return draw;
            }
        }
    }

    /// Fills `out` with draws in batches, the last ones one by one. Wipes the stack that it used.
    /// `Err` if a draw does not fit `T`.
    pub(crate) fn fill<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        if out.len() < SHORT {
            let unfit = bulk::one_by_one(out, || self.draw(rng));
            zeroize_stack::<{ bulk::STACK }>();
            return bulk::complete::<T>(unfit);
        }
        // Allocated here, so that the stack of called functions lies below, where it is wiped.
        let batch = &mut Batch::default();
        let unfit = match self.fill_batches(rng, batch, out) {
            Ok(done) => bulk::one_by_one(&mut out[done..], || self.draw(rng))
                .map(|position| done + position),
            Err(position) => Some(position),
        };
        zeroize_stack::<{ bulk::STACK }>();
        bulk::complete::<T>(unfit)
    }
}

#[cfg(test)]
mod tests;
