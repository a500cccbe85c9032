//! Several honest aggregators: the least noise of each, and the least ε.

use crate::common::{number, relative, upper};
use dp_calibration::Adjacency::Replacement;
use dp_calibration::honest::{
    Route, calibrate_gaussian, calibrate_gaussian_corner, calibrate_laplace, gaussian_delta,
    gaussian_epsilon, laplace_delta, laplace_epsilon,
};
use dp_calibration::{Corner, Query, discrete_gaussian, discrete_laplace};
use dp_exact::{Delta, Epsilon, Rational};

fn epsilon(text: &str) -> Epsilon {
    text.parse().expect("an epsilon")
}

fn delta(text: &str) -> Delta {
    text.parse().expect("a delta")
}

fn moved(coordinates: u64, step: u64) -> Corner {
    Corner::new(coordinates, step).expect("in range")
}

#[test]
fn two_wide_gaussians_share_the_variance() {
    for (rate, target) in [("0.317", "1e-9"), ("0.906", "1e-9"), ("1.528", "1e-9")] {
        let (rate, target) = (epsilon(rate), delta(target));
        let query = Query::Histogram { length: 5 };
        let one = discrete_gaussian::calibrate_query(&query, Replacement, &rate, &target).unwrap();
        for honest in [2, 3] {
            let all = calibrate_gaussian(&query, Replacement, honest, &rate, &target).unwrap();
            assert_eq!(all.route, Route::Sum);
            let total = &all.variance * &Rational::from(u64::from(honest));
            assert!(relative(&total, &one.variance) < 1e-9, "{rate} {honest}");
            let refuted = all.refuted.expect("just below");
            assert!(relative(&refuted, &all.variance) < 1e-7);
        }
    }
}

#[test]
fn the_least_noise_of_two_is_enough_and_a_little_less_is_not() {
    for (corner, rate, target) in [
        (moved(1, 1), "3", "1e-6"),
        (moved(2, 1), "5", "1e-9"),
        (moved(2, 1), "20", "1e-9"),
        (moved(2, 7), "2", "1e-9"),
        (moved(30, 1), "4", "1e-6"),
    ] {
        let (rate, target) = (epsilon(rate), delta(target));
        let two = calibrate_gaussian_corner(&corner, 2, &rate, &target).unwrap();
        let alone = discrete_gaussian::calibrate(&rate, &target, &corner).unwrap();
        assert!(two.variance <= alone.variance);
        assert!(two.delta.upper().cmp_rational(target.value()).is_le());
        let refuted = two.refuted.expect("some way below");
        let far = if corner.coordinates() <= 2 {
            1e-8
        } else {
            0.11
        };
        assert!(relative(&refuted, &two.variance) < far, "{corner:?}");
        // And more is safe, wherever it is asked.
        for percent in [101, 105, 120, 150, 300] {
            let more = &two.variance * &Rational::new(percent, 100).unwrap();
            let found = gaussian_delta(&more, &rate, &corner, 2).unwrap();
            assert!(
                found.upper().cmp_rational(target.value()).is_le(),
                "{corner:?} {percent}"
            );
        }
    }
}

/// δ of the sum of several draws on a few coordinates, by convolution.
fn slowly(variance: f64, honest: u32, coordinates: u64, step: usize, epsilon: f64) -> f64 {
    const REACH: i32 = 40;
    let bell: Vec<f64> = (-REACH..=REACH)
        .map(|x| (-f64::from(x * x) / (2.0 * variance)).exp())
        .collect();
    let total: f64 = bell.iter().sum();
    let mut law = vec![1.0];
    for _ in 0..honest {
        let mut next = vec![0.0; law.len() + bell.len() - 1];
        for (place, mass) in law.iter().enumerate() {
            for (sum, one) in next[place..].iter_mut().zip(&bell) {
                *sum += mass * one / total;
            }
        }
        law = next;
    }
    let shifted = |place: usize| law.get(place + step).copied().unwrap_or(0.0);
    let one: Vec<(f64, f64)> = law
        .iter()
        .copied()
        .enumerate()
        .map(|(y, p)| (p, shifted(y)))
        .collect();
    let mut all = vec![(1.0, epsilon.exp())];
    for _ in 0..coordinates {
        let longer = all
            .iter()
            .flat_map(|a| one.iter().map(move |b| (a.0 * b.0, a.1 * b.1)));
        all = longer.filter(|(p, _)| *p > 1e-18).collect();
    }
    all.iter().map(|(p, q)| (p - q).max(0.0)).sum()
}

