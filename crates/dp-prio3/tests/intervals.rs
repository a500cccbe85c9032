//! The intervals around an estimate cover what they say, whatever the tails of the noise.

use dp_exact::Epsilon;
use dp_prio3::types::Histogram;
use dp_prio3::{DpPolicy, Estimate, HistogramLaplace};

#[test]
fn an_interval_is_symmetric_about_its_estimate() {
    let estimate = Estimate {
        value: 10.0,
        standard_error: 2.0,
        excess_kurtosis: 0.0,
    };
    assert_eq!(estimate.interval(1.5), 7.0..=13.0);
    assert!((estimate.margin_95() - 3.919_927_969_080_108).abs() < 1e-12);
}

/// P(|X| ≤ margin) for the sum X of the noise of `aggregators` aggregators, each with probability
/// `pmf(k)` of ±k, by convolution.
fn covered(pmf: impl Fn(i32) -> f64, aggregators: usize, margin: f64) -> f64 {
    const REACH: i32 = 400;
    let law: Vec<f64> = (-REACH..=REACH).map(|x| pmf(x.abs())).collect();
    let mut sum = law.clone();
    for _ in 1..aggregators {
        let mut next = vec![0.0; sum.len() + law.len() - 1];
        for (i, one) in sum.iter().enumerate() {
            for (j, other) in law.iter().enumerate() {
                next[i + j] += one * other;
            }
        }
        sum = next;
    }
    let centre = f64::from(u32::try_from(sum.len() / 2).expect("short"));
    let places = (0u32..).map(f64::from);
    let inside = sum
        .iter()
        .zip(places)
        .filter(|(_, place)| (place - centre).abs() <= margin);
    inside.map(|(mass, _)| mass).sum()
}

#[test]
fn ninety_five_percent_intervals_hold_for_heavy_tails_too() {
    for aggregators in [2, 3, 5] {
        let buckets = Histogram::new(aggregators, 4).expect("valid");
        let policy = HistogramLaplace::new(buckets, "1/10".parse::<Epsilon>().expect("positive"))
            .expect("a small scale");
        let margin = policy.estimate(&[0], 1)[0].margin_95();
        let q = (-1.0 / 20.0_f64).exp();
        let coverage = covered(|k| (1.0 - q) / (1.0 + q) * q.powi(k), aggregators, margin);
        assert!((coverage - 0.95).abs() < 0.003, "{aggregators}: {coverage}");

        // The normal quantile alone would not do.
        let normal = 1.96 * policy.estimate(&[0], 1)[0].standard_error;
        let short = covered(|k| (1.0 - q) / (1.0 + q) * q.powi(k), aggregators, normal);
        assert!(short < coverage);
    }
}
