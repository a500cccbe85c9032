//! Searches the writable memory of this process for words that should have been wiped (Linux).
//!
//! [`Memory`] counts the words of a list that are in memory. The list holds complements, so that
//! the search does not find the list itself. [`hidden`] computes words that are in memory only
//! after a call, and [`Words`] is a generator of them. [`deep`] works so far down the stack that
//! the search does not overwrite what the work leaves there.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fs::{File, read_to_string};
use std::hint::black_box;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::ptr;

use rand_core::{Rng as _, TryCryptoRng, TryRng};
use zeroize::Zeroize as _;

/// Number of bytes read at a time.
const CHUNK: usize = 1 << 16;

/// Bytes of stack on either side of a variable of the search that the search itself uses.
const FRAME: usize = 2048;

/// The writable memory of this process.
///
/// Make it before the searched words are freed, so that its buffer does not take their place.
#[derive(Debug)]
pub struct Memory {
    /// Holds a copy of the memory under search; the search skips it.
    buffer: Vec<u8>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { buffer: vec![0; CHUNK] }
    }
}

impl Memory {
    /// How many different words, given as `complements`, are in memory at a multiple of four bytes.
    ///
    /// # Panics
    /// If Linux does not show a process its own memory.
    #[must_use]
    #[inline(never)]
    pub fn count(&mut self, complements: &HashSet<u64>) -> usize {
        let memory = File::open("/proc/self/mem").expect("Linux has it");
        let mut seen = HashSet::new();
        // A searched word is here for a moment, when it is computed from its complement.
        let frame = ptr::from_ref(&seen).addr();
        let frame = frame - FRAME..frame + FRAME;
        let own = self.buffer.as_ptr().addr();
        let own = own..own + CHUNK;
        for range in writable() {
            for at in range.clone().step_by(CHUNK) {
                let chunk = &mut self.buffer[..CHUNK.min(range.end - at)];
                let offset = u64::try_from(at).expect("64 bits");
                if memory.read_exact_at(chunk, offset).is_err() {
                    continue;
                }
                for (place, word) in chunk.windows(8).step_by(4).enumerate() {
                    let address = at + 4 * place;
                    let word = !u64::from_le_bytes(word.try_into().expect("8 bytes"));
                    let is_ours = own.contains(&address) || frame.contains(&address);
                    if complements.contains(&word) && !is_ours {
                        seen.insert(word);
                    }
                }
            }
        }
        self.buffer.as_mut_slice().zeroize();
        seen.len()
    }
}

/// The address ranges that this process may write.
fn writable() -> Vec<Range<usize>> {
    let maps = read_to_string("/proc/self/maps").expect("Linux has it");
    let address = |text| usize::from_str_radix(text, 16).expect("an address");
    let ranges = maps.lines().filter_map(|line| {
        let mut columns = line.split_whitespace();
        let (range, access) = (columns.next()?, columns.next()?);
        let (start, end) = range.split_once('-')?;
        access.starts_with("rw").then(|| address(start)..address(end))
    });
    ranges.collect()
}

/// SplitMix64 of `place`: a word that is not in memory before the call.
#[must_use]
pub fn hidden(place: u64) -> u64 {
    let mut word = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// The complements of the words `hidden(place)`.
#[must_use]
pub fn complements(places: Range<u64>) -> HashSet<u64> {
    places.map(|place| !hidden(place)).collect()
}

/// A random generator that gives the words of [`hidden`] in order. Its field is the next place.
#[derive(Debug, Default)]
pub struct Words(pub u64);

impl TryRng for Words {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("words of 64 bits are drawn")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 += 1;
        Ok(hidden(self.0 - 1))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for word in bytes.as_chunks_mut().0 {
            *word = self.next_u64().to_le_bytes();
        }
        Ok(())
    }
}

impl TryCryptoRng for Words {}

/// Does the work so deep on the stack that the search does not overwrite its traces.
#[inline(never)]
pub fn deep<T>(work: impl FnOnce() -> T) -> T {
    let above = black_box([0_u8; 1 << 15]);
    let done = work();
    black_box(&above);
    done
}
