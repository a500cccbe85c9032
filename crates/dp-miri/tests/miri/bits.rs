//! Bits of clients: packed, flipped, wiped.

use dp_rappor::{KaryRandomizedResponse, PackedBits, SymmetricRappor};
use dp_samplers::Seed;

use crate::fingerprint;

/// More than one block of flips, and no multiple of a word.
const BITS: usize = 150;

fn rappor(epsilon0: &str) -> SymmetricRappor {
    SymmetricRappor::new(epsilon0.parse().expect("an epsilon")).expect("it is served")
}

#[test]
fn packed_bits_hold_what_was_set_and_refuse_what_lies_beyond() {
    let mut bits = PackedBits::zeros(BITS);
    for index in (0..BITS).step_by(7) {
        bits.set(index, true).expect("an index");
    }
    assert!(bits.set(BITS, true).is_err());
    assert_eq!(bits.get(BITS), None);
    assert_eq!(bits.weight(), BITS.div_ceil(7));
    let unpacked = bits.to_bools();
    assert!((0..BITS).all(|index| unpacked[index] == (index % 7 == 0)));
    assert_eq!(PackedBits::from(unpacked.as_slice()), bits);
    let again = PackedBits::from_words(bits.words().to_vec(), BITS).expect("they fit");
    assert_eq!(again, bits);
    assert!(PackedBits::from_words(vec![u64::MAX; 3], BITS).is_err());
}

/// Zeros as they leave the flips of one seed, packed and not.
fn flipped(epsilon0: &str) -> u64 {
    let rappor = rappor(epsilon0);
    let mut packed = PackedBits::zeros(BITS);
    rappor.randomize_packed(&mut Seed::from_u64(2).rng(), &mut packed);
    let mut bits = [false; BITS];
    rappor.randomize(&mut Seed::from_u64(2).rng(), &mut bits);
    let bits = PackedBits::from(&bits[..]);
    fingerprint([packed.words(), bits.words()].concat())
}

#[test]
fn flips_are_what_is_recorded_packed_or_not() {
    assert_eq!(flipped("1"), 0xd89f_a77e_953c_761d);
}

#[test]
#[cfg_attr(miri, ignore = "each takes as long as the one above")]
fn flips_that_are_rare_or_frequent_are_what_is_recorded() {
    assert_eq!(
        ["1/100", "12"].map(flipped),
        [0x6ba1_d009_d8ed_6455, 0xa09d_945a_1cd8_d6e5]
    );
}

#[test]
#[cfg_attr(miri, ignore = "its probabilities take long")]
fn answers_of_several_are_what_is_recorded() {
    let law = KaryRandomizedResponse::new("1".parse().expect("an epsilon"), 5);
    let (law, mut rng) = (law.expect("it is served"), Seed::from_u64(4).rng());
    let outputs = (0..30).map(|index| law.randomize(&mut rng, index % 5).expect("an answer"));
    assert_eq!(fingerprint(outputs.map(u64::from)), 0x6c37_dbf8_c3c2_e547);
    assert!(law.randomize(&mut rng, 5).is_err());
}
