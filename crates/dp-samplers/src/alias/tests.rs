//! Tables against enclosures of the laws, and every path that a word can take.

pub(crate) mod certificate;
mod faults;
mod remainder;

use alloc::sync::Arc;

use dp_exact::Rational;

use super::{Law, LowerBounds};
use crate::laws::{Binomial, Digit, Gaussian, HalfGaussian, OneSided, TwoSided};

pub(crate) fn rational(text: &str) -> Rational {
    text.parse().expect("a fraction")
}

/// A law of finitely many fractions, for thresholds that are multiples of a word.
#[derive(Clone, Debug)]
pub(crate) struct Fractions(pub(crate) Vec<Rational>);

impl Fractions {
    pub(crate) fn new(texts: &[&str]) -> Self {
        Self(texts.iter().map(|text| rational(text)).collect())
    }
}

impl Law for Fractions {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> dp_exact::Interval + '_> {
        Box::new(move |outcome| {
            let position = usize::try_from(outcome).expect("in the support");
            dp_exact::Interval::rational(&self.0[position], precision)
        })
    }

    fn support(&self) -> core::ops::RangeInclusive<i64> {
        0..=i64::try_from(self.0.len()).expect("short") - 1
    }
}

/// The laws behind the samplers at small and at large parameters, and fractions.
pub(crate) fn laws() -> Vec<Box<dyn Law>> {
    let mut laws: Vec<Box<dyn Law>> = Vec::new();
    for variance in ["1e-9", "1/4", "1", "26.93942798", "547.12623649"] {
        laws.push(Box::new(
            Gaussian::new(&rational(variance)).expect("positive"),
        ));
    }
    laws.push(Box::new(
        HalfGaussian::new(&rational("1000/3")).expect("positive"),
    ));
    for rate in ["5/2", "1/2", "1/20", "1000"].map(rational) {
        laws.push(Box::new(TwoSided {
            rate: rate.clone(),
            sign_rate: rate.clone(),
        }));
        laws.push(Box::new(OneSided { rate }));
    }
    for rate in ["1e-9", "1/300", "3"].map(rational) {
        laws.push(Box::new(Digit { rate, bits: 6 }));
    }
    for (trials, probability) in [
        (0, "1/3"),
        (1, "1/2"),
        (10, "1/2"),
        (300, "6/7"),
        (999, "1e-9"),
    ] {
        laws.push(Box::new(Binomial {
            trials,
            probability: Arc::new(rational(probability)),
            likely: trials == 300,
            lost_bits: 0,
        }));
    }
    laws.push(Box::new(Fractions::new(&["1"])));
    laws.push(Box::new(Fractions::new(&["1/2", "1/2"])));
    laws.push(Box::new(Fractions::new(&[
        "1/2", "1/4", "1/8", "1/16", "1/16",
    ])));
    laws.push(Box::new(Fractions::new(&["1/3", "0", "2/3"])));
    laws.push(Box::new(Fractions::new(&[
        "1/18446744073709551616",
        "18446744073709551615/18446744073709551616",
    ])));
    laws
}

/// Outcomes of the same probability.
#[derive(Debug)]
struct Uniform(i64);

impl Law for Uniform {
    fn at(&self, precision: u32) -> Box<dyn Fn(i64) -> dp_exact::Interval + '_> {
        let share = Rational::new(1, self.0).expect("not zero");
        let share = dp_exact::Interval::rational(&share, precision);
        Box::new(move |_| share.clone())
    }

    fn support(&self) -> core::ops::RangeInclusive<i64> {
        0..=self.0 - 1
    }
}

#[test]
fn a_law_has_bounds_for_all_of_its_outcomes_or_none() {
    let most = LowerBounds::MAX_OUTCOMES;
    let outcomes = i64::try_from(most).expect("few");
    let bounds = Uniform(outcomes).lower_bounds(64).expect("as many");
    assert_eq!((bounds.first, bounds.bounds.len()), (0, most));
    assert!(Uniform(outcomes + 1).lower_bounds(64).is_none());
}
