//! The masses of the first pass, counted by drawing with every word, against enclosures of the law.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;

use super::super::lanes::LANES;
use super::*;
use crate::alias::tests::certificate::PRECISION;
use crate::script::Script;

/// Every word of 16 bits once, the undecided ones far apart.
fn every_word() -> impl Iterator<Item = u16> {
    (0..=u16::MAX).map(|place| place.wrapping_mul(40503))
}

/// What every word yields in `fill`, where every word of the second pass is `spare`.
fn draws(engine: &impl InBlocks, spare: u64) -> Vec<i64> {
    let words: Vec<u16> = every_word().collect();
    let script = words.chunks(LANES).flat_map(|block| {
        let of_four = block.chunks(4).map(|four| {
            (0..).zip(four).fold(0, |word, (lane, &short)| {
                word | (u64::from(short) << (16 * lane))
            })
        });
        of_four.chain((0..engine.blocks().spare.count).map(move |_| spare))
    });
    let mut script = Script::new(script);
    let mut draws = vec![0; words.len()];
    engine.fill(&mut script, &mut draws).unwrap();
    assert_eq!(script.left(), 0, "no block takes longer");
    draws
}

/// Two words of the second pass, with different outcomes where 64 of them are likely to have some.
fn spares(second: &impl Second) -> [u64; 2] {
    let first = second.look_up(0);
    let others = (0..64).map(|bit| u64::MAX - (1 << bit));
    let mut others = others.chain((1..64).map(|bit| 1 << bit));
    let other = others.find(|&word| {
        let outcome = second.look_up(word);
        outcome.is_some() && outcome != first
    });
    [0, other.unwrap_or(1)]
}

/// How many words yield each outcome, counted from draws, and how many none.
fn count(engine: &impl InBlocks) -> (BTreeMap<i64, u64>, u64) {
    let spares = spares(&engine.blocks().second);
    let [first, second] = spares.map(|spare| engine.blocks().second.look_up(spare));
    let [one, other] = spares.map(|spare| draws(engine, spare));
    let (mut counts, mut undecided) = (BTreeMap::new(), 0);
    for ((one, other), word) in one.into_iter().zip(other).zip(every_word()) {
        // What depends on the second pass was not decided by the first.
        let decided = engine.blocks().outcome(word);
        assert!(decided.is_none() || one == other);
        assert!(decided.is_some() || one != other || first == second);
        match decided {
            Some(outcome) => {
                assert_eq!(outcome, one);
                *counts.entry(outcome).or_insert(0) += 1;
            }
            None => undecided += 1,
        }
    }
    (counts, undecided)
}

#[test]
fn every_word_yields_its_outcome_and_no_outcome_gets_more_than_its_probability() {
    for_each_engine!(|engine, law, word_bits| {
        if law.support().start() == law.support().end() {
            // One outcome: what is not decided yields it, too.
            continue;
        }
        let (counts, undecided) = count(engine);
        let words = 1 << (16 - word_bits);
        let mut masses = BTreeMap::new();
        for (outcome, words) in counts {
            let magnitude = if word_bits == 15 {
                outcome.abs()
            } else {
                outcome
            };
            *masses.entry(magnitude).or_insert(0) += words;
        }
        let whole = split(law, word_bits);
        assert_eq!(undecided, whole.undecided * words);
        for (outcome, &mass) in (whole.first..).zip(&whole.masses) {
            assert_eq!(
                masses.remove(&outcome).unwrap_or(0),
                mass * words,
                "{law:?}"
            );
        }
        assert_eq!(masses, BTreeMap::new());
        certified(law, &whole);
    });
}

/// Σ c + U = 2^w, and 2^w·p − c is at least 0 and less than 1, but where a word was given back.
fn certified(law: &dyn Law, whole: &Whole) {
    assert_eq!(
        whole.masses.iter().sum::<u64>() + whole.undecided,
        1 << whole.word_bits
    );
    let nothing = Rational::new(-1, BigInt::from(1) << 150).unwrap();
    let one = Rational::one() + Rational::new(1, 1 << 30).unwrap();
    let probability = law.at(PRECISION);
    let mut short = 0;
    for (outcome, &mass) in (whole.first..).zip(&whole.masses) {
        let words = probability(outcome).shifted(whole.word_bits.into());
        let rest = words - Interval::integer(mass, PRECISION);
        assert_eq!(rest.compare_rational(&nothing), Some(Ordering::Greater));
        short += u32::from(rest.compare_rational(&one) != Some(Ordering::Less));
    }
    assert!(short <= 1);
}

#[test]
fn a_sign_is_as_likely_as_the_other() {
    for (_, signed) in symmetric() {
        let engine = Scan::symmetric(signed).unwrap();
        for word in 0..1_u16 << 15 {
            let [positive, negative] =
                [word, word | 1 << 15].map(|word| engine.blocks().outcome(word));
            assert_eq!(positive.map(|outcome| -outcome), negative);
        }
    }
}

#[test]
fn blocks_and_draws_that_take_longer_are_as_rare_as_stated() {
    for_each_engine!(|engine, law, word_bits| {
        // The distribution of the number of undecided draws, exactly, in units of 2^(−256 w).
        let whole = split(law, word_bits);
        let (spare, limit) = (engine.blocks().spare, BigInt::from(1 << 14));
        let decided = BigInt::from((1 << word_bits) - whole.undecided);
        let mut sets = BigInt::from(1);
        let mut at_most = BigInt::ZERO;
        // Sets of so many undecided draws in 2^64 blocks, as many as are expected.
        let expected = |sets: &BigInt, taken: usize| {
            let power = u32::try_from(taken).unwrap();
            (sets * BigInt::from(whole.undecided).pow(power)) << 64_u32 >> (word_bits * power)
        };
        for taken in 0..=spare.count {
            // With four remainders less they would be too many.
            assert!(taken != spare.count - 3 || taken == 1 || expected(&sets, taken) >= limit);
            let power = u32::try_from(taken).unwrap();
            let rest = u32::try_from(LANES - taken).unwrap();
            at_most += &sets * BigInt::from(whole.undecided).pow(power) * decided.pow(rest);
            sets = sets * (LANES - taken) / (taken + 1);
        }
        let all = BigInt::from(1) << (LANES * usize::try_from(word_bits).unwrap());
        let more = (&all - at_most) << 64;
        assert!(more <= &all * spare.overflow);
        assert_eq!(
            BigInt::from(spare.overflow),
            expected(&sets, spare.count + 1) + 1
        );
        assert!(BigInt::from(spare.overflow) <= limit);

        // A draw shares the chance of its block, and needs its remainder where it is undecided itself.
        let (_, words) = engine.blocks().second.words();
        let decided: BigInt = words.into_iter().map(BigInt::from).sum();
        let second = (BigInt::from(1) << 64) - decided;
        let needed = (second * whole.undecided) >> word_bits;
        let stated = BigInt::from(engine.blocks().undecided());
        assert!(stated > &needed + more / all / LANES);
        assert!(stated <= needed + spare.overflow / LANES as u64 + 3);
    });
    let scan = Scan::symmetric(Gaussian::new(&rational("26.93942798")).unwrap()).unwrap();
    assert_eq!(scan.blocks().spare.count, 8);
}
