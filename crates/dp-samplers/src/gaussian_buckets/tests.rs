//! The error bounds of both comparisons, their ties, and the zero that has one sign.

use num_traits::{One, Zero};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use super::*;
use crate::script::Script;

/// 2^`exponent`
fn power(exponent: u32) -> Rational {
    Rational::integer(BigInt::one() << exponent)
}

pub(super) fn buckets(variance: &Rational) -> Buckets {
    Buckets::new(variance).expect("in range")
}

/// Variances at both ends of a bucket width, with places of 1 to 104 bits.
pub(super) fn variances() -> Vec<Rational> {
    let mut all: Vec<Rational> = [244, 972, 973, 1 << 20, 243 << 14, (243 << 14) + 1]
        .map(Rational::integer)
        .into();
    all.extend([38, 40, 41, 80, 88, 89, 135, 136, 137, 138, 139, 200, 215].map(power));
    all.push(Rational::new(BigInt::one() << 1000, (BigInt::one() << 900) - 1).expect("not zero"));
    all
}

/// γ, exactly.
pub(super) fn exact_gamma(law: &Buckets, bucket: i64, place: Place) -> Rational {
    let start = BigInt::from(bucket) << law.shape.width_bits;
    let y = &start + law.offset(place);
    Rational::integer(&y * &y - &start * &start) * &law.rate
}

/// ⌊number·2^bits⌋
fn floor_of(number: &Interval, bits: u64) -> BigInt {
    let floor = number.lower().floor_shifted(bits);
    assert_eq!(floor, number.upper().floor_shifted(bits));
    floor
}

#[test]
fn the_widths_are_those_that_the_bounds_are_for() {
    for variance in variances() {
        let law = buckets(&variance);
        let width_squared = power(2 * law.shape.width_bits);
        let scaled = variance.checked_div(&width_squared).unwrap();
        let limit = Rational::integer(SCALED_LIMIT);
        assert!(scaled <= limit && &scaled * &Rational::integer(4) > limit);
        let c = (&scaled + &scaled).reciprocal().unwrap();
        let largest = c * Rational::integer(2 * law.shape.last + 2);
        assert!(largest <= Rational::new(13, 10).unwrap() && law.shape.last < 316);
    }
    assert!(Buckets::new(&Rational::integer(243)).is_none());
    assert!(Buckets::new(&power(216)).is_none());
}

#[test]
fn the_exponent_is_within_sixteen_units_and_the_threshold_within_the_margin() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for variance in variances() {
        let law = buckets(&variance);
        for step in 0..100 {
            let bucket = i64::from(rng.next_u32()) % (law.shape.last + 1);
            let words = [0, u64::MAX, rng.next_u64(), rng.next_u64()];
            for (upper, below) in [(words[step % 4], words[step / 4 % 4]), (words[2], words[3])] {
                let bucket = if step == 0 { law.shape.last } else { bucket };
                let place = law.shape.place(upper, below);
                let u = law.offset(place);
                assert!(u < BigInt::one() << law.shape.width_bits && u >= BigInt::zero());
                let y = (BigInt::from(bucket) << law.shape.width_bits) + &u;
                assert_eq!(BigInt::from(law.shape.magnitude(bucket, place)), y);
                if law.shape.width_bits <= NARROW {
                    let narrow = law.shape.magnitude_narrow(bucket, place);
                    assert_eq!(BigInt::from(narrow), y);
                }
                let gamma = exact_gamma(&law, bucket, place);
                let exact = (&gamma * &power(63)).floor();
                let computed = law.shape.gamma(bucket, place);
                assert!((exact - BigInt::from(computed)).magnitude() <= &16_u8.into());
                let threshold = exact_exp_minus(&gamma, 192).lower().floor_shifted(63);
                let difference = threshold - BigInt::from(exp_minus(computed));
                assert!(difference.magnitude() <= &MARGIN.into());
            }
        }
    }
}

