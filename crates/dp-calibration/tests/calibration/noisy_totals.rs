//! The distribution of a noisy total, its margins and its intervals, against enumeration.

use crate::common::{distribution, gaussian, laplace, number, plus, sum_of};
use dp_calibration::strategy_matrix::CountError;
use dp_calibration::utility::{Answers, Intervals, NoisyTotal};
use dp_calibration::{NoiseDistribution, NoiseKind, VectorNoise};

/// The noise of each aggregator, and their number.
type Noise = Option<(VectorNoise, u32)>;

/// Values of the noise of one aggregator in the enumeration: −REACH to REACH.
const REACH: i32 = 300;

/// The probability of x, but for a factor.
fn mass(noise: &VectorNoise, x: f64) -> f64 {
    use NoiseDistribution::{DiscreteGaussian, DiscreteLaplace};
    match noise {
        VectorNoise::Independent(DiscreteLaplace { scale }) => (-x.abs() / scale.to_f64()).exp(),
        VectorNoise::Independent(DiscreteGaussian { variance }) => {
            (-x * x / (2.0 * variance.to_f64())).exp()
        }
        // Uniform on {−s, …, s} for each half side s.
        VectorNoise::DiscreteKNorm { scale, length } => {
            let half_sides = (0..=REACH).map(f64::from).filter(|s| *s >= x.abs());
            let ln = |s: f64| f64::from(*length - 1) * (2.0 * s + 1.0).ln();
            half_sides.map(|s| (ln(s) - s / scale.to_f64()).exp()).sum()
        }
    }
}

/// The values of a total and their probabilities, by noise and clients, `truth` of whom hold a one.
fn law(answers: Option<(Answers, u64)>, noise: &Noise) -> Vec<(f64, f64)> {
    let (mut masses, mut first) = (vec![1.0], 0);
    if let Some((Answers { reports, held, other }, truth)) = answers {
        for client in 0..reports {
            let one = if client < truth { held } else { other };
            masses = plus(&masses, &[1.0 - one, one]);
        }
    }
    if let Some((noise, draws)) = noise {
        let one = distribution(REACH, |x| mass(noise, x));
        masses = plus(&masses, &sum_of(*draws, &one));
        first = -REACH * i32::try_from(*draws).expect("few");
    }
    (first..).map(f64::from).zip(masses).collect()
}

/// The probability of the values that `holds`.
fn probability(law: &[(f64, f64)], holds: impl Fn(f64) -> bool) -> f64 {
    law.iter().filter(|(value, _)| holds(*value)).map(|(_, mass)| mass).sum()
}

/// Flips, k-ary answers, coins, nearly certain and nearly useless answers; alone and with noise.
fn cases() -> Vec<(Answers, Noise)> {
    let answers = |reports, held, other| Answers { reports, held, other };
    vec![
        (answers(1, 0.75, 0.25), None),
        (answers(150, 0.9526, 0.0474), None),
        (answers(150, 0.6, 0.03), None),
        (answers(90, 0.999_999, 1e-6), None),
        (answers(60, 0.55, 0.45), None),
        (answers(150, 0.9526, 0.0474), Some((laplace("2").into(), 2))),
        (answers(150, 0.6, 0.03), Some((gaussian("9").into(), 3))),
        (answers(40, 0.75, 0.25), Some((gaussian("0.3").into(), 2))),
        (answers(40, 0.999_999, 1e-6), Some((laplace("7.5").into(), 2))),
    ]
}

