//! A process of number 1 that forks another one of number 1, in a namespace of its own: so it is
//! where a container starts another one.

use std::cell::RefCell;
use std::env::current_exe;
use std::process::{Command, id};

use dp_ledger::{Budget, Ledger, Release, Terms};
use dp_prio3::replay::{MemoryReports, ReplayCheck, ReportKey, SeenReports as _, TimeWindow};
use dp_tests::fork::Child;
use nix::sched::{CloneFlags, unshare};

/// Skipped where namespaces are not allowed.
#[test]
fn a_copy_of_the_same_number_in_another_namespace_is_refused() {
    let mut program = Command::new("unshare");
    program.args(["--pid", "--fork"]).arg(current_exe().expect("this program"));
    program.args(["--exact", "containers::process_1_forks_process_1", "--ignored"]);
    let Ok(output) = program.output() else { return };
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    if !text.contains("not permitted") {
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
    }
}

#[test]
#[ignore = "runs as process 1, started by the test above"]
fn process_1_forks_process_1() {
    if id() != 1 {
        return;
    }
    let limit = Budget::Pure { epsilon: "1".parse().expect("positive") };
    let store = MemoryReports::default();
    let ledger = RefCell::new(Ledger::new(Terms::new(limit.clone())).expect("in range"));
    let spend = || store.spend(TimeWindow(0), &ReportKey([7; 32]));
    let pay = || ledger.borrow_mut().spend("all", &Release::new(limit.clone()), None);
    unshare(CloneFlags::CLONE_NEWPID).expect("as the first time");
    let copy = Child::start(|| {
        assert_eq!(id(), 1);
        vec![spend().is_err().into(), pay().is_err().into()]
    });
    assert_eq!(copy.join(), [1, 1], "both are refused");
    assert_eq!(spend().expect("its own store"), ReplayCheck::New);
    pay().expect("its own ledger");
}