#[test]
fn little_noise_on_many_coordinates_is_little_more_than_the_law_of_the_sum_allows() {
    for (corner, honest, rate, target) in [
        (moved(3, 1), 2, "8", "1e-4"),
        (moved(3, 1), 4, "5", "1e-3"),
        (moved(4, 2), 3, "20", "1e-3"),
    ] {
        let (rate, target) = (epsilon(rate), delta(target));
        let found = calibrate_gaussian_corner(&corner, honest, &rate, &target).unwrap();
        let variance = found.variance.to_f64();
        assert_eq!(found.route, Route::Sum);
        let refuted = found.refuted.expect("a little below");
        assert!(relative(&refuted, &found.variance) < 0.011, "{corner:?}");
        let step = usize::try_from(corner.step()).unwrap();
        let at = |variance| {
            let rate = rate.value().to_f64();
            slowly(variance, honest, corner.coordinates(), step, rate)
        };
        let target = target.value().to_f64();
        assert!(
            at(variance) <= target && at(refuted.to_f64()) > target,
            "{corner:?}"
        );
        for percent in [101, 103, 110, 130, 170, 250] {
            let more = variance * f64::from(percent) / 100.0;
            assert!(at(more) <= target, "{corner:?} {percent}");
        }
    }
}

#[test]
fn little_noise_of_several_is_as_little_as_the_law_of_the_sum_allows() {
    for (corner, honest, rate, target, most) in [
        (moved(1, 1), 4, "2.16", "0.0117", 0.246_933),
        (moved(1, 1), 2, "5", "1e-3", 0.262_174),
        (moved(2, 1), 3, "8", "1e-6", 0.301_252),
        (moved(1, 3), 5, "6", "1e-4", 0.840_698),
    ] {
        let (rate, target) = (epsilon(rate), delta(target));
        let found = calibrate_gaussian_corner(&corner, honest, &rate, &target).unwrap();
        let variance = found.variance.to_f64();
        assert!(
            found.route == Route::Sum && variance < most,
            "{corner:?} {variance}"
        );
        let refuted = found.refuted.expect("next to it");
        assert!(relative(&refuted, &found.variance) < 1e-8, "{corner:?}");
        let step = usize::try_from(corner.step()).unwrap();
        let at = |variance| {
            slowly(
                variance,
                honest,
                corner.coordinates(),
                step,
                rate.value().to_f64(),
            )
        };
        let target = target.value().to_f64();
        assert!((at(variance) / target - 1.0).abs() < 1e-7, "{corner:?}");
        // And every larger one is safe.
        for percent in 1..120 {
            assert!(
                at(variance * (1.0 + f64::from(percent) / 40.0)) <= target,
                "{corner:?} {percent}"
            );
        }
    }
}

/// ln(e^a + e^b)
fn log_sum(a: f64, b: f64) -> f64 {
    let top = a.max(b);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + (-(a - b).abs()).exp().ln_1p()
}

