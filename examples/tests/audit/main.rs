//! An audit of a program that is run once for each collection, from its first request to its
//! verdict.

use std::time::Duration;

use dp_audit::{Conformance, ConformanceResult, ExpectedRelease, Fault, Program, Submissions};
use dp_task::Task;

const CLIENTS: u64 = 5;

fn task() -> Task {
    Task::from_toml(include_str!("../../audit/task.toml")).expect("a task")
}

fn submissions() -> Submissions {
    Submissions::of_task("a test", &task(), Some(CLIENTS)).expect("submissions")
}

/// The result of an audit of parties with a fixed seed: with fresh randomness, tests that expect a
/// fault by its name would fail now and then.
fn audited(fault: &str) -> ConformanceResult {
    let command = format!("{} --seed 1{fault}", env!("CARGO_BIN_EXE_audited-parties"));
    let expected = ExpectedRelease::of(task().policy()).expect("a distribution");
    let program = Program::new(&command, Duration::from_secs(600)).expect("a command");
    let result = Conformance::of(
        &mut |request| program.answers(request),
        &submissions(),
        expected,
        1e-6,
        1000,
    );
    result.expect("a result")
}

#[test]
fn the_parties_of_dp_prio3_conform_at_each_attempt() {
    let result = audited("");
    assert!(result.conforms(), "{result:?}");
    let later = result.verdicts.iter().any(|verdict| verdict.is_of_later_attempts);
    assert!(later, "{result:?}");
}

#[test]
fn faults_are_found_by_their_names() {
    for (name, fault, is_later) in [
        ("silent-aggregator", Fault::Missing(1), false),
        ("fixed-seed", Fault::DependentBatches, false),
        ("first-attempt-only", Fault::Missing(1), true),
    ] {
        let result = audited(&format!(" --fault {name}"));
        let found = result.found().expect("a fault");
        assert_eq!(found.fault, fault, "{result:?}");
        assert!(!is_later || found.is_of_later_attempts, "{result:?}");
    }
}
