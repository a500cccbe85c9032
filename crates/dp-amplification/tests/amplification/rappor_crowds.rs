//! Dropped reports where not all cases can be listed: against brute force over everything that an
//! aggregator sees, and more clients against fewer.

use crate::common::number;
use dp_amplification::aggregated_rappor::{AggregatedRappor, MultiHot, Verdicts, WeightLimit};
use dp_calibration::Adjacency;

/// The bits of a report: one more than where all cases are listed.
const LENGTH: usize = 7;

const BOTH: [Adjacency; 2] = [Adjacency::Replacement, Adjacency::Deletion];

fn sum(epsilon0: &str, clients: u64) -> AggregatedRappor {
    let epsilon0 = epsilon0.parse().expect("positive");
    AggregatedRappor::new(epsilon0, clients).expect("accepted")
}

/// All reports of an input, given by its bits, with their probabilities; `None` for one that is
/// dropped.
fn reports(epsilon0: f64, input: usize, max_weight: u32) -> Vec<(Option<usize>, f64)> {
    let p = (epsilon0.exp() + 1.0).recip();
    let all = (0..1_usize << LENGTH).map(|report| {
        let same = |place: usize| (report ^ input) >> place & 1 == 0;
        let chances = (0..LENGTH).map(|place| if same(place) { 1.0 - p } else { p });
        let kept = (report.count_ones() <= max_weight).then_some(report);
        (kept, chances.product())
    });
    all.collect()
}

/// The law of all verdicts and of the sums of all bits, client after client.
fn view(clients: &[Vec<(Option<usize>, f64)>]) -> Vec<f64> {
    let base = clients.len() + 1;
    let cells = base.pow(u32::try_from(LENGTH).expect("small"));
    let mut law = vec![0.0; cells << clients.len()];
    law[0] = 1.0;
    for (client, reports) in clients.iter().enumerate() {
        let place = |bits: usize| {
            let digits = (0..LENGTH).rev();
            let sums = digits.fold(0, |place, bit| place * base + (bits >> bit & 1));
            (cells << client) + sums
        };
        let mut next = vec![0.0; law.len()];
        for (from, &mass) in law.iter().enumerate().filter(|&(_, &mass)| mass > 0.0) {
            for &(report, probability) in reports {
                next[from + report.map_or(0, place)] += mass * probability;
            }
        }
        law = next;
    }
    law
}

/// What two others may hold, up to names: the first two values may be those of the client.
const DATASETS: [&[usize]; 10] = [
    &[0],
    &[1],
    &[2],
    &[0, 0],
    &[0, 1],
    &[0, 2],
    &[1, 1],
    &[1, 2],
    &[2, 2],
    &[2, 3],
];

/// What is seen before and after, for the bits that the others and the client hold.
fn views(epsilon0: f64, max_weight: u32, others: &[usize], own: [usize; 2]) -> [Vec<f64>; 2] {
    own.map(|own| {
        let all = others.iter().copied().chain([own]);
        let all: Vec<_> = all
            .map(|input| reports(epsilon0, input, max_weight))
            .collect();
        view(&all)
    })
}

/// δ at ε of a part of the view, the larger of both directions.
fn delta(views: &[Vec<f64>; 2], epsilon: f64, part: impl Fn(usize) -> bool) -> f64 {
    let at = |before: &[f64], after: &[f64]| -> f64 {
        let cells = before.iter().zip(after).enumerate();
        let cells = cells.filter(|&(cell, _)| part(cell));
        cells
            .map(|(_, (p, q))| (p - epsilon.exp() * q).max(0.0))
            .sum()
    };
    at(&views[0], &views[1]).max(at(&views[1], &views[0]))
}

