//! The flips of a vector are independent, whatever its bits. That each has the stated probability
//! is proved by the unit tests, which count words.
//!
//! A count of independent events of probability p in n trials is judged by Chernoff's bound:
//! P(k/n is as far out as seen) ≤ 2·exp(−n·KL(k/n ‖ p)), rigorous for every n and p. A test that
//! makes j such judgements rejects each below 1e-9/j, so its false-alarm rate is at most 1e-9.
//! Seeds are fixed.

use crate::support::{implausible, rappor, unary};
use dp_exact::Rational;
use dp_rappor::CoinFlip;
use dp_samplers::scripted_rng::ScriptedRng;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

/// Whether `reports` randomized vectors of `length` bits contradict independent flips at four
/// places, of a set bit and of another one with the probabilities `flip`.
fn contradicts_among(
    flip: [f64; 2],
    places: [usize; 4],
    length: usize,
    reports: usize,
    mut randomize: impl FnMut(&mut [bool]),
) -> bool {
    let mut input = vec![true; length];
    input[places[0]] = false;
    input[places[3]] = false;
    let mut counts = [0_usize; 16];
    for _ in 0..reports {
        let mut bits = input.clone();
        randomize(&mut bits);
        let flips = places.map(|place| bits[place] != input[place]);
        counts[flips.into_iter().fold(0, |pattern, flip| pattern << 1 | usize::from(flip))] += 1;
    }
    (0_u32..).zip(counts).any(|(pattern, count)| {
        // The first of the four places is the highest bit of the pattern.
        let of_place = |(place, bit): (usize, u32)| {
            let p = flip[usize::from(!input[places[place]])];
            if pattern >> bit & 1 == 1 { p } else { 1.0 - p }
        };
        let p = (0..4).zip((0..4).rev()).map(of_place).product();
        implausible(count, reports, p, counts.len() * 12)
    })
}

#[test]
fn coordinates_are_flipped_independently() {
    for (seed, epsilon0) in (40..).zip(["1/100", "1", "5/2"]) {
        let rappor = rappor(epsilon0);
        let flip = [rappor.flip_probability(64).midpoint(); 2];
        for (places, length) in [([0, 1, 2, 3], 4), ([0, 1, 31, 39], 40), ([0, 64, 65, 129], 130)] {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let randomize = |bits: &mut [bool]| rappor.randomize(&mut rng, bits);
            assert!(!contradicts_among(flip, places, length, 50_000, randomize), "{epsilon0}");
            // The flip of one place goes to another one, too: two flips of almost 1/2 are one of
            // almost 1/2.
            if epsilon0 == "1/100" {
                continue;
            }
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let shared = |bits: &mut [bool]| {
                let before = bits[places[1]];
                rappor.randomize(&mut rng, bits);
                bits[places[2]] ^= bits[places[1]] != before;
            };
            assert!(contradicts_among(flip, places, length, 50_000, shared), "{epsilon0}");
        }
    }
}

#[test]
fn bits_are_reported_independently_with_two_probabilities() {
    let bits = unary("0.75", "0.05");
    for (seed, (places, length)) in
        (60..).zip([([0, 1, 2, 3], 4), ([0, 1, 31, 39], 40), ([0, 64, 65, 1029], 1030)])
    {
        let reported = |flip| {
            let mut rng = ChaCha20Rng::seed_from_u64(seed);
            let randomize = |report: &mut [bool]| bits.randomize(&mut rng, report);
            contradicts_among(flip, places, length, 20_000, randomize)
        };
        assert!(!reported([0.25, 0.05]), "{length}");
        assert!(reported([0.05, 0.25]), "the two kinds of bits exchanged");
        assert!(reported([0.25, 0.08]), "an error of three hundredths");
    }
}

#[test]
fn as_many_words_are_drawn_for_any_flips() {
    let rappor = rappor("1");
    // A word for each of few coordinates; else six for each 64 of them, and 18 for each 1024.
    for (length, drawn) in
        [(1, 1), (23, 23), (24, 24), (65, 30), (1000, 114), (1024, 114), (1025, 115)]
    {
        // Almost all coordinates flip, half of them, or almost none.
        for word in [0, 0x5a3c_96c3_0f69_a5f0, u64::MAX] {
            let mut words = ScriptedRng::new(vec![word; drawn + 1]);
            rappor.randomize(&mut words, &mut vec![false; length]);
            assert_eq!(words.left(), 1, "{length}");
        }
    }
}

#[test]
fn an_astronomic_epsilon0_never_flips_in_practice() {
    let mut bits = [false, true, true];
    let huge = rappor(&format!("1{}", "0".repeat(1200)));
    huge.randomize(&mut ChaCha20Rng::seed_from_u64(12), &mut bits);
    assert_eq!(bits, [false, true, true]);
}

#[test]
fn all_pairs_of_coins_give_the_coin_flip_survey_exactly() {
    for answer in [false, true] {
        let agrees = |word| {
            let mut script = ScriptedRng::new([word]);
            let reported = CoinFlip.randomize(&mut script, answer);
            assert_eq!(script.left(), 0);
            reported == answer
        };
        let mut agreeing = 0;
        for word in 0..1_u64 << 10 {
            agreeing += u32::from(agrees(word));
            // The other 62 bits have no say.
            assert_eq!(agrees(word | u64::MAX << 2), agrees(word & 3 | u64::MAX << 2));
        }
        let agrees = Rational::new(agreeing, 1 << 10).unwrap();
        let other = Rational::one() - &agrees;
        assert_eq!(agrees.checked_div(&other).unwrap(), Rational::integer(CoinFlip::RATIO));
    }
}
