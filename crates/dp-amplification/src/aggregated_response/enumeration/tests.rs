//! What an error of the probabilities may do to the two bounds.

use super::Enumeration;
use crate::aggregated_rappor::tests::assert_bounds_allow_for;
use crate::aggregated_response::survey::Survey;

/// The largest Σ (a·P − b·Q)₊ of a dataset that is asked for.
fn worst(enumeration: &Enumeration, named: bool, a: f64, b: f64) -> f64 {
    let datasets = enumeration.datasets.iter();
    let asked = datasets.filter(|dataset| !named || dataset.named.is_some());
    let sums = asked.map(|dataset| {
        let terms = dataset.outcomes.iter();
        terms.map(|&(p, q)| (a * p - b * q).max(0.0)).sum()
    });
    sums.fold(0.0, f64::max)
}

#[test]
fn bounds_hold_for_probabilities_that_are_off_by_the_error() {
    let survey = Survey {
        e: 3.0,
        answers: 4,
        clients: 5,
    };
    for error in [1e-9, 1e-4, 1e-2] {
        let mut enumeration = Enumeration::new(&survey).expect("few");
        enumeration.error = error;
        for alpha in [1.0, 1.2, 2.0, 2.9] {
            let (upper, lower) = (enumeration.upper(alpha), enumeration.lower(alpha));
            let worst = |named, a, b| worst(&enumeration, named, a, b);
            assert_bounds_allow_for(error, alpha, upper, lower, worst);
        }
    }
}
