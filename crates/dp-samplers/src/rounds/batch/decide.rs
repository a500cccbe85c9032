//! Which proposals of a batch are accepted: by the first comparison, in slots, or exactly.

use core::iter::zip;

use rand_core::CryptoRng;

use super::{ALWAYS, Batch};
use crate::masks::{declassify, equal, less};
use crate::rounds::lanes::{ACCEPTED, Lanes, UNDECIDED};
use crate::rounds::{Offset, Proposal, Rounds};
use crate::table_scan::lanes::{LANES, number};

impl Rounds {
    /// Decides which proposals are accepted. Bit c of the result is 1 if the proposals of code c
    /// are accepted, else 0: c is the slot of an undecided proposal, from 1, or [`ALWAYS`] for
    /// proposals that the first comparison accepts, whose bit is 1. Undecided proposals without a
    /// slot get their final state.
    pub(super) fn decide<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) -> u64 {
        self.slope.compare(&batch.buckets, &batch.offsets, &batch.uniform, &mut batch.states);
        let count = number(&batch.states, UNDECIDED, &mut batch.ranks, &mut batch.masks);
        let count = u64::from(count.unsigned_abs());
        // Offsets of 8 bits fit one lane with buckets, so that there is less to gather. The side
        // is not needed.
        let fit_one_lane = self.is_fair && self.offset_bytes() == 1 && self.last < 256;
        if fit_one_lane {
            batch.combine();
        }
        let mut decided = 1 << ALWAYS;
        for (slot, rank) in (0..self.slots).zip(1..) {
            // Afterwards masks are all ones for the proposal of this rank alone, if there is one.
            marks(&batch.ranks, rank, &mut batch.masks);
            let proposal = self.picked_proposal(batch, fit_one_lane);
            let first_bits = u64::from(picked(&batch.uniform, &batch.masks));
            let uniform = (first_bits << 48) | (batch.more(slot) >> 16);
            let (accepted, undecided) = self.compare(proposal, (uniform >> 1, 63));
            decided |= accepted << rank;
            // A slot without a proposal may be undecided without consequence.
            if declassify(undecided & less(slot as u64, count)) {
                let accepted = self.decide_exactly(rng, batch, rank);
                decided = (decided & !(1 << rank)) | (u64::from(accepted) << rank);
            }
        }
        if declassify(less(self.slots as u64, count)) {
            self.decide_rest(rng, batch);
        }
        decided
    }

    /// The one proposal that [`Batch::masks`] pick, with the first 64 bits of its offset; bucket,
    /// side and offset are 0 if they pick none. `fit_one_lane` says that bucket and offset are in
    /// [`Batch::combined`], and that the side does not count: it is then 0. Where γ does not depend
    /// on the bucket, as for Laplace distributions, bucket and side are 0 too.
    #[inline(always)]
    fn picked_proposal(&self, batch: &Batch, fit_one_lane: bool) -> Proposal {
        let lane = |lanes| picked(lanes, &batch.masks);
        let (offset, outcome) = if fit_one_lane {
            let both = lane(&batch.combined);
            (both & 0xff00, both & 0xff)
        } else {
            // Where γ does not depend on the bucket, 0 serves.
            let outcome = if self.slope.is_flat() { 0 } else { lane(&batch.outcomes) };
            (lane(&batch.offsets), outcome)
        };
        let mut upper = u64::from(offset) << 48;
        for (lanes, shift) in zip(&batch.lower, [32, 16, 0]).take(self.lower_lanes()) {
            upper |= u64::from(lane(lanes)) << shift;
        }
        // Outcomes are m and −1 − m: the sign is all ones for the lower side.
        let signed = i64::from(outcome.cast_signed());
        let side = signed >> 63;
        Proposal { side, bucket: signed ^ side, offset: Offset { upper, below: 0 } }
    }

    /// Whether the undecided proposal number `rank`, counted from 1, is accepted. More bits of its
    /// uniform U are drawn until that is decided.
    #[cold]
    #[inline(never)]
    fn decide_exactly<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &Batch, rank: i16) -> bool {
        let index = batch.ranks.iter().position(|other| *other == rank);
        let index = index.expect("there are as many undecided proposals as ranks");
        let slot = usize::from(rank.unsigned_abs()) - 1;
        let more = if slot < self.slots { batch.more(slot) } else { rng.next_u64() };
        let uniform = (u64::from(batch.uniform[index]) << 48) | (more >> 16);
        self.accept_exactly(self.proposal(batch, index), (uniform, 64), rng)
    }

    /// Decides the undecided proposals for which there is no slot: their states become accepted or
    /// 0, and their ranks 0.
    #[cold]
    #[inline(never)]
    fn decide_rest<R: CryptoRng + ?Sized>(&self, rng: &mut R, batch: &mut Batch) {
        for index in 0..LANES {
            let rank = batch.ranks[index];
            if usize::from(rank.unsigned_abs()) > self.slots {
                let accepted = self.decide_exactly(rng, batch, rank);
                batch.states[index] = ACCEPTED * i16::from(accepted);
                batch.ranks[index] = 0;
            }
        }
    }
}

impl Batch {
    /// Fills `combined` with bucket and first 16 bits of the offset of each proposal, combined by
    /// OR.
    #[inline(always)]
    pub(super) fn combine(&mut self) {
        let lanes = zip(&self.offsets, &self.buckets);
        for (combined, (offset, bucket)) in zip(&mut self.combined, lanes) {
            *combined = offset | bucket;
        }
    }
}

/// Fills `masks`: all ones where a rank is `rank`, else 0. Not inlined with the code that uses
/// masks: compilers that see how masks are made turn them into branches.
#[inline(never)]
fn marks(ranks: &[i16; LANES], rank: i16, masks: &mut [i16; LANES]) {
    for (mask, &other) in zip(masks, ranks) {
        *mask = equal(other, rank);
    }
}

/// The lane whose mask is all ones; 0 if there is none. At most one may be.
#[inline(never)]
fn picked(lanes: &Lanes, masks: &[i16; LANES]) -> u16 {
    zip(lanes, masks).fold(0, |sum, (lane, mask)| sum | (lane & mask.cast_unsigned()))
}
