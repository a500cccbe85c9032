//! `Distribution` for any generator, which the feature `simulation` adds.

use dp_samplers::simulation::{self, Fits64};
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
fn draws_of_64_bits_are_those_of_the_law_in_any_generic_code() {
    fn drawn<D: Distribution<i64>>(law: &D) -> Vec<i64> {
        law.sample_iter(rng(3)).take(200).collect()
    }
    for parameter in ["2/5", "27", "9007199254740992"] {
        let value = rational(parameter);
        let mut words = rng(3);
        let law = simulation::DiscreteGaussian::new(&value).unwrap();
        let singly: Vec<Option<i64>> = (0..200).map(|_| law.sample_as(&mut words)).collect();
        let fits = Fits64::<simulation::DiscreteGaussian>::new(&value).unwrap();
        assert!(drawn(&fits).into_iter().map(Some).eq(singly));
        assert_eq!(
            drawn(&Fits64::<simulation::DiscreteLaplace>::new(&value).unwrap()).len(),
            200
        );
        let geometric = Fits64::<simulation::Geometric>::new(&value).unwrap();
        assert!(drawn(&geometric).into_iter().all(|draw| draw >= 0));
    }
}

#[test]
fn a_law_whose_draws_may_not_fit_64_bits_is_refused_by_name() {
    let refused = |text: &str| {
        let value = rational(text);
        Fits64::<simulation::DiscreteLaplace>::new(&value)
            .unwrap_err()
            .to_string()
    };
    let accepted = "expected at most 2^53, so that draws fit 64 bits";
    assert_eq!(
        refused("9007199254740993"),
        format!("scale is 9007199254740993: {accepted}")
    );
    assert_eq!(refused("0"), "scale is 0: expected a number greater than 0");
    let most = num_bigint::BigInt::from(1) << 106_u32;
    for (variance, fits) in [(most.clone(), true), (most + 1, false)] {
        let variance = dp_samplers::Rational::integer(variance);
        assert_eq!(
            Fits64::<simulation::DiscreteGaussian>::new(&variance).is_ok(),
            fits
        );
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
