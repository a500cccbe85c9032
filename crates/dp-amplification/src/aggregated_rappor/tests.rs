//! Bits and noise against slow sums over all outcomes and all datasets, and against exact fractions
//! with e^ε₀ and e^(1/t) powers of two.

use super::aggregator_noise::HonestNoise;
use super::*;
use crate::log_concave_window::LogConcaveWindow;
use crate::tests::exact;
use crate::tests::exact_fractions::{divergence, odds, pair, point};
use dp_exact::Shift;

fn fraction(numerator: i64, denominator: i64) -> Rational {
    Rational::new(numerator, denominator).expect("not by zero")
}

/// Distributions on the integers from −`REACH` on, far enough for all that is tested.
const REACH: usize = 90;

/// The sum of `summands` discrete Laplace values with r = 1/2, but for less than 2^−80.
fn halves(summands: u32) -> Vec<Rational> {
    let reach = i64::try_from(REACH).expect("small");
    let half = |y: i64| fraction(1, 2).pow(u32::try_from(y.abs()).expect("small"));
    let pmf = (-reach..=reach).map(|y| {
        // c = (1 − r)/(1 + r), and c²·r^|s|·(|s| + 1 + 2r²/(1 − r²)) for two of them.
        let shape = match summands {
            1 => fraction(1, 3),
            _ => &fraction(1, 9) * &fraction(3 * y.abs() + 5, 3),
        };
        &half(y) * &shape
    });
    pmf.collect()
}

/// The distribution of two bits with even odds less one: a distribution on −1, 0, 1.
fn hump() -> Vec<Rational> {
    let mut pmf = vec![Rational::zero(); 2 * REACH + 1];
    pmf[REACH - 1] = fraction(1, 4);
    pmf[REACH] = fraction(1, 2);
    pmf[REACH + 1] = fraction(1, 4);
    pmf
}

/// A window of −1, 0, 1, and outside −12 and 12, with the probability `missing` in all.
fn cut(missing: f64) -> (HonestNoise, Vec<Rational>) {
    let window = LogConcaveWindow { values: vec![1.0, 2.0, 1.0], spread: 0.0, missing };
    let inside = &Rational::one() - &exact(missing);
    let mut pmf: Vec<Rational> = hump().iter().map(|mass| mass * &inside).collect();
    let half = &exact(missing) * &fraction(1, 2);
    pmf[REACH - 12] = half.clone();
    pmf[REACH + 12] = half;
    (HonestNoise::Known(window), pmf)
}

/// Bits and a noise whose distribution is known in fractions.
fn joint(flip: &BitOdds, others: u64, noise: HonestNoise, depth: f64) -> JointBits<'_> {
    let e = flip.e.upper;
    let largest_ratio = match noise {
        HonestNoise::Laplace { .. } => (e + 0.5) / (1.0 + e * 0.5),
        HonestNoise::Known(_) => e,
    };
    JointBits {
        flip,
        own: flip,
        others,
        noise,
        depth,
        largest_ratio: largest_ratio.next_up(),
        effective: 14.0,
    }
}

fn settings() -> Vec<(HonestNoise, Vec<Rational>, f64)> {
    let laplace = |summands, depth| {
        let noise = HonestNoise::Laplace { ratio: point(0.5), summands };
        (noise, halves(summands), depth)
    };
    let known = |missing| {
        let (noise, pmf) = cut(missing);
        (noise, pmf, 60.0)
    };
    vec![
        laplace(1, 40.0),
        laplace(1, 5.0),
        laplace(2, 40.0),
        laplace(2, 4.0),
        known(0.0),
        known(0.0625),
    ]
}

#[test]
fn one_count_with_noise_is_bounded_whatever_is_cut_off() {
    for (e, others, ones) in [(2.0, 0, 0), (4.0, 3, 1), (2.0, 9, 9), (8.0, 12, 0)] {
        let flip = odds(e);
        for (noise, pmf, depth) in settings() {
            let joint = joint(&flip, others, noise, depth);
            let hidden = joint.count(others - ones, ones).unwrap();
            let pair = pair(&pmf, &flip, &flip, others, ones);
            let nodes = (0..40).map(|i| 1.0 + f64::from(i) / 32.0);
            let nodes: Vec<f64> = nodes.take_while(|&alpha| alpha < joint.largest_ratio).collect();
            let upper = hidden.upper_at(&nodes);
            for (&alpha, &upper) in nodes.iter().zip(&upper) {
                let value = divergence(pair[0].iter().zip(&pair[1]), &exact(alpha));
                let case = format!("{e} {others} {ones} {depth} {alpha}: {upper} {value}");
                assert!(exact(upper) >= value, "{case}");
                // (1 − η)·H(α | A) ≤ H(α) + αη
                let most = value.to_f64() + 3.0 * hidden.missing;
                assert!(upper <= most / (1.0 - hidden.missing) + 1e-9, "{case}");
            }
            assert_eq!(hidden.upper_at(&[joint.largest_ratio]), [0.0]);
        }
    }
}

#[test]
fn gaussian_windows_count_both_sides_and_a_ripple_widens_them() {
    for variance in [2.0, 9.0, 40.0f64] {
        let weight = |y: i32| (-f64::from(y * y) / (2.0 * variance)).exp();
        let total: f64 = (-200..=200).map(weight).sum();
        for depth in [3.0, 4.0, 5.0] {
            let exact = Rational::from_f64(variance).unwrap();
            let window = LogConcaveWindow::gaussian(&exact, Shift::Zero, depth).expect("a window");
            let half = i32::try_from(window.values.len() / 2).unwrap();
            assert_eq!(window.values.len() % 2, 1);
            let inside: f64 = (-half..=half).map(weight).sum();
            let outside = 1.0 - inside / total;
            assert!(window.missing >= outside * (1.0 - 1e-9), "{variance} {depth} {outside}");
            let rippled = window.clone().rippled(0.25);
            assert!(rippled.spread >= 1.25 / 0.75 - 1.0);
            assert!(rippled.missing >= window.missing * (1.25 / 0.75));
        }
    }
}