#[test]
fn a_crowd_of_long_reports_learns_no_more_than_is_promised() {
    let mut gained = 0;
    for (epsilon0, max_weight) in [("0.5", 4), ("1", 3), ("1", 5), ("2.5", 1), ("2.5", 2)] {
        let value: f64 = epsilon0.parse().unwrap();
        let limit = WeightLimit {
            length: 7,
            max_weight: max_weight.into(),
        };
        for adjacency in BOTH {
            for others in DATASETS {
                let clients = others.len() + 1;
                let own = match adjacency {
                    Adjacency::Replacement => [0b01, 0b10],
                    Adjacency::Deletion => [0b01, 0],
                };
                let held: Vec<usize> = others.iter().map(|&hot| 1 << hot).collect();
                let seen = views(value, max_weight, &held, own);
                let cells = (clients + 1).pow(7);
                // All others are in the batch: their verdicts are the low bits above the sums.
                let kept =
                    |cell: usize| cell / cells % (1 << others.len()) + 1 == 1 << others.len();
                let in_batch: f64 = (0..seen[0].len())
                    .filter(|&c| kept(c))
                    .map(|c| seen[0][c])
                    .sum();
                for target in ["0.02", "0.1", "0.3"] {
                    let sum = sum(epsilon0, clients as u64);
                    let parsed = target.parse().unwrap();
                    let bounds = sum.epsilon_with_drops(&parsed, adjacency, limit).unwrap();
                    let upper = bounds.upper.to_f64();
                    let most = target.parse::<f64>().unwrap() * (1.0 + 1e-9);
                    let case = (epsilon0, max_weight, adjacency, others, target);
                    assert!(delta(&seen, upper, |_| true) <= most, "{case:?}");
                    // Among others whose reports are in the batch no more is promised, and holds.
                    assert!(delta(&seen, upper, kept) <= most * in_batch, "{case:?}");
                    let lower = sum.attained_epsilon_with_verdicts(
                        &parsed,
                        adjacency,
                        limit,
                        Verdicts::Each,
                    );
                    assert!(lower.unwrap().0 <= bounds.upper, "{case:?}");
                    gained += usize::from(bounds.upper < sum.local_epsilon(adjacency));
                }
            }
        }
    }
    assert!(gained > 100, "{gained}");
}

#[test]
fn two_clients_with_several_ones_learn_no_more_of_each_other_than_is_promised() {
    let mut gained = 0;
    for (epsilon0, max_weight) in [("0.3", 4), ("0.3", 5), ("1", 4), ("1", 6), ("2", 4)] {
        let value: f64 = epsilon0.parse().unwrap();
        let (sum, input) = (sum(epsilon0, 2), MultiHot { length: 7, ones: 2 });
        for (adjacency, pairs) in [
            (
                Adjacency::Replacement,
                &[[0b0011, 0b1100], [0b0011, 0b0101], [0b0001, 0b0110]][..],
            ),
            (Adjacency::Deletion, &[[0b0011, 0], [0b0001, 0]]),
        ] {
            for target in ["0.1", "0.3"] {
                let parsed = target.parse().unwrap();
                let bounds = sum
                    .epsilon_multi_hot_with_drops(&parsed, adjacency, input, max_weight.into())
                    .unwrap();
                gained += usize::from(bounds.upper < sum.local_epsilon_multi_hot(adjacency, input));
                let most = target.parse::<f64>().unwrap() * (1.0 + 1e-9);
                for &own in pairs {
                    for other in [0, 0b0001, 0b0011, 0b0110, 0b1100, 0b11_0000] {
                        let seen = views(value, max_weight, &[other], own);
                        let exact = delta(&seen, bounds.upper.to_f64(), |_| true);
                        let case = (epsilon0, max_weight, adjacency, target, own, other);
                        assert!(exact <= most, "{case:?}");
                    }
                }
            }
        }
    }
    assert!(gained >= 6, "{gained}");
}

