//! Short words, cut from words of 64 bits, the least significant first.

use rand_core::Rng;

use crate::alias::{Law, Short};
use crate::engine::Engine;
use crate::words::{Direct, Source, Words};
use crate::{Error, FromDraw, bulk};

/// A source of words of `BITS` bits, 16 or 32.
#[derive(Debug)]
pub(super) struct Lanes<'a, S, const BITS: u32> {
    source: &'a mut S,
    word: u64,
    left: u32,
}

impl<'a, S: Source, const BITS: u32> Lanes<'a, S, BITS> {
    pub(super) fn new(source: &'a mut S) -> Self {
        Self {
            source,
            word: 0,
            left: 0,
        }
    }

    #[inline]
    fn lane(&mut self) -> u32 {
        if self.left == 0 {
            self.word = self.source.word();
            self.left = 64 / BITS;
        }
        let lane = lowest::<BITS>(self.word);
        self.word >>= BITS;
        self.left -= 1;
        lane
    }

    #[inline]
    pub(super) fn draw<L: Law>(&mut self, table: &Short<L>) -> i64 {
        let lane = self.lane();
        match table.look_up(lane) {
            Some(outcome) => outcome,
            None => table.draw_remainder(self.source),
        }
    }
}

/// A table with words of `BITS` bits, of which one of 64 holds `LANES`.
#[derive(Clone)]
pub(super) struct Packed<L, const BITS: u32, const LANES: usize>(Short<L>);

pub(super) type Sixteen<L> = Packed<L, 16, 4>;
pub(super) type ThirtyTwo<L> = Packed<L, 32, 2>;

impl<L: Law, const BITS: u32, const LANES: usize> Packed<L, BITS, LANES> {
    /// The table of this law, if it fits.
    pub(super) fn new(law: L) -> Option<Self> {
        Short::new(law, BITS).map(Self)
    }
}

impl<L: Law, const BITS: u32, const LANES: usize> Engine for Packed<L, BITS, LANES> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        T::from_i64(Lanes::<_, BITS>::new(&mut Direct(rng)).draw(&self.0))
    }

    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        bulk::complete(fill::<BITS, LANES, _, _, _>(&self.0, rng, out), out)
    }

    fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

/// Fills with draws from `LANES` words of `BITS` bits in each of 64; the position of a draw that
/// does not fit, if any.
pub(super) fn fill<const BITS: u32, const LANES: usize, T, L, R>(
    table: &Short<L>,
    rng: &mut R,
    out: &mut [T],
) -> Option<usize>
where
    T: FromDraw,
    L: Law,
    R: Rng + ?Sized,
{
    let mut source = Words::new(rng, out.len().div_ceil(LANES));
    let mut done = 0;
    while let Some(rest) = out.get_mut(done..).filter(|rest| !rest.is_empty()) {
        // All words of which every lane is decided.
        let mut whole = 0;
        for (places, word) in rest
            .as_chunks_mut::<LANES>()
            .0
            .iter_mut()
            .zip(source.ready())
        {
            let lanes = split::<BITS, LANES>(u64::from_le_bytes(*word));
            if !lanes
                .iter()
                .fold(true, |all, lane| all & table.decides(*lane))
            {
                break;
            }
            for ((place, lane), position) in places.iter_mut().zip(lanes).zip(0..) {
                match T::from_i64(table.outcome(lane)) {
                    Some(draw) => *place = draw,
                    None => return Some(done + whole * LANES + position),
                }
            }
            whole += 1;
        }
        source.used(whole);
        done += whole * LANES;

        // The word that ended the run, or the first of the next block.
        let mut word = 0;
        for (lane, place) in rest.iter_mut().skip(whole * LANES).take(LANES).enumerate() {
            word = if lane == 0 {
                source.word()
            } else {
                word >> BITS
            };
            let outcome = match table.look_up(lowest::<BITS>(word)) {
                Some(outcome) => outcome,
                None => table.draw_remainder(&mut source),
            };
            match T::from_i64(outcome) {
                Some(draw) => *place = draw,
                None => return Some(done),
            }
            done += 1;
        }
    }
    None
}

/// All words of `BITS` bits in one of 64.
#[inline]
fn split<const BITS: u32, const LANES: usize>(mut word: u64) -> [u32; LANES] {
    core::array::from_fn(|_| {
        let lane = lowest::<BITS>(word);
        word >>= BITS;
        lane
    })
}

/// The lowest `BITS` bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "at most 32 bits are left")]
pub(super) fn lowest<const BITS: u32>(word: u64) -> u32 {
    (word & (u64::MAX >> (64 - BITS))) as u32
}

/// Words of 64 bits that `draws` draws of `lanes` short words take at least.
pub(super) fn words<const BITS: u32>(draws: usize, lanes: usize) -> usize {
    let per_word = if BITS == 16 { 4 } else { 2 };
    draws.saturating_mul(lanes) / per_word
}

#[cfg(test)]
mod tests;
