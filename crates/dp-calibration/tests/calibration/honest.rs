//! Two honest aggregators: the exact guarantee against enumeration, and beside that of one.

use std::cmp::Ordering;

use crate::common::{number, relative, upper};
use dp_calibration::{Corner, discrete_gaussian, discrete_laplace, honest};
use dp_exact::{Epsilon, Interval};

fn moved(coordinates: u64, step: u64) -> Corner {
    Corner::new(coordinates, step).expect("in range")
}

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

const REACH: i32 = 90;

/// The law of the sum of two draws, by convolution in floating point.
fn doubled(bell: impl Fn(i32) -> f64) -> impl Fn(i32) -> f64 {
    let total: f64 = (-4 * REACH..=4 * REACH).map(&bell).sum();
    let table: Vec<f64> = (-2 * REACH..=2 * REACH)
        .map(|y| {
            (-2 * REACH..=2 * REACH)
                .map(|x| bell(x) * bell(y - x))
                .sum::<f64>()
                / total
                / total
        })
        .collect();
    move |y| {
        usize::try_from(y + 2 * REACH)
            .ok()
            .and_then(|index| table.get(index).copied())
            .unwrap_or(0.0)
    }
}

fn by_enumeration(pmf: impl Fn(i32) -> f64, corner: &Corner, epsilon: f64) -> f64 {
    let step = i32::try_from(corner.step()).expect("small");
    let range = || -REACH..=REACH;
    let growth = epsilon.exp();
    if corner.coordinates() == 1 {
        return range()
            .map(|y| (pmf(y) - growth * pmf(y + step)).max(0.0))
            .sum();
    }
    let excess = |y: i32, z: i32| pmf(y) * pmf(z) - growth * pmf(y + step) * pmf(z + step);
    range()
        .flat_map(|y| range().map(move |z| (y, z)))
        .map(|(y, z)| excess(y, z).max(0.0))
        .sum()
}

fn agree(delta: &Interval, slow: f64) {
    let error = (upper(delta).to_f64() / slow - 1.0).abs();
    assert!(error < 1e-9, "{delta} {slow}");
}

#[test]
fn two_gaussian_draws_give_what_enumeration_gives() {
    for (corner, variance, rate) in [
        (moved(1, 1), "0.3", "3"),
        (moved(1, 1), "7", "0.4"),
        (moved(1, 3), "2", "1.5"),
        (moved(2, 1), "0.2", "4"),
        (moved(2, 1), "1.1", "1"),
        (moved(2, 2), "6", "0.5"),
    ] {
        let bell = |x: i32| (-f64::from(x).powi(2) / (2.0 * number(variance).to_f64())).exp();
        let slow = by_enumeration(doubled(bell), &corner, number(rate).to_f64());
        let delta = honest::gaussian_delta(&number(variance), &epsilon(rate), &corner, 2).unwrap();
        agree(&delta, slow);
        assert!(relative(&upper(&delta), &delta.lower().to_rational().unwrap()) < 1e-15);
    }
}

#[test]
fn two_laplace_draws_give_what_enumeration_gives() {
    for (corner, scale, rate) in [
        (moved(1, 1), "0.5", "1"),
        (moved(1, 5), "2.5", "0.8"),
        (moved(2, 1), "1.5", "0.7"),
        (moved(2, 3), "2", "1"),
    ] {
        let bell = |x: i32| (-f64::from(x).abs() / number(scale).to_f64()).exp();
        let slow = by_enumeration(doubled(bell), &corner, number(rate).to_f64());
        let delta = honest::laplace_delta(&number(scale), &epsilon(rate), &corner).unwrap();
        agree(&delta, slow);
    }
}

#[test]
fn a_second_honest_aggregator_never_hurts() {
    for (coordinates, step) in [(1, 1), (1, 100), (2, 1), (30, 1), (3000, 2)] {
        let corner = moved(coordinates, step);
        for relative in ["0.05", "1", "20"] {
            let norm = number(&corner.l2_squared().to_string());
            let variance = norm * number(relative);
            let one = discrete_gaussian::delta(&variance, &epsilon("1"), &corner).unwrap();
            let two = honest::gaussian_delta(&variance, &epsilon("1"), &corner, 2).unwrap();
            let three = honest::gaussian_delta(&variance, &epsilon("1"), &corner, 3).unwrap();
            assert!(
                two.upper() <= one.upper() && three.upper() <= two.upper(),
                "{corner:?}"
            );
        }
    }
    for corner in [Corner::one(), Corner::one_hot()] {
        let scale = number("1.2");
        let one = discrete_laplace::delta(&scale, &epsilon("0.5"), &corner).unwrap();
        let two = honest::laplace_delta(&scale, &epsilon("0.5"), &corner).unwrap();
        assert_eq!(two.compare(&one), Some(Ordering::Less));
    }
}

#[test]
fn two_wide_gaussians_are_one_of_twice_the_variance() {
    let corner = Corner::one_hot();
    let two = honest::gaussian_delta(&number("36.5"), &epsilon("0.906"), &corner, 2).unwrap();
    let one = discrete_gaussian::delta(&number("73"), &epsilon("0.906"), &corner).unwrap();
    assert!(relative(&upper(&two), &upper(&one)) < 1e-18);
    // Not so for little noise: there the sum of two is another law.
    let two = honest::gaussian_delta(&number("0.3"), &epsilon("3"), &corner, 2).unwrap();
    let one = discrete_gaussian::delta(&number("0.6"), &epsilon("3"), &corner).unwrap();
    assert!(two.compare(&one).is_some());
}

#[test]
fn pure_privacy_of_one_is_kept_by_two() {
    let delta = honest::laplace_delta(&number("2"), &epsilon("1"), &Corner::one_hot()).unwrap();
    assert!(delta.upper().cmp_rational(&number("0")).is_eq());
}

#[test]
fn what_is_too_long_is_refused_by_name() {
    let refused = honest::laplace_delta(&number("2"), &epsilon("0.1"), &moved(3, 1));
    assert!(refused.expect_err("three").to_string().starts_with(
        "this is the sum of two Laplace draws on 3 coordinates, which takes too long"
    ));
    let refused = honest::gaussian_delta(&number("2"), &epsilon("1"), &Corner::one(), 0);
    assert!(
        refused
            .expect_err("nobody")
            .to_string()
            .starts_with("honest is 0")
    );
}
