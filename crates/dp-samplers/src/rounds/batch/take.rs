//! The accepted proposals of a batch as draws.

use core::iter::zip;

use rand_core::CryptoRng;

use super::{ALWAYS, Batch};
use crate::FromDraw;
use crate::masks::{declassify, equal};
use crate::rounds::lanes::ACCEPTED;
use crate::rounds::{NARROW, Proposal, Rounds};
use crate::table_scan::lanes::LANES;

impl Rounds {
    /// Writes the accepted proposals to `out` as far as there is room. Returns how many were
    /// written, or as `Err` the position of one that does not fit `T`. Bit c of `decided` says
    /// whether code c is accepted.
    pub(super) fn take<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &mut Batch,
        decided: u64,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let states = zip(&batch.ranks, &batch.states);
        for (code, (&rank, &state)) in zip(&mut batch.codes, states) {
            // Only undecided proposals, which are not accepted, have ranks above 0.
            *code = rank | (equal(state, ACCEPTED) & ALWAYS);
        }
        if self.width_bits > NARROW || !batch.far.is_empty() {
            return self.take_wide(rng, batch, decided, out);
        }
        if self.is_fair {
            self.reject_zeros(batch);
        }
        if self.offset_bytes() <= 2 {
            self.make_short_draws(batch);
            compact(&batch.short_draws, self.base, &batch.codes, decided, out)
        } else {
            self.make_long_draws(batch);
            compact(&batch.long_draws, self.base, &batch.codes, decided, out)
        }
    }

    /// Gives code 0, rejected, to zeros with a negative sign, for offsets of at most 64 bits.
    fn reject_zeros(&self, batch: &mut Batch) {
        batch.combine();
        for lower in &batch.lower[..self.lower_lanes()] {
            for (combined, lane) in zip(&mut batch.combined, lower) {
                *combined |= lane;
            }
        }
        // Now bits are left of every magnitude but 0.
        let proposals = zip(&batch.combined, &batch.outcomes);
        for (code, (combined, outcome)) in zip(&mut batch.codes, proposals) {
            // The highest bit of x | −x is 1 unless x is 0: all ones for 0, else 0.
            let zero = ((combined | combined.wrapping_neg()) >> 15).wrapping_sub(1).cast_signed();
            // All ones for the negative sign, else 0.
            let negative = outcome.cast_signed() >> 15;
            *code &= !(zero & negative);
        }
    }

    /// Fills `short_draws` with the draws of all proposals, accepted or not, less the base, from
    /// offsets of at most 16 bits.
    #[inline(always)]
    fn make_short_draws(&self, batch: &mut Batch) {
        let (width_bits, fair) = (self.width_bits, -i32::from(self.is_fair));
        let proposals = zip(&batch.outcomes, &batch.offsets);
        for (draw, (outcome, &offset)) in zip(&mut batch.short_draws, proposals) {
            let signed = i32::from(outcome.cast_signed());
            // All ones for the lower side: y ^ side is −1 − y there, and one more is −y.
            let side = signed >> 31;
            let u = i32::from(offset >> (16 - width_bits));
            let y = ((signed ^ side) << width_bits) | u;
            *draw = (y ^ side) - (side & fair);
        }
    }

    /// Fills `long_draws` with the draws of all proposals, accepted or not, less the base, from
    /// offsets of at most [`NARROW`] bits.
    #[inline(always)]
    fn make_long_draws(&self, batch: &mut Batch) {
        let proposals = zip(&batch.outcomes, &batch.uppers);
        for (draw, (outcome, upper)) in zip(&mut batch.long_draws, proposals) {
            let signed = i64::from(outcome.cast_signed());
            let side = signed >> 63;
            let u = (upper >> (64 - self.width_bits)).cast_signed();
            let y = ((signed ^ side) << self.width_bits) | u;
            *draw = self.signed_narrow(y, side);
        }
    }

    /// [`Self::take`], written and returned likewise, where draws may have more than 64 bits, or
    /// some bucket is far.
    #[inline(never)]
    fn take_wide<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        batch: &Batch,
        decided: u64,
        out: &mut [T],
    ) -> Result<usize, usize> {
        let mut taken = 0;
        for index in 0..LANES {
            let Some(slot) = out.get_mut(taken) else {
                break;
            };
            let proposal = self.proposal(batch, index);
            let far = batch.far.iter().find(|(other, _)| *other == index);
            let (draw, counts) = if let Some(&(_, bucket)) = far {
                let proposal = Proposal { bucket, ..proposal };
                let uniform = (batch.uniform[index].into(), 16);
                match self.draw_far(proposal, uniform, rng) {
                    Some(draw) => (draw, true),
                    None => continue,
                }
            } else {
                let (draw, counts) = self.signed(proposal);
                (draw, declassify(bit_of(decided, batch.codes[index]) & counts))
            };
            // Written in any case: the next one takes its place unless it counts.
            match draw {
                Some(draw) => *slot = draw,
                None if counts => return Err(taken),
                None => {}
            }
            taken += usize::from(counts);
        }
        Ok(taken)
    }
}

/// Writes the accepted ones of `draws`, plus `base`, to `out`, one after the other. Bit c of
/// `decided` says whether code c is accepted. Returns how many were written, or as `Err` the
/// position of one that does not fit `T`.
#[inline]
fn compact<T: FromDraw, D: Copy + Into<i64>>(
    draws: &[D; LANES],
    base: i64,
    codes: &[i16; LANES],
    decided: u64,
    out: &mut [T],
) -> Result<usize, usize> {
    let mut taken = 0;
    for (&draw, code) in zip(draws, codes) {
        let Some(slot) = out.get_mut(taken) else {
            break;
        };
        let accepted = declassify(bit_of(decided, *code));
        // Written in any case: the next one takes its place unless it counts.
        match T::try_from(draw.into() + base) {
            Ok(draw) => *slot = draw,
            Err(_) if accepted => return Err(taken),
            Err(_) => {}
        }
        taken += usize::from(accepted);
    }
    Ok(taken)
}

/// Bit number `code` of `decided`, 1 or 0. The bit is found by a rotation: Memcheck takes the
/// instruction for single bits for an access at a secret address.
#[inline(always)]
fn bit_of(decided: u64, code: i16) -> u64 {
    decided.rotate_right(u32::from(code.cast_unsigned())) & 1
}