#[test]
fn more_clients_hide_more_than_can_be_listed() {
    let delta = "1e-3".parse().unwrap();
    let limit = WeightLimit {
        length: 3,
        max_weight: 2,
    };
    let upper = |clients, verdicts| {
        let sum = sum("0.5", clients);
        let adjacency = Adjacency::Replacement;
        let bounds = sum.epsilon_with_verdicts(&delta, adjacency, limit, verdicts);
        bounds.unwrap()
    };
    let listed = upper(14, Verdicts::Each);
    assert!(listed.upper <= number("0.52597") && listed.revealed == 0);
    let next = upper(15, Verdicts::Each);
    assert_eq!((&next.upper, next.revealed), (&listed.upper, 1));
    // Who sees the number of drops only learns no more.
    assert!(upper(15, Verdicts::Counted).upper <= listed.upper);
    // From some size on the bound for any crowd is the better one.
    let crowd = upper(100, Verdicts::Each).upper;
    assert!(crowd <= number("0.39"), "{crowd}");
    assert!(upper(1000, Verdicts::Each).upper <= number("0.09"));
}

#[test]
fn only_the_critical_weight_of_the_own_report_tells() {
    let limit = WeightLimit {
        length: 200,
        max_weight: 83,
    };
    let bounds = sum("1", 120)
        .epsilon_with_drops(&"1e-6".parse().unwrap(), Adjacency::Deletion, limit)
        .unwrap();
    assert!(bounds.upper <= number("0.468"), "{bounds:?}");
    assert!(bounds.upper >= number("0.43221"), "{bounds:?}");
    // P(Bin(199, p) = 83), where P(Bin(199, p) ≥ 83) is 4.45e-6.
    assert!((bounds.critical.to_f64() / 2.234_588e-6 - 1.0).abs() < 1e-6);
}

#[test]
fn a_limit_of_no_ones_tells_nothing_under_replacement() {
    // Every accepted report is empty, and is dropped with the same probability under each input.
    let limit = WeightLimit {
        length: 20,
        max_weight: 0,
    };
    let delta = "1e-9".parse().unwrap();
    let bounds = sum("1", 5).epsilon_with_drops(&delta, Adjacency::Replacement, limit);
    assert!(bounds.unwrap().upper.is_zero());
    let bounds = sum("1", 5).epsilon_with_drops(&delta, Adjacency::Deletion, limit);
    assert!(bounds.unwrap().upper > number("0.8"));
}

#[test]
fn few_clients_hide_each_other_although_reports_are_dropped() {
    let limit = WeightLimit {
        length: 100,
        max_weight: 60,
    };
    let delta = "1e-6".parse().unwrap();
    let hiding = |clients| {
        let hiding = sum("1", clients).hiding_despite_drops(&delta, Adjacency::Replacement, limit);
        hiding.unwrap()
    };
    // At every size one client at most is not counted on, not everyone up to a certain size.
    for clients in [2, 10, 24, 25, 26, 200] {
        let hiding = hiding(clients);
        assert!(hiding.clients >= clients - 1);
        assert!(hiding.delta_of_others <= number("1e-10"));
        // P(Bin(98, p) = 59)·(q − p)
        assert!((hiding.critical.to_f64() / 1.703_926_5e-12 - 1.0).abs() < 1e-6);
    }
}

#[test]
fn what_is_attained_with_drops_is_below_what_is_promised() {
    for adjacency in BOTH {
        for (epsilon0, clients, length, max_weight, delta) in [
            ("0.5", 100, 20, 14, "1e-3"),
            ("1", 40, 5, 3, "1e-2"),
            ("1", 120, 200, 83, "1e-6"),
            ("2", 2000, 50, 25, "1e-9"),
            ("3", 500, 100, 25, "1e-30"),
            ("5", 5_000, 1000, 30, "1e-9"),
            ("0.05", 300, 10, 9, "1e-4"),
        ] {
            let (sum, delta) = (sum(epsilon0, clients), delta.parse().unwrap());
            let limit = WeightLimit { length, max_weight };
            let upper = sum.epsilon_with_drops(&delta, adjacency, limit).unwrap();
            for verdicts in [Verdicts::Each, Verdicts::Counted] {
                let lower = sum
                    .attained_epsilon_with_verdicts(&delta, adjacency, limit, verdicts)
                    .unwrap();
                assert!(lower.0 <= upper.upper, "{epsilon0} {clients} {adjacency:?}");
            }
        }
    }
}
