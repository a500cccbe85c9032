//! Faults of a deployment, told from its collections: the parties of `dp-prio3`, with proofs and encoded messages.

use std::sync::{Arc, Mutex};

use dp_audit::{
    Collected, Conformance, Conformity, Deployment, Error, Expected, Fault, Held, Parties, Planted,
};
use dp_exact::Epsilon;
use dp_prio3::types::Histogram;
use dp_prio3::{DpPolicy, HistogramGaussian, HistogramLaplace};
use dp_samplers::DiscreteGaussian;
use dp_task::Measured;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::is_listed;

const ERROR: f64 = 1e-6;

pub(super) type Laplace = Planted<HistogramLaplace>;

pub(super) fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn histogram(text: &str) -> HistogramLaplace {
    HistogramLaplace::new(Histogram::new(2, 4).expect("a type"), epsilon(text)).expect("a policy")
}

pub(super) fn sound() -> Laplace {
    Planted::sound(histogram("1"))
}

fn altered(alter: fn(i128) -> i128) -> Laplace {
    sound().with_noise(move |_, noise| noise.iter_mut().for_each(|noise| *noise = alter(*noise)))
}

pub(super) fn buckets() -> Vec<Held> {
    [0, 1, 1, 3, 3].map(Held::Bucket).to_vec()
}

/// Parties of whom the client and the collector have the first policy, and the aggregators the others.
pub(super) fn parties<P>(
    collector: P,
    aggregators: [P; 2],
    measurements: Vec<Held>,
) -> (Expected, Parties<P>)
where
    P: DpPolicy<Measurement: Measured> + 'static,
{
    let expected = Expected::of(&collector).expect("a law");
    (expected, running(collector, aggregators, measurements))
}

/// The same, whatever they should release.
pub(super) fn running<P>(collector: P, aggregators: [P; 2], measurements: Vec<Held>) -> Parties<P>
where
    P: DpPolicy<Measurement: Measured> + 'static,
{
    let aggregators = aggregators.map(Arc::new);
    Parties::new(&Arc::new(collector), &aggregators, measurements, 1).expect("parties")
}

pub(super) fn result(
    (expected, mut parties): (Expected, impl Deployment),
    most: u64,
) -> Conformity {
    Conformance::of(&mut parties, expected, ERROR, most).expect("a result")
}

/// That this fault is found, and called by its name.
pub(super) fn finds(name: &str, fault: Fault, deployment: (Expected, impl Deployment)) {
    let result = result(deployment, 2000);
    let found = result
        .found()
        .unwrap_or_else(|| panic!("{name}: {result:?}"));
    assert_eq!(found.fault, fault, "{name}: {result:?}");
    is_listed(name, "conformance");
}

/// That something is found, whatever it is taken for.
fn catches(name: &str, deployment: (Expected, impl Deployment)) {
    let result = result(deployment, 2000);
    assert!(result.found().is_some(), "{name}: {result:?}");
    is_listed(name, "conformance");
}

pub(super) fn finds_in_histogram(
    name: &str,
    fault: Fault,
    collector: Laplace,
    aggregators: [Laplace; 2],
) {
    finds(name, fault, parties(collector, aggregators, buckets()));
}

#[test]
fn noise_of_one_aggregator() {
    finds_in_histogram(
        "one aggregator silent",
        Fault::Missing(1),
        sound(),
        [sound(), altered(|_| 0)],
    );
    finds_in_histogram(
        "all aggregators silent",
        Fault::Missing(2),
        sound(),
        [altered(|_| 0), altered(|_| 0)],
    );
    finds_in_histogram(
        "one draw added twice by one aggregator",
        Fault::Twice,
        sound(),
        [sound(), altered(|noise| 2 * noise)],
    );
    finds_in_histogram(
        "sign of noise dropped by one aggregator",
        Fault::Magnitude,
        sound(),
        [altered(i128::abs), sound()],
    );
    let half = || sound().with_aggregators(histogram("2"));
    finds_in_histogram(
        "scale halved at one aggregator",
        Fault::ScaledAtOne(1, 2),
        sound(),
        [sound(), half()],
    );
    finds_in_histogram(
        "scale halved at all aggregators",
        Fault::Scaled(1, 2),
        sound(),
        [half(), half()],
    );
    let double = || sound().with_aggregators(histogram("1/2"));
    finds_in_histogram(
        "scale doubled at all aggregators",
        Fault::Scaled(2, 1),
        sound(),
        [double(), double()],
    );
}

