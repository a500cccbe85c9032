//! The law of the half side against exact counts, and every entry against its words.

use alloc::vec;

use num_bigint::BigUint;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::scripted_rng::ScriptedRng;
use crate::table_scan::tests::recount;

/// The coefficient of x^s in B_d(x)·Π_{k<K} (1 + x^(2^k))^(d + 1)/(1 − x^(2^K))^(d + 1) is (2s +
/// 1)^d, a number of points, for every K.
#[test]
fn the_sum_of_excess_digits_and_last_number_has_the_law_of_the_half_side() {
    for (d, digits) in [(1, 0), (2, 3), (3, 1), (7, 2), (20, 4)] {
        let count = d as u64 + 1;
        let mut product = eulerian_numbers(d);
        product.resize(30, BigUint::ZERO);
        // Multiplies by Σ_j number(j)·x^(j·2^k).
        let mut multiply = |k: u32, number: &dyn Fn(u64) -> BigUint| {
            for s in (0..30_usize).rev() {
                let terms = (0..=s >> k).map(|j| number(j as u64) * &product[s - (j << k)]);
                product[s] = terms.sum();
            }
        };
        let row = binomial_coefficients(count);
        let coefficient = |j: u64| row.get(usize::try_from(j).unwrap()).cloned();
        (0..digits).for_each(|k| multiply(k, &|j| coefficient(j).unwrap_or_default()));
        multiply(digits, &|j| choose(count - 1 + j, j));
        for (s, coefficient) in product.into_iter().enumerate() {
            let points = BigUint::from(2 * s + 1).pow(u32::try_from(d).unwrap());
            assert_eq!(coefficient, points, "{d} {digits} {s}");
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

#[test]
fn parts_of_the_half_side_are_drawn_as_their_distributions_say() {
    for (length, scale) in [(2, "1/100"), (14, "255"), (257, "3"), (1000, "1e4")] {
        let law = DiscreteKNorm::new(&scale.parse().unwrap(), length).unwrap();
        let Scans { excess, digits, last } = &*law.scans;
        digits.iter().step_by(4).chain([excess, last]).for_each(recount);
    }
}

/// ⌊W·n/2^(128 − u)⌋ − S for the word W of 128 − u bits in these `bytes`.
fn expected(bytes: &[u8], half_side: u64) -> BigInt {
    let word = BigUint::from_bytes_le(bytes) * (2 * half_side + 1);
    BigInt::from(word >> (8 * bytes.len())) - half_side
}

/// Around a block of 256 entries and two, one half side bounds all of them, also where the draw is
/// added.
#[test]
fn all_entries_of_a_draw_are_uniform_in_one_cube() {
    let mut sizes = Vec::new();
    for length in [2, 15, 255, 256, 257, 513, 1000] {
        for scale in ["1/3", "255", "1e6", "1e15"] {
            let law = DiscreteKNorm::new(&scale.parse().unwrap(), length).unwrap();
            let [mut rng, mut other] = [5; 2].map(ChaCha20Rng::seed_from_u64);
            let mut out = vec![0_i64; length];
            law.fill(&mut rng, &mut out).unwrap();
            let half_side = law.draw_half_side(&mut other, length).unwrap();
            for block in out.chunks(LANES) {
                let mut words = vec![0; law.entry_bytes * block.len()];
                other.fill_bytes(&mut words);
                let words = words.chunks(law.entry_bytes);
                let expected = words.map(|word| expected(word, half_side));
                assert!(block.iter().copied().map(BigInt::from).eq(expected), "{length} {scale}");
            }
            assert_eq!(rng.next_u64(), other.next_u64());
            let mut sums = vec![7_i64; length];
            law.add_to(&mut ChaCha20Rng::seed_from_u64(5), &mut sums).unwrap();
            assert!(zip(sums, out).all(|(sum, entry)| sum == 7 + entry));
            sizes.push(law.entry_bytes);
        }
    }
    assert!([8, 10, 12, 16].iter().all(|size| sizes.contains(size)));
}

/// Fails unless the undecided word below 2^128/n gets a further bit of V on both sides of the tie.
fn is_decided_by_further_bits<const BYTES: usize>(half_side: u64) {
    let (n, unit) = (u128::from(2 * half_side + 1), 1_u128 << (128 - 8 * BYTES));
    let bytes = |word: u128| *word.to_le_bytes().last_chunk().unwrap();
    // The last word W below 2^128/n, which n does not divide: X is 0, or 1 by further bits.
    let word = u128::MAX / n / unit * unit;
    let (entry, rest, flag) = scaled::<BYTES>(&bytes(word), half_side);
    assert_eq!((entry, flag), (-i64::try_from(half_side).unwrap(), 1), "{half_side}");
    for decided in [word - unit, word + unit] {
        assert_eq!(scaled::<BYTES>(&bytes(decided), half_side).2, 0);
    }
    // The first bits of V are below and above (2^128 − r)/(n·2^u).
    let digits = (BigInt::from(rest.wrapping_neg()) << 64) / (BigInt::from(n) * unit);
    let digits = u64::try_from(digits).unwrap();
    for (next, carry) in [(digits - 1, 0), (digits + 1, 1)] {
        let (mut entries, words) = ([entry, 9], [word, 0].map(bytes));
        let mut script = ScriptedRng::new([next]);
        decide::<BYTES, _>(half_side, &mut script, &words, &mut entries);
        assert_eq!((entries, script.left()), ([entry + carry, 9], 0));
    }
}

#[test]
fn undecided_entries_are_decided_by_further_bits() {
    is_decided_by_further_bits::<8>(1);
    is_decided_by_further_bits::<8>(1000);
    is_decided_by_further_bits::<10>(100);
    is_decided_by_further_bits::<12>((1 << 40) - 1);
    is_decided_by_further_bits::<16>((1 << 62) - 1);
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
