//! Faults of what clients do, each found within a stated number of collections.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use dp_audit::{FaultyPolicy, FromMeasurement, OwnedMeasurement};
use dp_prio3::{DpPolicy, MultihotRappor};
use dp_rappor::SymmetricRappor;
use rand_core::CryptoRng;

use super::deployments::{buckets, finds_within, parties, result};
use super::{answers, epsilon, rappor, response, vectors};

/// That faulty clients are found within `limit` collections.
fn finds_clients<P>(
    what: &str,
    limit: u64,
    faulty: FaultyPolicy<P>,
    measurements: Vec<OwnedMeasurement>,
) where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    finds_within(what, limit, parties(faulty.clone(), [faulty.clone(), faulty], measurements));
}

fn bits() -> Vec<OwnedMeasurement> {
    (0..10).map(|client| OwnedMeasurement::Bit(client < 7)).collect()
}

fn one_hot() -> Vec<OwnedMeasurement> {
    vectors(4, [0, 1, 1, 3, 3])
}

fn bit_vectors() -> MultihotRappor {
    rappor(4, "1/2", "1e-12")
}

#[test]
fn randomizers_with_a_wrong_parameter() {
    let with = |text| FaultyPolicy::sound(response("1")).with_clients(response(text));
    finds_clients("clients do not randomize", 20, with("15"), bits());
    finds_clients("clients flip half as often", 180, with("1.86"), bits());
    let of_two = FaultyPolicy::sound(answers("1", 5)).with_clients(answers("2.39", 5));
    finds_clients("k-ary answers as if there were two", 110, of_two, buckets());
    let twice = FaultyPolicy::sound(bit_vectors()).with_clients(rappor(4, "1", "1e-12"));
    finds_clients("RAPPOR with twice its epsilon", 320, twice, one_hot());
}

#[test]
fn randomizers_of_bits_that_depend_on_data() {
    type Randomize = fn(bool, &dp_rappor::RandomizedResponse, &mut dyn CryptoRng) -> bool;
    static LAST: AtomicBool = AtomicBool::new(false);
    let planted: [(&str, Randomize); 2] = [
        ("randomness is drawn for a yes only", |bit, own, rng| bit && own.randomize(rng, bit)),
        ("the measurement of the client before is read", |bit, own, rng| {
            own.randomize(rng, bit ^ LAST.swap(bit, Ordering::Relaxed))
        }),
    ];
    for (what, randomize) in planted {
        let own = response("1").randomizer().clone();
        let faulty = FaultyPolicy::sound(response("1"))
            .with_randomizer(move |bit: &bool, rng| Ok(randomize(*bit, &own, rng)));
        finds_clients(what, 100, faulty, bits());
    }
}

#[test]
fn randomizers_of_vectors_with_a_wrong_distribution() {
    type Randomize = fn(&[bool], &SymmetricRappor, &mut dyn CryptoRng) -> Vec<bool>;
    let planted: [(&str, u64, Randomize); 3] = [
        ("the true bit never flipped", 200, |bits, own, rng| {
            let mut flipped = bits.to_vec();
            own.randomize(rng, &mut flipped);
            flipped.iter().zip(bits).map(|(flipped, bit)| *flipped || *bit).collect()
        }),
        ("the last bit left out", 25, |bits, own, rng| {
            let mut bits = bits.to_vec();
            own.randomize(rng, &mut bits[..3]);
            bits
        }),
        ("one coin for all bits", 60, |bits, own, rng| {
            let mut coin = [false];
            own.randomize(rng, &mut coin);
            bits.iter().map(|bit| bit ^ coin[0]).collect()
        }),
    ];
    for (what, limit, randomize) in planted {
        let own = SymmetricRappor::new(epsilon("1/2")).expect("RAPPOR");
        let faulty = FaultyPolicy::sound(bit_vectors())
            .with_randomizer(move |bits: &[bool], rng| Ok(randomize(bits, &own, rng)));
        finds_clients(what, limit, faulty, one_hot());
    }
    // The flips of the first report are those of all later ones.
    let (own, flips) = (SymmetricRappor::new(epsilon("1/2")).expect("RAPPOR"), Mutex::new(None));
    let reused = FaultyPolicy::sound(bit_vectors()).with_randomizer(move |bits: &[bool], rng| {
        let mut flips = flips.lock().expect("flips");
        let flips = flips.get_or_insert_with(|| {
            let mut flips = vec![false; 4];
            own.randomize(rng, &mut flips);
            flips
        });
        Ok(bits.iter().zip(flips.iter()).map(|(bit, flip)| bit ^ flip).collect())
    });
    finds_clients("flips reused over time", 10, reused, one_hot());
}

/// A policy that sends every report has a report of each measurement in each collection.
#[test]
fn reports_that_are_not_sent() {
    let own = SymmetricRappor::new(epsilon("1/2")).expect("RAPPOR");
    let faulty = FaultyPolicy::sound(bit_vectors()).with_randomizer(move |bits: &[bool], rng| {
        let mut flipped = bits.to_vec();
        own.randomize(rng, &mut flipped);
        match flipped.iter().zip(bits).any(|(flipped, bit)| *flipped && *bit) {
            true => Ok(flipped),
            false => Err(dp_prio3::Error::Dropped { max_weight: 4 }),
        }
    });
    let (expected, submissions, mut deployment) =
        parties(faulty.clone(), [faulty.clone(), faulty], one_hot());
    let refused = dp_audit::Conformance::of(&mut deployment, &submissions, expected, 1e-6, 100)
        .expect_err("refused");
    assert!(refused.to_string().contains("expected 5, as many as"), "{refused}");
    let sound = FaultyPolicy::sound(bit_vectors());
    let sound = result(parties(sound.clone(), [sound.clone(), sound], one_hot()), 6000);
    assert!(sound.conforms(), "{sound:?}");
}
