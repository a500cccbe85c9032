//! Faults of what clients do, each found within a stated number of collections.

use dp_audit::{CollectionRequest, Conformance, Generator, OwnedMeasurement, Policy};
use dp_prio3::Vdaf;
use dp_rappor::SymmetricRappor;
use rand_chacha::rand_core::SeedableRng as _;

use super::deployments::{Tested, all, buckets, found, result};
use super::{answers, bits, rappor, response, vectors, with_clients};

fn one_hot() -> Vec<OwnedMeasurement> {
    vectors(4, [0, 1, 1, 3, 3])
}

/// Vectors of four bits, each flipped at ε₀ = 1/2; none is dropped.
fn bit_vectors() -> Policy {
    rappor(4, "1/2", "1e-12")
}

#[test]
fn randomizers_with_a_wrong_parameter() {
    let (bit, vector) = (response("1"), bit_vectors());
    let of_two = with_clients(&answers("1", 5), &answers("2.39", 5));
    for (what, limit, faulty, measurements) in [
        ("clients do not randomize", 20, with_clients(&bit, &response("15")), bits()),
        ("clients flip half as often", 180, with_clients(&bit, &response("1.86")), bits()),
        ("k-ary answers as if there were two", 110, of_two, buckets()),
        ("twice the epsilon", 320, with_clients(&vector, &rappor(4, "1", "1e-12")), one_hot()),
    ] {
        found(what, limit, all(&faulty, measurements));
    }
}

/// Parties of a sound policy whose clients send what `randomize` makes of the bits of a
/// measurement, if anything. It gets the sound randomizer, of ε₀ = `epsilon`, as well.
fn randomizing(
    (policy, epsilon): (&Policy, &str),
    mut randomize: impl FnMut(&[bool], &SymmetricRappor, &mut Generator) -> Option<Vec<bool>> + 'static,
    measurements: Vec<OwnedMeasurement>,
) -> Tested {
    let mut vdaf = policy.parts().vdaf.clone();
    if let Vdaf::MultihotCountVec { max_weight, .. } = &mut vdaf {
        *max_weight = Some(policy.max_weight());
    }
    let plain = Policy::without_noise(vdaf).expect("a policy");
    let (expected, submissions, mut parties) = all(&with_clients(policy, &plain), measurements);
    let own = SymmetricRappor::new(epsilon.parse().expect("an epsilon")).expect("RAPPOR");
    let mut generator = Generator::seed_from_u64(1);
    let collect = move |request: &CollectionRequest| {
        let mut sent = |measurement: &OwnedMeasurement| match measurement {
            OwnedMeasurement::Bit(bit) => {
                let sent = randomize(&[*bit], &own, &mut generator)?;
                Some(OwnedMeasurement::Bit(sent[0]))
            }
            OwnedMeasurement::Bits(bits) => {
                randomize(bits, &own, &mut generator).map(OwnedMeasurement::Bits)
            }
            other => panic!("{other:?}"),
        };
        let measurements = request.measurements.iter().filter_map(&mut sent).collect();
        parties(&CollectionRequest { measurements, ..request.clone() })
    };
    (expected, submissions, Box::new(collect))
}

#[test]
fn randomizers_of_bits_that_depend_on_data() {
    type Randomize = fn(bool, bool, &SymmetricRappor, &mut Generator) -> bool;
    let planted: [(&str, Randomize); 2] = [
        ("randomness is drawn for a yes only", |bit, _, own, rng| {
            bit && own.randomize_bit(rng, bit)
        }),
        ("the measurement of the client before is read", |bit, before, own, rng| {
            own.randomize_bit(rng, bit ^ before)
        }),
    ];
    for (what, randomize) in planted {
        let mut before = false;
        let randomize = move |bits: &[bool], own: &_, rng: &mut _| {
            let sent = randomize(bits[0], before, own, rng);
            before = bits[0];
            Some(vec![sent])
        };
        found(what, 160, randomizing((&response("1"), "1"), randomize, bits()));
    }
}

#[test]
fn randomizers_of_vectors_with_a_wrong_distribution() {
    type Randomize = fn(&[bool], &SymmetricRappor, &mut Generator) -> Option<Vec<bool>>;
    let planted: [(&str, u64, Randomize); 3] = [
        ("the true bit never flipped", 200, |bits, own, rng| {
            let mut flipped = bits.to_vec();
            own.randomize(rng, &mut flipped);
            Some(flipped.iter().zip(bits).map(|(flipped, bit)| *flipped || *bit).collect())
        }),
        ("the last bit left out", 25, |bits, own, rng| {
            let mut bits = bits.to_vec();
            own.randomize(rng, &mut bits[..3]);
            Some(bits)
        }),
        ("one coin for all bits", 60, |bits, own, rng| {
            let mut coin = [false];
            own.randomize(rng, &mut coin);
            Some(bits.iter().map(|bit| bit ^ coin[0]).collect())
        }),
    ];
    let sound = (&bit_vectors(), "1/2");
    for (what, limit, randomize) in planted {
        found(what, limit, randomizing(sound, randomize, one_hot()));
    }
    // Every later report uses the flips of the first one.
    let mut first = None;
    let reused = move |bits: &[bool], own: &SymmetricRappor, rng: &mut Generator| {
        let flips = first.get_or_insert_with(|| {
            let mut flips = vec![false; 4];
            own.randomize(rng, &mut flips);
            flips
        });
        Some(bits.iter().zip(flips.iter()).map(|(bit, flip)| bit ^ flip).collect())
    };
    found("flips reused over time", 10, randomizing(sound, reused, one_hot()));
}

/// A policy that sends every report has a report of each measurement in each collection.
#[test]
fn reports_that_are_not_sent() {
    let held_back = |bits: &[bool], own: &SymmetricRappor, rng: &mut Generator| {
        let mut flipped = bits.to_vec();
        own.randomize(rng, &mut flipped);
        let is_sent = flipped.iter().zip(bits).any(|(flipped, bit)| *flipped && *bit);
        is_sent.then_some(flipped)
    };
    let sound = &bit_vectors();
    let (expected, submissions, mut deployment) = randomizing((sound, "1/2"), held_back, one_hot());
    let refused = Conformance::of(&mut deployment, &submissions, expected, 1e-6, 100);
    let refused = refused.expect_err("refused").to_string();
    assert!(refused.contains("expected 5, as many as"), "{refused}");
    let conforming = result(all(sound, one_hot()), 6000);
    assert!(conforming.conforms(), "{conforming:?}");
}