/// [`slowly`] where e^ε is beyond all floating point numbers: from logarithms.
fn in_logarithms(variance: f64, honest: u32, coordinates: u64, step: usize, epsilon: f64) -> f64 {
    const REACH: i32 = 10;
    let bell = (-REACH..=REACH).map(|x| -f64::from(x * x) / (2.0 * variance));
    let bell: Vec<f64> = bell.collect();
    let total = bell.iter().copied().fold(f64::NEG_INFINITY, log_sum);
    let mut law = vec![0.0];
    for _ in 0..honest {
        let mut next = vec![f64::NEG_INFINITY; law.len() + bell.len() - 1];
        for (place, mass) in law.iter().enumerate() {
            for (sum, one) in next[place..].iter_mut().zip(&bell) {
                *sum = log_sum(*sum, mass + one - total);
            }
        }
        law = next;
    }
    let one = (0..law.len() - step).map(|y| (law[y], law[y] - law[y + step]));
    let one: Vec<(f64, f64)> = one.filter(|(mass, _)| *mass > -100.0).collect();
    let mut all = vec![(0.0, 0.0)];
    for _ in 0..coordinates {
        let longer = all
            .iter()
            .flat_map(|a| one.iter().map(move |b| (a.0 + b.0, a.1 + b.1)));
        all = longer.filter(|(mass, _)| *mass > -100.0).collect();
    }
    let positive = all.iter().filter(|(_, loss)| *loss > epsilon);
    let masses = positive.map(|(mass, loss)| mass.exp() * -(epsilon - loss).exp_m1());
    masses.sum()
}

#[test]
fn a_large_epsilon_is_followed_down_to_the_law_of_the_sum() {
    for (corner, honest, rate, target, most) in [
        (moved(1, 5), 8, "781.6", "5.36e-5", 0.003_182_179),
        (moved(2, 5), 8, "2000", "5.36e-5", 0.002_489_977),
        (moved(3, 2), 4, "500", "2.114e-5", 0.006),
        (moved(3, 5), 8, "781.6", "5.36e-5", 0.0096),
    ] {
        let (rate, target) = (epsilon(rate), delta(target));
        let found = calibrate_gaussian_corner(&corner, honest, &rate, &target).unwrap();
        let variance = found.variance.to_f64();
        assert!(
            found.route == Route::Sum && variance < most,
            "{corner:?} {variance}"
        );
        let step = usize::try_from(corner.step()).unwrap();
        let at = |variance| {
            let rate = rate.value().to_f64();
            in_logarithms(variance, honest, corner.coordinates(), step, rate)
        };
        let target = target.value().to_f64() * (1.0 + 1e-8);
        for percent in [100, 101, 104, 110, 125, 150, 200, 300, 600] {
            let more = variance * f64::from(percent) / 100.0;
            assert!(at(more) <= target, "{corner:?} {percent}");
        }
        let refuted = found.refuted.expect("not far below").to_f64();
        assert!(at(refuted) > target && refuted > 0.99 * variance);
    }
}

#[test]
fn many_honest_aggregators_are_not_taken_for_one() {
    // The law of the sum at the wanted variance is too unlike one discrete Gaussian for a comparison.
    for (target, most) in [("0.017", 0.33), ("9.3e-5", 0.52)] {
        let found = calibrate_gaussian_corner(&moved(20, 1), 64, &epsilon("3"), &delta(target));
        let found = found.unwrap();
        assert_eq!(found.route, Route::Sum);
        assert!(found.variance.to_f64() < most, "{}", found.variance);
    }
}

#[test]
fn one_honest_aggregator_is_the_mechanism_alone() {
    let (rate, target) = (epsilon("2"), delta("1e-9"));
    let corner = Corner::one_hot();
    let one = calibrate_gaussian_corner(&corner, 1, &rate, &target).unwrap();
    let alone = discrete_gaussian::calibrate(&rate, &target, &corner).unwrap();
    assert_eq!((one.variance, one.refuted), (alone.variance, alone.refuted));
}

