//! The bound for any crowd against listing all cases.

use super::case::Case;
use super::enumeration::Enumeration;
use super::*;
use crate::aggregated_rappor::refuted;

#[test]
fn the_bound_for_any_crowd_is_above_every_dataset_unless_the_critical_weight_is_forgotten() {
    let mut gained = 0;
    let mut caught = false;
    for (epsilon0, length, clients) in [
        ("0.3", 2, 4),
        ("1", 2, 9),
        ("0.3", 3, 6),
        ("1", 3, 4),
        ("3", 3, 6),
        ("2", 4, 3),
        ("0.7", 4, 5),
    ] {
        let sum = AggregatedRappor::new(epsilon0.parse().unwrap(), clients).unwrap();
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            for max_weight in 0..=length {
                let limit = WeightLimit { length, max_weight };
                let each = Verdicts::Each;
                let all = Enumeration::new(&sum.flip, clients, adjacency, limit, each).unwrap();
                for delta in ["0.2", "0.03", "1e-3"] {
                    let parsed = delta.parse().unwrap();
                    let mut case = Case::new(&sum, &parsed, adjacency, limit).unwrap();
                    let upper = case.in_a_crowd().unwrap().upper;
                    let local = sum.local_epsilon(adjacency);
                    let lower = refuted(case.target, &local, |alpha| all.lower(alpha).0);
                    let setting = (epsilon0, length, clients, adjacency, max_weight, delta);
                    assert!(lower <= upper, "{setting:?}: {lower} {upper}");
                    gained += usize::from(upper < local);
                    // A planted fault: the critical weight is thought never to occur.
                    case.own.critical = 0.0;
                    caught |= case.in_a_crowd().unwrap().upper < lower;
                }
            }
        }
    }
    assert!(gained > 50 && caught, "{gained}");
}
