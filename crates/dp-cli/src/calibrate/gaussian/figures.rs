//! How the least Gaussian noise is shown.

use dp_calibration::KnownSensitivity;
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};

use crate::calibrate::answer::Answer;
use crate::calibrate::typed::{fraction, up};

pub(super) fn title(epsilon: &Epsilon, delta: &Delta, sensitivity: &KnownSensitivity) -> String {
    format!("Discrete Gaussian noise for epsilon {epsilon} and delta {delta}, {sensitivity}")
}

pub(super) fn figures(answer: &mut Answer, sigma: &Rational, variance: &Rational, rho: &Rho) {
    let sigma = sigma.to_decimal(25, Rounding::Up);
    let meaning = "of one aggregator's noise: safe, and so is every larger one";
    answer.figure("sigma", sigma, meaning);
    let meaning = "the variance parameter, exactly";
    answer.figure("variance", fraction(variance), meaning);
    let meaning = "zero-concentrated privacy of the same noise, rounded up";
    answer.figure("rho", up(rho.value()), meaning);
}
