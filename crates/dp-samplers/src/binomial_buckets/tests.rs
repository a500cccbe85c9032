//! Ties of the acceptance, words counted back to probabilities, and the tails.

use num_bigint::BigInt;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::laws::wide;
use crate::script::Script;

fn buckets() -> impl Iterator<Item = Buckets<Rational>> {
    wide().into_iter().map(|law| Buckets {
        table: Alias::new(law).expect("few buckets"),
    })
}

/// Whether `word` leads to acceptance, with `more` words for ties.
fn accepts(law: &Buckets<Rational>, bucket: i64, word: u64, more: &mut Script) -> bool {
    law.draw_in(bucket, word, &mut Direct(more)).is_some()
}

#[test]
fn acceptance_is_decided_by_the_exact_probabilities_however_deep_the_tie() {
    for law in buckets().step_by(2) {
        let envelope = law.table.law();
        let bits = envelope.width_bits();
        for (bucket, place) in [(3, 5_u64), (-200, 0), (1700, (1 << bits) - 1)] {
            let x = envelope.place(bucket, place.cast_signed());
            let acceptance = Acceptance {
                law: envelope,
                k: envelope.centre().checked_add_signed(x).unwrap(),
                level: units(envelope.level(bucket)),
            };
            let exact = acceptance.enclose(320);
            for depth in 0..=3 {
                let length = 64 * (depth + 1) - u64::from(bits);
                let whole = exact.lower().floor_shifted(length);
                for (digits, accepted) in [(&whole - 1, true), (&whole + 1, false)] {
                    let first = u64::try_from(&digits >> (64 * depth)).unwrap();
                    let words = (0..depth).rev().map(|word| {
                        let word: BigInt = (&digits >> (64 * word)) & BigInt::from(u64::MAX);
                        u64::try_from(word).unwrap()
                    });
                    // For the shortest tie, a neighbour of the threshold is still undecided.
                    let mut script = Script::new(words.chain([1 << 62; 2]));
                    let word = (first << bits) | place;
                    assert_eq!(accepts(&law, bucket, word, &mut script), accepted);
                    assert!(script.left() > 0);
                }
            }
        }
    }
}

/// How many pairs of words give this place of the bucket, in units of 2^−128, as long as no word
/// is undecided.
fn recounted(law: &Buckets<Rational>, masses: &[u64], bucket: i64, place: u64) -> f64 {
    let bits = law.table.law().width_bits();
    let (mut low, mut high) = (0_u64, 1_u64 << (64 - bits));
    while low < high {
        let middle = u64::midpoint(low, high);
        let mut more = Script::new([1 << 63; 4]);
        if accepts(law, bucket, (middle << bits) | place, &mut more) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let position = usize::try_from(bucket - law.table.first()).expect("in the table");
    let float = |count: u64| Rational::integer(count).to_f64() / 2_f64.powi(64);
    float(masses[position]) * float(low)
}

#[test]
fn outcomes_recounted_from_words_have_their_exact_probabilities() {
    for law in buckets() {
        let envelope = law.table.law();
        let masses = law.table.masses();
        let logarithm = law.law().ln_at(128);
        let exact = |x: i64| {
            let k = envelope.centre().checked_add_signed(x).unwrap();
            logarithm(k).unwrap().exp().unwrap().midpoint()
        };
        // The probability of an outcome in a round over that in the law, 1 over the expected rounds.
        let rate = recounted(&law, &masses, 0, 0) / exact(0);
        assert!(rate > 0.998 && rate < 1.0, "{rate}");
        for bucket in [1, -1, 2, -300, 480, -900, 1100] {
            for place in [0, 1, (1 << envelope.width_bits()) - 1] {
                let x = envelope.place(bucket, place);
                let found = recounted(&law, &masses, bucket, place.cast_unsigned()) / rate;
                assert!((found / exact(x) - 1.0).abs() < 1e-9, "{bucket} {place}");
                // The neighbour would be told from it.
                if bucket.abs() > 100 {
                    assert!((found / exact(x + 1) - 1.0).abs() > 1e-8);
                }
            }
        }
    }
}

#[test]
fn a_round_takes_two_words_whatever_comes_out() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for law in buckets() {
        for _ in 0..500 {
            let words: Vec<u64> = (0..40).map(|_| rng.next_u64()).collect();
            let mut script = Script::new(words);
            law.draw(&mut Direct(&mut script));
            assert_eq!(script.left() % 2, 0);
        }
    }
}

