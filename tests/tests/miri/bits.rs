//! Bits of clients: packed, flipped, wiped.

use dp_rappor::{PackedBits, SymmetricRappor};
use dp_samplers::Seed;

/// Length of a vector: more than one block of flips, and no multiple of a word.
const BITS: usize = 150;

#[test]
fn packed_bits_hold_what_was_set_and_refuse_what_lies_beyond() {
    let mut bits = PackedBits::zeros(BITS);
    for index in (0..BITS).step_by(7) {
        bits.set(index, true).expect("an index");
    }
    assert!(bits.set(BITS, true).is_err());
    assert_eq!(bits.get(BITS), None);
    assert_eq!(bits.weight(), BITS.div_ceil(7));
    let unpacked: Vec<bool> = bits.iter().collect();
    assert!((0..BITS).all(|index| unpacked[index] == (index % 7 == 0)));
    assert_eq!(PackedBits::from(unpacked.as_slice()), bits);
}

#[test]
fn packed_flips_are_those_of_booleans() {
    let rappor = SymmetricRappor::new("1".parse().expect("an epsilon")).expect("it is served");
    let mut packed = PackedBits::zeros(BITS);
    rappor.randomize_packed(&mut Seed::from_u64(2).rng(), &mut packed);
    let mut bits = [false; BITS];
    rappor.randomize(&mut Seed::from_u64(2).rng(), &mut bits);
    assert_eq!(PackedBits::from(&bits[..]), packed);
}
