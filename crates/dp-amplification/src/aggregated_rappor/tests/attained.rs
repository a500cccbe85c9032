//! What a dataset gives away, against its divergence by a slow sum.

use super::super::attained::Attained;
use super::super::{Flip, OthersHold};
use super::{flip_probability, slow_delta};
use dp_calibration::Adjacency;

#[test]
fn what_a_dataset_gives_away_is_its_divergence() {
    for epsilon0 in [0.1, 1.0, 4.0] {
        let flip = Flip::new(&format!("{epsilon0}").parse().expect("positive")).expect("a flip");
        let p = flip_probability(epsilon0);
        for (removed, added, neither) in [
            (0, 0, 0),
            (1, 0, 0),
            (0, 1, 1),
            (3, 0, 0),
            (2, 2, 1),
            (0, 0, 20),
            (25, 10, 5),
        ] {
            let clients = removed + added + neither + 1;
            let others = OthersHold {
                removed,
                added,
                neither,
            };
            for (adjacency, two) in [(Adjacency::Deletion, false), (Adjacency::Replacement, true)] {
                let attained = Attained::new(&flip, others, adjacency, 60.0).expect("resolved");
                for part in [0.0, 0.01, 0.1, 0.5, 0.9] {
                    let epsilon = part * epsilon0;
                    let exact = slow_delta(p, clients, removed, added, epsilon, two);
                    let lower = attained.delta(epsilon.exp());
                    let case =
                        format!("{epsilon0}, {others:?}, {epsilon}: {lower}, exactly {exact}");
                    assert!(lower <= exact * (1.0 + 1e-11), "{case}");
                    assert!(lower >= exact * (1.0 - 1e-9) - 1e-15, "{case}");
                }
            }
        }
    }
}
