//! Which cells there are, and their seeds.

use std::collections::BTreeMap;

use dp_task::POLICIES;

use crate::common::{grid, planned, sweep};

const SWEEP: &str = "
    policies = ['histogram-laplace', 'histogram-gaussian', 'multihot-one-hot-rappor']
    budgets = [{ epsilon = '0.5', delta = '1e-9', epsilon0 = 2 }, { rho = '0.1' }, { epsilon = 1, epsilon0 = 2 }]
    clients = [100, 2000]
    lengths = [3, 12]
";

#[test]
fn a_policy_takes_of_a_budget_what_it_has() {
    let grid = grid(&sweep(SWEEP));
    // Laplace noise with two budgets, Gaussian noise with three, RAPPOR with two that differ in delta.
    assert_eq!(grid.cells.len(), (2 + 3 + 2) * 4);
    let left_out: Vec<(&str, &str)> =
        grid.left_out.iter().map(|pair| (pair.policy, &*pair.reason)).collect();
    assert_eq!(
        left_out,
        [
            ("histogram-laplace", "it takes epsilon"),
            ("multihot-one-hot-rappor", "it takes epsilon0"),
        ]
    );
    let of = |number: usize| grid.cells[number].parameters.given();
    assert_eq!(of(0), [("aggregators", "2"), ("epsilon", "0.5"), ("delta", "1e-9")]);
    assert_eq!(of(12), [("aggregators", "2"), ("rho", "0.1")]);
    assert_eq!(of(20), [("aggregators", "2"), ("delta", "1e-9"), ("epsilon0", "2")]);
}

/// Seeds by what the cell is, without its number.
fn seeds(text: &str) -> BTreeMap<String, u64> {
    let grid = grid(&sweep(text));
    let seeds = grid.cells.iter().map(|cell| (cell.to_string(), cell.seed));
    seeds.collect()
}

#[test]
fn a_seed_depends_on_the_parameters_and_not_on_the_order() {
    let all = seeds(SWEEP);
    let mut distinct: Vec<u64> = all.values().copied().collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 28);
    let turned = SWEEP.replace("[100, 2000]", "[2000, 100]").replace("[3, 12]", "[12, 3]").replace(
        "'histogram-laplace', 'histogram-gaussian'",
        "'histogram-gaussian', 'histogram-laplace'",
    );
    assert_eq!(seeds(&turned), all);
    // A part of the sweep has the same seeds, over Prio3 as well.
    let part = SWEEP.replace("[100, 2000]", "2000") + "functionality = 'prio3'";
    let part = seeds(&part);
    assert_eq!(part.len(), 14);
    assert!(part.iter().all(|(cell, seed)| all.get(cell) == Some(seed)));
    let first = |text: &str| grid(&sweep(text)).cells[0].seed;
    assert_ne!(first(&SWEEP.replace("'0.5'", "'0.6'")), first(SWEEP));
}

#[test]
fn a_cell_that_is_wrong_is_named_before_anything_runs() {
    let refused = |text: &str| match planned(&sweep(text), 1) {
        Ok(plan) => panic!("{} cells", plan.len()),
        Err(error) => error.to_string(),
    };
    let weak =
        "policies = 'count-laplace'\nclients = 10\nbudgets = [{ epsilon = 1 }, { epsilon = 21 }]";
    let said = refused(weak);
    let begin = "cell 2 (count-laplace, aggregators 2, epsilon 21, clients 10, trials 1): accept_weak_guarantee is missing";
    assert!(said.starts_with(begin), "{said}");
    assert!(planned(&sweep(&format!("{weak}\naccept_weak_guarantee = true")), 1).is_ok());
    let text = "policies = 'compensated-rappor'\nclients = 10\nlengths = 4\n\
                budgets = { epsilon0 = 1, target_honest_clients = 100, assumed_malicious_clients = 10 }";
    assert!(refused(text).contains("clients is 10: expected from 11 to 11"), "{}", refused(text));
    let text = "policies = 'sum-laplace'\nclients = 10\nbudgets = { epsilon = 1 }";
    assert!(refused(text).contains("max_measurement is missing"));
    let text =
        "policies = 'histogram-laplace'\nclients = 10\nlengths = 1\nbudgets = { epsilon = 1 }";
    assert!(refused(text).starts_with("cell 1 (histogram-laplace"), "{}", refused(text));
    let text = "policies = 'count-laplace'\nclients = 10\nbudgets = { epsilon = 1 }\ndata = { file = 'no.csv', column = 'a' }";
    assert_eq!(refused(text), "no.csv: no such file");
}

/// Every policy runs by a budget of all parameters, on synthetic data.
#[test]
fn every_policy_can_be_swept() {
    for policy in POLICIES {
        let parameters = policy.parameters();
        let values =
            parameters.iter().filter(|name| **name != "rho" && **name != "false_positive_rate");
        let values: Vec<String> = values
            .map(|name| match *name {
                "assumed_malicious_clients" => format!("{name} = 1"),
                name => format!("{name} = 2"),
            })
            .collect();
        let kind = policy.name.split('-').next();
        let adds = matches!(kind, Some("sum" | "average" | "sumvec" | "l1boundsum"));
        let text = format!(
            "policies = '{}'\nbudgets = {{ {} }}\nclients = 50\ntrials = 3\n{}{}",
            policy.name,
            values.join(", "),
            if adds { "max_measurement = 5\n" } else { "" },
            if !matches!(kind, Some("count" | "sum" | "average")) {
                "lengths = 6\ndata = 'zipf'"
            } else {
                ""
            },
        );
        let rows = crate::common::rows(&text, 1);
        assert_eq!((rows.len(), rows[0].clients), (1, 50), "{text}");
        assert!(rows[0].predicted_std > 0.0, "{text}");
    }
}
