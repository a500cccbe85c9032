//! Scripted words with undecided lanes, for slices and for one draw after the other.

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::alias::tests::{laws, rational};
use crate::laws::Gaussian;
use crate::script::Script;

/// Words of which every other one has lanes that no table of words of 16 or 32 bits decides.
fn planted(count: usize, rng: &mut ChaCha20Rng) -> Vec<u64> {
    let plant = |step: usize, word: u64| match step % 6 {
        1 => word | 0xffff_ffff,
        3 => word | 0xffff_ffff << 32,
        5 => u64::MAX,
        _ => word,
    };
    (0..count).map(|step| plant(step, rng.next_u64())).collect()
}

/// Lane by lane: the outcome of its word, or one of the remainder, which takes the next words.
fn expected<L: Law>(table: &Short<L>, bits: u32, script: &mut Script, draws: usize) -> Vec<i64> {
    let mut word = 0;
    let mut draw = |draw: usize| {
        word = if draw.is_multiple_of((64 / bits) as usize) {
            script.next_u64()
        } else {
            word >> bits
        };
        let lane = u32::try_from(word & (u64::MAX >> (64 - bits))).expect("32 bits");
        let outcome = table.look_up(lane);
        outcome.unwrap_or_else(|| table.rest().draw(&mut Direct(script)))
    };
    (0..draws).map(&mut draw).collect()
}

fn slices_are_right<const BITS: u32, const LANES: usize>() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for law in laws() {
        let engine = Packed::<_, BITS, LANES>::new(law).expect("a small law");
        for length in [0, 1, 2, 3, 4, 5, 8, 31, 32, 33, 90] {
            // Enough for ties, and the words that are left are those that nobody took.
            let words = planted(3 * length + 8, &mut rng);
            let mut one = Script::new(words.iter().copied());
            let by_lanes = expected(&engine.0, BITS, &mut one, length);
            let mut script = Script::new(words.iter().copied());
            let mut out = vec![0_i64; length];
            engine.fill(&mut script, &mut out).expect("64 bits");
            assert_eq!(out, by_lanes);
            assert_eq!(script.left(), one.left());
            let mut script = Script::new(words);
            let mut source = Direct(&mut script);
            let mut lanes = Lanes::<_, BITS>::new(&mut source);
            let one_by_one: Vec<i64> = (0..length).map(|_| lanes.draw(&engine.0)).collect();
            assert_eq!(one_by_one, by_lanes);
        }
    }
}

#[test]
fn slices_are_the_outcomes_of_their_lanes_and_of_remainders() {
    slices_are_right::<16, 4>();
    slices_are_right::<32, 2>();
}

#[test]
fn a_draw_that_does_not_fit_is_reported_at_its_position() {
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    let law = Gaussian::new(&rational("2500")).expect("positive");
    let engine = Sixteen::new(law).expect("a small law");
    let mut seen = [false; 2];
    for step in 0..200 {
        // Long runs of words that are decided, and none.
        let words = if step % 2 == 0 {
            planted(400, &mut rng)
        } else {
            (0..400).map(|_| rng.next_u64()).collect()
        };
        let all = expected(&engine.0, 16, &mut Script::new(words.iter().copied()), 80);
        let unfit = all.iter().position(|&draw| i8::try_from(draw).is_err());
        let filled = engine.fill(&mut Script::new(words), &mut [0_i8; 80]);
        let expected = unfit.map_or(Ok(()), |index| {
            let target = "i8";
            Err(Error::Overflow { index, target })
        });
        assert_eq!(filled, expected);
        if let Some(index) = unfit {
            seen[usize::from(index >= 20)] = true;
        }
    }
    assert_eq!(seen, [true; 2]);
    assert_eq!(engine.bytes(), engine.0.bytes());
}
