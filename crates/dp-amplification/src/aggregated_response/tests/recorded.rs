//! What the mixtures come to, on record.

use super::*;
use crate::aggregated_response::AggregatedResponse;
use crate::aggregated_response::binomial::sums;
use crate::aggregated_response::thirds::{Thirds, together};
use crate::aggregated_response::walk;
use dp_record::Record;

/// E, answers, clients, and how deep tails are followed.
const SURVEYS: [(f64, u64, u64, f64); 14] = [
    (1.3, 3, 12, 45.0),
    (1.3, 4, 300, 60.0),
    (2.75, 3, 7, 60.0),
    (2.75, 5, 40, 300.0),
    (2.75, 1000, 2000, 60.0),
    (7.5, 3, 2, 45.0),
    (7.5, 4, 150, 45.0),
    (7.5, 20, 20_000, 60.0),
    (148.5, 3, 31, 60.0),
    (148.5, 20, 1000, 45.0),
    (148.5, 3, 5000, 200.0),
    (148.5, 100_000, 300, 60.0),
    (30_000.0, 7, 900, 60.0),
    (30_000.0, 3, 1, 60.0),
];

/// From 1 to beyond E.
fn alphas(e: f64) -> impl Iterator<Item = f64> {
    let shares = [
        0.0, 1e-9, 1e-4, 0.003, 0.02, 0.08, 0.2, 0.35, 0.6, 0.9, 0.999, 1.0, 1.1,
    ];
    shares.into_iter().map(move |share| 1.0 + share * (e - 1.0))
}

#[test]
fn sums_of_answers_are_those_on_record() {
    let mut record = Record::default();
    for (e, answers, clients, depth) in SURVEYS {
        let survey = Survey {
            e,
            answers,
            clients,
        };
        let name = |of: &str| format!("{of} of {clients} of {answers} at {e}, {depth}");
        for side in [Side::Lower, Side::Upper] {
            let crowd = Crowd::new(survey, side, depth).expect("a crowd");
            record.add(
                &name(&format!("{side:?}")),
                alphas(e).map(|alpha| crowd.delta(alpha)),
            );
            let mut thirds = Thirds::new(survey, side, depth);
            for (from, to) in [(0, 0), (0, 1), (1, 3), (5, 9), (20, 50)] {
                let to: u64 = to;
                if to < clients {
                    let nodes = thirds.nodes(from, to).expect("nodes").to_vec();
                    let numbers = nodes.into_iter().flat_map(|(more, mass)| [more, mass]);
                    record.add(&name(&format!("{side:?} thirds {from} to {to}")), numbers);
                }
            }
        }
        if let Some(alike) = Alike::new(survey, depth) {
            record.add(&name("alike"), alphas(e).map(|alpha| alike.delta(alpha)));
        }
        if let Some(listed) = Enumeration::new(&survey) {
            let bounds = alphas(e).flat_map(|alpha| [listed.upper(alpha), listed.lower(alpha).0]);
            record.add(&name("listed"), bounds);
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_response/tests/recorded.txt",
    );
}

#[test]
fn answers_with_noise_are_those_on_record() {
    let mut record = Record::default();
    for (e, answers, clients, depth) in SURVEYS {
        let survey = Survey {
            e,
            answers,
            clients: clients.min(2500),
        };
        for variance in ["0.01", "0.3", "5.5", "52", "700.5"] {
            let found = NoisyCrowd::new(survey, &variance.parse().expect("a number"), depth);
            let name = format!("{variance} over {clients} of {answers} at {e}, {depth}");
            match found {
                Some(crowd) => record.add(&name, alphas(e).map(|alpha| crowd.delta(alpha))),
                None => record.add_answer(&name, &"none"),
            }
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_response/tests/noisy.txt",
    );
}

#[test]
fn binomials_and_walks_are_those_on_record() {
    let mut record = Record::default();
    for (trials, odds) in [
        (0, 0.5),
        (1, 3.0),
        (9, 0.01),
        (400, 1.0),
        (3000, 0.0007),
        (100_000, 7.0),
    ] {
        for depth in [20.0, 60.0, 500.0] {
            let odds = Bounds {
                lower: odds,
                upper: f64::next_up(odds),
            };
            let law = Binomial::new(trials, odds, depth).expect("a law");
            let name = |of: &str| format!("{of} of {trials} at {}, {depth}", odds.lower);
            let of_sums = sums(&law.lower, &law.upper);
            record.add(&name("lower"), law.lower.iter().copied());
            record.add(&name("upper"), law.upper.iter().copied());
            record.add(
                &name("sums"),
                [
                    of_sums.lower,
                    of_sums.upper,
                    law.total.lower,
                    law.total.upper,
                    law.below,
                    law.above,
                    law.normalized_up(0.25),
                    law.normalized_down(0.25),
                ],
            );
            let together = together(&law);
            let together = together.into_iter().flat_map(|(place, mass)| [place, mass]);
            record.add(&name("together"), together);
        }
    }
    for steps in [1, 2, 3, 8, 33, 1000] {
        for side in [Side::Lower, Side::Upper] {
            let excess = walk::Excess::new(steps, 60.0, side).expect("a walk");
            let thresholds = (0..200_u32).map(|place| f64::from(place) * 0.37);
            record.add(
                &format!("{side:?} excess of {steps}"),
                thresholds.map(|threshold| excess.at(threshold)),
            );
        }
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_response/tests/walks.txt",
    );
}

#[test]
fn answers_about_answers_are_those_on_record() {
    let mut record = Record::default();
    for (epsilon0, answers, clients) in [
        ("0.5", 2, 90),
        ("1", 3, 6),
        ("1", 4, 1),
        ("2", 5, 500),
        ("5", 30, 3000),
        ("6", 3, 100_000),
    ] {
        let value = epsilon0.parse().expect("a number");
        let sum = AggregatedResponse::new(value, answers, clients).expect("a sum");
        let name = |of: &str| format!("{of} of {clients} of {answers} at {epsilon0}");
        for delta in ["0", "1e-12", "0.001"] {
            let delta = delta.parse().expect("a number");
            record.add_answer(&name("epsilon"), &sum.epsilon(&delta));
            for variance in ["0.5", "40"] {
                let variance = variance.parse().expect("a number");
                let found = sum.epsilon_with_gaussian_noise(&delta, &variance);
                record.add_answer(&name("with noise"), &found);
            }
        }
        for epsilon in ["0.01", "0.3", "2"] {
            let epsilon = epsilon.parse().expect("a number");
            record.add_answer(&name("delta"), &sum.delta(&epsilon));
        }
        let deviation = sum.standard_deviation_of_empty_bucket();
        record.add(&name("deviation"), [deviation]);
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/aggregated_response/tests/answers.txt",
    );
}
