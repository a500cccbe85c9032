//! Bits and the random words that flip them are wiped: this process's memory is searched for them.
#![cfg(target_os = "linux")]

use dp_rappor::{PackedBits, SymmetricRappor};
use dp_tests::memory::{Memory, Words, complements, deep, hidden};

/// Number of words of the vector, which has 3200 bits.
const WORDS: u64 = 50;

/// The vector's bits, collected from an iterator of unknown length.
#[inline(never)]
fn collected() -> PackedBits {
    (0..64 * WORDS)
        .filter(|_| true)
        .map(|place| hidden(place / 64) >> (place % 64) & 1 == 1)
        .collect()
}

/// Flips with random words that follow the vector's own; returns the place after the last one used.
fn randomize(flip: impl FnOnce(&mut Words)) -> u64 {
    deep(|| {
        let mut rng = Words(WORDS);
        flip(&mut rng);
        rng.0
    })
}

/// One test, since all tests of a program share its memory.
#[test]
fn bits_and_the_words_that_flip_them_are_wiped_after_use() {
    let length = 64 * usize::try_from(WORDS).unwrap();
    let (mut memory, of_vector) = (Memory::default(), complements(0..WORDS));

    // The search finds words that are alive.
    let alive = collected();
    assert_eq!(alive.words().len(), length / 64);
    assert_eq!(memory.count(&of_vector), length / 64);
    // A vector that had to grow leaves nothing where it was, and nothing when it is dropped.
    drop(alive);
    assert_eq!(memory.count(&of_vector), 0);

    let rappor = SymmetricRappor::new("1".parse().unwrap()).unwrap();
    let mut packed = PackedBits::zeros(length);
    let mut bits = vec![false; length];
    for drawn in [
        randomize(|rng| rappor.randomize_packed(rng, &mut packed)),
        randomize(|rng| rappor.randomize(rng, &mut bits)),
    ] {
        assert!(drawn > WORDS + 6 * WORDS);
        assert_eq!(memory.count(&complements(WORDS..drawn)), 0);
    }
}