#[test]
fn undecided_words_reach_the_tails_and_every_bucket() {
    let law = buckets().nth(5).expect("the least wide");
    let envelope = law.table.law();
    let support = envelope.support();
    let beyond = |k: i64| {
        let x = k - envelope.centre().cast_signed();
        x >= envelope.place(*support.end(), 0) || x <= envelope.place(*support.start(), 0)
    };
    // Undecided, accepted if it can be; then the end of the row, where the tails are.
    let mut script = Script::new([vec![u64::MAX, 0, u64::MAX, u64::MAX], vec![0; 20]].concat());
    let k = law.draw(&mut Direct(&mut script));
    assert!(beyond(k), "{k}");
    // The beginning of the row is the first bucket of the table.
    let mut script = Script::new([u64::MAX, 0, 0, 0, 0]);
    let k = law.draw(&mut Direct(&mut script));
    assert_eq!(
        k - envelope.centre().cast_signed(),
        envelope.place(law.table.first(), 0)
    );
}

/// A draw from a tail is accepted with e^(D(x) − L + s·g), g the geometric distance.
#[test]
fn draws_from_both_tails_are_accepted_exactly() {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    for law in buckets() {
        let envelope = law.table.law();
        let logarithm = law.law().ln_at(192);
        let (start, end) = envelope.support().into_inner();
        for tail in [start, end, start, end] {
            let slope = units(envelope.slope(tail).unwrap());
            let geometric = Expansion::geometric(&slope.reciprocal().unwrap()).unwrap();
            let more: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
            let mut script = Script::new(more.iter().copied());
            let distance: i64 = geometric.draw(&mut Direct(&mut script)).unwrap();
            let used = more.len() - script.left();

            let x = envelope.place(tail, distance);
            let level = units(envelope.level(tail)) - &slope * &Rational::integer(distance);
            let k = envelope.centre().checked_add_signed(x).unwrap();
            let ratio = logarithm(k).unwrap() - logarithm(envelope.centre()).unwrap();
            let exact = (ratio - Interval::rational(&level, 256)).exp().unwrap();
            let threshold = exact.lower().floor_shifted(128);
            for (digits, accepted) in [(&threshold - 1_u8, true), (&threshold + 1_u8, false)] {
                let word = u64::try_from(&digits >> 64_u32).unwrap();
                let last: BigInt = &digits & BigInt::from(u64::MAX);
                let last = u64::try_from(last).unwrap();
                let words = more[..used].iter().copied();
                let mut script = Script::new(words.chain([last]));
                let source = &mut Direct(&mut script);
                let drawn = law.draw_in_tail(tail, slope.clone(), word, source);
                let expected = i64::try_from(k).unwrap();
                assert_eq!(drawn, accepted.then_some(expected), "{tail} {distance}");
            }
        }
    }
}

/// Units of 2^−63 are two words, and U has 64 − w bits: a comparison is undecided in 4·MARGIN words,
/// and up to 4·2^(w − 1) more where the bounds cut through what is known of U.
#[test]
fn comparisons_that_take_longer_are_as_rare_as_stated() {
    for law in buckets() {
        let bits = law.table.law().width_bits();
        let stated = law.undecided().unwrap() - law.table.undecided();
        for bucket in [1, -2, 3, -40, 41, 300, -301, 700, -900, 1100] {
            let first = |holds: &dyn Fn(bool, usize) -> bool| {
                let (mut low, mut high) = (0_u64, 1 << (64 - bits));
                while low < high {
                    let middle = u64::midpoint(low, high);
                    let mut script = Script::new([0; 4]);
                    let accepted = accepts(&law, bucket, (middle << bits) | 1, &mut script);
                    if holds(accepted, script.left()) {
                        high = middle;
                    } else {
                        low = middle + 1;
                    }
                }
                low
            };
            let begin = first(&|accepted, left| !accepted || left < 4);
            let end = first(&|accepted, left| !accepted && left == 4);
            let words = (end - begin) << bits;
            assert!((4 * MARGIN..=stated).contains(&words), "{words} {stated}");
            assert!(stated <= words + (4 << bits));
        }
    }
}

#[test]
fn a_tail_beyond_all_trials_is_refused() {
    let law = buckets().nth(5).expect("the least wide");
    for x in [i64::MIN, -1 << 40, 1 << 40, i64::MAX] {
        let mut script = Script::new([]);
        let source = &mut Direct(&mut script);
        assert!(!law.accept_exactly(x, Rational::zero(), (0, 64), source));
    }
}
