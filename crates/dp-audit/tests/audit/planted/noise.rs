//! Faults of the noise that aggregators add, seen in one release.

use dp_audit::FaultyPolicy;
use dp_calibration::TrustModel;
use dp_prio3::types::{Count, Histogram, SumVec};
use dp_prio3::{AggregatorNoise, Budget};

use super::{epsilon, histogram, refutes, refutes_in};

const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;

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

#[test]
fn noise_of_a_wrong_scale() {
    let sound = FaultyPolicy::sound(histogram("1"));
    let with = |text| sound.clone().with_aggregators(histogram(text));
    refutes(OAOC, &sound, [("scale halved", with("2")), ("too small by a quarter", with("4/3"))]);
    let sound = FaultyPolicy::sound(sum_vec("1"));
    let of_entry = sound.clone().with_aggregators(sum_vec("4"));
    refutes(OAOC, &sound, [("sensitivity of one entry", of_entry)]);
    let count =
        AggregatorNoise::laplace(Count::new(2).expect("a type"), epsilon("1")).expect("a policy");
    let sound = FaultyPolicy::sound(count);
    let half = |_: u64, noise: &mut [i128]| noise.iter_mut().for_each(|noise| *noise /= 2);
    refutes(OAOC, &sound, [("a share of the noise", sound.clone().with_noise(half))]);
    let sound = FaultyPolicy::sound(gaussian("1", "1e-9"));
    let with = |text, delta| sound.clone().with_aggregators(gaussian(text, delta));
    refutes_in(
        60_000,
        OAOC,
        &sound,
        [("Gaussian scale halved", with("2", "1e-9")), ("another delta", with("1", "1e-2"))],
    );
    let sound = FaultyPolicy::sound(count_gaussian("1/8"));
    let of_variance = sound.clone().with_aggregators(count_gaussian("1/2"));
    refutes(OAOC, &sound, [("variance for standard deviation", of_variance)]);
}

#[test]
fn noise_of_another_law() {
    let sound = FaultyPolicy::sound(histogram("1"));
    let each = |alter: fn(i128) -> i128| {
        sound
            .clone()
            .with_noise(move |_, noise| noise.iter_mut().for_each(|noise| *noise = alter(*noise)))
    };
    let all = |alter: fn(u64, &mut [i128])| sound.clone().with_noise(alter);
    refutes(
        OAOC,
        &sound,
        [
            ("no noise", each(|_| 0)),
            ("sign dropped", each(i128::abs)),
            ("rounded to even", each(|noise| noise & !1)),
            ("one draw twice", each(|noise| 2 * noise)),
            ("tail cut off", each(|noise| noise.clamp(-6, 6))),
            ("tail wrapped around", each(|noise| noise.rem_euclid(13) - 6)),
            ("zero left out", each(|noise| noise + i128::from(noise >= 0))),
            ("none at the first coordinate", all(|_, noise| noise[0] = 0)),
            ("none at the last coordinate", all(|_, noise| noise[3] = 0)),
            (
                "none at times",
                all(|draw, noise| {
                    if draw.is_multiple_of(4) {
                        noise.fill(0);
                    }
                }),
            ),
            ("the same everywhere", all(|_, noise| noise.fill(noise[0]))),
            ("it adds up to nothing", all(|_, noise| noise[1] = -noise[0])),
            // As if the generator had three bits.
            (
                "eight seeds",
                all(|draw, noise| {
                    for (place, noise) in (1..).zip(noise) {
                        *noise = i128::from((draw % 8) * 7 % (place + 6)) - 3;
                    }
                }),
            ),
        ],
    );
}
