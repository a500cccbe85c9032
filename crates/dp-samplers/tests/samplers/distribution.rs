//! `Distribution` for any generator, which the feature `simulation` adds.

use dp_samplers::{Bernoulli, DiscreteGaussian};
use num_bigint::BigInt;
use rand::distr::Distribution;

use crate::chi_square::rng;
use crate::laws::rational;

#[test]
fn a_distribution_gives_the_stream_of_sample() {
    let law = DiscreteGaussian::new(&rational("27")).unwrap();
    let mut iterated = (&law).sample_iter(rng(1));
    let mut generator = rng(1);
    for _ in 0..50 {
        let draw: BigInt = iterated.next().unwrap();
        assert_eq!(draw, law.sample(&mut generator));
    }
}

#[test]
fn a_distribution_takes_part_in_generic_code() {
    fn sum<D: Distribution<bool>>(coin: D) -> usize {
        coin.sample_iter(rng(2))
            .take(100)
            .filter(|&flip| flip)
            .count()
    }
    assert_eq!(sum(Bernoulli::new(&rational("1")).unwrap()), 100);
}
