//! Planted faults. A test of conformance finds each of them.

mod clients;
mod deployments;
mod estimates;
mod matrices;
mod noise;

use dp_audit::OwnedMeasurement;
use dp_exact::Epsilon;
use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Count, Histogram, MultihotCountVec};
use dp_prio3::{AggregatorNoise, ClientNoise, MultihotRappor};

pub(crate) fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

/// Four buckets, with Laplace noise.
pub(crate) fn histogram(text: &str) -> AggregatorNoise<Histogram> {
    AggregatorNoise::laplace(Histogram::new(2, 4).expect("a type"), epsilon(text))
        .expect("a policy")
}

/// One bit, flipped.
pub(crate) fn response(text: &str) -> ClientNoise<Count, RandomizedResponse> {
    let randomizer = RandomizedResponse::new(epsilon(text)).expect("a randomizer");
    ClientNoise::new(Count::new(2).expect("a type"), randomizer).expect("a policy")
}

/// One of `count` answers.
fn answers(text: &str, count: u32) -> ClientNoise<Histogram, KaryRandomizedResponse> {
    let randomizer = KaryRandomizedResponse::new(epsilon(text), count).expect("a randomizer");
    let histogram = Histogram::new(2, count as usize).expect("a type");
    ClientNoise::new(histogram, randomizer).expect("a policy")
}

/// Symmetric RAPPOR of one-hot vectors of `length` bits; at most the fraction `rate` of reports is
/// dropped.
pub(crate) fn rappor(length: u32, text: &str, rate: &str) -> MultihotRappor {
    let rate = rate.parse().expect("a rate");
    let randomizer = Rappor::one_hot(length as usize, epsilon(text), &rate).expect("RAPPOR");
    let weight = randomizer.weight_bound().bound;
    let vectors = MultihotCountVec::new(2, length as usize, weight).expect("a type");
    ClientNoise::new(vectors, randomizer).expect("a policy")
}

/// One-hot vectors of this length, with ones at these indices.
fn vectors<const N: usize>(length: usize, ones: [usize; N]) -> Vec<OwnedMeasurement> {
    let vector = |one| OwnedMeasurement::Bits((0..length).map(|index| index == one).collect());
    ones.map(vector).to_vec()
}
