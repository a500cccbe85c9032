//! Top part and digits put together, and words that are asked for.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::alias::tests::rational;
use crate::script::Script;

/// G = B^n·V + Σ B^i·D_i, and −1 − G where the top part is −1 − V.
fn expected<L: Law>(law: &Expansion<L>, lanes: &mut Lanes<'_, impl Source, WORD>) -> BigInt {
    let top = lanes.draw(&law.top);
    let start = BigInt::from(top.max(-1 - top));
    let base = BigInt::from(256);
    let number = law
        .digits
        .iter()
        .fold(start, |number, digit| number * &base + lanes.draw(digit));
    if top < 0 { -1 - number } else { number }
}

fn slices_are_right<L: Law>(law: &Expansion<L>, rng: &mut ChaCha20Rng) -> Vec<BigInt> {
    let words: Vec<u64> = (0..1000).map(|_| rng.next_u64()).collect();
    let mut one = Script::new(words.iter().copied());
    let mut source = Direct(&mut one);
    let mut lanes = Lanes::new(&mut source);
    let numbers: Vec<BigInt> = (0..100).map(|_| expected(law, &mut lanes)).collect();
    let (mut out, mut other) = (vec![BigInt::ZERO; 100], Script::new(words));
    law.fill(&mut other, &mut out).expect("all fit");
    assert_eq!(out, numbers);
    assert_eq!(one.left(), other.left());
    let bytes = law.digits.iter().map(Short::bytes).sum::<usize>();
    assert_eq!(law.bytes() - law.top.bytes(), bytes);
    out
}

#[test]
fn numbers_are_their_top_part_and_their_digits_whatever_the_scale() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    let scales = [
        "2", "24", "25", "6144", "6145", "1e6", "1e9", "1e13", "1e15", "1e25",
    ];
    for scale in scales.map(rational) {
        let law = Expansion::laplace(&scale).expect("not too large");
        let out = slices_are_right(&law, &mut rng);
        assert!(out.iter().any(|draw| *draw < BigInt::ZERO));
        let law = Expansion::geometric(&scale).expect("not too large");
        let out = slices_are_right(&law, &mut rng);
        assert!(out.iter().all(|draw| *draw >= BigInt::ZERO));
    }
}

/// Counts how often bytes are asked for, and words.
struct Asked(ChaCha20Rng, usize, usize);

impl rand_core::TryRng for Asked {
    type Error = rand_core::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        unreachable!("bytes are asked for")
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        unreachable!("bytes are asked for")
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        (self.1, self.2) = (self.1 + 1, self.2 + bytes.len() / 8);
        self.0.try_fill_bytes(bytes)
    }
}

/// A word holds four lanes, of which a draw takes one for its top part and one for each digit.
#[test]
fn slices_ask_for_blocks_of_words_and_for_none_that_is_not_used() {
    for (scale, lanes) in [("2", 1), ("49152", 3), ("1e6", 3), ("1e9", 5)] {
        let law = Expansion::laplace(&rational(scale)).expect("not too large");
        assert_eq!(1 + law.digits.len(), lanes, "{scale}");
        let mut rng = Asked(ChaCha20Rng::seed_from_u64(3), 0, 0);
        law.fill(&mut rng, &mut [0_i64; 4096]).expect("64 bits");
        let (least, asked, words) = (1024 * lanes, rng.1, rng.2);
        // One lane in 40 at most is undecided, and takes a word more.
        assert!((least..least + least / 10).contains(&words), "{words}");
        assert!(asked <= least / 256 + (words - least), "{asked}");
    }
}
