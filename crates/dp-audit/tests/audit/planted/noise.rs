//! Faults of the noise that aggregators add, each found within a stated number of collections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dp_audit::{CollectionRequest, Fault, OwnedMeasurement, Policy};
use dp_prio3::{AggregatorNoise, Budget, MeasurementRange, Vdaf};

use super::deployments::{all, buckets, found};
use super::{histogram, laplace, with_aggregators, with_each_noise, with_noise};

const COUNT: Vdaf = Vdaf::Count { aggregators: 2 };

/// Four buckets, with Gaussian noise.
pub(super) fn gaussian(epsilon: &str, delta: &str) -> Policy {
    let budget = Budget::Approximate {
        epsilon: epsilon.parse().expect("an epsilon"),
        delta: delta.parse().expect("a delta"),
    };
    let noise = AggregatorNoise::DiscreteGaussian { budget };
    Policy::with_noise(super::buckets(4), noise).expect("a policy")
}

fn count_gaussian(rho: &str) -> Policy {
    let budget = Budget::ZeroConcentrated { rho: rho.parse().expect("a rho") };
    Policy::with_noise(COUNT, AggregatorNoise::DiscreteGaussian { budget }).expect("a policy")
}

#[test]
fn noise_of_a_wrong_scale() {
    let vector = |epsilon| {
        let range = MeasurementRange::MaxMeasurement(3);
        let vdaf = Vdaf::SumVec { aggregators: 2, length: 4, range, chunk_length: None };
        laplace(vdaf, epsilon)
    };
    let vectors = [[0, 3, 1, 2], [3, 3, 0, 0]].map(|v| OwnedMeasurement::Integers(v.to_vec()));
    let bits = vec![OwnedMeasurement::Bit(true); 3];
    let scaled = |sound: &Policy, other: &Policy| with_aggregators(sound, other);
    let (sound, normal) = (&histogram("1"), &gaussian("1", "1e-9"));
    let of_entry = scaled(&vector("1"), &vector("4"));
    let of_variance = scaled(&count_gaussian("1/8"), &count_gaussian("1/2"));
    let share = with_each_noise(&laplace(COUNT, "1"), |noise| noise / 2);
    for (what, limit, faulty, measurements) in [
        ("too small by a quarter", 150, scaled(sound, &histogram("4/3")), buckets()),
        ("sensitivity of one entry", 40, of_entry, vectors.to_vec()),
        ("a share of the noise", 80, share, bits.clone()),
        ("Gaussian scale halved", 30, scaled(normal, &gaussian("2", "1e-9")), buckets()),
        ("another delta", 15, scaled(normal, &gaussian("1", "1e-2")), buckets()),
        ("variance for standard deviation", 70, of_variance, bits),
    ] {
        found(what, limit, all(&faulty, measurements));
    }
}

#[test]
fn noise_of_another_distribution() {
    type Each = fn(i128) -> i128;
    let each: [(&str, u64, Each); 8] = [
        ("sign dropped", 45, i128::abs),
        ("rounded to even", 12, |noise| noise & !1),
        ("one draw twice", 10, |noise| 2 * noise),
        ("tail cut off", 2000, |noise| noise.clamp(-6, 6)),
        ("tail wrapped around", 50, |noise| noise.rem_euclid(13) - 6),
        ("zero left out", 300, |noise| noise + i128::from(noise >= 0)),
        ("shifted", 60, |noise| noise + 2),
        // A negative draw as an unsigned word of 64 bits.
        ("the field's wrap-around", 3, |noise| if noise < 0 { noise + (1 << 64) } else { noise }),
    ];
    for (what, limit, alter) in each {
        found(what, limit, all(&with_each_noise(&histogram("1"), alter), buckets()));
    }
    type All = fn(u64, &mut [i128]);
    let together: [(&str, u64, All); 3] = [
        ("none at the first coordinate", 15, |_, noise| noise[0] = 0),
        ("none at times", 200, |draw, noise| {
            if draw.is_multiple_of(4) {
                noise.fill(0);
            }
        }),
        // As if the generator had three bits.
        ("eight seeds", 15, |draw, noise| {
            for (index, noise) in (1..).zip(noise) {
                *noise = i128::from((draw % 8) * 7 % (index + 6)) - 3;
            }
        }),
    ];
    for (what, limit, alter) in together {
        found(what, limit, all(&with_noise(&histogram("1"), alter), buckets()));
    }
}

/// Each total's noise has the right distribution. Only sums and differences of totals have not.
#[test]
fn noise_that_depends_on_other_totals() {
    type All = fn(u64, &mut [i128]);
    let range = MeasurementRange::MaxMeasurement(3);
    let vdaf = Vdaf::SumVec { aggregators: 2, length: 2, range, chunk_length: None };
    let (two, four, twenty) =
        (&laplace(vdaf, "1"), &histogram("1"), &laplace(super::buckets(20), "1"));
    let vectors = vec![OwnedMeasurement::Integers(vec![1, 2]); 3];
    let dependent: [(&str, &Policy, All); 7] = [
        ("two add up to nothing", four, |_, noise| noise[1] = -noise[0]),
        ("the first and the last add up to nothing", four, |_, noise| noise[3] = -noise[0]),
        ("two pairs add up to nothing", four, |_, noise| {
            noise[1] = -noise[0];
            noise[2] = -noise[3];
        }),
        ("two are equal", four, |_, noise| noise[2] = noise[0]),
        // The sum of all is the last entry of a sum: three totals of four are free.
        ("all add up to nothing", four, |draw, noise| {
            if draw.is_multiple_of(2) {
                noise.swap(0, 3);
            }
            noise[1] = -noise[0];
            noise[3] = -noise[2];
        }),
        ("of a vector, a second entry is minus the first", two, |_, noise| noise[1] = -noise[0]),
        ("a half is minus the other half", twenty, |_, noise| {
            for index in 10..20 {
                noise[index] = -noise[index - 10];
            }
        }),
    ];
    for (what, sound, alter) in dependent {
        let measurements = if sound == two { vectors.clone() } else { buckets() };
        let found = found(what, 20, all(&with_noise(sound, alter), measurements));
        assert_eq!(found, Fault::WrongSums, "{what}");
    }
}

/// Noise that an aggregator makes of the measurements that it should not know.
#[test]
fn noise_that_depends_on_data() {
    let sum = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&sum);
    // The second aggregator sees a sum of 0.
    let scaled = with_noise(&histogram("1"), move |_, noise| {
        let factor = seen.swap(0, Ordering::Relaxed) as i128;
        noise.iter_mut().for_each(|noise| *noise *= factor);
    });
    let (expected, submissions, mut parties) = all(&scaled, buckets());
    // The leader sees the sum of all buckets.
    let leader_sees = move |request: &CollectionRequest| {
        let bucket = |measurement: &OwnedMeasurement| match measurement {
            OwnedMeasurement::Integer(bucket) => usize::try_from(*bucket).expect("a bucket"),
            other => panic!("{other:?}"),
        };
        sum.store(request.measurements.iter().map(bucket).sum(), Ordering::Relaxed);
        parties(request)
    };
    found("scaled by data", 3, (expected, submissions, Box::new(leader_sees)));
}
