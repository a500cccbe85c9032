//! Neither a vector of bits nor what flipped it stays in memory: after use, the memory of this process is
//! searched for it.
//!
//! What is searched for is kept complemented, so that the search does not find its own list.
#![cfg(target_os = "linux")]

use std::collections::HashSet;
use std::convert::Infallible;
use std::fs::{File, read_to_string};
use std::hint::black_box;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use dp_rappor::{PackedBits, SymmetricRappor};
use rand_core::{Rng, TryCryptoRng, TryRng};
use zeroize::Zeroize;

/// Words of a vector of 3200 bits.
const WORDS: u64 = 50;

/// Bytes read at a time.
const CHUNK: usize = 1 << 16;

/// How many of these words lie in the writable memory of this process.
fn found(places: Range<u64>) -> usize {
    let complements: HashSet<u64> = places.map(|place| !hidden(place)).collect();
    let mut buffer = vec![0; CHUNK];
    let own = buffer.as_ptr().addr();
    let memory = File::open("/proc/self/mem").expect("Linux has it");
    let maps = read_to_string("/proc/self/maps").expect("Linux has it");
    let mut seen = HashSet::new();
    for line in maps.lines() {
        let mut columns = line.split_whitespace();
        let mut column = || columns.next().expect("a range and its access");
        let (range, access) = (column(), column());
        if !access.starts_with("rw") {
            continue;
        }
        let (start, end) = range.split_once('-').expect("two addresses");
        let address = |text| usize::from_str_radix(text, 16).expect("an address");
        let end = address(end);
        for at in (address(start)..end).step_by(CHUNK) {
            let chunk = &mut buffer[..CHUNK.min(end - at)];
            if memory.read_exact_at(chunk, at as u64).is_err() {
                continue;
            }
            for (place, word) in chunk.windows(8).step_by(4).enumerate() {
                let word = !u64::from_le_bytes(word.try_into().expect("8 bytes"));
                let own = (own..own + CHUNK).contains(&(at + 4 * place));
                if !own && complements.contains(&word) {
                    seen.insert(word);
                }
            }
        }
    }
    buffer.zeroize();
    seen.len()
}

/// A word that is not in memory until this is called: SplitMix64 of the place.
fn hidden(place: u64) -> u64 {
    let mut word = (place + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[inline(never)]
fn words() -> Vec<u64> {
    (0..WORDS).map(hidden).collect()
}

/// The same bits one by one, of an iterator that does not tell how many they are.
#[inline(never)]
fn collected() -> PackedBits {
    (0..64 * WORDS)
        .filter(|_| true)
        .map(|place| hidden(place / 64) >> (place % 64) & 1 == 1)
        .collect()
}

/// Yields the words that follow those of the vector.
struct Words(u64);

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

/// Flips by these words; how many they were. So deep on the stack that the search does not write over what is left.
#[inline(never)]
fn randomize(flip: impl FnOnce(&mut Words)) -> u64 {
    let above = black_box([0_u8; 1 << 15]);
    let mut rng = Words(WORDS);
    flip(&mut rng);
    black_box(&above);
    rng.0
}

/// One test, since the memory is that of all.
#[test]
fn bits_and_the_words_that_flip_them_are_wiped_after_use() {
    let length = 64 * usize::try_from(WORDS).unwrap();

    // What is searched for is found while it is alive.
    let alive = PackedBits::from_words(words(), length).unwrap();
    assert_eq!(found(0..WORDS), length / 64);
    drop(alive);
    assert_eq!(found(0..WORDS), 0);

    assert!(PackedBits::from_words(words(), length - 64).is_err());
    assert!(PackedBits::from_words(words(), length - 63).is_err());
    assert_eq!(found(0..WORDS), 0);

    // Vectors that had to grow leave nothing where they were.
    let alive = collected();
    assert_eq!(alive.words().len(), length / 64);
    drop(alive);
    assert_eq!(found(0..WORDS), 0);

    let rappor = SymmetricRappor::new("1".parse().unwrap()).unwrap();
    let mut packed = PackedBits::zeros(length);
    let mut bits = vec![false; length];
    for drawn in [
        randomize(|rng| rappor.randomize_packed(rng, &mut packed)),
        randomize(|rng| rappor.randomize(rng, &mut bits)),
    ] {
        assert!(drawn > WORDS + 6 * WORDS);
        assert_eq!(found(WORDS..drawn), 0);
    }
}