fn built(answers: Answers, noise: &Noise) -> NoisyTotal {
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
        let total = built(answers, &noise);
        for truth in [0, 1, reports / 3, reports] {
            let law = law(Some((answers, truth)), &noise);
            let error = |y: f64| (y - float(reports) * other) / (held - other) - float(truth);
            let variance: f64 = law.iter().map(|(y, mass)| mass * error(*y).powi(2)).sum();
            let ratio = total.standard_deviation(truth) / variance.sqrt();
            assert!((ratio - 1.0).abs() < 1e-9, "{total:?} {truth}: {ratio}");
            for beta in ["0.3", "0.05", "1e-6"] {
                let margin = total.margin(truth, &number(beta)).unwrap();
                let beyond = |margin| probability(&law, |y| error(y).abs() > margin);
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
        let intervals = Intervals::new(built(answers, &noise)).unwrap();
        for truth in (0..=reports).step_by(3) {
            let mut law = law(Some((answers, truth)), &noise);
            law.retain(|(_, mass)| *mass > 1e-13);
            let coverage = probability(&law, |y| {
                let estimate = (y - float(reports) * other) / (held - other);
                #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
                let margin = intervals.margin(y as i128);
                (estimate - float(truth)).abs() <= margin * (1.0 + 1e-9)
            });
            assert!(coverage >= 0.95, "{answers:?} {noise:?} {truth}: {coverage}");
            let computed = intervals.coverage(truth);
            let off = (coverage - computed).abs();
            assert!(off < 1e-7, "{answers:?} {noise:?} {truth}: {coverage} {computed}");
        }
    }
}

#[test]
fn margins_of_noise_alone_are_the_least_integers() {
    let cube = |length, scale| NoiseKind::DiscreteKNorm.vector(number(scale), length);
    let noises: [(VectorNoise, u32); 19] = [
        (laplace("1").into(), 2),
        (laplace("2").into(), 2),
        (laplace("0.2").into(), 3),
        (laplace("7.5").into(), 1),
        (gaussian("0.1").into(), 2),
        (gaussian("0.01").into(), 3),
        (gaussian("52").into(), 2),
        (laplace("0.7").into(), 20),
        (gaussian("1.5").into(), 20),
        (gaussian("0.4").into(), 30),
        (cube(2, "0.3"), 2),
        (cube(2, "6"), 2),
        (cube(2, "2.5"), 1),
        (cube(5, "4"), 2),
        (cube(8, "1.3"), 3),
        (cube(9, "3"), 2),
        (cube(12, "1.1"), 1),
        (cube(12, "0.2"), 2),
        (cube(40, "0.7"), 2),
    ];
    for (noise, aggregators) in noises {
        let law = law(None, &Some((noise.clone(), aggregators)));
        let within = |margin: f64| probability(&law, |y| y.abs() <= margin);
        let total = NoisyTotal::of_aggregators(noise, aggregators);
        let variance: f64 = law.iter().map(|(y, mass)| mass * y * y).sum();
        let ratio = total.standard_deviation(0) / variance.sqrt();
        assert!((ratio - 1.0).abs() < 1e-9, "{total:?}: {ratio}");
        for (estimates, beta) in [(1, "0.5"), (1, "0.05"), (1, "1e-6"), (1000, "0.05")] {
            let margin = total.margin_of_all(0, estimates, &number(beta)).unwrap();
            let all_within = |margin| within(margin).powi(i32::try_from(estimates).unwrap());
            let enough = 1.0 - number(beta).to_f64();
            assert!(margin.fract() == 0.0, "{total:?}: {margin}");
            assert!(all_within(margin) >= enough && all_within(margin - 1.0) < enough, "{margin}");
        }
        let intervals = Intervals::new(total).unwrap();
        let computed = intervals.coverage(7);
        assert!((computed - within(intervals.margin(12))).abs() < 1e-9, "{intervals:?}");
    }
}

/// The masses of `times` times a variable with these masses.
fn stretched(masses: &[f64], times: u32) -> Vec<f64> {
    let step = usize::try_from(times).expect("small");
    let mut all = vec![0.0; (masses.len() - 1) * step + 1];
    all.iter_mut().step_by(step).zip(masses).for_each(|(all, mass)| *all = *mass);
    all
}

/// The values of d times the corrected sum of k = `inside` totals and their probabilities, where
/// d = `buckets` noisy totals have a known sum: d·B + (d − k)·S − k·R, with the bits B of `answers`
/// as for [`law`], the noise S in the k totals and R in the others.
fn corrected_law(
    answers: Option<(Answers, u64)>,
    (noise, draws): (&VectorNoise, u32),
    [buckets, inside]: [u32; 2],
    reach: i32,
) -> Vec<(f64, f64)> {
    let one = distribution(reach, |x| mass(noise, x));
    let outside = buckets - inside;
    let own = stretched(&sum_of(draws * inside, &one), outside);
    let mut masses = plus(&own, &stretched(&sum_of(draws * outside, &one), inside));
    if answers.is_some() {
        let bits: Vec<f64> = law(answers, &None).into_iter().map(|(_, mass)| mass).collect();
        masses = plus(&masses, &stretched(&bits, buckets));
    }
    let first = -2 * reach * i32::try_from(draws * inside * outside).expect("few");
    (first..).map(f64::from).zip(masses).collect()
}

/// Also of so little noise in so many buckets that the lattice of a total shows.
#[test]
fn margins_with_a_known_sum_are_the_least_by_enumeration() {
    for (noise, aggregators, buckets, reach) in [
        (laplace("1"), 2, 2, 60),
        (laplace("2"), 2, 3, 90),
        (laplace("0.2"), 2, 40, 12),
        (gaussian("1.5"), 2, 5, 14),
        (gaussian("0.3"), 1, 60, 8),
        (laplace("7.5"), 1, 4, 250),
    ] {
        let noise = VectorNoise::from(noise);
        let law = corrected_law(None, (&noise, aggregators), [buckets, 1], reach);
        let d = f64::from(buckets);
        let total = NoisyTotal::of_aggregators(noise, aggregators).with_known_sum(buckets.into());
        let variance: f64 = law.iter().map(|(y, mass)| mass * (y / d).powi(2)).sum();
        assert!((total.standard_deviation(0) / variance.sqrt() - 1.0).abs() < 1e-9, "{total:?}");
        for (estimates, beta) in [(1, "0.5"), (1, "0.05"), (1, "1e-6"), (buckets, "0.05")] {
            let margin = total.margin_of_all(0, estimates.into(), &number(beta)).unwrap();
            let steps = (margin * d).round();
            assert!((margin * d - steps).abs() < 1e-6, "{total:?}: {margin}");
            let beyond = |steps: f64| probability(&law, |y| y.abs() > steps);
            let each = number(beta).to_f64() / f64::from(estimates);
            let (at, before) = (beyond(steps), beyond(steps - 1.0));
            assert!(at <= each && before > each, "{total:?} {beta}: {margin} {at} {before}");
        }
        let intervals = Intervals::new(total).unwrap();
        let held = probability(&law, |y| y.abs() <= (intervals.margin(3) * d).round());
        assert!((intervals.coverage(7) - held).abs() < 1e-8, "{intervals:?}");
    }
}

#[test]
fn intervals_of_answers_with_a_known_sum_hold_every_truth() {
    let answers = Answers { reports: 40, held: 0.6, other: 0.1 };
    for (noise, aggregators, buckets, reach) in
        [(laplace("1"), 2, 3, 60), (gaussian("2.5"), 2, 5, 16)]
    {
        let noise = VectorNoise::from(noise);
        let total = NoisyTotal::of_clients(answers).with_noise(noise.clone(), aggregators);
        let total = total.with_known_sum(buckets.into());
        let intervals = Intervals::new(total.clone()).unwrap();
        for truth in (0..=40).step_by(8) {
            let mut law =
                corrected_law(Some((answers, truth)), (&noise, aggregators), [buckets, 1], reach);
            law.retain(|(_, mass)| *mass > 1e-11);
            let estimate = |y: f64| (y / f64::from(buckets) - 4.0) / 0.5;
            let variance: f64 =
                law.iter().map(|(y, mass)| mass * (estimate(*y) - float(truth)).powi(2)).sum();
            let ratio = total.standard_deviation(truth) / variance.sqrt();
            assert!((ratio - 1.0).abs() < 1e-6, "{total:?} {truth}: {ratio}");
            let coverage = probability(&law, |y| {
                #[expect(clippy::cast_possible_truncation, reason = "a whole number")]
                let margin = intervals.margin(y as i128);
                (estimate(y) - float(truth)).abs() <= margin * (1.0 + 1e-9)
            });
            assert!(coverage >= 0.95, "{total:?} {truth}: {coverage}");
            let off = (coverage - intervals.coverage(truth)).abs();
            assert!(off < 1e-6, "{total:?} {truth}: {coverage} {off}");
        }
    }
}

#[test]
fn margins_of_ranges_with_a_known_sum_are_the_least_by_enumeration() {
    for (noise, aggregators, buckets, reach) in
        [(laplace("0.125"), 3, 2, 10), (laplace("2"), 2, 6, 60), (gaussian("0.3"), 1, 12, 7)]
    {
        let noise = VectorNoise::from(noise);
        let total = NoisyTotal::of_aggregators(noise.clone(), aggregators);
        let total = total.with_known_sum(buckets.into());
        let errors: Vec<_> = (1..=buckets.into())
            .map(|summed| CountError::of_sum(&total, summed, buckets.into()).unwrap())
            .collect();
        let place = |count: u32| usize::try_from(count).expect("small");
        for inside in 1..buckets {
            let law = corrected_law(None, (&noise, aggregators), [buckets, inside], reach);
            let error = &errors[place(inside) - 1];
            let d = f64::from(buckets);
            let variance: f64 = law.iter().map(|(y, mass)| mass * (y / d).powi(2)).sum();
            assert!((error.standard_error() / variance.sqrt() - 1.0).abs() < 1e-9, "{error:?}");
            for confidence in [0.5, 0.95, 1.0 - 1e-6] {
                let steps = (error.margin(confidence) * d).round();
                let beyond = |steps: f64| probability(&law, |y| y.abs() > steps);
                let (at, before) = (beyond(steps), beyond(steps - 1.0));
                assert!(at <= 1.0 - confidence, "{error:?}: {steps} {at}");
                assert!(before > 1.0 - confidence, "{error:?}: {steps} {before}");
            }
            assert_eq!(*error, errors[place(buckets - inside) - 1]);
        }
        let bucket = total.margin(0, &number("0.05")).unwrap();
        assert_eq!(errors[0].margin(0.95), bucket);
        assert_eq!(errors[place(buckets) - 1].margin(0.95), 0.0);
    }
}

/// For millions of clients a margin is the normal margin, to the step of a count; and a search
/// among numbers without fractions ends.
#[test]
fn many_answers_cost_no_more_than_few() {
    for millions in [1, 1000, 1_000_000_u32] {
        let answers = Answers { reports: u64::from(millions) * 1_000_000, held: 0.6, other: 0.03 };
        let total = NoisyTotal::of_clients(answers).with_noise(gaussian("100"), 2);
        let intervals = Intervals::new(total.clone()).unwrap();
        let truth = answers.reports / 10;
        let normal = 1.959_964 * total.standard_deviation(truth);
        // A tenth of 0.6, and the rest of 0.03.
        let margin = intervals.margin(i128::from(millions) * 87_000);
        assert!((margin - normal) > -1e-4 * normal, "{millions}: {margin} {normal}");
        assert!(margin - normal < 0.01 * normal + 3.0, "{millions}: {margin} {normal}");
        let coverage = intervals.coverage(truth);
        assert!((0.95..0.9536).contains(&coverage), "{millions}: {coverage}");
    }
    let wide = NoisyTotal::of_aggregators(gaussian("1e30"), 200);
    let deviations = wide.margin(0, &number("0.05")).unwrap() / wide.standard_deviation(0);
    assert!((deviations - 1.959_964).abs() < 1e-5, "{deviations}");
}

/// The margin of an entry of long vectors is 1.90 standard deviations for two aggregators, and the
/// tail for all entries at once ends, too.
#[test]
fn margins_of_long_vectors_with_cube_shaped_noise() {
    for length in [800, 850, 1000] {
        let noise = VectorNoise::DiscreteKNorm { scale: number("255"), length };
        let total = NoisyTotal::of_aggregators(noise, 2);
        let beta = number("0.05");
        let deviation = total.standard_deviation(0);
        let one = total.margin(0, &beta).unwrap() / deviation;
        assert!((1.89..1.91).contains(&one), "{length} {one}");
        let all = total.margin_of_all(0, length.into(), &beta).unwrap() / deviation;
        assert!((2.4..2.6).contains(&all), "{length} {all}");
    }
}
