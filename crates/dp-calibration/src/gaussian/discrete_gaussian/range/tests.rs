//! Parts of the bound over a range, each by itself.

use super::*;
use crate::WorstCaseDifference;
use crate::number;

#[test]
fn slopes_of_weights_are_above_their_derivatives() {
    let epsilon = number("1/2");
    for (coordinates, variance) in [(2, "0.6"), (2, "0.3")] {
        let difference =
            WorstCaseDifference::new(coordinates, 1u32).expect("a worst-case difference");
        let divergence = Divergence::new(&difference, &epsilon);
        let at = |part: &str| {
            let variance = number(variance) * number(part);
            DeltaPoint::new(&divergence, &variance).expect("a point")
        };
        let (low, high) = (at("0.99"), at("1"));
        let rate = high.inverse().expect("positive");
        let width = low.inverse().expect("positive") - &rate;
        let weights = |part: &str| {
            let tau = half(&(&rate * &number(part)).reciprocal().expect("positive"));
            let each = tau.checked_div(&divergence.count).expect("positive");
            coset_sums(coordinates, &each, 128).expect("weights")
        };
        let (before, after) = (weights("0.9999"), weights("1.0001"));
        let (weight, slope) = heaviest(&divergence, &high, &rate, &width).expect("bounds");
        assert!(high.law.weights.iter().all(|one| one.upper() <= weight.upper()));
        let falls = before
            .iter()
            .zip(&after)
            .map(|(before, after)| (before - after).midpoint() / (2e-4 * rate.to_f64()));
        let (steepest, slope) = (falls.fold(f64::MIN, f64::max), slope.upper().to_f64());
        assert!(slope >= steepest && slope <= steepest * 1.2, "{slope} {steepest}");
    }
}