#[test]
fn acceptance_is_decided_by_the_exact_exponential_however_deep_the_tie() {
    for variance in variances() {
        let law = buckets(&variance);
        for (bucket, upper) in [(3, 1 << 63), (40, u64::MAX), (80, 12_345 << 50)] {
            let place = law.shape.place(upper, 5 << 60);
            let gamma = exact_gamma(&law, bucket, place);
            if gamma.is_zero() {
                continue;
            }
            let exact = exact_exp_minus(&gamma, 64 * 6);
            for (bits, depth) in [47, 63, 64]
                .into_iter()
                .flat_map(|b| [0, 1, 2].map(|d| (b, d)))
            {
                let whole = floor_of(&exact, u64::from(bits) + 64 * depth);
                for (digits, accepted) in [(&whole - 1, true), (&whole + 1, false)] {
                    let first = u64::try_from(&digits >> (64 * depth)).unwrap();
                    let words = (0..depth).rev().map(|word| {
                        let word: BigInt = (&digits >> (64 * word)) & BigInt::from(u64::MAX);
                        u64::try_from(word).unwrap()
                    });
                    // For the shortest tie, a neighbour of the threshold is still undecided.
                    let mut script = Script::new(words.chain([1 << 62; 2]));
                    let uniform = (first, bits);
                    let decided = if bits < 64 {
                        law.accept(bucket, place, uniform, &mut script)
                    } else {
                        law.accept_exactly(bucket, place, uniform, &mut script)
                    };
                    assert_eq!(decided, accepted);
                    assert!(script.left() > 0);
                }
            }
        }
    }
}

