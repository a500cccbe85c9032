//! Faults of K-norm noise, whose totals share one cube.

use std::sync::Mutex;

use dp_audit::{ExpectedRelease, Fault, FaultStatus, OwnedMeasurement, Policy};
use dp_prio3::{AggregatorNoise, Budget, Vdaf};
use dp_samplers::DiscreteKNorm;
use rand_chacha::ChaCha12Rng;
use rand_chacha::rand_core::SeedableRng as _;

use super::deployments::{all, finds, finds_scales, parties, result};
use super::{vectors, with_noise};

/// Vectors of `length` bits, of which all may be set: the cube has the scale 1/ε.
fn policy(length: usize, epsilon: &str) -> Policy {
    let budget = Budget::Pure { epsilon: epsilon.parse().expect("an epsilon") };
    let max_weight = Some(length);
    let vdaf = Vdaf::MultihotCountVec { aggregators: 2, length, max_weight, chunk_length: None };
    Policy::with_noise(vdaf, AggregatorNoise::DiscreteKNorm { budget }).expect("a policy")
}

fn bits(length: usize) -> Vec<OwnedMeasurement> {
    vectors(length, [0, 1, 1, 3, 3])
}

/// `sound` with the first entries of draws of `drawn` entries, a draw for each `block` of totals.
fn drawn(sound: &Policy, drawn: usize, block: usize, seed: u64) -> Policy {
    let noise = sound.mechanism().expect("noise").distribution();
    let distribution = DiscreteKNorm::new(noise.parameter().1, drawn).expect("K-norm");
    let generator = Mutex::new(ChaCha12Rng::seed_from_u64(seed));
    with_noise(sound, move |_, noise| {
        let mut generator = generator.lock().expect("a generator");
        for totals in noise.chunks_mut(block) {
            let mut draw = vec![0_i64; drawn];
            distribution.fill(&mut *generator, &mut draw).expect("draws");
            totals.iter_mut().zip(draw).for_each(|(total, draw)| *total = draw.into());
        }
    })
}

/// Of three aggregators no joint distribution of all totals is known.
#[test]
fn cubes_of_three_aggregators_are_refused() {
    let mut parts = policy(4, "1").parts().clone();
    let max_weight = Some(4);
    parts.vdaf =
        Vdaf::MultihotCountVec { aggregators: 3, length: 4, max_weight, chunk_length: None };
    let three = Policy::new(parts).expect("a policy");
    let refused = ExpectedRelease::of(&three).expect_err("refused").to_string();
    assert!(refused.contains("K-norm noise of two aggregators"), "{refused}");
}

#[test]
fn cubes_of_one_draw_conform() {
    for length in [2, 8] {
        let result = result(all(&policy(length, "1"), bits(length)), 3000);
        assert!(result.conforms(), "{result:?}");
        let is_excluded = |fault| {
            let verdicts = result.verdicts.iter();
            verdicts
                .filter(|one| one.fault == fault)
                .all(|one| one.outcome == FaultStatus::Excluded)
        };
        assert!(is_excluded(Fault::CubeForEach(1)) && is_excluded(Fault::Scaled(1, 2)));
    }
}

#[test]
fn cubes_of_another_size_or_shape() {
    let sound = &policy(8, "1");
    finds_scales(sound, &policy(8, "2"), &policy(8, "1/2"), &bits(8));
    let [independent, other] = &[1, 2].map(|seed| drawn(sound, 8, 1, seed));
    let [longer, another] = &[3, 4].map(|seed| drawn(sound, 9, 8, seed));
    for (fault, aggregators) in
        [(Fault::CubeForEach(1), [independent, other]), (Fault::HalfSidesOf(9), [longer, another])]
    {
        finds(&[fault], parties(sound, aggregators, bits(8)));
    }
}

/// Samplers that draw independent noise for 256 totals at a time draw a cube for each 256.
#[test]
fn a_cube_for_each_256_of_513_totals() {
    let sound = &policy(513, "4");
    let [one, two] = &[1, 2].map(|seed| drawn(sound, 513, 256, seed));
    finds(&[Fault::CubeForEach(256)], parties(sound, [one, two], vectors(513, [0])));
}
