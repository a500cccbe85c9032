use aes::cipher::BlockCipherEncrypt;
use rand_core::Rng;

use super::*;

/// The seed whose halves these hexadecimal numbers are.
fn rng(key: u128, counter: u128) -> AesRng {
    let mut seed = [0; SEED];
    seed[..16].copy_from_slice(&key.to_be_bytes());
    seed[16..].copy_from_slice(&counter.to_be_bytes());
    let rng = AesRng::new(&mut seed);
    assert_eq!(seed, [0; SEED]);
    rng
}

fn next_block(rng: &mut AesRng) -> u128 {
    let mut block = [0; 16];
    rng.fill_bytes(&mut block);
    u128::from_be_bytes(block)
}

const KEY: u128 = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c;

#[test]
fn blocks_are_those_of_the_standard() {
    // NIST SP 800-38A, F.5.1, CTR-AES128: the output blocks.
    let mut rng = rng(KEY, 0xf0f1_f2f3_f4f5_f6f7_f8f9_fafb_fcfd_feff);
    for block in [
        0xec8c_df73_9860_7cb0_f2d2_1675_ea9e_a1e4,
        0x362b_7c3c_6773_5163_18a0_77d7_fc50_73ae,
        0x6a2c_c378_7889_374f_beb4_c81b_17ba_6c44,
        0xe89c_399f_f0f1_98c6_d40a_31db_156c_abfe,
    ] {
        assert_eq!(next_block(&mut rng), block);
    }
}

/// AES of the counter, block by block.
fn encrypted(key: u128, counter: u128) -> u128 {
    let mut block = counter.to_be_bytes().into();
    Aes128Enc::new(&key.to_be_bytes().into()).encrypt_block(&mut block);
    u128::from_be_bytes(block.0)
}

#[test]
fn after_the_last_counter_comes_the_first() {
    let mut rng = rng(KEY, u128::MAX);
    assert_eq!(next_block(&mut rng), encrypted(KEY, u128::MAX));
    assert_eq!(next_block(&mut rng), encrypted(KEY, 0));
}

#[test]
fn the_last_two_blocks_of_a_key_are_the_seed_of_the_next() {
    let mut rng = rng(KEY, 7);
    let mut blocks = vec![0; 16 * (65_536 - 3)];
    rng.fill_bytes(&mut blocks);
    assert_eq!(next_block(&mut rng), encrypted(KEY, 7 + 65_533));
    let (key, counter) = (encrypted(KEY, 7 + 65_534), encrypted(KEY, 7 + 65_535));
    for place in 0..100 {
        let expected = encrypted(key, counter.wrapping_add(place));
        assert_eq!(next_block(&mut rng), expected);
    }
}

#[test]
fn the_stream_does_not_depend_on_how_it_is_asked_for() {
    // More than two keys give.
    let length = (2 << 20) + 5000;
    let mut whole = vec![0; length];
    rng(KEY, 1).fill_bytes(&mut whole);
    let mut parts = vec![0; length];
    let mut asked = rng(KEY, 1);
    let mut place = 0;
    for step in 0.. {
        let rest = &mut parts[place..];
        place += match (step % 5, rest) {
            (0, [a, b, c, d, ..]) => {
                [*a, *b, *c, *d] = asked.next_u32().to_le_bytes();
                4
            }
            (1 | 2, rest) if rest.len() >= 8 => {
                rest[..8].copy_from_slice(&asked.next_u64().to_le_bytes());
                8
            }
            (_, rest) => {
                let length = rest.len().min(step * 37 % 5000);
                asked.fill_bytes(&mut rest[..length]);
                length
            }
        };
        if place == length {
            break;
        }
    }
    assert!(whole == parts);
}
