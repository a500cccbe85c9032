//! The distribution of a noisy total, its margins and its intervals, against enumeration.

use crate::common::number;
use dp_calibration::NoiseDistribution;
use dp_calibration::utility::{Answers, Intervals, NoisyTotal};
use num_bigint::BigInt;
use num_traits::{FromPrimitive as _, ToPrimitive as _};

/// The distribution of a total: its first value, and the probabilities of successive values.
struct Law {
    first: i64,
    masses: Vec<f64>,
}

impl Law {
    fn one(first: i64, masses: Vec<f64>) -> Self {
        Self { first, masses }
    }

    /// The distribution of the sum of two independent totals.
    fn plus(&self, other: &Self) -> Self {
        let mut masses = vec![0.0; self.masses.len() + other.masses.len() - 1];
        for (place, mass) in self.masses.iter().enumerate() {
            for (sum, one) in masses[place..].iter_mut().zip(&other.masses) {
                *sum += mass * one;
            }
        }
        Self::one(self.first + other.first, masses)
    }

    /// Values and their probabilities.
    fn total(&self) -> impl Iterator<Item = (f64, f64)> {
        let values = (self.first..).map(|value| f64::from(i32::try_from(value).expect("small")));
        values.zip(self.masses.iter().copied())
    }

    /// The distribution of `answers` (reports, truth, held, other) and of this many draws of noise.
    fn of(answers: Option<(u64, u64, f64, f64)>, noise: Option<(&NoiseDistribution, u32)>) -> Self {
        let mut law = Self::one(0, vec![1.0]);
        if let Some((reports, truth, held, other)) = answers {
            for client in 0..reports {
                let one = if client < truth { held } else { other };
                law = law.plus(&Self::one(0, vec![1.0 - one, one]));
            }
        }
        if let Some((noise, draws)) = noise {
            let weight = |x: i64| {
                let x = f64::from(i32::try_from(x).expect("small"));
                match noise {
                    NoiseDistribution::DiscreteLaplace { scale } => {
                        (-x.abs() / scale.to_f64()).exp()
                    }
                    NoiseDistribution::DiscreteGaussian { variance } => {
                        (-x * x / (2.0 * variance.to_f64())).exp()
                    }
                }
            };
            let masses: Vec<f64> = (-300..=300).map(weight).collect();
            let all: f64 = masses.iter().sum();
            let one = Self::one(-300, masses.iter().map(|mass| mass / all).collect());
            for _ in 0..draws {
                law = law.plus(&one);
            }
        }
        law
    }
}

fn laplace(scale: &str) -> NoiseDistribution {
    let scale = number(scale);
    NoiseDistribution::DiscreteLaplace { scale }
}

fn gaussian(variance: &str) -> NoiseDistribution {
    let variance = number(variance);
    NoiseDistribution::DiscreteGaussian { variance }
}

/// Flips, k-ary answers, coins, nearly certain and nearly useless answers; alone and with noise.
fn cases() -> Vec<(Answers, Option<(NoiseDistribution, u32)>)> {
    let answers = |reports, held, other| Answers { reports, held, other };
    vec![
        (answers(1, 0.75, 0.25), None),
        (answers(150, 0.9526, 0.0474), None),
        (answers(150, 0.6, 0.03), None),
        (answers(90, 0.999_999, 1e-6), None),
        (answers(60, 0.55, 0.45), None),
        (answers(150, 0.9526, 0.0474), Some((laplace("2"), 2))),
        (answers(150, 0.6, 0.03), Some((gaussian("9"), 3))),
        (answers(40, 0.75, 0.25), Some((gaussian("0.3"), 2))),
        (answers(40, 0.999_999, 1e-6), Some((laplace("7.5"), 2))),
    ]
}

fn built(answers: Answers, noise: Option<&(NoiseDistribution, u32)>) -> NoisyTotal {
    let total = NoisyTotal::of_clients(answers);
    match noise {
        Some((law, aggregators)) => total.with_noise(law.clone(), *aggregators),
        None => total,
    }
}

fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).expect("small"))
}

