//! Faults that only several batches show: noise that depends on earlier batches, and batches
//! without noise. Each is found by its name within a stated number of collections.

use std::sync::Mutex;

use dp_audit::{Fault, OwnedMeasurement, Policy};
use dp_prio3::Vdaf;

use super::deployments::{buckets, found, parties};
use super::{histogram, laplace, with_noise};

/// Changes a draw, given its number and all draws before it, as they were added.
type Alter = fn(usize, &[Vec<i128>], &mut [i128]);

/// `policy` whose aggregators remember all of their noise. Each call gives an aggregator of its
/// own.
pub(super) fn remembering(policy: &Policy, alter: Alter) -> Policy {
    let past: Mutex<Vec<Vec<i128>>> = Mutex::default();
    with_noise(policy, move |_, noise| {
        let mut past = past.lock().expect("earlier draws");
        alter(past.len(), &past, noise);
        past.push(noise.to_vec());
    })
}

/// Replaces the noise by `sign` times the draw `lag` batches before, from its entry `shift` on;
/// keeps it for a lag of 0.
pub(super) fn copied(past: &[Vec<i128>], lag: usize, sign: i128, shift: usize, noise: &mut [i128]) {
    if let Some(earlier) = past.len().checked_sub(lag).and_then(|index| past.get(index)) {
        for (noise, earlier) in noise.iter_mut().zip(&earlier[shift..]) {
            *noise = sign * earlier;
        }
    }
}

/// Collections within which the fault is found: in a histogram of four buckets if both aggregators
/// have it and if one has it, and in a count if both have it; 0 is not tested.
const DEPENDENT: [(&str, [u64; 3], Alter); 7] = [
    ("every other batch has the noise before", [10, 120, 40], |draw, past, noise| {
        copied(past, draw % 2, 1, 0, noise);
    }),
    ("signs alternate", [10, 20, 40], |_, past, noise| copied(past, 1, -1, 0, noise)),
    ("every other batch has minus the noise before", [10, 160, 40], |draw, past, noise| {
        copied(past, draw % 2, -1, 0, noise);
    }),
    ("one entry further", [25, 130, 0], |_, past, noise| copied(past, 1, 1, 1, noise)),
    ("the noise four batches before", [10, 160, 70], |draw, past, noise| {
        copied(past, if draw % 8 < 4 { 0 } else { 4 }, 1, 0, noise);
    }),
    ("every tenth batch has the noise of another one", [50, 0, 0], |draw, past, noise| {
        copied(past, if draw % 10 == 9 { draw * 7 % 9 + 1 } else { 0 }, 1, 0, noise);
    }),
    ("every tenth batch has minus the noise of another one", [50, 0, 0], |draw, past, noise| {
        copied(past, if draw % 10 == 9 { draw * 7 % 9 + 1 } else { 0 }, -1, 0, noise);
    }),
];

#[test]
fn noise_that_depends_on_earlier_batches() {
    let (sound, count) = (&histogram("1"), &laplace(Vdaf::Count { aggregators: 2 }, "1"));
    let bits = vec![OwnedMeasurement::Bit(true); 3];
    for (what, limits, alter) in DEPENDENT {
        let [one, two] = &[(); 2].map(|()| remembering(sound, alter));
        let of_count = &[(); 2].map(|()| remembering(count, alter));
        let deployments = [
            parties(sound, [one, two], buckets()),
            parties(sound, [&remembering(sound, alter), sound], buckets()),
            parties(count, of_count.each_ref(), bits.clone()),
        ];
        for (limit, deployment) in
            limits.into_iter().zip(deployments).filter(|(limit, _)| *limit > 0)
        {
            assert_eq!(found(what, limit, deployment), Fault::DependentBatches, "{what}");
        }
    }
}

#[test]
fn every_twentieth_batch_has_no_noise() {
    let bare = |policy: &Policy| {
        with_noise(policy, |draw, noise| {
            if draw % 20 == 19 {
                noise.fill(0);
            }
        })
    };
    let count = laplace(Vdaf::Count { aggregators: 2 }, "1");
    let bits = vec![OwnedMeasurement::Bit(true); 3];
    for (sound, limit, measurements) in [(&histogram("1"), 100, buckets()), (&count, 500, bits)] {
        let aggregators = &[(); 2].map(|()| bare(sound));
        let deployment = parties(sound, aggregators.each_ref(), measurements);
        assert_eq!(found("bare", limit, deployment), Fault::BareBatches);
    }
}
