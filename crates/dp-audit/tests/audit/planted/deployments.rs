//! Faults of a deployment's noise, found by their names in its collections: the parties of
//! `dp-prio3`, with proofs and encoded messages.

use std::sync::Mutex;

use dp_audit::{
    Collect, Collected, CollectionAnswer, CollectionRequest, Conformance, ConformanceResult,
    ExpectedRelease, Fault, InProcessDeployment, OwnedMeasurement, Policy, Submissions,
};
use dp_samplers::DiscreteGaussian;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::batches::{copied, remembering};
use super::noise::gaussian;
use super::{histogram, with_aggregators, with_each_noise, with_noise};

const ERROR: f64 = 1e-6;

/// Measurements of a histogram of four buckets.
pub(super) fn buckets() -> Vec<OwnedMeasurement> {
    [0, 1, 1, 3, 3].map(OwnedMeasurement::Integer).to_vec()
}

/// What should be released, the measurements, and a deployment that collects.
pub(super) type Tested = (ExpectedRelease, Submissions, Box<Collect<'static>>);

/// Parties of whom the client and the collector have the first policy, and the aggregators the
/// others.
pub(super) fn parties(
    collector: &Policy,
    aggregators: [&Policy; 2],
    measurements: Vec<OwnedMeasurement>,
) -> Tested {
    let expected = ExpectedRelease::of(collector);
    let submissions = Submissions::of("collection", measurements, collector.query());
    let parties = InProcessDeployment::new(collector, &aggregators.map(Policy::clone), 1);
    let mut parties = parties.expect("parties");
    let collect = move |request: &_| parties.answers(request);
    (expected.expect("a distribution"), submissions, Box::new(collect))
}

/// Parties who all have this policy.
pub(super) fn all(policy: &Policy, measurements: Vec<OwnedMeasurement>) -> Tested {
    parties(policy, [policy; 2], measurements)
}

pub(super) fn result((expected, submissions, mut collect): Tested, most: u64) -> ConformanceResult {
    Conformance::of(&mut collect, &submissions, expected, ERROR, most).expect("a result")
}

/// That a fault is found, and called by its name: by one of several, between which few collections
/// do not decide.
pub(super) fn finds(faults: &[Fault], deployment: Tested) {
    let result = result(deployment, 2000);
    let found = result.found().map(|found| found.fault);
    assert!(found.is_some_and(|found| faults.contains(&found)), "{faults:?}: {result:?}");
}

/// That noise which one or both aggregators leave out, halve or double is found and named. `half`
/// and `twice` are policies of half and twice the noise of `sound`.
pub(super) fn finds_scales(
    sound: &Policy,
    half: &Policy,
    twice: &Policy,
    measurements: &[OwnedMeasurement],
) {
    let silent = &with_each_noise(sound, |_| 0);
    let [half, twice] = &[half, twice].map(|other| with_aggregators(sound, other));
    for (fault, aggregators) in [
        (Fault::Missing(1), [sound, silent]),
        (Fault::Missing(2), [silent, silent]),
        (Fault::ScaledAtOne(1, 2), [sound, half]),
        (Fault::Scaled(1, 2), [half, half]),
        (Fault::Scaled(2, 1), [twice, twice]),
    ] {
        finds(&[fault], parties(sound, aggregators, measurements.to_vec()));
    }
}

/// The fault that is found within `limit` collections.
pub(super) fn found(what: &str, limit: u64, deployment: Tested) -> Fault {
    let result = result(deployment, limit);
    result.found().unwrap_or_else(|| panic!("{what}: {result:?}")).fault
}

#[test]
fn noise_of_aggregators() {
    let sound = &histogram("1");
    finds_scales(sound, &histogram("2"), &histogram("1/2"), &buckets());
    let kept = || remembering(sound, |draw, past, noise| copied(past, draw, 1, 0, noise));
    // Both draw from a generator of the same seed.
    let shared = &remembering(sound, |draw, past, noise| copied(past, draw % 2, 1, 0, noise));
    let same = &with_noise(sound, |_, noise| noise.fill(noise[0]));
    let bare = &with_noise(sound, |_, noise| noise[3] = 0);
    let other = |seed| {
        let law = DiscreteGaussian::new(&"8".parse().expect("a variance")).expect("a distribution");
        let generator = Mutex::new(ChaCha12Rng::seed_from_u64(seed));
        with_noise(sound, move |_, noise| {
            let mut generator = generator.lock().expect("a generator");
            law.fill(&mut *generator, noise).expect("draws");
        })
    };
    for (fault, aggregators) in [
        (Fault::Twice, [sound, &with_each_noise(sound, |noise| 2 * noise)]),
        (Fault::DependentBatches, [&kept(), &kept()]),
        (Fault::Shared, [shared, shared]),
        (Fault::BareTotal, [bare, bare]),
        (Fault::OtherLaw, [&other(1), &other(2)]),
    ] {
        finds(&[fault], parties(sound, aggregators, buckets()));
    }
    // Totals that depend on each other multiply chance correlations with earlier batches, and one
    // draw that is used again shifts all sums of totals.
    for aggregators in [[same, same], [&kept(), sound]] {
        let dependent = [Fault::DependentBatches, Fault::WrongSums];
        finds(&dependent, parties(sound, aggregators, buckets()));
    }
    let sound = &gaussian("1", "1e-9");
    let silent = &with_each_noise(sound, |_| 0);
    finds(&[Fault::Missing(1)], parties(sound, [sound, silent], buckets()));
}

/// The leader's share for a second attempt has no noise, as its first attempt had spent it. Of
/// every other batch the first attempt gets lost on its way.
#[test]
fn a_second_attempt_to_collect() {
    let sound = &histogram("1");
    let silent = &with_each_noise(sound, |_| 0);
    let (expected, submissions, mut whole) = all(sound, buckets());
    let (_, _, mut without) = parties(sound, [silent, sound], buckets());
    let mut collections = 0_u32;
    let mut collect = |request: &CollectionRequest| {
        collections += 1;
        if collections.is_multiple_of(2) {
            return whole(request);
        }
        let second = without(request)?.into_iter();
        Ok(second.map(|answer| CollectionAnswer { attempt: 2, ..answer }).collect())
    };
    let result = Conformance::of(&mut collect, &submissions, expected.clone(), ERROR, 2000);
    let result = result.expect("a result");
    let found = result.found().unwrap_or_else(|| panic!("{result:?}"));
    assert_eq!((found.fault, found.is_of_later_attempts), (Fault::Missing(1), true));

    // Where both attempts answer, the second answer is another one.
    let mut test = Conformance::new(expected, ERROR).expect("a test");
    let (request, truths) = submissions.of_collection(1 << 20).expect("a request");
    let first = whole(&request).expect("answers").remove(0);
    let first = Collected::new(&request, &truths, first);
    test.observe(&first).expect("taken");
    let mut again = Collected { attempt: 2, ..first };
    test.observe(&again).expect("taken");
    assert_eq!((test.result().found(), test.result().collections), (None, 1));
    again.released.iter_mut().for_each(|value| *value += 1.0);
    test.observe(&again).expect("taken");
    let found = test.result().found().map(|found| found.fault);
    assert_eq!(found, Some(Fault::AnotherAnswer));
}
