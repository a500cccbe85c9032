//! Faults of the noise that aggregators add, each found within a stated number of collections.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use dp_audit::{Fault, FaultyPolicy, FromMeasurement, OwnedMeasurement};
use dp_prio3::types::{Count, Histogram, SumVec};
use dp_prio3::{AggregatorNoise, Budget, DpPolicy};

use super::deployments::{buckets, finds_within, found, parties, sound};
use super::{epsilon, histogram};

fn sum_vec(text: &str) -> AggregatorNoise<SumVec> {
    AggregatorNoise::laplace(SumVec::new(2, 4, 3).expect("a type"), epsilon(text))
        .expect("a policy")
}

fn gaussian(text: &str, delta: &str) -> AggregatorNoise<Histogram> {
    let budget = Budget::approximate(epsilon(text), delta.parse().expect("a delta"));
    AggregatorNoise::gaussian(Histogram::new(2, 4).expect("a type"), budget).expect("a policy")
}

fn count_gaussian(rho: &str) -> AggregatorNoise<Count> {
    let rho = rho.parse().expect("a rho");
    let budget = Budget::ZeroConcentrated { rho };
    AggregatorNoise::gaussian(Count::new(2).expect("a type"), budget).expect("a policy")
}

/// That a fault of both aggregators of `faulty` is found within `limit` collections.
pub(super) fn finds_in_both<P>(
    what: &str,
    limit: u64,
    faulty: FaultyPolicy<P>,
    measurements: Vec<OwnedMeasurement>,
) where
    P: DpPolicy<Measurement: FromMeasurement> + Clone + 'static,
{
    finds_within(what, limit, parties(faulty.clone(), [faulty.clone(), faulty], measurements));
}

#[test]
fn noise_of_a_wrong_scale() {
    let with = |text| sound().with_aggregators(histogram(text));
    finds_in_both("scale halved", 40, with("2"), buckets());
    finds_in_both("too small by a quarter", 150, with("4/3"), buckets());
    let vectors = || [[0, 3, 1, 2], [3, 3, 0, 0]].map(|v| OwnedMeasurement::Integers(v.to_vec()));
    let of_entry = FaultyPolicy::sound(sum_vec("1")).with_aggregators(sum_vec("4"));
    finds_in_both("sensitivity of one entry", 40, of_entry, vectors().to_vec());
    let bits = || vec![OwnedMeasurement::Bit(true); 3];
    let count =
        AggregatorNoise::laplace(Count::new(2).expect("a type"), epsilon("1")).expect("a policy");
    let half = |_: u64, noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise /= 2);
    let sound = FaultyPolicy::sound(count);
    finds_in_both("a share of the noise", 80, sound.with_noise(half), bits());
    let sound = FaultyPolicy::sound(gaussian("1", "1e-9"));
    let with = |text, delta| sound.clone().with_aggregators(gaussian(text, delta));
    finds_in_both("Gaussian scale halved", 30, with("2", "1e-9"), buckets());
    finds_in_both("another delta", 15, with("1", "1e-2"), buckets());
    let sound = FaultyPolicy::sound(count_gaussian("1/8"));
    let of_variance = sound.with_aggregators(count_gaussian("1/2"));
    finds_in_both("variance for standard deviation", 70, of_variance, bits());
}

#[test]
fn noise_of_another_distribution() {
    type Each = fn(i128) -> i128;
    let each: [(&str, u64, Each); 9] = [
        ("no noise", 5, |_| 0),
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
        let all = move |_: u64, noise: &mut [i128]| {
            noise.iter_mut().for_each(|noise| *noise = alter(*noise));
        };
        finds_in_both(what, limit, sound().with_noise(all), buckets());
    }
    type All = fn(u64, &mut [i128]);
    let all: [(&str, u64, All); 4] = [
        ("none at the first coordinate", 15, |_, noise| noise[0] = 0),
        ("none at the last coordinate", 15, |_, noise| noise[3] = 0),
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
    for (what, limit, alter) in all {
        finds_in_both(what, limit, sound().with_noise(alter), buckets());
    }
}

/// Each total's noise has the right distribution. Only sums and differences of totals have not.
#[test]
fn noise_that_depends_on_other_totals() {
    type All = fn(u64, &mut [i128]);
    let all: [(&str, u64, All); 5] = [
        ("the same everywhere", 5, |_, noise| noise.fill(noise[0])),
        ("two add up to nothing", 20, |_, noise| noise[1] = -noise[0]),
        ("the first and the last add up to nothing", 20, |_, noise| noise[3] = -noise[0]),
        ("two pairs add up to nothing", 20, |_, noise| {
            noise[1] = -noise[0];
            noise[2] = -noise[3];
        }),
        ("two are equal", 20, |_, noise| noise[2] = noise[0]),
    ];
    for (what, limit, alter) in all {
        let faulty = sound().with_noise(alter);
        let found =
            found(what, limit, parties(faulty.clone(), [faulty.clone(), faulty], buckets()));
        let is_named = what == "the same everywhere" || found == Fault::WrongSums;
        assert!(is_named, "{what}: {found:?}");
    }
    // The sum of all is the last entry of a sum: three totals of four are free.
    let all_cancel = sound().with_noise(|draw, noise| {
        if draw.is_multiple_of(2) {
            noise.swap(0, 3);
        }
        noise[1] = -noise[0];
        noise[3] = -noise[2];
    });
    finds_in_both("all add up to nothing", 20, all_cancel, buckets());
    // Of twenty totals two far ones.
    let far = FaultyPolicy::sound(
        AggregatorNoise::laplace(Histogram::new(2, 20).expect("a type"), epsilon("1"))
            .expect("a policy"),
    );
    let far = far.with_noise(|_, noise| {
        for index in 10..20 {
            noise[index] = -noise[index - 10];
        }
    });
    finds_in_both("a half is minus the other half", 20, far, buckets());
}

/// Noise that an aggregator makes of the measurements that it should not know.
#[test]
fn noise_that_depends_on_data() {
    let sum = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&sum);
    let sees = sound().with_randomizer(move |bucket: &usize, _| {
        seen.fetch_add(*bucket, Ordering::Relaxed);
        Ok(*bucket)
    });
    // The second aggregator sees a sum of 0.
    let scaled = sees.with_noise(move |_, noise| {
        let factor = sum.swap(0, Ordering::Relaxed) as i128;
        noise.iter_mut().for_each(|noise| *noise *= factor);
    });
    finds_in_both("scaled by data", 3, scaled, buckets());
}
