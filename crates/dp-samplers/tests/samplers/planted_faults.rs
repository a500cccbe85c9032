//! Wrong samplers. A test of this crate must catch each of them.

use dp_exact::Rational;
use dp_samplers::{Bernoulli, BernoulliExp, DiscreteGaussian, DiscreteLaplace, Geometric};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;
use rand_chacha::ChaCha20Rng;

use crate::altered_rng::AlteredRng;
use crate::chi_square::{FALSE_ALARM, p_value, p_value_of_coin, rng};
use crate::distributions::{
    gaussian_cells, geometric_cells, laplace_cells, power_of_two, rational, residue_cells,
};
use crate::draws::from_slices;

/// Draws of a geometric magnitude, negated with probability `negative`, where −0 counts as 0: a
/// wrong discrete Laplace sampler.
fn signed_magnitude(scale: &Rational, negative: &str) -> impl FnMut() -> BigInt + use<> {
    let magnitude = Geometric::new(scale).expect("positive");
    let sign = Bernoulli::new(&rational(negative)).expect("a probability");
    let mut rng: ChaCha20Rng = rng(700);
    move || {
        let value = BigInt::from(magnitude.sample(&mut rng));
        if sign.sample(&mut rng) { -value } else { value }
    }
}

#[test]
fn a_zero_counted_twice_is_caught() {
    for scale in ["2/5", "2", "20"].map(rational) {
        let fault = signed_magnitude(&scale, "1/2");
        assert!(p_value(&laplace_cells(&scale), fault) < FALSE_ALARM, "{scale}");
    }
}

#[test]
fn a_biased_sign_is_caught() {
    // At a scale of a million a zero counted twice would not show; only the sign is at fault.
    let scale = rational("1e6");
    let fault = signed_magnitude(&scale, "0.46");
    assert!(p_value(&laplace_cells(&scale), fault) < FALSE_ALARM);
}

#[test]
fn a_lost_sign_is_caught() {
    let (distribution, mut rng) = (DiscreteGaussian::new(&rational("27")).unwrap(), rng(701));
    let fault = || distribution.sample(&mut rng).abs();
    assert!(p_value(&gaussian_cells(&rational("27")), fault) < FALSE_ALARM);
}

#[test]
fn a_variance_used_as_standard_deviation_is_caught() {
    for variance in ["1/4", "2", "27", "1e6"].map(rational) {
        let wrong = DiscreteGaussian::new(&variance.pow(2)).unwrap();
        let mut rng = rng(702);
        let p_value = p_value(&gaussian_cells(&variance), || wrong.sample(&mut rng));
        assert!(p_value < FALSE_ALARM, "{variance}");
    }
}

#[test]
fn a_variance_off_by_a_twelfth_is_caught() {
    // The variance of rounding a continuous normal: 1 + 1/12.
    let (wrong, mut rng) = (DiscreteGaussian::new(&rational("13/12")).unwrap(), rng(703));
    assert!(p_value(&gaussian_cells(&rational("1")), || wrong.sample(&mut rng)) < FALSE_ALARM);
}

#[test]
fn a_gaussian_proposal_that_is_always_accepted_is_caught() {
    let (wrong, mut rng) = (DiscreteLaplace::new(&rational("6")).unwrap(), rng(704));
    assert!(p_value(&gaussian_cells(&rational("27")), || wrong.sample(&mut rng)) < FALSE_ALARM);
}

#[test]
fn a_geometric_distribution_that_starts_at_one_is_caught() {
    let scale = rational("20");
    let (distribution, mut rng) = (Geometric::new(&scale).unwrap(), rng(705));
    let fault = || BigInt::from(distribution.sample(&mut rng) + 1_u8);
    assert!(p_value(&geometric_cells(&scale), fault) < FALSE_ALARM);
}

#[test]
fn a_fraction_of_gamma_left_out_is_caught() {
    let (wrong, mut rng) = (BernoulliExp::new(&rational("2")).unwrap(), rng(706));
    let probability = (-2.5_f64).exp();
    assert!(p_value_of_coin(probability, || wrong.sample(&mut rng)) < FALSE_ALARM);
}

#[test]
fn low_bits_lost_to_rounding_are_caught() {
    let (distribution, mut rng) = (DiscreteLaplace::new(&power_of_two(80)).unwrap(), rng(707));
    let fault = || {
        let even = (distribution.sample(&mut rng) >> 1_u8) << 1_u8;
        even.mod_floor(&BigInt::from(8))
    };
    assert!(p_value(&residue_cells(), fault) < FALSE_ALARM);
}

#[test]
fn a_biased_first_word_is_caught() {
    // One word a draw, and three: the table, the place in the bucket, the comparison.
    for (word, variance) in [(0, rational("27")), (2, power_of_two(80))] {
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        let mut place = word;
        let clear_third = |word: u64| {
            place = (place + 1) % 3;
            if place == 0 { word >> 1 } else { word }
        };
        let mut biased = AlteredRng::new(708, clear_third, |_| ());
        let p_value = p_value(&gaussian_cells(&variance), || distribution.sample(&mut biased));
        assert!(p_value < FALSE_ALARM, "{variance}");
    }
}

#[test]
fn proposals_that_are_accepted_too_often_are_caught() {
    // A little more than eight buckets wide.
    for exponent in [34, 74] {
        let variance = rational("65") * power_of_two(exponent);
        let distribution = DiscreteGaussian::new(&variance).unwrap();
        // Each 16-bit U to which a batch compares its proposals loses its top bit.
        let clear_top = |bytes: &mut [u8]| {
            if bytes.len() > 1024 {
                let upper = bytes[..512].iter_mut().skip(1).step_by(2);
                upper.for_each(|byte| *byte &= 0x7f);
            }
        };
        let mut eager = AlteredRng::new(709, |word| word, clear_top);
        let p_value =
            p_value(&gaussian_cells(&variance), from_slices(&distribution, 4096, &mut eager));
        assert!(p_value < FALSE_ALARM, "{variance}: {p_value}");
    }
}
