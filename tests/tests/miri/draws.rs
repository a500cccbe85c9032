//! Draws in slices with whole blocks and a rest, sums, big integers; flips of a client's bits.

use dp_rappor::{SymmetricRappor, UnaryEncoding};
use dp_samplers::{BigInt, DiscreteGaussian, Seed};

/// Number of draws: more than one block of any engine, and no multiple of any.
const DRAWS: usize = 277;

/// A narrow Gaussian: the tables of other distributions take Miri minutes.
#[test]
fn a_slice_is_filled_as_draws_are_added_in_every_type_of_integer() {
    let law = DiscreteGaussian::new(&"1/4".parse().expect("a number")).expect("it is served");
    let seed = Seed::from_u64(1);
    let (mut filled, mut sums) = ([0_i64; DRAWS], [1_i64; DRAWS]);
    law.fill(&mut seed.rng(), &mut filled).expect("it fits");
    law.add_to(&mut seed.rng(), &mut sums).expect("it fits");
    assert_eq!(filled.map(|draw| draw + 1), sums);
    let mut big = vec![BigInt::ZERO; DRAWS];
    law.fill(&mut seed.rng(), &mut big).expect("it fits");
    assert_eq!(filled.map(BigInt::from).as_slice(), big);
}

#[test]
fn a_seed_wipes_what_it_was_made_of() {
    let mut bytes = [7; 32];
    let _seed = Seed::new(&mut bytes);
    assert_eq!(bytes, [0; 32]);
}

/// More than one block of flips, and no multiple of a word.
#[test]
fn flips_of_bits_are_those_of_the_bits_alone() {
    let rappor = SymmetricRappor::new("1".parse().expect("an epsilon")).expect("it is served");
    let mut flipped = [[false; 150], [true; 150]];
    for bits in &mut flipped {
        rappor.randomize(&mut Seed::from_u64(2).rng(), bits);
    }
    assert!(flipped[0].contains(&true) && flipped[1] == flipped[0].map(|bit| !bit));
    let [p, q] = ["3/4", "1/20"].map(|text| text.parse().expect("a number"));
    let mut report = [true; 150];
    let bits = UnaryEncoding::new(p, q).expect("it is served");
    bits.randomize(&mut Seed::from_u64(2).rng(), &mut report);
    assert!(report.contains(&true) && report.contains(&false));
}
