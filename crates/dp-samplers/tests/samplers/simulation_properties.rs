//! Simulation mode serves or refuses every parameter that its counterpart does.

use dp_exact::{Rational, Real};
use dp_samplers::{Binomial, Error, simulation};
use num_bigint::BigInt;
use num_traits::Signed;
use proptest::prelude::*;

use crate::chi_square::rng;
use crate::properties::{
    DRAWS, Flip, accepts_the_positive, any_fraction, positive, probability, trials,
};

/// Constructors of simulation mode draw as they accept.
macro_rules! simulated {
    ($law:ident, $value:expr, $seed:expr) => {{
        let result = simulation::$law::new($value);
        prop_assert!(accepts_the_positive($value, &result));
        if let Ok(law) = result {
            let mut draws = vec![BigInt::ZERO; DRAWS];
            law.fill(&mut rng($seed), &mut draws).unwrap();
            prop_assert!(law.sample_as::<BigInt, _>(&mut rng($seed)).is_some());
            // What fits is the same number in any type; what does not is an error.
            let narrow = law.sample_as::<i64, _>(&mut rng($seed));
            let whole = law.sample_as::<BigInt, _>(&mut rng($seed)).unwrap();
            prop_assert_eq!(narrow, i64::try_from(whole).ok());
        }
    }};
}

/// Draws of a binomial law, one by one and in a slice.
fn binomial_draws<P: Real + Clone + std::fmt::Debug>(
    trials: u64,
    probability: &P,
    seed: u64,
) -> Result<(), TestCaseError> {
    let law = match simulation::Binomial::new(trials, probability.clone()) {
        Ok(law) => law,
        Err(error) => {
            prop_assert!(trials > Binomial::MAX_TRIALS, "{error}");
            prop_assert!(matches!(error, Error::Parameter(_)));
            return Ok(());
        }
    };
    let mut draws = vec![0_u64; DRAWS];
    law.fill(&mut rng(seed), &mut draws).expect("counts fit");
    prop_assert!(draws.iter().all(|draw| *draw <= trials));
    prop_assert!(law.sample(&mut rng(seed)) <= trials);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_fraction_is_served_or_refused_in_simulation_mode(value in any_fraction(), seed: u64) {
        simulated!(DiscreteGaussian, &value, seed);
        simulated!(DiscreteLaplace, &value, seed);
        simulated!(Geometric, &value, seed);
    }

    #[test]
    fn simulation_mode_serves_every_size(value in positive(), seed: u64) {
        simulated!(DiscreteGaussian, &value, seed);
        simulated!(DiscreteLaplace, &value, seed);
        simulated!(Geometric, &value, seed);
        let law = simulation::Geometric::new(&value).unwrap();
        prop_assert!(!law.sample_as::<BigInt, _>(&mut rng(seed)).unwrap().is_negative());
    }

    #[test]
    fn binomials_in_simulation_mode_draw_within_their_trials(
        trials in trials(),
        probability in probability(),
        millionths in 0..200_000_000_u64,
        seed: u64,
    ) {
        binomial_draws(trials, &probability, seed)?;
        let epsilon = Rational::new(millionths, 1_000_000).unwrap();
        binomial_draws(trials, &Flip(epsilon), seed)?;
    }
}
