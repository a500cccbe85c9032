//! Claims to the blocks of a run across a fork: only one process works at them.

use std::cell::RefCell;

use dp_simulation::checkpoints::{CheckpointError, RunFolder, RunIdentity};
use dp_tests::fork::{alone, two};

fn run() -> RunIdentity {
    RunIdentity { digest: [7; 32], blocks: 4, kind: "forks".to_owned(), description: String::new() }
}

#[test]
fn a_forked_process_writes_no_parts_and_gives_no_claim_back() {
    let _alone = alone();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("run");
    let folder = RunFolder::create(&path, &run()).unwrap();
    let claim = RefCell::new(Some(folder.claim(0..4).unwrap()));
    let work = || {
        let claim = claim.borrow_mut().take().expect("one");
        match claim.write(0..4, b"forked") {
            Err(CheckpointError::Forked(_)) => b"refused".to_vec(),
            other => format!("{other:?}").into_bytes(),
        }
    };
    assert_eq!(two(work), [b"refused", b"refused"]);
    let other = RunFolder::resume(&path, &run()).unwrap();
    assert!(matches!(other.claim(0..4), Err(CheckpointError::InWork { .. })));
    let claim = claim.borrow_mut().take().expect("one");
    claim.write(0..4, b"own").unwrap();
}
