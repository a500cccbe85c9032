//! The law of the half side against exact counts, and every entry against its words.

use alloc::vec;

use num_bigint::BigUint;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::scripted_rng::ScriptedRng;

/// C(n, k)
fn choose(n: usize, k: usize) -> BigInt {
    (0..k).fold(BigInt::from(1), |ways, i| ways * (n - i) / (i + 1))
}

/// The coefficient of x^s in B_d(x)/(1 − x)^(d + 1) is (2s + 1)^d, a number of points.
#[test]
fn the_sum_of_geometric_numbers_and_the_excess_has_the_law_of_the_half_side() {
    for d in [1, 2, 3, 7, 20] {
        let numbers = eulerian_numbers(d);
        for s in 0..30 {
            let coefficient = (0..=d.min(s)).map(|j| &numbers[j] * choose(s - j + d, d));
            let points = BigInt::from(2 * s + 1).pow(u32::try_from(d).unwrap());
            assert_eq!(coefficient.sum::<BigInt>(), points, "{d} {s}");
        }
    }
}

/// By exact counts of the vectors of each norm, all probabilities sum to 1.
#[test]
fn probabilities_are_those_of_the_layers_of_cubes() {
    for (length, scale) in [(2, "1/2"), (2, "7/2"), (3, "2"), (5, "1")] {
        let law = DiscreteKNorm::new(&scale.parse().unwrap(), length).unwrap();
        let power = u32::try_from(length).unwrap();
        let mut sum = Interval::integer(0, 192);
        for norm in 0..400_i64 {
            let mut outcome = vec![0; length];
            outcome[length - 1] = -norm;
            let probability = law.probability(&outcome, 128).unwrap();
            let inside = BigInt::from((2 * norm - 1).max(0)).pow(power);
            let points = BigInt::from(2 * norm + 1).pow(power) - inside;
            sum = sum + Interval::integer(points, 192) * &probability;
            // Σ_{s ≥ n} P(S = s)/(2s + 1)^d = q·(the same from n + 1 on).
            outcome[0] = norm + 1;
            let next = law.probability(&outcome, 128).unwrap();
            let q = exp_minus(&law.excess.rate, 192);
            assert!((next - probability * q).contains_zero(), "{length} {norm}");
        }
        assert!((sum.midpoint() - 1.0).abs() < 1e-15, "{length} {scale} {sum}");
    }
    let law = DiscreteKNorm::new(&"2".parse().unwrap(), 2).unwrap();
    assert!(law.probability(&[0; 3], 64).is_none() && law.probability(&[], 64).is_none());
}

/// ⌊W·n/2^(128 − u)⌋ − S for the word W of 128 − u bits in these `bytes`.
fn expected(bytes: &[u8], half_side: u64) -> BigInt {
    let word = BigUint::from_bytes_le(bytes) * (2 * half_side + 1);
    BigInt::from(word >> (8 * bytes.len())) - half_side
}

/// Around a block of 256 entries and two, one half side bounds all of them.
#[test]
fn all_entries_of_a_draw_are_uniform_in_one_cube() {
    for length in [2, 15, 255, 256, 257, 513, 1000] {
        for scale in ["1/3", "255", "1e15"] {
            let law = DiscreteKNorm::new(&scale.parse().unwrap(), length).unwrap();
            let [mut rng, mut other] = [5; 2].map(ChaCha20Rng::seed_from_u64);
            let mut out = vec![0_i64; length];
            law.fill(&mut rng, &mut out).unwrap();
            let half_side = law.draw_half_side(&mut other, &mut Memory::default()).unwrap();
            for block in out.chunks(LANES) {
                let mut words = vec![0; law.entry_bytes * block.len()];
                other.fill_bytes(&mut words);
                let words = words.chunks(law.entry_bytes);
                let expected = words.map(|word| expected(word, half_side));
                assert!(block.iter().copied().map(BigInt::from).eq(expected), "{length} {scale}");
            }
            assert_eq!(rng.next_u64(), other.next_u64());
        }
    }
}

#[test]
fn undecided_entries_are_decided_by_further_bits() {
    for (half_side, unknown) in [(1, 0), (2, 7), (100, 6), ((1 << 62) - 1, 0), ((1 << 62) - 1, 8)] {
        let (n, unit) = (u128::from(2 * half_side + 1), 1_u128 << (8 * unknown));
        // The last word W below 2^128/n, which n does not divide: X is 0, or 1 by further bits.
        let word = u128::MAX / n / unit * unit;
        let (entry, rest, flag) = scaled(word, unknown, half_side);
        assert_eq!((entry, flag), (-i64::try_from(half_side).unwrap(), 1), "{half_side}");
        for decided in [word - unit, word + unit] {
            assert_eq!(scaled(decided, unknown, half_side).2, 0);
        }
        // The first bits of V are below and above (2^128 − r)/(n·2^u).
        let digits = (BigInt::from(rest.wrapping_neg()) << 64) / (BigInt::from(n) * unit);
        let digits = u64::try_from(digits).unwrap();
        for (next, carry) in [(digits - 1, 0), (digits + 1, 1)] {
            let (mut entries, words) = ([entry, 9], [word, 0]);
            let mut script = ScriptedRng::new([next]);
            decide(half_side, unknown, &mut script, &words, &mut entries);
            assert_eq!((entries, script.left()), ([entry + carry, 9], 0));
        }
    }
}

#[test]
fn parameters_and_lengths_out_of_range_are_refused_by_name() {
    let name = |scale: &str, length| match DiscreteKNorm::new(&scale.parse().unwrap(), length) {
        Err(Error::Parameter(error)) => error.name().to_owned(),
        other => panic!("{other:?}"),
    };
    for (scale, length) in [("0", 3), ("-1", 3), ("2251799813685249", 3)] {
        assert_eq!(name(scale, length), "scale");
    }
    assert_eq!([name("1", 0), name("1", 1), name("1", 1001)], ["length"; 3]);
    let law = DiscreteKNorm::new(&"3".parse().unwrap(), 4).unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(1);
    assert!(matches!(law.fill(&mut rng, &mut [0_i64; 3]), Err(Error::Parameter(_))));
    let wide = DiscreteKNorm::new(&"1e15".parse().unwrap(), 2).unwrap();
    assert!(matches!(wide.fill(&mut rng, &mut [0_i8; 2]), Err(Error::Overflow { .. })));
    assert!(law.undecided() < 1 << 26 && wide.undecided() < 1 << 26);
}