/// A word for the scan that yields this bucket.
fn word_of(law: &Buckets, bucket: i64) -> u64 {
    let (mut low, mut high) = (0_u64, u64::MAX - (1 << 20));
    while low < high {
        let middle = u64::midpoint(low, high);
        if whole::<i64, _>(&law.table, &mut Script::new([middle])) < bucket {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// What rounds make of these words by exact acceptance: a word for the bucket; the place in the uppermost k
/// bits, and sign and U below it in the same word up to k = 16, else in one more.
fn drawn_exactly(law: &Buckets, words: &[u64]) -> Vec<BigInt> {
    let bits = law.shape.width_bits;
    let mut words = words.iter().copied();
    let mut draws = Vec::new();
    while let Some(first) = words.next() {
        let bucket = whole::<i64, _>(&law.table, &mut Script::new([first]));
        let mut next = || words.next().expect("whole rounds");
        let mut last = next();
        let (u, known) = match bits {
            ..=16 => (BigInt::from(last >> (64 - bits)), 63 - bits),
            17..=64 => (BigInt::from(last >> (64 - bits)), 63),
            _ => {
                let both = (BigInt::from(last) << 64_u32) + next();
                (both >> (128 - bits), 63)
            }
        };
        if bits > 16 {
            last = next();
        }
        let uniform = BigInt::from(last << (63 - known) >> (64 - known));
        let start = BigInt::from(bucket) << bits;
        let y = &start + u;
        let gamma = Rational::integer(&y * &y - &start * &start) * &law.rate;
        let threshold = floor_of(&exact_exp_minus(&gamma, 192), known.into());
        assert_ne!(uniform, threshold, "more words would be needed");
        let negative = last & 1 == 1;
        if uniform < threshold && !(negative && y.is_zero()) {
            draws.push(if negative { -y } else { y });
        }
    }
    draws
}

#[test]
fn single_draws_are_what_exact_acceptance_makes_of_their_words() {
    let mut rng = ChaCha20Rng::seed_from_u64(7);
    let mut rejected = 0;
    for variance in variances() {
        let law = buckets(&variance);
        let rounds = 30;
        let words = [2, 3, 4]
            [usize::from(law.shape.width_bits > 16) + usize::from(law.shape.width_bits > 64)];
        let words: Vec<u64> = (0..rounds * words).map(|_| rng.next_u64()).collect();
        let expected = drawn_exactly(&law, &words);
        let mut script = Script::new(words);
        for draw in &expected {
            assert_eq!(law.draw::<BigInt, _>(&mut script).as_ref(), Some(draw));
        }
        rejected += rounds - expected.len();
    }
    // Up to one in twenty of 600.
    assert!((5..50).contains(&rejected), "{rejected}");
}

#[test]
fn zero_has_one_sign() {
    let law = buckets(&power(21));
    let (zero, one) = (word_of(&law, 0), 1 << (64 - law.shape.width_bits));
    // Bucket, and place with comparison and sign: 0 is taken, −0 is not, and the next round begins.
    let mut script = Script::new([zero, 0]);
    assert_eq!(law.draw::<i64, _>(&mut script), Some(0));
    let mut script = Script::new([zero, 1, zero, one | 1]);
    assert_eq!(law.draw::<i64, _>(&mut script), Some(-1));
    assert_eq!(script.left(), 0);
}

#[test]
fn a_round_takes_the_same_words_whatever_comes_out() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for variance in variances() {
        let law = buckets(&variance);
        let words = match law.shape.width_bits {
            ..=ONE_WORD => 2,
            17..=64 => 3,
            _ => 4,
        };
        for _ in 0..100 {
            let mut script = Script::new((0..48).map(|_| rng.next_u64()));
            law.draw::<BigInt, _>(&mut script);
            assert_eq!((48 - script.left()) % words, 0);
        }
    }
}

#[test]
fn far_buckets_are_accepted_exactly() {
    let law = buckets(&power(160));
    let bucket = law.shape.last + 1;
    let place = law.shape.place(1 << 63, 0);
    let exact = exact_exp_minus(&exact_gamma(&law, bucket, place), 192);
    let threshold = u64::try_from(floor_of(&exact, 16)).unwrap();
    for (lane, accepted) in [(threshold - 1, true), (threshold + 1, false)] {
        let mut script = Script::new([0; 2]);
        let draw = law.draw_far::<BigInt, _>(bucket, place, true, (lane, 16), &mut script);
        let y = (BigInt::from(bucket) << law.shape.width_bits) + law.offset(place);
        assert_eq!(draw, accepted.then_some(Some(-y)));
    }
    // A word of ones is undecided; the end of the row is the deep tail, which is refused by a word
    // of ones and taken by one of zeros.
    let draw: i128 = law
        .draw(&mut Script::new(
            [[u64::MAX; 3].as_slice(), &[0; 12]].concat(),
        ))
        .unwrap();
    assert!(draw.unsigned_abs() > 12 << 80);
}

#[test]
fn single_draws_from_far_buckets_are_accepted_exactly() {
    // A bucket so far that its γ exceeds what fixed point holds.
    let law = buckets(&power(160));
    let row = [u64::MAX, u64::MAX, u64::MAX, u64::MAX, 1 << 60, 1 << 62];
    let mut script = Script::new(row);
    let bucket: i64 = whole(&law.table, &mut script);
    let used = row.len() - script.left();
    let words = [u64::MAX, 1 << 63];
    let place = law.shape.place(words[0], words[1]);
    let gamma = exact_gamma(&law, bucket, place);
    assert!(gamma > Rational::integer(2));
    let threshold = floor_of(&exact_exp_minus(&gamma, 192), 63);
    let y = (BigInt::from(bucket) << law.shape.width_bits) + law.offset(place);
    let zero = [word_of(&law, 0), 1 << 60, 0, 0];
    for (uniform, expected) in [
        (&threshold - 1, -y),
        (
            &threshold + 1,
            BigInt::from(1) << (law.shape.width_bits - 4),
        ),
    ] {
        let word = u64::try_from(uniform).unwrap() << 1 | 1;
        let words = row[..used].iter().copied().chain(words);
        let mut script = Script::new(words.chain([word, 1 << 63]).chain(zero));
        assert_eq!(law.draw::<BigInt, _>(&mut script), Some(expected));
    }
}

#[test]
fn rounds_that_take_longer_are_as_rare_as_stated() {
    for variance in variances() {
        let law = buckets(&variance);
        let place = law.shape.place(1 << 63, 0);
        // How many U of 63 bits are undecided: units of 2^−63, of which a word is two.
        let decided = |uniform: u64, accepted: bool| {
            let mut script = Script::new([0; 8]);
            law.accept(40, place, (uniform, 63), &mut script) == accepted && script.left() == 8
        };
        let first = |holds: &dyn Fn(u64) -> bool| {
            let (mut low, mut high) = (0_u64, 1 << 63);
            while low < high {
                let middle = u64::midpoint(low, high);
                if holds(middle) {
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            low
        };
        let begin = first(&|uniform| !decided(uniform, true));
        let margin = first(&|uniform| decided(uniform, false)) - begin;
        // Where place, sign and comparison are one word, k bits of U less are known.
        let bits = law.shape.width_bits;
        let unknown = if bits <= 16 { 1 << bits } else { 1 };
        let single = 2 * margin + 2 * unknown;
        // A batch wants slots, with 23 lanes of 2^16 undecided, or a slot is undecided.
        let sets = (0..9_u64).fold(1, |sets, taken| sets * (256 - taken) / (taken + 1));
        let wanting = (BigInt::from(sets) * BigInt::from(23).pow(9)) >> (9 * 16 - 64);
        let slots = u64::try_from(wanting).unwrap() + 1 + 8 * (2 * margin + 4) + 1;
        let stated = law.undecided().unwrap() - law.table.undecided().unwrap();
        assert_eq!(stated, single.max(slots), "{variance}");
    }
}