#[test]
fn deviations_and_margins_are_those_of_enumeration() {
    for (answers, noise) in cases() {
        let Answers { reports, held, other } = answers;
        let total = built(answers, noise.as_ref());
        for truth in [0, 1, reports / 3, reports] {
            let noise = noise.as_ref().map(|(law, draws)| (law, *draws));
            let law = Law::of(Some((reports, truth, held, other)), noise);
            let error = |y: f64| (y - float(reports) * other) / (held - other) - float(truth);
            let variance: f64 = law.total().map(|(y, mass)| mass * error(y).powi(2)).sum();
            let ratio = total.standard_deviation(truth) / variance.sqrt();
            assert!((ratio - 1.0).abs() < 1e-9, "{total:?} {truth}: {ratio}");
            for beta in ["0.3", "0.05", "1e-6"] {
                let margin = total.margin(truth, &number(beta)).unwrap();
                let beyond = |margin: f64| -> f64 {
                    let beyond = law.total().filter(|(y, _)| error(*y).abs() > margin);
                    beyond.map(|(_, mass)| mass).sum()
                };
                let (at, before) = (beyond(margin * (1.0 + 1e-9)), beyond(margin * (1.0 - 1e-6)));
                let beta = number(beta).to_f64();
                let is_least = at <= beta && (before > beta * (1.0 - 1e-6) || margin == 0.0);
                assert!(is_least, "{total:?} {truth} {beta}: {margin} {at} {before}");
            }
        }
    }
}

#[test]
fn intervals_hold_every_truth_as_often_as_they_say() {
    for (answers, noise) in cases() {
        let Answers { reports, held, other } = answers;
        let intervals = Intervals::new(built(answers, noise.as_ref())).unwrap();
        for truth in 0..=reports {
            let noise = noise.as_ref().map(|(law, draws)| (law, *draws));
            let law = Law::of(Some((reports, truth, held, other)), noise);
            let holds = |place: &i64| {
                let y = f64::from(i32::try_from(*place).expect("small"));
                let estimate = (y - float(reports) * other) / (held - other);
                let margin = intervals.margin((*place).into());
                (estimate - float(truth)).abs() <= margin * (1.0 + 1e-9)
            };
            let places = (law.first..).zip(&law.masses);
            let likely = places.filter(|(_, mass)| **mass > 1e-13);
            let held = likely.filter(|(place, _)| holds(place));
            let coverage: f64 = held.map(|(_, mass)| mass).sum();
            assert!(coverage >= 0.95, "{answers:?} {noise:?} {truth}: {coverage}");
            let computed = intervals.coverage(truth);
            assert!(
                (coverage - computed).abs() < 1e-7,
                "{answers:?} {noise:?} {truth}: {coverage} {computed}"
            );
        }
    }
}

#[test]
fn margins_of_noise_alone_are_the_least_integers() {
    for (law, aggregators) in [
        (laplace("1"), 2),
        (laplace("2"), 2),
        (laplace("0.2"), 3),
        (gaussian("0.1"), 2),
        (gaussian("52"), 2),
        // Too many for enclosures.
        (laplace("0.7"), 65),
        (gaussian("1.5"), 70),
        (gaussian("0.4"), 254),
    ] {
        let enumerated = Law::of(None, Some((&law, aggregators)));
        let intervals = Intervals::new(NoisyTotal::of_aggregators(law, aggregators)).unwrap();
        let margin = intervals.margin(12);
        let within = |margin: f64| -> f64 {
            let within = enumerated.total().filter(|(y, _)| y.abs() <= margin);
            within.map(|(_, mass)| mass).sum()
        };
        assert!(margin.fract() == 0.0, "{intervals:?}: {margin}");
        assert!(within(margin) >= 0.95 && within(margin - 1.0) < 0.95, "{margin}");
        let computed = intervals.coverage(7);
        assert!((computed - within(margin)).abs() < 1e-9, "{margin}: {computed}");
    }
}

/// For millions of clients a margin is the normal margin, to the step of a count.
#[test]
fn many_answers_cost_no_more_than_few() {
    for reports in [1_000_000, 1_000_000_000, 1_000_000_000_000_u64] {
        let answers = Answers { reports, held: 0.6, other: 0.03 };
        let total = NoisyTotal::of_clients(answers).with_noise(gaussian("100"), 2);
        let intervals = Intervals::new(total.clone()).unwrap();
        let truth = reports / 10;
        let per = [(0.1, 0.6), (0.9, 0.03)].map(|(share, one)| share * one);
        let millions = f64::from(u32::try_from(reports / 1_000_000).expect("small"));
        let y = (per[0] + per[1]) * 1e6 * millions;
        let normal = 1.959_964 * total.standard_deviation(truth);
        let margin =
            intervals.margin(BigInt::from_f64(y).and_then(|y| y.to_i128()).expect("small"));
        assert!((margin - normal) > -1e-4 * normal, "{reports}: {margin} {normal}");
        assert!(margin - normal < 0.01 * normal + 3.0, "{reports}: {margin} {normal}");
        let coverage = intervals.coverage(truth);
        assert!((0.95..0.9536).contains(&coverage), "{reports}: {coverage}");
    }
}
