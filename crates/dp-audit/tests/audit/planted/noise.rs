//! Faults of the noise that aggregators add, seen in one release.

use dp_audit::Planted;
use dp_exact::Epsilon;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace};
use dp_prio3::types::{Count, Histogram, SumVec};
use dp_prio3::{AggregatorNoise, Budget, HistogramGaussian, HistogramLaplace, SumVecLaplace};

use super::refutes;

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn histogram(text: &str) -> HistogramLaplace {
    HistogramLaplace::new(Histogram::new(2, 4).expect("a type"), epsilon(text)).expect("a policy")
}

fn count(text: &str) -> AggregatorNoise<Count, DiscreteLaplace> {
    AggregatorNoise::new(Count::new(2).expect("a type"), epsilon(text)).expect("a policy")
}

fn sum_vec(text: &str) -> SumVecLaplace {
    SumVecLaplace::new(SumVec::new(2, 4, 3).expect("a type"), epsilon(text)).expect("a policy")
}

fn gaussian(text: &str, delta: &str) -> HistogramGaussian {
    let budget = Budget::approximate(epsilon(text), delta.parse().expect("a delta"));
    HistogramGaussian::new(Histogram::new(2, 4).expect("a type"), budget).expect("a policy")
}

fn count_gaussian(rho: &str) -> AggregatorNoise<Count, DiscreteGaussian> {
    let budget = Budget::ZeroConcentrated {
        rho: rho.parse().expect("a rho"),
    };
    AggregatorNoise::new(Count::new(2).expect("a type"), budget).expect("a policy")
}

/// Draws again what is farther than this, by the draw's own number.
fn folded(most: i128) -> impl Fn(u64, &mut [i128]) + Send + Sync {
    move |_, noise| {
        noise
            .iter_mut()
            .for_each(|noise| *noise = noise.rem_euclid(2 * most + 1) - most)
    }
}

#[test]
fn noise_of_a_wrong_scale() {
    let sound = Planted::sound(histogram("1"));
    refutes(
        "scale halved",
        &sound,
        sound.clone().with_aggregators(histogram("2")),
    );
    refutes(
        "scale too small by a quarter",
        &sound,
        sound.clone().with_aggregators(histogram("4/3")),
    );
    let sound = Planted::sound(sum_vec("1"));
    refutes(
        "sensitivity of one entry for that of a vector",
        &sound,
        sound.clone().with_aggregators(sum_vec("4")),
    );
    let sound = Planted::sound(count("1"));
    let half = |_: u64, noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise /= 2);
    refutes(
        "a share of the noise where the whole is needed",
        &sound,
        sound.clone().with_noise(half),
    );
}

#[test]
fn gaussian_noise_of_a_wrong_scale() {
    let sound = Planted::sound(gaussian("1", "1e-9"));
    refutes(
        "Gaussian scale halved",
        &sound,
        sound.clone().with_aggregators(gaussian("2", "1e-9")),
    );
    refutes(
        "calibrated for another delta",
        &sound,
        sound.clone().with_aggregators(gaussian("1", "1e-2")),
    );
    let sound = Planted::sound(count_gaussian("1/8"));
    refutes(
        "variance for standard deviation",
        &sound,
        sound.clone().with_aggregators(count_gaussian("1/2")),
    );
}

#[test]
fn noise_of_another_law() {
    let sound = Planted::sound(histogram("1"));
    let alter = |alter: fn(i128) -> i128| {
        move |_: u64, noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise = alter(*noise))
    };
    refutes("no noise", &sound, sound.clone().with_noise(alter(|_| 0)));
    refutes(
        "sign of noise dropped",
        &sound,
        sound.clone().with_noise(alter(i128::abs)),
    );
    refutes(
        "noise rounded to even",
        &sound,
        sound.clone().with_noise(alter(|noise| noise & !1)),
    );
    refutes(
        "one draw added twice for two draws",
        &sound,
        sound.clone().with_noise(alter(|noise| 2 * noise)),
    );
    refutes(
        "tail cut off",
        &sound,
        sound.clone().with_noise(alter(|noise| noise.clamp(-6, 6))),
    );
    refutes(
        "tail folded back",
        &sound,
        sound.clone().with_noise(folded(6)),
    );
    refutes(
        "zero left out",
        &sound,
        sound
            .clone()
            .with_noise(alter(|noise| noise + i128::from(noise >= 0))),
    );
}

#[test]
fn noise_that_is_missing_somewhere() {
    let sound = Planted::sound(histogram("1"));
    refutes(
        "no noise at the first coordinate",
        &sound,
        sound.clone().with_noise(|_, noise| noise[0] = 0),
    );
    refutes(
        "no noise at the last coordinate",
        &sound,
        sound.clone().with_noise(|_, noise| noise[3] = 0),
    );
    let at_times = |draw: u64, noise: &mut [i128]| {
        if draw.is_multiple_of(4) {
            noise.fill(0)
        }
    };
    refutes(
        "no noise at times",
        &sound,
        sound.clone().with_noise(at_times),
    );
}

#[test]
fn noise_that_is_not_independent() {
    let sound = Planted::sound(histogram("1"));
    let same = |_: u64, noise: &mut [i128]| {
        let first = noise[0];
        noise.fill(first)
    };
    refutes(
        "the same noise at all coordinates",
        &sound,
        sound.clone().with_noise(same),
    );
    let mirrored = |_: u64, noise: &mut [i128]| noise[1] = -noise[0];
    refutes(
        "noise that adds up to nothing",
        &sound,
        sound.clone().with_noise(mirrored),
    );
    // Eight seeds: as if the generator had three bits.
    let seeded = |draw: u64, noise: &mut [i128]| {
        for (place, noise) in (1..).zip(noise) {
            *noise = i128::from((draw % 8) * 7 % (place + 6)) - 3;
        }
    };
    refutes(
        "a generator of eight seeds",
        &sound,
        sound.clone().with_noise(seeded),
    );
}
