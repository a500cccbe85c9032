//! The noise for a worst-case difference.

use crate::common::{
    difference_of, distribution, enumerated_delta, epsilon, number, relative, upper,
};
use dp_calibration::discrete_gaussian::{calibrate, delta};
use dp_calibration::zcdp;
use dp_exact::Rational;

#[test]
fn delta_is_what_enumeration_of_all_coordinates_gives() {
    for (difference, variance, rate) in [
        (difference_of(1, 3), "2.5", "1.25"),
        (difference_of(1, 20), "9", "3"),
        (difference_of(1, 1), "0.05", "20"),
        (difference_of(2, 1), "1/4", "3"),
        (difference_of(2, 1), "1", "0.001"),
        (difference_of(2, 2), "1.5", "0.5"),
        (difference_of(3, 1), "0.7", "2"),
        (difference_of(3, 2), "2", "0.1"),
        (difference_of(3, 1), "0.2", "7"),
    ] {
        let delta = delta(&number(variance), &epsilon(rate), &difference).unwrap();
        let twice = 2.0 * number(variance).to_f64();
        let law = distribution(60, |x| (-x * x / twice).exp());
        let by = |rate| enumerated_delta(&law, &difference, rate);
        let (rate, variance) = (number(rate).to_f64(), number(variance));
        let (slow, planted) = (by(rate), by(-rate));
        // Planted fault: an exponent of the wrong sign.
        assert!(planted > upper(&delta).to_f64() * (1.0 + 1e-9), "{difference:?}");
        let (lower, upper) = (delta.lower().to_f64(), upper(&delta).to_f64());
        assert!(lower <= slow * (1.0 + 1e-10) && slow * (1.0 - 1e-10) <= upper, "{delta} {slow}");
        // Of three coordinates the ripple is known, and of little noise the exact weights.
        let is_smooth = difference.coordinates() == 3 && variance != number("0.2");
        let width = if is_smooth { 2e-3 } else { 1e-10 };
        assert!(upper <= lower * (1.0 + width), "{difference:?} {delta}");
    }
}

/// Where the ripple is large its factor would lead to 1.0176.
#[test]
fn a_delta_is_at_most_1_also_of_little_noise_on_many_numbers() {
    let delta = delta(&number("0.4"), &epsilon("1"), difference_of(16, 1)).unwrap();
    assert!(delta.lower() <= delta.upper() && upper(&delta) <= Rational::one(), "{delta}");
}

#[test]
fn large_moves_approach_the_continuous_gaussian() {
    // At a step of 10^12 the integers are as good as the reals.
    let step = 1_000_000_000_000u64;
    for (coordinates, rate) in [(1, "0.906"), (7, "3")] {
        let sigma = number("4.5") * Rational::from(step);
        let difference = difference_of(coordinates, step);
        let discrete = delta(&sigma.pow(2), &epsilon(rate), &difference).unwrap();
        let norm = difference.l2_squared();
        let continuous =
            dp_calibration::analytic_gaussian::delta(&epsilon(rate), &sigma, &norm).unwrap();
        assert!(relative(&upper(&discrete), &upper(&continuous)) < 1e-20, "{discrete}");
    }
}

#[test]
fn calibration_for_a_worst_case_difference_is_safe_refuted_just_below_and_tighter_than_zcdp() {
    for (difference, rate, target) in [
        (difference_of(1, 1), "1", "1e-9"),
        (difference_of(1, 255), "0.5", "1e-6"),
        (difference_of(6, 1), "2", "1e-12"),
        (difference_of(20, 1), "8", "1e-9"),
        // Little noise on few numbers: zero-concentrated privacy takes 9 % more of σ.
        (difference_of(3, 1), "12", "1e-3"),
        (difference_of(12, 1), "60", "1e-6"),
        (difference_of(100, 15), "1", "1e-9"),
        (difference_of(1000, 1), "0.317", "1e-9"),
        (difference_of(1 << 32, 3), "0.1", "1e-40"),
    ] {
        let (rate, target) = (epsilon(rate), target.parse().unwrap());
        let noise = calibrate(&rate, &target, &difference).unwrap();
        assert!(noise.delta.upper().cmp_rational(target.value()).is_le());
        let refuted = noise.refuted.clone().expect("the target is crossed");
        assert!(relative(&refuted, &noise.variance) < 1e-8, "{difference:?}");
        let below = delta(&refuted, &rate, &difference).unwrap();
        assert!(below.lower().cmp_rational(target.value()).is_gt());
        assert!(noise.variance < *noise.concentrated_variance());
        let rho = zcdp::rho(noise.concentrated_variance(), &difference.l2_squared()).unwrap();
        assert!(zcdp::delta(&rho, &rate).unwrap().lower().cmp_rational(target.value()).is_le());
    }
}
