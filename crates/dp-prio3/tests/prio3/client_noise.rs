//! Clients that randomize: over real Prio3 the estimates are unbiased, err and vary together as
//! predicted; the guarantees equal the calibration's.
//!
//! The statistical tests compare a mean over N independent trials with its prediction, within 8.5
//! of its standard deviations: a false alarm has a probability below 1e-9, with room for skewness.

use crate::support::{OAMC, OC, Task, alone, epsilon, mean, rational};
use dp_amplification::aggregated_rappor::{AggregatedRappor, WeightLimit};
use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::{Adjacency, Budget};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{Count, Histogram, MeasurementType, MultihotCountVec};
use dp_prio3::{Circumstances, ClientNoise, MultihotRappor, PolicyDescription, TrustModel};

/// The errors of every estimate, in each of `trials` batches.
fn errors<V: MeasurementType, R: LocalRandomizer<V>>(
    policy: &ClientNoise<V, R>,
    measurements: &[&V::Measurement],
    truth: &[f64],
    trials: usize,
) -> Vec<Vec<f64>> {
    let mut task = Task::new(policy.clone(), 4711);
    let run = |_| {
        for measurement in measurements {
            task.send(measurement);
        }
        let collection = task.collect().expect("honest shares");
        let pairs = collection.estimates.iter().zip(truth);
        pairs.map(|(estimate, truth)| estimate.value - truth).collect()
    };
    (0..trials).map(run).collect()
}

fn agrees(values: impl Iterator<Item = f64> + Clone, expected: f64) -> bool {
    let (mean, deviation) = mean(values);
    (mean - expected).abs() <= 8.5 * deviation
}

/// Unbiased, of the predicted variance at every place.
fn check(errors: &[Vec<f64>], variances: &[f64]) {
    for (place, variance) in variances.iter().enumerate() {
        let at_place = errors.iter().map(|trial| trial[place]);
        assert!(agrees(at_place.clone(), 0.0), "bias at {place}");
        let squares = at_place.map(|error| error * error);
        assert!(agrees(squares, *variance), "variance at {place}");
    }
}

#[test]
fn a_randomized_histogram_has_the_predicted_errors_and_covariances() {
    let response = KaryRandomizedResponse::new(epsilon("1.5"), 3).unwrap();
    let policy = ClientNoise::new(Histogram::new(2, 3).unwrap(), response).unwrap();
    let held = [20, 8, 2];
    let measurements: Vec<&usize> = [&0; 20].into_iter().chain([&1; 8]).chain([&2; 2]).collect();
    let observed = errors(&policy, &measurements, &held.map(f64::from), 1500);
    let randomizer = policy.randomizer();
    let variances = held.map(|holding| {
        let holding = u64::try_from(holding).unwrap();
        randomizer.standard_deviation(holding, 30).powi(2)
    });
    check(&observed, &variances);
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let holding = u64::try_from(held[one] + held[other]).unwrap();
        let predicted = randomizer.covariance(holding, 30);
        let products = observed.iter().map(|trial| trial[one] * trial[other]);
        assert!(predicted < 0.0);
        assert!(agrees(products.clone(), predicted), "{one}, {other}");
        assert!(!agrees(products, 0.0), "dependence must be seen: {one}, {other}");
    }
    // The buckets' estimates sum to the number of reports.
    for trial in &observed {
        assert!(trial.iter().sum::<f64>().abs() < 1e-9);
    }
    // The policy's own covariance takes its estimates for the truth.
    let total = policy.covariance(&[16, 9, 5], 30, 0, 1);
    assert!(total < 0.0);
}

/// Half of the reports that exceed the median weight are not sent, and those that are sent have
/// fewer ones.
#[test]
fn dropping_reports_biases_the_estimate_as_computed() {
    let rappor = Rappor::one_hot(6, epsilon("1"), &rational("1/2")).unwrap();
    let (bits, bound) = (rappor.bits().clone(), rappor.max_weight());
    let contribution = |bit| {
        let bias = dp_rappor::rejection_bias(&bits, 6, 1, bit, bound).unwrap();
        bias.bias().midpoint()
    };
    let vectors = MultihotCountVec::new(2, 6, bound).unwrap();
    let policy = ClientNoise::new(vectors, rappor).unwrap();
    let measurement = [true, false, false, false, false, false];
    let mut task = Task::new(policy, 11);
    let mut shifts = [Vec::new(), Vec::new()];
    for _ in 0..400 {
        for _ in 0..20 {
            match task.client.report_seeded(&measurement[..], &mut task.rng) {
                Ok(report) => task.verify(report).expect("an honest report"),
                Err(dp_prio3::Error::Dropped { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        let collection = task.collect().expect("honest shares");
        // Of 20 clients, whether they sent or not.
        shifts[0].push((collection.estimates[0].value - 20.0) / 20.0);
        shifts[1].push(collection.estimates[1].value / 20.0);
    }
    for (shifts, bit) in shifts.iter().zip([true, false]) {
        assert!(contribution(bit) < 0.0);
        assert!(agrees(shifts.iter().copied(), contribution(bit)), "{bit}");
        assert!(!agrees(shifts.iter().copied(), 0.0), "the bias must be seen: {bit}");
    }
}

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
fn a_crowd_hides_one_hot_clients_as_the_calibration_says_drops_included() {
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
fn a_crowd_of_randomized_answers_guarantees_what_the_calibration_says() {
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
