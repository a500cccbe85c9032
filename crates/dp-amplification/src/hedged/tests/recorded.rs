//! What bits and noise come to together, on record.

use super::*;
use crate::aggregated_rappor::MultiHot;
use crate::compensation::{Batch, Compensation};
use dp_record::Record;

const ALPHAS: [f64; 13] = [
    1.0, 1.0000001, 1.0003, 1.01, 1.04, 1.1, 1.25, 1.5, 2.0, 3.0, 7.0, 100.0, 1e4,
];

/// Noise, and what it is called here.
fn laws() -> [(&'static str, NoiseLaw); 7] {
    let gaussian = |variance: &str| NoiseLaw::DiscreteGaussian {
        variance: variance.parse().expect("a number"),
    };
    let laplace = |scale: &str| NoiseLaw::DiscreteLaplace {
        scale: scale.parse().expect("a number"),
    };
    [
        ("gaussian 0.2", gaussian("0.2")),
        ("gaussian 3.7", gaussian("3.7")),
        ("gaussian 60", gaussian("60")),
        ("gaussian 2500.5", gaussian("2500.5")),
        ("laplace 0.4", laplace("0.4")),
        ("laplace 3", laplace("3")),
        ("laplace 41.5", laplace("41.5")),
    ]
}

#[test]
fn counts_with_noise_are_those_on_record() {
    let mut record = Record::default();
    for epsilon0 in ["0.1", "1", "5"] {
        let flip = Flip::new(&epsilon0.parse().expect("a number")).expect("in range");
        for (text, law) in laws() {
            for aggregators in [1, 2, 3] {
                let joint = Joint {
                    flip: &flip,
                    noise: Some((&law, aggregators)),
                    others: 60,
                    ones: 0..=60,
                };
                let name = |of: &str| format!("{of} of {epsilon0}, {text}, {aggregators}");
                let Some(hiding) = joint.hiding(60.0) else {
                    record.add_answer(&name("hiding"), &"none");
                    continue;
                };
                for (zeros, ones) in [(0, 0), (2, 1), (60, 0), (0, 60), (25, 35), (3000, 100)] {
                    let Some(hidden) = hiding.count(zeros, ones) else {
                        record.add_answer(&name("count"), &"none");
                        continue;
                    };
                    let name = |of: &str| name(&format!("{of}, {zeros} and {ones},"));
                    let law = &hidden.count.law;
                    record.add(&name("law"), law.lower.iter().chain(&law.upper).copied());
                    record.add(
                        &name("missing"),
                        [hidden.missing, hiding.farthest_loss(&hidden)],
                    );
                    record.add(&name("curve"), hiding.upper_at(&hidden, &ALPHAS));
                }
                for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
                    let others = OthersHold {
                        removed: 50,
                        added: 10,
                        neither: 0,
                    };
                    let name = name(&format!("attained, {adjacency:?},"));
                    match joint.attained(&hiding, others, adjacency) {
                        Some(attained) => {
                            record.add(&name, ALPHAS.map(|alpha| attained.delta(alpha)))
                        }
                        None => record.add_answer(&name, &"none"),
                    }
                }
            }
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "src/hedged/tests/counts.txt");
}

#[test]
fn curves_with_noise_are_those_on_record() {
    let mut record = Record::default();
    for (epsilon0, others, ones) in [
        ("0.3", 8, 0..=8),
        ("2", 40, 5..=30),
        ("5", 300, 0..=300),
        ("1", 2500, 100..=2000),
    ] {
        let flip = Flip::new(&epsilon0.parse().expect("a number")).expect("in range");
        for (text, law) in laws() {
            let joint = Joint {
                flip: &flip,
                noise: Some((&law, 1)),
                others,
                ones: ones.clone(),
            };
            let name = |of: &str| format!("{of} of {epsilon0}, {text}, {others}, {ones:?}");
            let Some(curves) = Curves::new(&joint, 60.0) else {
                record.add_answer(&name("curves"), &"none");
                continue;
            };
            if let Some(pair) = curves.pair() {
                record.add(&name("one"), ALPHAS.map(|alpha| pair.one(alpha)));
                record.add(&name("two"), ALPHAS.map(|alpha| pair.two(alpha)));
            }
            if let Some(curve) = curves.curve() {
                record.add(&name("curve"), ALPHAS.map(|alpha| curve.two(alpha)));
            }
            let fine = curves.fine().map(|cover| cover.highest(0, others));
            record.add(&name("fine"), fine.unwrap_or_default());
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "src/hedged/tests/curves.txt");
}

#[test]
fn answers_about_both_ends_are_those_on_record() {
    let mut record = Record::default();
    for (epsilon0, clients, aggregators) in
        [("0.3", 1, 1), ("2", 12, 2), ("5", 130, 1), ("3", 3000, 3)]
    {
        for (text, law) in laws().into_iter().skip(1).step_by(2) {
            let value = epsilon0.parse().expect("a number");
            let policy = Hedged::new(value, clients, law, aggregators).expect("a policy");
            let name = |of: &str| format!("{of} of {epsilon0}, {clients}, {text}, {aggregators}");
            let errors = policy.standard_errors(clients, aggregators + 1);
            record.add_answer(&name("errors"), &errors);
            let delta = "1e-8".parse().expect("a number");
            for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
                let found = policy.epsilon(&delta, adjacency);
                record.add_answer(&name("epsilon"), &found);
                let found = policy.delta(&"0.4".parse().expect("a number"), adjacency);
                record.add_answer(&name("delta"), &found);
                let found = policy.epsilon(&"0".parse().expect("a number"), adjacency);
                record.add_answer(&name("pure epsilon"), &found);
                let (length, ones) = (9, 3);
                let input = MultiHot { length, ones };
                let found = policy.epsilon_multi_hot(&delta, adjacency, input);
                record.add_answer(&name("three ones"), &found);
                let found = policy.epsilon_multi_hot_with_drops(&delta, adjacency, input, 7);
                record.add_answer(&name("three ones, dropped,"), &found);
                let pair = policy.dominating_pair(adjacency);
                record.add_answer(&name("pair"), &pair.known());
            }
        }
    }
    record.assert_is(env!("CARGO_MANIFEST_DIR"), "src/hedged/tests/answers.txt");
}

#[test]
fn compensated_sums_are_those_on_record() {
    let mut record = Record::default();
    for (epsilon0, reports, malicious, calibrated_for, aggregators) in [
        ("1", 12, 2, 10, 2),
        ("1", 12, 2, 40, 1),
        ("3", 400, 100, 1000, 3),
        ("5", 20_000, 1, 21_000, 2),
    ] {
        let batch = Batch { reports, malicious };
        let value = epsilon0.parse().expect("a number");
        let plan = Compensation::new(value, batch, calibrated_for, aggregators).expect("a plan");
        let name = |of: &str| format!("{of} of {epsilon0}, {reports}, {calibrated_for}");
        for adjacency in [Adjacency::Replacement, Adjacency::Deletion] {
            let found = plan.epsilon(&"1e-8".parse().expect("a number"), adjacency);
            record.add_answer(&name("epsilon"), &found);
            let found = plan.delta(&"0.2".parse().expect("a number"), adjacency);
            record.add_answer(&name("delta"), &found);
        }
        let biases = [
            (1, plan.debias_count()),
            (aggregators, reports),
            (0, calibrated_for),
        ];
        let biases = biases.map(|(by, count)| plan.bias(by, count));
        record.add(&name("bias"), biases);
        record.add(&name("error"), [plan.standard_error()]);
    }
    record.assert_is(
        env!("CARGO_MANIFEST_DIR"),
        "src/hedged/tests/compensated.txt",
    );
}
