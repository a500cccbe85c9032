//! The parties run what the randomizer draws. Aggregators add the draws of their sampler, or nothing where
//! clients alone randomize.

use crate::support::{histogram_gaussian, multihot_rappor, rng, sum_vec_laplace};
use dp_calibration::NoiseDistribution;
use dp_prio3::{DpPolicy, SignedField};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};
use prio::field::{Field128, FieldElement as _};
use prio::flp;

/// In blocks of 256.
#[test]
fn an_aggregator_adds_the_draws_of_its_sampler_and_nothing_else() {
    fn added(policy: &impl DpPolicy<Flp: flp::Type<Field = Field128>>) -> Vec<i128> {
        let mut share = vec![Field128::zero(); 300];
        policy.add_noise(&mut share, 1, &mut rng(5)).expect("the noise fits");
        share.into_iter().map(SignedField::to_signed).collect()
    }
    let mut draws = vec![0; 300];
    let gaussian = histogram_gaussian(2, 3);
    let NoiseDistribution::DiscreteGaussian { variance } = gaussian.mechanism().distribution()
    else {
        panic!("{gaussian:?}");
    };
    DiscreteGaussian::new(variance).unwrap().fill(&mut rng(5), &mut draws).unwrap();
    assert_eq!(added(&gaussian), draws);
    let laplace = sum_vec_laplace(2, 3, 9);
    let NoiseDistribution::DiscreteLaplace { scale } = laplace.mechanism().distribution() else {
        panic!("{laplace:?}");
    };
    DiscreteLaplace::new(scale).unwrap().fill(&mut rng(5), &mut draws).unwrap();
    assert_eq!(added(&laplace), draws);
}

#[test]
fn a_rappor_client_reports_what_its_randomizer_draws() {
    let policy = multihot_rappor(2, 50, 3);
    let mut bits = vec![false; 50];
    (bits[3], bits[40]) = (true, true);
    let reported = policy.randomize(&bits[..], &mut rng(5)).unwrap();
    policy.randomizer().bits().randomize(&mut rng(5), &mut bits);
    assert_eq!(reported, bits);
    let mut share = vec![Field128::zero(); 50];
    policy.add_noise(&mut share, 10, &mut rng(5)).unwrap();
    assert_eq!(share, vec![Field128::zero(); 50], "its aggregators add nothing");
}
