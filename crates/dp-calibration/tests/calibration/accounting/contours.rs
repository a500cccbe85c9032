//! δ of many unlike kinds against an inverse Laplace transform in extended precision.
//!
//! The references are δ(ε) = (1/2πi)·∫ e^(K(s)−sε)/(s(s+1)) ds along Re s = λ, at the saddle point,
//! K the sum of the logarithms of the moments, each in closed form; by the trapezoidal rule in
//! arithmetic of 64 bits, with two periods (60 deviations, and 37 % more) that agree to 1e-16,
//! until what is left is below 1e-20. Noise with σ² ≥ 16 is continuous there, which changes nothing
//! in these digits. No losses are moved, no weights rounded.

use dp_calibration::accounting::AccountedMechanism;
use dp_exact::Rational;

use super::{accountant, gaussian, kary, laplace, response};
use crate::common::{epsilon, number, rows};

/// A reference is known so well.
const KNOWN: &str = "2e-14";

/// `g:VARIANCE:COORDINATES:STEP`, `l:SCALE:COORDINATES:STEP`, `r:EPSILON:DELTA` or
/// `k:ANSWERS:EPSILON`.
fn release(text: &str) -> AccountedMechanism {
    let parts: Vec<&str> = text.split(':').collect();
    let count = |text: &str| -> u64 { text.parse().expect("a number") };
    match parts[..] {
        ["g", variance, coordinates, step] => gaussian(variance, count(coordinates), count(step)),
        ["l", scale, coordinates, step] => laplace(scale, count(coordinates), count(step)),
        ["r", epsilon, delta] => response(epsilon, delta),
        ["k", answers, epsilon] => kary(epsilon, count(answers)),
        _ => panic!("{text}"),
    }
}

#[test]
fn no_bound_is_on_the_wrong_side_of_an_inverse_laplace_transform() {
    let table = rows("unlike_contours.csv");
    assert!(table.len() > 20);
    let slack = Rational::one() + number(KNOWN);
    for row in table {
        let [rate, delta, releases] = &row[..] else {
            panic!("{row:?}");
        };
        if number(rate) > 100 {
            continue;
        }
        let releases = releases.split(' ').map(|entry| {
            let (kind, times) = entry.split_once('*').expect("a number of times");
            (release(kind), times.parse().expect("a number"))
        });
        let found = accountant(releases).delta(&epsilon(rate)).expect("an enclosure");
        let delta = number(delta);
        let (least, most) = (delta.checked_div(&slack).expect("positive"), &delta * &slack);
        assert!(found.lower().cmp_rational(&most).is_le(), "{row:?} {found}");
        assert!(found.upper().cmp_rational(&least).is_ge(), "{row:?} {found}");
        let width = found.upper().to_f64() / found.lower().to_f64() - 1.0;
        // The farther out, the more a grid moves.
        let most = if delta < number("1e-100") { 0.02 } else { 2e-3 };
        assert!(width < most, "{width} {row:?}");
    }
}
