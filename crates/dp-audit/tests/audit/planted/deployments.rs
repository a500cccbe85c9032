//! Faults of a deployment's noise, found in its collections: the parties of `dp-prio3`, with proofs
//! and encoded messages.

use std::sync::{Arc, Mutex};

use dp_audit::{
    Collected, CollectionAnswer, CollectionRequest, Conformance, ConformanceResult, Deployment,
    Error, ExpectedRelease, Fault, FaultyPolicy, InProcessDeployment, OwnedMeasurement,
    Submissions,
};
use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, DpPolicy};
use dp_samplers::DiscreteGaussian;
use dp_task::FromMeasurement;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::{epsilon, histogram};

const ERROR: f64 = 1e-6;

pub(super) type Laplace = FaultyPolicy<AggregatorNoise<Histogram>>;

pub(super) fn sound() -> Laplace {
    FaultyPolicy::sound(histogram("1"))
}

fn altered(alter: fn(i128) -> i128) -> Laplace {
    sound().with_noise(move |_, noise| noise.iter_mut().for_each(|noise| *noise = alter(*noise)))
}

pub(super) fn buckets() -> Vec<OwnedMeasurement> {
    [0, 1, 1, 3, 3].map(OwnedMeasurement::Bucket).to_vec()
}

/// Parties of whom the client and the collector have the first policy, and the aggregators the
/// others.
pub(super) fn parties<P>(
    collector: P,
    aggregators: [P; 2],
    measurements: Vec<OwnedMeasurement>,
) -> Tested<InProcessDeployment<P>>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    let expected = ExpectedRelease::of(&collector, 1).expect("a distribution");
    running(expected, collector, aggregators, measurements)
}

/// What should be released, the measurements, and a deployment.
pub(super) type Tested<D> = (ExpectedRelease, Submissions, D);

/// Parties that should release `expected`.
pub(super) fn running<P>(
    expected: ExpectedRelease,
    collector: P,
    aggregators: [P; 2],
    measurements: Vec<OwnedMeasurement>,
) -> Tested<InProcessDeployment<P>>
where
    P: DpPolicy<Measurement: FromMeasurement> + 'static,
{
    let submissions = Submissions::of("collection", measurements, collector.query().totals());
    let aggregators = aggregators.map(Arc::new);
    let parties = InProcessDeployment::new(&Arc::new(collector), &aggregators, 1);
    (expected, submissions, parties.expect("parties"))
}

pub(super) fn result(
    (expected, submissions, mut parties): Tested<impl Deployment>,
    most: u64,
) -> ConformanceResult {
    Conformance::of(&mut parties, &submissions, expected, ERROR, most).expect("a result")
}

/// That this fault is found, and called by its name.
pub(super) fn finds(fault: Fault, deployment: Tested<impl Deployment>) {
    finds_one_of(&[fault], deployment);
}

/// That one of these faults is found, between which few collections do not decide.
pub(super) fn finds_one_of(faults: &[Fault], deployment: Tested<impl Deployment>) {
    let result = result(deployment, 2000);
    let found = result.found().map(|found| found.fault);
    assert!(found.is_some_and(|found| faults.contains(&found)), "{result:?}");
}

/// The fault that is found within `limit` collections.
pub(super) fn found(what: &str, limit: u64, deployment: Tested<impl Deployment>) -> Fault {
    let result = result(deployment, limit);
    result.found().unwrap_or_else(|| panic!("{what}: {result:?}")).fault
}

/// That a fault is found within `limit` collections, whatever it is taken for.
pub(super) fn finds_within(what: &str, limit: u64, deployment: Tested<impl Deployment>) {
    found(what, limit, deployment);
}

