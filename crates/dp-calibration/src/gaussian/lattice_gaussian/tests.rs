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
