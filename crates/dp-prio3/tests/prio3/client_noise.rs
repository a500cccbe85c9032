//! Clients that randomize: the guarantees equal the calibration's.

use crate::support::{OAMC, OC, alone, epsilon, rational};
use dp_amplification::aggregated_rappor::{AggregatedRappor, WeightLimit};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::{Adjacency, Budget};
use dp_prio3::randomizers::{CoinFlip, KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Count, Histogram, MultihotCountVec};
use dp_prio3::{Circumstances, ClientNoise, MultihotRappor, PolicyDescription, TrustModel};

#[test]
fn every_randomizer_guarantees_its_local_epsilon_against_everybody() {
    let pure = |text: &str| Budget::Pure { epsilon: epsilon(text) };
    let count = || Count::new(2).unwrap();
    let response = RandomizedResponse::new(epsilon("0.7")).unwrap();
    let policy = ClientNoise::new(count(), response).unwrap();
    assert_eq!(policy.guarantee(OC, &alone()).budget(), Some(&pure("0.7")));
    let kary = KaryRandomizedResponse::new(epsilon("0.7"), 4).unwrap();
    let policy = ClientNoise::new(Histogram::new(2, 4).unwrap(), kary).unwrap();
    assert_eq!(policy.guarantee(OC, &alone()).budget(), Some(&pure("0.7")));
    // ln 3 = 1.09861228866810969139524523692…, rounded up.
    let policy = ClientNoise::new(count(), CoinFlip).unwrap();
    let expected = pure("1.098612288668109691395246");
    let guarantee = policy.guarantee(OC, &alone());
    assert_eq!(guarantee.budget(), Some(&expected));
    let rappor = Rappor::basic(5, &epsilon("3"), &rational("1e-9")).unwrap();
    let vectors = MultihotCountVec::new(2, 5, rappor.max_weight()).unwrap();
    let policy = ClientNoise::new(vectors, rappor).unwrap();
    assert_eq!(policy.guarantee(OC, &alone()).budget(), Some(&pure("3")));
}

#[test]
fn aggregation_hides_one_hot_clients_as_the_calibration_says_drops_included() {
    let delta = "1e-6".parse().unwrap();
    let many_clients = Circumstances::new(2_000, "1e-6".parse().unwrap());
    let policy = MultihotRappor::one_hot(2, 8, epsilon("2"), &rational("1e-12")).unwrap();
    let sum = AggregatedRappor::new(epsilon("2"), 2_000).unwrap();
    let limit = WeightLimit {
        length: 8,
        max_weight: u64::try_from(policy.randomizer().max_weight()).unwrap(),
    };
    let with_drops = sum.epsilon_with_drops(&delta, Adjacency::Replacement, limit).unwrap();
    let without = sum.epsilon(&delta, Adjacency::Replacement).unwrap();
    let guarantee = policy.guarantee(OAMC, &many_clients);
    let Some(Budget::Approximate { epsilon, .. }) = guarantee.budget() else {
        panic!("{guarantee:?}");
    };
    assert_eq!(epsilon.value(), &with_drops.upper);
    assert!(epsilon.value() >= &without.lower);
    assert!(epsilon.value() < policy.local_epsilon().value());
}

#[test]
fn aggregated_randomized_answers_guarantee_what_the_calibration_says() {
    let many_clients = Circumstances::new(10_000, "1e-6".parse().unwrap());
    let response = KaryRandomizedResponse::new(epsilon("3"), 5).unwrap();
    let policy = ClientNoise::new(Histogram::new(2, 5).unwrap(), response).unwrap();
    let sum = AggregatedResponse::new(epsilon("3"), 5, 10_000).unwrap();
    let bounds = sum.epsilon(&"1e-6".parse().unwrap()).unwrap();
    let guarantee = policy.guarantee(OAMC, &many_clients);
    let Some(Budget::Approximate { epsilon, delta }) = guarantee.budget() else {
        panic!("{guarantee:?}");
    };
    assert_eq!(epsilon.value(), &bounds.upper);
    assert!(epsilon.value().to_f64() < 0.2103 && delta.to_string() == "1e-6");
    assert_eq!(guarantee.carried_over_from, None);
    let other = policy.guarantee(TrustModel::OneAggregatorOneClient, &many_clients);
    assert_eq!(other.carried_over_from, Some(OC));
}

#[test]
fn a_randomizer_of_another_length_is_refused() {
    let response = KaryRandomizedResponse::new(epsilon("1"), 4).unwrap();
    let error = ClientNoise::new(Histogram::new(2, 5).unwrap(), response).unwrap_err();
    assert_eq!(error.to_string(), "answers is 4: expected 5, the number of buckets");
    let rappor = Rappor::new(4, 1, epsilon("1"), &rational("1e-9")).unwrap();
    let vectors = MultihotCountVec::new(2, 5, 1).unwrap();
    let error = ClientNoise::new(vectors, rappor).unwrap_err();
    assert_eq!(error.to_string(), "length is 5: expected 4, the length that is randomized");
}
