//! The packed bit vector holds the bits that went in.

use dp_rappor::PackedBits;
use proptest::prelude::*;

proptest! {
    #[test]
    fn packing_and_unpacking_gives_the_same_bits(bits in prop::collection::vec(any::<bool>(), 0..300)) {
        let packed = PackedBits::from(bits.as_slice());
        prop_assert_eq!(&packed.iter().collect::<Vec<_>>(), &bits);
        prop_assert_eq!(packed.len(), bits.len());
        prop_assert_eq!(packed.is_empty(), bits.is_empty());
        prop_assert_eq!(packed.weight(), bits.iter().filter(|bit| **bit).count());
        for (index, bit) in bits.iter().enumerate() {
            prop_assert_eq!(packed.get(index), Some(*bit));
        }
        prop_assert_eq!(packed.get(bits.len()), None);
    }

    #[test]
    fn setting_a_bit_changes_that_bit_alone(
        mut bits in prop::collection::vec(any::<bool>(), 1..200),
        position in any::<prop::sample::Index>(),
        value in any::<bool>(),
    ) {
        let index = position.index(bits.len());
        let mut packed: PackedBits = bits.iter().copied().collect();
        packed.set(index, value).unwrap();
        bits[index] = value;
        prop_assert_eq!(&packed.iter().collect::<Vec<_>>(), &bits);
    }
}

#[test]
fn coordinate_i_is_bit_i_modulo_64_of_its_word() {
    let mut bits = PackedBits::zeros(130);
    for index in [0, 63, 65, 129] {
        bits.set(index, true).unwrap();
    }
    assert_eq!(bits.words(), [1 << 63 | 1, 2, 2]);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let mut bits = PackedBits::zeros(10);
    assert_eq!(
        bits.set(10, true).unwrap_err().to_string(),
        "index is withheld: expected an index below the length 10"
    );
}

#[test]
fn a_vector_shows_its_length_and_no_bit() {
    let bits: PackedBits = [true; 70].into_iter().collect();
    assert_eq!(format!("{bits:?}"), "PackedBits { length: 70, .. }");
}

#[test]
fn a_vector_is_wiped_when_dropped() {
    fn wiped<T: zeroize::ZeroizeOnDrop>(value: T) -> T {
        value
    }
    assert_eq!(wiped(PackedBits::zeros(3)).weight(), 0);
}

#[test]
fn an_iterator_that_hides_its_length_is_collected() {
    let mut place = 0;
    let bits: PackedBits = std::iter::from_fn(|| {
        place += 1;
        (place <= 1000).then_some(place % 3 == 0)
    })
    .collect();
    assert_eq!((bits.len(), bits.weight()), (1000, 333));
    assert_eq!((bits.get(998), bits.get(999)), (Some(true), Some(false)));
}
