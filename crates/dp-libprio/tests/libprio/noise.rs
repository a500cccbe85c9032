//! On all seven types the noise is calibrated to the sensitivity of the type, and is the noise of
//! this project's policy with the same seed; libprio's hook adds some, on either side of zero.

use dp_libprio::{CircuitQuery, NoiseDistribution, SignedField, Strategy};
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::types::{self, MeasurementType};
use dp_prio3::{AggregatorNoise, DpPolicy as _};
use prio::field::{Field64, Field128};
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use prio::flp::{Flp, TypeWithNoise};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

use crate::{concentrated, pure};

type Plain<F> = ParallelSum<F, Mul>;

/// The scale for ε = 1/2 and the variance for ρ = 1/50.
fn is_noised<C, V>(circuit: &C, measurement_type: V, scale: u64, variance: u64)
where
    C: CircuitQuery + TypeWithNoise<Strategy>,
    V: MeasurementType<Flp: Flp<Field = C::Field>>,
{
    let query = circuit.enforced_query().expect("a query");
    let variance = NoiseDistribution::DiscreteGaussian { variance: variance.into() };
    for (kind, strategy, expected) in [
        (
            NoiseKind::DiscreteLaplace,
            pure("1/2"),
            NoiseDistribution::DiscreteLaplace { scale: scale.into() },
        ),
        (NoiseKind::DiscreteGaussian, concentrated("1/50"), variance),
    ] {
        assert_eq!(strategy.noise(&query).expect("noise").distribution(), expected, "{query}");
        let budget = strategy.budget().clone();
        let policy = AggregatorNoise::new(kind, measurement_type.clone(), budget).expect("valid");
        let zero = C::Field::from_signed(0).expect("zero");
        let mut shares = [(); 2].map(|()| vec![zero; circuit.output_len()]);
        let [ours, theirs] = &mut shares;
        let rng = || ChaCha20Rng::seed_from_u64(5);
        strategy.add_noise(circuit, ours, 1000, &mut rng()).expect("noise");
        policy.add_noise(theirs, 1000, &mut rng()).expect("noise");
        assert_eq!(ours, theirs, "{query}");
        // By chance none of 200 draws is below zero with probability below 1e-40.
        let negative = (0..200).filter(|_| {
            let mut share = vec![zero; circuit.output_len()];
            circuit.add_noise_to_agg_share(&strategy, &mut share, 1000).expect("noise");
            share[0].to_signed() < 0
        });
        assert!(negative.count() > 0, "{query}");
    }
}

#[test]
fn every_type_gets_the_noise_for_its_sensitivity() {
    is_noised(&Count::<Field64>::new(), types::Count::new(2).unwrap(), 2, 25);
    is_noised(&Sum::<Field64>::new(5).unwrap(), types::Sum::new(2, 5).unwrap(), 10, 625);
    let average = types::Average::new(2, 5).unwrap();
    is_noised(&Average::<Field128>::new(5).unwrap(), average, 10, 625);
    let vectors = types::SumVec::new(2, 20, 4).unwrap();
    is_noised(&SumVec::<Field128, Plain<_>>::new(4, 20, 8).unwrap(), vectors, 160, 8000);
    let bounded = types::L1BoundSum::new(2, 50, 4).unwrap();
    is_noised(&L1BoundSum::<Field128, Plain<_>>::new(4, 50, 7).unwrap(), bounded, 16, 800);
    let histogram = types::Histogram::new(2, 50).unwrap();
    is_noised(&Histogram::<Field128, Plain<_>>::new(50, 7).unwrap(), histogram, 4, 50);
    let bits = types::MultihotCountVec::new(2, 50, 5).unwrap();
    is_noised(&MultihotCountVec::<Field128, Plain<_>>::new(50, 5, 7).unwrap(), bits, 20, 250);
}
