//! Draws in slices with whole blocks and a rest, sums, big integers.

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
