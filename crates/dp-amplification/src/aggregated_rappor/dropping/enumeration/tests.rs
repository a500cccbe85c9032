//! What an error of the probabilities may do to the two bounds.

use super::{Enumeration, Verdicts, WeightLimit};
use crate::aggregated_rappor::flip::Flip;
use crate::aggregated_rappor::tests::assert_bounds_allow_for;
use dp_calibration::Adjacency;

/// The largest Σ (a·P − b·Q)₊ of a dataset that is asked for, in either direction.
fn worst(enumeration: &Enumeration, named: bool, a: f64, b: f64) -> f64 {
    let sum = |p: &[f64], q: &[f64]| -> f64 {
        let cells = p.iter().zip(q);
        cells.map(|(p, q)| (a * p - b * q).max(0.0)).sum()
    };
    let datasets = enumeration.datasets.iter();
    let asked = datasets.filter(|dataset| !named || dataset.named.is_some());
    let sums = asked.map(|dataset| {
        let views = dataset.shares.iter();
        let views = views.map(|&(share, view)| (share, &enumeration.views[view]));
        let both = views.map(|(share, view)| {
            let (p, q) = (&view.before, &view.after);
            (share * sum(p, q), share * sum(q, p))
        });
        let (there, back) = both.fold((0.0, 0.0), |sums, both| (sums.0 + both.0, sums.1 + both.1));
        if enumeration.directed {
            f64::max(there, back)
        } else {
            there
        }
    });
    sums.fold(0.0, f64::max)
}

#[test]
fn bounds_hold_for_probabilities_that_are_off_by_the_error() {
    let flip = Flip::new(&"1.1".parse().expect("positive")).expect("a flip");
    let limit = WeightLimit {
        length: 3,
        max_weight: 2,
    };
    for (adjacency, verdicts) in [
        (Adjacency::Replacement, Verdicts::Each),
        (Adjacency::Replacement, Verdicts::Counted),
        (Adjacency::Deletion, Verdicts::Each),
        (Adjacency::Deletion, Verdicts::Counted),
    ] {
        for error in [1e-9, 1e-4, 1e-2] {
            let enumeration = Enumeration::new(&flip, 4, adjacency, limit, verdicts);
            let mut enumeration = enumeration.expect("few");
            enumeration.error = error;
            for alpha in [1.0, 1.2, 2.0, 2.9] {
                let (upper, lower) = (enumeration.upper(alpha), enumeration.lower(alpha));
                let worst = |named, a, b| worst(&enumeration, named, a, b);
                assert_bounds_allow_for(error, alpha, upper, lower, worst);
            }
        }
    }
}
