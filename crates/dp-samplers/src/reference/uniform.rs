//! Uniform on {0, …, n − 1}: as many random bits as n − 1 has, drawn again until below n.
//!
//! Each attempt succeeds with probability above 1/2, independently of the value, so the number
//! of attempts tells nothing of the result.

use alloc::vec::Vec;

use num_bigint::BigUint;
use rand_core::CryptoRng;

/// A uniform integer below `bound`, which is not 0.
pub(super) fn below<R: CryptoRng + ?Sized>(bound: &BigUint, rng: &mut R) -> BigUint {
    let bits = match bound.trailing_zeros() {
        Some(zeros) if zeros + 1 == bound.bits() => zeros,
        _ => bound.bits(),
    };
    loop {
        let candidate = random_bits(bits, rng);
        if candidate < *bound {
            return candidate;
        }
    }
}

/// A uniform integer of `bits` bits. Draws ⌈bits/64⌉ words, the least significant first.
fn random_bits<R: CryptoRng + ?Sized>(bits: u64, rng: &mut R) -> BigUint {
    if bits == 0 {
        return BigUint::ZERO;
    }
    let mask = u64::MAX >> (bits.wrapping_neg() % 64);
    if bits <= 64 {
        return BigUint::from(rng.next_u64() & mask);
    }
    let words = bits.div_ceil(64);
    let mut bytes = Vec::new();
    for _ in 1..words {
        bytes.extend(rng.next_u64().to_le_bytes());
    }
    bytes.extend((rng.next_u64() & mask).to_le_bytes());
    BigUint::from_bytes_le(&bytes)
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;

    use super::*;
    use crate::scripted_rng::ScriptedRng;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    #[test]
    fn every_value_below_n_comes_from_equally_many_words() {
        for bound in 1..=40_u32 {
            let bits = u64::from(32 - (bound - 1).leading_zeros());
            let mut counts = BTreeMap::new();
            for word in 0..1_u64 << bits {
                // A rejected word is followed by a zero, which is always accepted.
                let mut script = ScriptedRng::new([word, 0]);
                let value = below(&BigUint::from(bound), &mut script);
                if script.left() == 1 || bits == 0 {
                    *counts.entry(value).or_insert(0) += 1;
                }
            }
            assert_eq!(counts.len(), usize::try_from(bound).unwrap());
            assert!(counts.values().all(|&count| count == 1));
        }
    }

    #[test]
    fn bounds_of_many_words_are_met_at_both_ends() {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        for bits in [63_u32, 64, 65, 127, 128, 129, 4096] {
            for bound in [
                (BigUint::from(1_u8) << bits) - 1_u8,
                BigUint::from(1_u8) << bits,
                (BigUint::from(1_u8) << bits) + 1_u8,
            ] {
                let draws: Vec<_> = (0..64).map(|_| below(&bound, &mut rng)).collect();
                assert!(draws.iter().all(|draw| *draw < bound));
                // 2^-64 each for a sound generator.
                assert!(draws.iter().any(|draw| draw * 2_u8 >= bound));
                assert!(draws.iter().any(|draw| draw * 2_u8 < bound));
            }
        }
    }
}