#[test]
fn noise_that_is_not_fresh() {
    let kept = || {
        let first: Mutex<Option<Vec<i128>>> = Mutex::new(None);
        sound().with_noise(move |_, noise| {
            let mut first = first.lock().expect("the first draw");
            noise.copy_from_slice(first.get_or_insert_with(|| noise.to_vec()));
        })
    };
    finds_in_histogram(
        "noise of one aggregator drawn once",
        Fault::Reused(1),
        sound(),
        [kept(), sound()],
    );
    finds_in_histogram(
        "noise of all aggregators drawn once",
        Fault::Reused(2),
        sound(),
        [kept(), kept()],
    );
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
    finds_in_histogram(
        "seed shared by aggregators",
        Fault::Shared,
        sound(),
        [shared(), shared()],
    );
    let same = || {
        sound().with_noise(|_, noise| {
            let first = noise[0];
            noise.fill(first)
        })
    };
    finds_in_histogram(
        "one draw for all coordinates",
        Fault::SameEverywhere,
        sound(),
        [same(), same()],
    );
}

#[test]
fn noise_of_another_law() {
    let gaussian = |seed| {
        let variance = "8".parse().expect("a variance");
        let law = DiscreteGaussian::new(&variance).expect("a law");
        let generator = Mutex::new(ChaCha12Rng::seed_from_u64(seed));
        sound().with_noise(move |_, noise| {
            let mut generator = generator.lock().expect("a generator");
            law.fill(&mut *generator, noise).expect("draws");
        })
    };
    finds_in_histogram(
        "Gaussian noise for Laplace noise",
        Fault::OtherLaw,
        sound(),
        [gaussian(1), gaussian(2)],
    );
    let biased = [altered(|noise| noise + 2), sound()];
    catches("noise with a bias", parties(sound(), biased, buckets()));
    let at_times = sound().with_noise(|draw, noise| {
        if draw.is_multiple_of(2) {
            noise.fill(0)
        }
    });
    catches(
        "one aggregator silent at times",
        parties(sound(), [at_times, sound()], buckets()),
    );
    // A negative draw as an unsigned word of 64 bits.
    let wrapped = altered(|noise| if noise < 0 { noise + (1 << 64) } else { noise });
    finds_in_histogram(
        "noise before reduction",
        Fault::Unsigned,
        sound(),
        [wrapped, sound()],
    );
}

/// A leader whose share for a second attempt has no noise, as its first attempt had spent it. Of every other batch the
/// first attempt gets lost on its way.
struct NoiseOnce {
    whole: Parties<Laplace>,
    without: Parties<Laplace>,
    collections: u64,
}

impl Deployment for NoiseOnce {
    fn collect(&mut self) -> Result<Collected, Error> {
        self.collections += 1;
        if self.collections.is_multiple_of(2) {
            return self.whole.collect();
        }
        let second = self.without.collect()?;
        Ok(Collected {
            batch: format!("again {}", self.collections),
            attempt: 2,
            ..second
        })
    }
}

#[test]
fn a_second_attempt_to_collect() {
    let name = "a leader that adds its noise only on the first of two attempts";
    let (expected, whole) = parties(sound(), [sound(), sound()], buckets());
    let (_, without) = parties(sound(), [altered(|_| 0), sound()], buckets());
    let mut deployment = NoiseOnce {
        whole,
        without,
        collections: 0,
    };
    let result = Conformance::of(&mut deployment, expected.clone(), ERROR, 2000).expect("a result");
    let found = result.found().unwrap_or_else(|| panic!("{result:?}"));
    assert_eq!(
        (found.fault, found.is_of_later_attempts),
        (Fault::Missing(1), true)
    );
    is_listed(name, "conformance");

    // Where both attempts answer, the second answer is another one.
    let mut test = Conformance::new(expected, ERROR).expect("a test");
    let first = deployment.whole.collect().expect("a collection");
    test.observe(&first).expect("taken");
    test.observe(&Collected {
        attempt: 2,
        ..first.clone()
    })
    .expect("taken");
    assert_eq!(
        (test.result().found(), test.result().collections),
        (None, 1)
    );
    let other = first.released.iter().map(|value| value + 1.0).collect();
    test.observe(&Collected {
        attempt: 2,
        released: other,
        ..first
    })
    .expect("taken");
    assert_eq!(
        test.result().found().map(|found| found.fault),
        Some(Fault::AnotherAnswer)
    );
    is_listed("a second answer with other noise", "conformance");
}

#[test]
fn gaussian_noise_is_told_as_well() {
    let gaussian = || {
        let budget = dp_prio3::Budget::approximate(epsilon("1"), "1e-9".parse().expect("a delta"));
        HistogramGaussian::new(Histogram::new(2, 4).expect("a type"), budget).expect("a policy")
    };
    let sound = || Planted::sound(gaussian());
    let silent = || sound().with_noise(|_, noise| noise.fill(0));
    let deployment = parties(sound(), [sound(), silent()], buckets());
    finds(
        "one aggregator silent, of Gaussian noise",
        Fault::Missing(1),
        deployment,
    );
}
