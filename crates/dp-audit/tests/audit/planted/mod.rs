//! Planted faults. A test of conformance finds each of them.

mod batches;
mod clients;
mod cubes;
mod deployments;
mod estimates;
mod matrices;
mod noise;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dp_audit::{Collected, OwnedMeasurement, Policy, StatedTerms};
use dp_prio3::{
    AggregatorNoise, AlterNoise, BatchLimits, Budget, ClientNoise, Deviation, OtherEstimates,
    Parts, Rational, Vdaf,
};

/// The first answer for a batch of as many reports as measurements.
pub(crate) fn collected(
    batch: impl ToString,
    reports: u64,
    truths: &[i64],
    released: Vec<f64>,
) -> Collected {
    let (batch, truths, stated) = (batch.to_string(), truths.to_vec(), StatedTerms::default());
    Collected { batch, attempt: 1, reports, truths, released, stated }
}

/// Laplace noise with this ε.
pub(crate) fn laplace(vdaf: Vdaf, epsilon: &str) -> Policy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("an epsilon") };
    Policy::with_noise(vdaf, AggregatorNoise::DiscreteLaplace { budget }).expect("a policy")
}

pub(crate) fn buckets(length: usize) -> Vdaf {
    Vdaf::Histogram { aggregators: 2, length, chunk_length: None }
}

/// Four buckets, with Laplace noise.
fn histogram(epsilon: &str) -> Policy {
    laplace(buckets(4), epsilon)
}

fn of_clients(vdaf: Vdaf, noise: ClientNoise) -> Policy {
    let (client_noise, batch) = (Some(noise), BatchLimits { min_reports: 1, max_reports: None });
    Policy::new(Parts { vdaf, client_noise, aggregator_noise: None, batch }).expect("a policy")
}

/// One bit, flipped.
fn response(epsilon: &str) -> Policy {
    let epsilon = epsilon.parse().expect("an epsilon");
    of_clients(Vdaf::Count { aggregators: 2 }, ClientNoise::RandomizedResponse { epsilon })
}

/// One of `count` answers.
fn answers(epsilon: &str, count: usize) -> Policy {
    let epsilon = epsilon.parse().expect("an epsilon");
    of_clients(buckets(count), ClientNoise::KaryRandomizedResponse { epsilon })
}

/// Symmetric RAPPOR of one-hot vectors of `length` bits; at most the fraction `rate` of reports is
/// dropped.
pub(crate) fn rappor(length: usize, epsilon0: &str, rate: &str) -> Policy {
    let epsilon0 = epsilon0.parse().expect("an epsilon");
    let false_positive_rate: Rational = rate.parse().expect("a rate");
    let vdaf =
        Vdaf::MultihotCountVec { aggregators: 2, length, max_weight: None, chunk_length: None };
    of_clients(vdaf, ClientNoise::OneHotRappor { epsilon0, false_positive_rate })
}

/// One-hot vectors of this length, with ones at these indices.
fn vectors<const N: usize>(length: usize, ones: [usize; N]) -> Vec<OwnedMeasurement> {
    let vector = |one| OwnedMeasurement::Bits((0..length).map(|index| index == one).collect());
    ones.map(vector).to_vec()
}

/// Ten bits.
fn bits() -> Vec<OwnedMeasurement> {
    (0..10).map(|client| OwnedMeasurement::Bit(client < 7)).collect()
}

/// `policy` with noise of aggregators that is altered by the number of earlier draws.
fn with_noise(policy: &Policy, alter: impl Fn(u64, &mut [i128]) + Send + Sync + 'static) -> Policy {
    let draws = AtomicU64::new(0);
    let alter: Arc<AlterNoise> =
        Arc::new(move |noise| alter(draws.fetch_add(1, Ordering::Relaxed), noise));
    policy.that_deviates(Deviation { noise: Some(alter), ..Deviation::default() })
}

/// `policy` with each aggregator's noise in each total altered.
fn with_each_noise(
    policy: &Policy,
    alter: impl Fn(i128) -> i128 + Send + Sync + 'static,
) -> Policy {
    with_noise(policy, move |_, noise| noise.iter_mut().for_each(|noise| *noise = alter(*noise)))
}

/// `policy` whose aggregators draw the noise of another one.
fn with_aggregators(policy: &Policy, other: &Policy) -> Policy {
    policy.that_deviates(Deviation { aggregators: Some(other.clone()), ..Deviation::default() })
}

/// `policy` whose clients randomize by another one.
fn with_clients(policy: &Policy, other: &Policy) -> Policy {
    policy.that_deviates(Deviation { clients: Some(other.clone()), ..Deviation::default() })
}

/// `policy` whose collector alters its estimates.
fn with_estimates(
    policy: &Policy,
    alter: impl Fn(i128, u64, f64) -> f64 + Send + Sync + 'static,
) -> Policy {
    let estimates: Arc<OtherEstimates> = Arc::new(move |sound, totals, reports| {
        let mut estimates = sound.estimate(totals, reports);
        for (estimate, total) in estimates.iter_mut().zip(totals) {
            estimate.value = alter(*total, reports, estimate.value);
        }
        estimates
    });
    policy.that_deviates(Deviation { estimates: Some(estimates), ..Deviation::default() })
}
