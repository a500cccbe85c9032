//! On all seven types the noise is calibrated to the sensitivity of the type, and is the noise of
//! this project's policy with the same seed; libprio's hook adds some, on either side of zero.

use dp_libprio::{CircuitQuery, NoiseDistribution, SignedField, Strategy};
use dp_prio3::{AggregatorNoise, Budget, MeasurementRange, Policy, Vdaf};
use prio::field::{Field64, Field128};
use prio::flp::TypeWithNoise;
use prio::flp::gadgets::{Mul, ParallelSum};
use prio::flp::types::{Average, Count, Histogram, L1BoundSum, MultihotCountVec, Sum, SumVec};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;

use crate::{concentrated, pure};

type Plain<F> = ParallelSum<F, Mul>;

/// A strategy adds the same noise to the circuit as the policy on `vdaf` does: of the given scale
/// for ε = 1/2, of the given variance for ρ = 1/50.
fn is_noised<C>(circuit: &C, vdaf: &Vdaf, scale: u64, variance: u64)
where
    C: CircuitQuery + TypeWithNoise<Strategy>,
{
    let query = circuit.enforced_query().expect("a query");
    for (strategy, of, expected) in [
        (
            pure("1/2"),
            (|budget| AggregatorNoise::DiscreteLaplace { budget }) as fn(Budget) -> AggregatorNoise,
            NoiseDistribution::DiscreteLaplace { scale: scale.into() },
        ),
        (
            concentrated("1/50"),
            |budget| AggregatorNoise::DiscreteGaussian { budget },
            NoiseDistribution::DiscreteGaussian { variance: variance.into() },
        ),
    ] {
        assert_eq!(
            strategy.noise(&query).expect("noise").distribution(),
            expected.into(),
            "{query}"
        );
        let noise = of(strategy.budget().clone());
        let policy = Policy::with_noise(vdaf.clone(), noise).expect("valid");
        assert_eq!(Strategy::of(&policy), Some(strategy.clone()), "{query}");
        let zero = C::Field::from_signed(0).expect("zero");
        let mut ours = vec![zero; circuit.output_len()];
        let rng = || ChaCha20Rng::seed_from_u64(5);
        strategy.add_noise(circuit, &mut ours, 1000, &mut rng()).expect("noise");
        let ours: Vec<i128> = ours.into_iter().map(SignedField::to_signed).collect();
        assert_eq!(ours, policy.noise(1000, &mut rng()).expect("noise"), "{query}");
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
    let (aggregators, chunk_length) = (2, None);
    let range = MeasurementRange::MaxMeasurement;
    is_noised(&Count::<Field64>::new(), &Vdaf::Count { aggregators }, 2, 25);
    let sum = Vdaf::Sum { aggregators, range: range(5) };
    is_noised(&Sum::<Field64>::new(5).unwrap(), &sum, 10, 625);
    let average = Vdaf::Average { aggregators, range: range(5) };
    is_noised(&Average::<Field128>::new(5).unwrap(), &average, 10, 625);
    let vectors = Vdaf::SumVec { aggregators, length: 20, range: range(4), chunk_length };
    is_noised(&SumVec::<Field128, Plain<_>>::new(4, 20, 8).unwrap(), &vectors, 160, 8000);
    let bounded = Vdaf::L1BoundSum { aggregators, length: 50, max_measurement: 4, chunk_length };
    is_noised(&L1BoundSum::<Field128, Plain<_>>::new(4, 50, 7).unwrap(), &bounded, 16, 800);
    let histogram = Vdaf::Histogram { aggregators, length: 50, chunk_length };
    is_noised(&Histogram::<Field128, Plain<_>>::new(50, 7).unwrap(), &histogram, 4, 50);
    let max_weight = Some(5);
    let bits = Vdaf::MultihotCountVec { aggregators, length: 50, max_weight, chunk_length };
    is_noised(&MultihotCountVec::<Field128, Plain<_>>::new(50, 5, 7).unwrap(), &bits, 20, 250);
}
