//! The error bounds of the acceptance, its ties, and the zero that has one sign.

use num_traits::One;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::script::Script;
use crate::words::Direct;

/// 2^`exponent`
fn power(exponent: u32) -> Rational {
    Rational::integer(BigInt::one() << exponent)
}

fn buckets(variance: &Rational) -> Buckets {
    Buckets::new(variance, SCALED_LIMIT).expect("in range")
}

/// Variances at both ends of a bucket width, with narrow, 64-bit and wide places.
fn variances() -> Vec<Rational> {
    let mut all: Vec<Rational> = [230_401, 921_600, 921_601, 1 << 21]
        .map(Rational::integer)
        .into();
    all.extend([80, 138, 139, 140, 141, 142, 143, 200].map(power));
    all.push(Rational::new(BigInt::one() << 1000, (BigInt::one() << 900) - 1).expect("not zero"));
    all
}

/// ⌊number·2^bits⌋
fn floor_of(number: &Interval, bits: u64) -> u64 {
    let floor = number.lower().floor_shifted(bits);
    assert_eq!(floor, number.upper().floor_shifted(bits));
    u64::try_from(floor).expect("64 bits")
}

#[test]
fn the_exponential_is_within_eleven_units() {
    // 0.037 in units of 2^−64 is about 6.8e17.
    let end = 682_529_530_727_253_410_u64;
    for step in 0..=2000 {
        let gamma = end / 2000 * step;
        let exact = Rational::new(gamma, BigInt::one() << 64).unwrap();
        let exact = floor_of(&exp_minus(&exact, 192), 63);
        assert!(exp_minus_fixed(gamma).abs_diff(exact) <= 11);
    }
}

#[test]
fn the_exponent_is_within_six_units_and_the_threshold_within_the_margin() {
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    for variance in variances() {
        let law = buckets(&variance);
        let last = law.table.first() + i64::try_from(law.table.masses().len()).unwrap() - 1;
        assert!(last < 4224 && law.table.first() > -4224);
        for bucket in [0, -1, 1, 17, -1300, last, law.table.first()] {
            for word in [0, u64::MAX, rng.next_u64(), rng.next_u64()] {
                let proposal = law.place(bucket, word, &mut Direct(&mut rng));
                let y = BigInt::from(law.magnitude(proposal));
                let m = bucket ^ (bucket >> 63);
                let start = BigInt::from(m) << law.width_bits;
                assert!(y >= start && y < start + (BigInt::one() << law.width_bits));
                if law.width_bits <= NARROW {
                    assert_eq!(BigInt::from(law.magnitude_narrow(proposal)), y);
                }
                let start = BigInt::from(m) << law.width_bits;
                let gamma = Rational::integer(&y * &y - &start * &start) * &law.rate;
                assert!(gamma < Rational::new(37, 1000).unwrap());
                let exact = (&gamma * &power(64)).floor();
                let computed = law.gamma(proposal);
                assert!((BigInt::from(computed) - exact).magnitude() <= &6_u8.into());
                if !gamma.is_zero() {
                    let threshold = floor_of(&exp_minus(&gamma, 192), 63);
                    assert!(exp_minus_fixed(computed).abs_diff(threshold) <= 11);
                }
            }
        }
    }
}

#[test]
fn acceptance_is_decided_by_the_exact_exponential_however_deep_the_tie() {
    for variance in variances() {
        let law = buckets(&variance);
        for (bucket, place) in [(3, 1 << 63), (-200, u64::MAX), (1700, 12_345 << 40)] {
            let proposal = law.place(bucket, place, &mut Direct(&mut Script::new([5 << 60])));
            let y = law.magnitude(proposal);
            let m = bucket ^ (bucket >> 63);
            let start = BigInt::from(m) << law.width_bits;
            let gamma = Rational::integer(BigInt::from(y) * y - &start * &start) * &law.rate;
            if gamma.is_zero() {
                continue;
            }
            let exact = exp_minus(&gamma, 64 * 6);
            for depth in 1..=4 {
                let whole = exact.lower().floor_shifted(64 * depth);
                for (digits, accepted) in [(&whole - 1, true), (&whole + 1, false)] {
                    let digits: BigInt = digits;
                    let mut script: Vec<u64> = (0..depth)
                        .rev()
                        .map(|word| (&digits >> (64 * word)) & BigInt::from(u64::MAX))
                        .map(|word| u64::try_from(word).unwrap())
                        .collect();
                    // For one word, a neighbour of the threshold is still undecided.
                    script.extend([1 << 62; 2]);
                    let mut script = Script::new(script);
                    let first = script.next_u64();
                    let decided = law.accept(proposal, true, first, &mut Direct(&mut script));
                    assert_eq!(decided, accepted);
                    assert!(script.left() > 0);
                }
            }
        }
    }
}

#[test]
fn zero_has_one_sign() {
    let law = buckets(&power(21));
    let zero = (0..1_u64 << 22).find(|&word| law.table.look_up(word) == Some(0));
    let minus = (0..1_u64 << 22).find(|&word| law.table.look_up(word) == Some(-1));
    let (zero, minus) = (zero.unwrap(), minus.unwrap());
    // Bucket, place, comparison: 0 is taken, −0 is not, and the next round begins.
    let mut script = Script::new([zero, 0, 0]);
    assert_eq!(law.draw::<i64, _>(&mut Direct(&mut script)), Some(0));
    let one = 1 << (64 - law.width_bits);
    let mut script = Script::new([minus, 0, 0, minus, one, 0]);
    assert_eq!(law.draw::<i64, _>(&mut Direct(&mut script)), Some(-1));
    assert_eq!(script.left(), 0);
}

#[test]
fn a_round_takes_the_same_words_whatever_comes_out() {
    let mut rng = ChaCha20Rng::seed_from_u64(3);
    for variance in variances() {
        let law = buckets(&variance);
        for _ in 0..200 {
            let words: Vec<u64> = (0..40).map(|_| rng.next_u64()).collect();
            let mut script = Script::new(words);
            law.draw::<BigInt, _>(&mut Direct(&mut script));
            assert_eq!(
                (40 - script.left()) % if law.width_bits > 64 { 4 } else { 3 },
                0
            );
        }
    }
}

#[test]
fn buckets_outside_the_table_are_accepted_exactly() {
    let law = buckets(&power(160));
    // An undecided word, a place and a comparison that accepts; then the deep tail, and the rest
    // of the place.
    let ones = [u64::MAX, 0, 0, u64::MAX, u64::MAX, u64::MAX];
    let script = [ones.as_slice(), &[0, 1 << 63, 1 << 63, 0, 0, 0, 0]].concat();
    let draw: i128 = law.draw(&mut Direct(&mut Script::new(script))).unwrap();
    // Three words of ones: beyond 16σ, σ = 2^80.
    assert!(draw.unsigned_abs() > 16 << 80);
}