#[test]
fn noise_of_aggregators() {
    let silent = || altered(|_| 0);
    let with = |text| sound().with_aggregators(histogram(text));
    let kept = || {
        let first: Mutex<Option<Vec<i128>>> = Mutex::new(None);
        sound().with_noise(move |_, noise| {
            let mut first = first.lock().expect("the first draw");
            noise.copy_from_slice(first.get_or_insert_with(|| noise.to_vec()));
        })
    };
    // Both draw from a generator of the same seed.
    let draws: Arc<Mutex<Option<Vec<i128>>>> = Arc::default();
    let shared = || {
        let draws = Arc::clone(&draws);
        sound().with_noise(move |_, noise| {
            let mut draw = draws.lock().expect("a draw");
            match draw.take() {
                Some(same) => noise.copy_from_slice(&same),
                None => *draw = Some(noise.to_vec()),
            }
        })
    };
    let same = || sound().with_noise(|_, noise| noise.fill(noise[0]));
    let bare = || sound().with_noise(|_, noise| noise[3] = 0);
    let gaussian = |seed| {
        let law = DiscreteGaussian::new(&"8".parse().expect("a variance")).expect("a distribution");
        let generator = Mutex::new(ChaCha12Rng::seed_from_u64(seed));
        sound().with_noise(move |_, noise| {
            let mut generator = generator.lock().expect("a generator");
            law.fill(&mut *generator, noise).expect("draws");
        })
    };
    for (fault, aggregators) in [
        (Fault::Missing(1), [sound(), silent()]),
        (Fault::Missing(2), [silent(), silent()]),
        (Fault::Twice, [sound(), altered(|noise| 2 * noise)]),
        (Fault::ScaledAtOne(1, 2), [sound(), with("2")]),
        (Fault::Scaled(1, 2), [with("2"), with("2")]),
        (Fault::Scaled(2, 1), [with("1/2"), with("1/2")]),
        (Fault::Reused(1), [kept(), sound()]),
        (Fault::Reused(2), [kept(), kept()]),
        (Fault::Shared, [shared(), shared()]),
        (Fault::SameEverywhere, [same(), same()]),
        (Fault::BareTotal, [bare(), bare()]),
        (Fault::OtherLaw, [gaussian(1), gaussian(2)]),
    ] {
        finds(fault, parties(sound(), aggregators, buckets()));
    }
    let budget = dp_prio3::Budget::approximate(epsilon("1"), "1e-9".parse().expect("a delta"));
    let gaussian = AggregatorNoise::gaussian(Histogram::new(2, 4).expect("a type"), budget);
    let sound = FaultyPolicy::sound(gaussian.expect("a policy"));
    let silent = sound.clone().with_noise(|_, noise| noise.fill(0));
    finds(Fault::Missing(1), parties(sound.clone(), [sound, silent], buckets()));
}

/// A leader whose share for a second attempt has no noise, as its first attempt had spent it. Of
/// every other batch the first attempt gets lost on its way.
struct NoiseOnce {
    whole: InProcessDeployment<Laplace>,
    without: InProcessDeployment<Laplace>,
    collections: u64,
}

impl Deployment for NoiseOnce {
    fn answers(&mut self, request: &CollectionRequest) -> Result<Vec<CollectionAnswer>, Error> {
        self.collections += 1;
        if self.collections.is_multiple_of(2) {
            return self.whole.answers(request);
        }
        let second = self.without.answers(request)?.into_iter();
        Ok(second.map(|answer| CollectionAnswer { attempt: 2, ..answer }).collect())
    }
}

#[test]
fn a_second_attempt_to_collect() {
    let (expected, submissions, whole) = parties(sound(), [sound(), sound()], buckets());
    let (_, _, without) = parties(sound(), [altered(|_| 0), sound()], buckets());
    let mut deployment = NoiseOnce { whole, without, collections: 0 };
    let result = Conformance::of(&mut deployment, &submissions, expected.clone(), ERROR, 2000);
    let result = result.expect("a result");
    let found = result.found().unwrap_or_else(|| panic!("{result:?}"));
    assert_eq!((found.fault, found.is_of_later_attempts), (Fault::Missing(1), true));

    // Where both attempts answer, the second answer is another one.
    let mut test = Conformance::new(expected, ERROR).expect("a test");
    let (request, truths) = submissions.of_collection(1 << 20).expect("a request");
    let first = deployment.whole.answers(&request).expect("answers").remove(0);
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
