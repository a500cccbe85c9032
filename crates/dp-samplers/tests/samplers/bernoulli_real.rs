//! Bernoulli(p) for real p: the distribution of draws, and parameters that are refused.

use dp_exact::Dyadic;
use dp_samplers::{BernoulliReal, Error, Interval, Real};

use crate::binomial::Flip;
use crate::chi_square::{Cells, FALSE_ALARM, p_value, rng};
use crate::distributions::rational;

#[test]
fn bernoulli_real_is_true_with_its_probability() {
    for (seed, exponent) in (800..).zip(["1e-9", "0.1", "0.317", "1", "3/2", "2.5", "4", "5"]) {
        let number = Flip(rational(exponent));
        let probability = number.enclose(96).midpoint();
        let coin = BernoulliReal::new(number).unwrap();
        let mut rng = rng(seed);
        let probabilities = vec![1.0 - probability, probability];
        let cells = Cells { edges: vec![1.into()], probabilities };
        let p_value = p_value(&cells, || u8::from(coin.sample(&mut rng)).into());
        assert!(p_value > FALSE_ALARM, "{exponent}: {p_value}");
    }
}

#[test]
fn numbers_outside_the_unit_interval_are_refused() {
    for text in ["-0.1", "1.5", "-1e-300", "1e300"] {
        let error = BernoulliReal::new(rational(text)).unwrap_err();
        let Error::Parameter(parameter) = &error else {
            panic!("{error}");
        };
        assert_eq!(parameter.name(), "probability");
        assert_eq!(parameter.accepted(), "a number from 0 to 1");
    }
}

/// A probability whose enclosure is [0, 1] at any precision.
#[derive(Debug)]
struct Unknown;

impl Real for Unknown {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::hull_of(Dyadic::new(0, 0), Dyadic::new(1, 0), precision)
    }
}

#[test]
fn enclosures_that_do_not_narrow_are_refused() {
    let error = BernoulliReal::new(Unknown).unwrap_err();
    let Error::Precision(cause) = &error else {
        panic!("{error}");
    };
    // The message ends with the cause, which a printed chain of causes repeats.
    let source = std::error::Error::source(&error).unwrap();
    assert_eq!(source.to_string(), cause.to_string());
    assert!(error.to_string().ends_with(&cause.to_string()));
}
