//! Two runs with the same randomness: every policy of the catalogue has the properties, and each
//! planted dependence on data breaks the property that it should.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dp_audit::{CoupledProperty, CoupledRuns, FaultyPolicy, FromMeasurement};
use dp_prio3::DpPolicy;
use dp_rappor::RandomizedResponse;
use dp_task::POLICIES;
use rand_core::CryptoRng;

use crate::planted::{histogram, response};
use crate::policies::example;

const RUNS: CoupledRuns = CoupledRuns { pairs: 20, seed: 1 };

#[test]
fn every_policy_of_the_catalogue_has_the_properties() {
    for policy in POLICIES {
        let broken = example(policy.name).with_policy(RUNS).expect("runs");
        assert!(broken.is_empty(), "{}: {broken:?}", policy.name);
    }
}

fn broken<P: DpPolicy<Measurement: FromMeasurement>>(policy: &P) -> Vec<CoupledProperty> {
    RUNS.broken(policy).expect("runs").into_keys().collect()
}

#[test]
fn randomizers_that_depend_on_data_are_found() {
    use CoupledProperty::{ChangedReport, ClientDraws, OtherReports};

    type Randomize = fn(bool, &RandomizedResponse, &mut dyn CryptoRng) -> bool;
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let planted: [(Randomize, CoupledProperty); 3] = [
        // Randomness is drawn for a yes only.
        (|bit, own, rng| bit && own.randomize(rng, bit), ClientDraws),
        (
            |bit, own, rng| [false, true].map(|of| own.randomize(rng, of))[usize::from(bit)],
            ChangedReport,
        ),
        // It reads the measurement of the client before.
        (
            |bit, own, rng| {
                own.randomize(rng, bit ^ (LAST.swap(bit.into(), Ordering::Relaxed) > 0))
            },
            OtherReports,
        ),
    ];
    for (randomize, property) in planted {
        let (sound, own) = (response("1"), response("1").randomizer().clone());
        let faulty = FaultyPolicy::sound(sound)
            .with_randomizer(move |bit: &bool, rng| Ok(randomize(*bit, &own, rng)));
        assert!(broken(&faulty).contains(&property), "{property:?}: {:?}", broken(&faulty));
    }
}

#[test]
fn noise_that_depends_on_data_is_found() {
    let sound = FaultyPolicy::sound(histogram("1"));
    assert_eq!(broken(&sound), []);
    let sum = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&sum);
    let sees = sound.with_randomizer(move |bucket: &usize, _| {
        seen.fetch_add(*bucket, Ordering::Relaxed);
        Ok(*bucket)
    });
    let scaled = sees.with_noise(move |_, noise| {
        let factor = sum.swap(0, Ordering::Relaxed) as i128;
        noise.iter_mut().for_each(|noise| *noise *= factor);
    });
    assert_eq!(broken(&scaled), [CoupledProperty::AggregatorNoise]);
}
