//! One process works at a block, and the death of a process gives its blocks back.

use std::env;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use dp_simulation::checkpoints::{CheckpointError, RunFolder};

use crate::{merged, payload, run};

const PATH: &str = "DP_PARTS_TEST_PATH";

/// This test, run as a process of its own: it claims blocks 3 to 7, writes the first two of them, and works on until it
/// is killed.
#[test]
fn a_worker() {
    let Ok(path) = env::var(PATH) else { return };
    let folder = RunFolder::resume(path, &run(10)).expect("the run");
    let claim = folder.claim(3..8).expect("nobody works");
    claim.write(3..5, &payload(&(3..5))).expect("written");
    println!("at work");
    std::thread::sleep(std::time::Duration::from_secs(600));
}

#[test]
fn a_worker_that_is_killed_gives_its_blocks_back() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("run");
    let mut worker = Command::new(env::current_exe().expect("this test"))
        .args(["--exact", "claims::a_worker", "--nocapture"])
        .env(PATH, &path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a process");
    let lines = BufReader::new(worker.stdout.take().expect("piped")).lines();
    let mut lines = lines.map(|line| line.expect("a line"));
    assert!(lines.any(|line| line.contains("at work")));

    let folder = RunFolder::resume(&path, &run(10)).expect("the run");
    for blocks in [0..4, 7..10, 0..10, 4..5] {
        let error = folder.claim(blocks).expect_err("somebody works");
        let text = error.to_string();
        assert!(matches!(error, CheckpointError::InWork { .. }), "{text}");
        assert!(text.ends_with("another process works at blocks 3 to 7"), "{text}");
    }
    let beside = folder.claim(0..3).expect("nobody works");
    beside.write(0..3, &payload(&(0..3))).expect("written");
    drop(beside);

    worker.kill().expect("it lived");
    worker.wait().expect("it is dead");
    let claim = folder.claim(0..10).expect("nobody works");
    assert_eq!(claim.missing(), std::slice::from_ref(&(5..10)));
    claim.write(5..10, &payload(&(5..10))).expect("written");
    assert_eq!(merged(&path).expect("whole"), payload(&(0..10)));
    drop(claim);
    let left = std::fs::read_dir(&path).expect("a folder");
    let left = left.map(|file| file.expect("a file").file_name());
    let claims = left.filter(|name| name.to_string_lossy().starts_with("claim-"));
    assert_eq!(claims.count(), 0);
}

#[test]
fn a_share_without_blocks_is_in_nobodys_way() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path().join("run"), &run(10)).expect("a new one");
    let none = folder.claim(5..5).expect("nobody works");
    assert!(none.missing().is_empty());
    let all = folder.claim(0..10).expect("nobody works");
    let another = folder.claim(5..5).expect("none of the blocks");
    drop((none, another));
    assert!(folder.claim(5..6).is_err());
    drop(all);
}

#[test]
fn what_was_left_beside_files_is_removed() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path().join("run"), &run(10)).expect("a new one");
    let left = folder.path().join(".dp-files-0123456789abcdef-0");
    std::fs::write(&left, "half a part").expect("written");
    let locked = folder.path().join(".dp-files-fedcba9876543210-0");
    let at_work = std::fs::File::create(&locked).expect("created");
    at_work.lock().expect("nobody else has it");
    folder.claim(0..1).expect("nobody works");
    assert_eq!((left.exists(), locked.exists()), (false, true));
}
