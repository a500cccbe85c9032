use std::cmp::Ordering;

use super::*;
use crate::number;

/// The noise with c = 1 on every integer and this τ.
fn plain(tau: &str, precision: u32) -> SummedNoise {
    let difference = WorstCaseDifference::one();
    let epsilon = Rational::one();
    let divergence = Divergence::new(&difference, &epsilon);
    SummedNoise::new(&divergence, &number(tau), WeightForm::Exact, precision)
        .expect("a positive variance")
}

/// The width of an enclosure relative to its upper end.
fn digits_lost(interval: &Interval) -> f64 {
    let end = |end: &dp_exact::Dyadic| Interval::hull_of(end.clone(), end.clone(), 512);
    let width = end(interval.upper()) - end(interval.lower());
    width.checked_div(&end(interval.upper())).map_or(1.0, |ratio| ratio.midpoint())
}

#[test]
fn a_tail_cut_without_its_bound_is_caught() {
    let law = plain("800", 128);
    let whole = law.direct_tail(&127.into()).expect("the sum is short");
    let cut = |terms: u32| {
        (0..terms).fold(Interval::integer(0, 128), |sum, index| {
            let square = Rational::from(u64::from(127 + index)).pow(2);
            let exponent = square * number("-1/1600");
            sum + Interval::rational(&exponent, 128).exp().expect("a small exponent")
        })
    };
    assert_eq!(cut(100).compare(&whole), Some(Ordering::Less));
    assert_eq!(cut(600).compare(&whole), None);
}

#[test]
fn both_forms_of_the_noise_give_the_same_delta_where_both_apply() {
    let epsilon = number("0.7");
    for (coordinates, step) in [(2, 1u32), (2, 20)] {
        let difference = WorstCaseDifference::new(coordinates, step).expect("in range");
        let divergence = Divergence::new(&difference, &epsilon);
        for variance in ["2", "4.7", "9"] {
            let variance = number(variance);
            let delta = |form| {
                let law = SummedNoise::new(&divergence, &variance, form, 160).expect("in range");
                let part = law.positive_part(&divergence).expect("a short sum");
                law.normalized(&part).expect("not zero")
            };
            let (exact, smooth) = (delta(WeightForm::Exact), delta(WeightForm::Smooth));
            assert_eq!(exact.compare(&smooth), None, "{exact} {smooth}");
            assert!(digits_lost(&exact) < 1e-20, "{exact}");
        }
    }
}
