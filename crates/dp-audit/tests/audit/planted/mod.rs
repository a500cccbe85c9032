//! Faults that are planted on purpose, and what catches each of them. The table in the README has them by name.

mod clients;
mod deployments;
mod estimates;
mod noise;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::thread;

use dp_audit::{Audit, FromFn, Generator, Input, Planted, Questions, Views};
use dp_calibration::TrustModel;
use dp_prio3::DpPolicy;
use dp_task::Measured;

const README: &str = include_str!("../../../README.md");

/// That the README's table names it, caught by this in the test that runs.
fn is_listed(fault: &str, by: &str) {
    let thread = thread::current();
    let test = thread
        .name()
        .and_then(|name| name.strip_prefix("planted::"));
    // Tests that run one by one have the main thread.
    let row = match test {
        Some(test) => format!("| {fault} | {by} | `{test}` |"),
        None => format!("| {fault} | {by} | "),
    };
    assert!(README.contains(&row), "the README lacks: {row}");
}

/// The sound policies that are being audited, or have been.
static AUDITED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// The sources of the tests.
const SOURCES: [(&str, &str); 4] = [
    ("clients", include_str!("clients.rs")),
    ("deployments", include_str!("deployments.rs")),
    ("estimates", include_str!("estimates.rs")),
    ("noise", include_str!("noise.rs")),
];

#[test]
fn every_row_of_the_table_has_its_test() {
    let (_, table) = README.split_once("## Planted faults").expect("a heading");
    let (table, _) = table.split_once("\n## ").expect("another heading");
    let mut faults = 0;
    for row in table.lines().filter(|line| line.ends_with("` |")) {
        let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
        let [fault, _, test] = cells[..] else {
            panic!("{row}");
        };
        let (module, test) = test.trim_matches('`').split_once("::").expect("a path");
        let source = SOURCES.iter().find(|(name, _)| *name == module);
        let (_, source) = source.unwrap_or_else(|| panic!("{row}"));
        let body = source.split_once(&format!("#[test]\nfn {test}() {{"));
        let (_, body) = body.unwrap_or_else(|| panic!("no such test: {row}"));
        let (body, _) = body.split_once("\n}\n").expect("an end");
        assert!(body.contains(&format!("\"{fault}\"")), "not planted: {row}");
        faults += 1;
    }
    assert!(faults >= 65, "{faults}");
}

fn audit() -> Audit {
    Audit::new(60_000, 1e-9, 1).expect("an audit")
}

fn in_model(model: TrustModel) -> Questions {
    Questions {
        models: vec![model],
        honest_clients: 1,
        deltas: ["1e-9", "1/100"]
            .map(|delta| delta.parse().expect("a delta"))
            .to_vec(),
    }
}

/// That an audit refutes what the policy with the fault promises in OAOC, but not what the sound one does.
fn refutes<P>(fault: &str, sound: &Planted<P>, planted: Planted<P>)
where
    P: DpPolicy<Measurement: Measured> + Clone + 'static,
{
    refutes_in(TrustModel::OneAggregatorOneClient, fault, sound, planted);
}

/// The same in another trust model.
fn refutes_in<P>(model: TrustModel, fault: &str, sound: &Planted<P>, planted: Planted<P>)
where
    P: DpPolicy<Measurement: Measured> + Clone + 'static,
{
    let questions = in_model(model);
    let are_refuted = |policy: Planted<P>| {
        let findings = questions
            .audit(&Arc::new(policy), &audit())
            .expect("an audit");
        assert!(!findings.is_empty(), "{fault}: nothing is promised");
        let most = findings
            .iter()
            .map(|finding| finding.bound.epsilon - finding.claim.epsilon);
        (
            findings.iter().any(dp_audit::Finding::is_refuted),
            most.fold(f64::MIN, f64::max),
        )
    };
    // Once for all faults that are planted in it.
    let is_new = || {
        let mut audited = AUDITED.lock().expect("names of policies");
        audited.insert(format!("{model:?} {sound:?}"))
    };
    assert!(
        !is_new() || !are_refuted(sound.clone()).0,
        "{fault}: the sound policy is refuted"
    );
    let (is_refuted, by) = are_refuted(planted);
    assert!(is_refuted, "{fault}: not refuted, {by}");
    is_listed(fault, "audit");
}

/// That an audit refutes that this mechanism is (ε, 0)-differentially private.
fn refutes_views<F>(fault: &str, epsilon: f64, width: usize, observe: F)
where
    F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), dp_audit::Error> + Sync,
{
    let views = FromFn::new(width, observe);
    assert_eq!(views.width(), width);
    let bound = audit().lower_bound(&views, 0.0).expect("a bound");
    assert!(bound.epsilon > epsilon, "{fault}: {bound:?}");
    is_listed(fault, "audit");
}
