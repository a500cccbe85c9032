//! Planted faults. An audit or a test of conformance finds each of them.

mod clients;
mod deployments;
mod estimates;
mod matrices;
mod noise;

use std::sync::Arc;

use dp_audit::{
    Audit, FaultyPolicy, Finding, FromFn, Generator, Input, OwnedMeasurement, PolicyAudit,
};
use dp_calibration::TrustModel;
use dp_exact::Epsilon;
use dp_prio3::randomizers::{KaryRandomizedResponse, RandomizedResponse, Rappor};
use dp_prio3::types::{Count, Histogram, MultihotCountVec};
use dp_prio3::{AggregatorNoise, ClientNoise, DpPolicy, MultihotRappor};
use dp_task::FromMeasurement;

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
fn rappor(length: u32, text: &str, rate: &str) -> MultihotRappor {
    let rate = rate.parse().expect("a rate");
    let randomizer = Rappor::one_hot(length as usize, epsilon(text), &rate).expect("RAPPOR");
    let weight = randomizer.weight_bound().bound;
    let vectors = MultihotCountVec::new(2, length as usize, weight).expect("a type");
    ClientNoise::new(vectors, randomizer).expect("a policy")
}

/// One-hot vectors of this length, with ones at these places.
fn vectors<const N: usize>(length: usize, ones: [usize; N]) -> Vec<OwnedMeasurement> {
    let vector = |one| OwnedMeasurement::Bits((0..length).map(|place| place == one).collect());
    ones.map(vector).to_vec()
}

/// The runs in which most faults are found.
const RUNS: u64 = 25_000;

fn audit(runs: u64) -> Audit {
    Audit::new(runs, 1e-9, 1).expect("an audit")
}

/// Whether an audit refutes what a policy guarantees in this trust model.
fn is_refuted<P>(runs: u64, model: TrustModel, policy: &FaultyPolicy<P>) -> bool
where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    let questions = PolicyAudit {
        audit: audit(runs),
        models: vec![model],
        honest_clients: 1,
        deltas: ["1e-9", "1/100"].map(|delta| delta.parse().expect("a delta")).to_vec(),
    };
    let findings = questions.findings(&Arc::new(policy.clone())).expect("an audit");
    assert!(!findings.is_empty(), "nothing is guaranteed");
    findings.iter().any(Finding::is_refuted)
}

/// That an audit refutes what each of these policies guarantees, but not what the sound one does.
fn refutes<P>(
    model: TrustModel,
    sound: &FaultyPolicy<P>,
    planted: impl IntoIterator<Item = (&'static str, FaultyPolicy<P>)>,
) where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    refutes_in(RUNS, model, sound, planted);
}

/// [`refutes`] in this number of runs.
fn refutes_in<P>(
    runs: u64,
    model: TrustModel,
    sound: &FaultyPolicy<P>,
    planted: impl IntoIterator<Item = (&'static str, FaultyPolicy<P>)>,
) where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    assert!(!is_refuted(runs, model, sound), "the sound policy is refuted");
    for (fault, policy) in planted {
        assert!(is_refuted(runs, model, &policy), "{fault}");
    }
}

/// That an audit refutes that this mechanism is (1, 0)-differentially private.
fn refutes_views<F>(fault: &str, width: usize, observe: F)
where
    F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), dp_audit::Error> + Sync,
{
    let bound = audit(RUNS).lower_bound(&FromFn::new(width, observe), 0.0);
    let bound = bound.expect("a bound");
    assert!(bound.epsilon > 1.0, "{fault}: {bound:?}");
}