#[test]
fn the_least_epsilon_of_two_has_the_delta_and_a_smaller_one_has_not() {
    for (corner, variance) in [
        (moved(1, 1), "0.4"),
        (moved(2, 1), "9"),
        (moved(2, 3), "40"),
    ] {
        let (variance, target) = (number(variance), delta("1e-6"));
        let found = gaussian_epsilon(&variance, &target, &corner, 2).unwrap();
        assert_eq!(found.route, Route::Sum);
        let at = |epsilon: Rational| {
            let rate = Epsilon::new(epsilon).unwrap();
            upper(&gaussian_delta(&variance, &rate, &corner, 2).unwrap())
        };
        assert!(at(found.epsilon.clone()) <= *target.value());
        assert!(at(&found.epsilon * &number("0.999999")) > *target.value());
        let alone = discrete_gaussian::epsilon(&variance, &target, &corner).unwrap();
        assert!(found.epsilon < alone);
    }
}

#[test]
fn two_laplace_draws_have_a_smaller_epsilon_for_a_slack_and_none_without() {
    let (scale, target) = (number("3"), delta("1e-3"));
    for corner in [moved(1, 1), moved(1, 9)] {
        let alone = discrete_laplace::epsilon(&scale, &target, &corner).unwrap();
        let two = laplace_epsilon(&scale, &target, &corner).unwrap();
        assert!(two.route == Route::Sum && two.epsilon < alone, "{corner:?}");
        let rate = Epsilon::new(two.epsilon).unwrap();
        let reached = upper(&laplace_delta(&scale, &rate, &corner).unwrap());
        assert!(reached <= *target.value());
        let pure = laplace_epsilon(&scale, &delta("0"), &corner).unwrap();
        assert_eq!(
            pure.epsilon,
            discrete_laplace::epsilon(&scale, &delta("0"), &corner).unwrap()
        );
    }
    let many = laplace_epsilon(&scale, &target, &moved(10, 1)).unwrap();
    assert_eq!(many.route, Route::OneAlone);
    let alone = discrete_laplace::epsilon(&scale, &target, &moved(10, 1)).unwrap();
    assert_eq!(many.epsilon, alone);
}

#[test]
fn the_least_scale_of_two_is_enough_and_the_next_is_not() {
    for (corner, rate, target) in [
        (moved(1, 4), "0.5", "1e-3"),
        (moved(1, 1), "3", "1e-2"),
        (moved(2, 1), "4", "1e-2"),
    ] {
        let (rate, target) = (epsilon(rate), delta(target));
        let two = calibrate_laplace(&corner, &rate, &target).unwrap();
        let alone = discrete_laplace::calibrate(&rate, &target, &corner).unwrap();
        assert!(
            two.route == Route::Sum && two.scale < alone.scale,
            "{corner:?}"
        );
        assert!(two.delta.upper().cmp_rational(target.value()).is_le());
        let refuted = two.refuted.expect("the next scale");
        assert!(relative(&refuted, &two.scale) < 1e-10);
        let missed = laplace_delta(&refuted, &rate, &corner).unwrap();
        assert!(missed.lower().cmp_rational(target.value()).is_gt());
    }
    let pure = calibrate_laplace(&moved(2, 1), &epsilon("1"), &delta("0")).unwrap();
    assert_eq!(pure.scale, 2);
    let many = calibrate_laplace(&moved(9, 1), &epsilon("1"), &delta("1e-3")).unwrap();
    assert_eq!(many.route, Route::OneAlone);
}

#[test]
fn nobody_honest_is_refused_by_name() {
    let refused = calibrate_gaussian_corner(&Corner::one(), 0, &epsilon("1"), &delta("1e-9"));
    assert!(
        refused
            .expect_err("nobody")
            .to_string()
            .starts_with("honest is 0")
    );
    let single = Query::Histogram { length: 1 };
    let refused = calibrate_gaussian(&single, Replacement, 2, &epsilon("1"), &delta("1e-9"));
    assert!(
        refused
            .expect_err("no noise")
            .to_string()
            .starts_with("length is 1")
    );
}
