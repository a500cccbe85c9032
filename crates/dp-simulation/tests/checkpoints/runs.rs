//! However a run is cut and stopped, its parts come to the same.

use dp_simulation::checkpoints::{CheckpointError, RunFolder, Share};

use crate::{merged, payload, run};

#[test]
fn shares_have_every_block_once() {
    for blocks in [0, 1, 7, 64, 1_000_003, u64::MAX] {
        for of in [1_u64, 2, 3, 7, 64, 1000] {
            let mut next = 0;
            for number in 1..=of {
                let share: Share = format!("{number}/{of}").parse().expect("a share");
                let range = share.of_blocks(blocks);
                assert_eq!(range.start, next);
                next = range.end;
            }
            assert_eq!(next, blocks);
        }
    }
    for text in ["", "1", "0/4", "5/4", "1/0", "+1/4", "1/ 4", "1/4/4", "1/1000001", "a/b"] {
        let error = text.parse::<Share>().expect_err("none");
        assert_eq!(error.name(), "range");
    }
    assert_eq!("3/7".parse::<Share>().expect("a share").to_string(), "3/7");
}

/// Work begins with some shares, stops anywhere, and continues with other shares.
#[test]
fn any_cuts_and_stops_come_to_the_whole() {
    for (blocks, shares) in [(1, &[2_u64][..]), (7, &[3, 1]), (59, &[2, 5, 3]), (40, &[6, 4])] {
        let place = tempfile::tempdir().expect("a folder");
        let (path, run) = (place.path().join("run"), run(blocks));
        for (phase, of) in (0_u64..).zip(shares) {
            for number in 1..=*of {
                let share: Share = format!("{number}/{of}").parse().expect("a share");
                let folder = RunFolder::resume(&path, &run).expect("the same run");
                // A file that grows by two blocks a time, until the process stops.
                let mut left = (phase + number) % 4;
                for missing in folder.missing(share.of_blocks(blocks)).expect("a folder") {
                    let mut end = missing.start;
                    while left > 0 && end < missing.end {
                        end = (end + 2).min(missing.end);
                        let done = missing.start..end;
                        folder.write(done.clone(), &payload(&done)).expect("written");
                        left -= 1;
                    }
                }
            }
        }
        let folder = RunFolder::resume(&path, &run).expect("the same run");
        for missing in folder.missing(Share::WHOLE.of_blocks(blocks)).expect("a folder") {
            let refused = merged(&path).expect_err("not whole").to_string();
            assert!(refused.contains("no file has blocks"), "{refused}");
            folder.write(missing.clone(), &payload(&missing)).expect("written");
        }
        assert_eq!(merged(&path).expect("whole"), payload(&(0..blocks)));
    }
}

#[test]
fn a_run_does_not_begin_where_there_is_one() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("deep/in/run");
    assert!(matches!(RunFolder::read(&path), Err(CheckpointError::NoRun(_))));
    let folder = RunFolder::create(&path, &run(4)).expect("a new one");
    assert_eq!(folder.run(), &run(4));
    let again = RunFolder::create(&path, &run(4)).expect_err("it is there");
    assert!(again.to_string().contains("there is a run in it already"), "{again}");
    let mut other = run(4);
    other.digest[0] = 6;
    let error = RunFolder::resume(&path, &other).expect_err("another run");
    let text = error.to_string();
    assert!(
        text.contains("run.json: it is of another run") && text.contains("050505050505"),
        "{text}"
    );
    assert_eq!(RunFolder::read(&path).expect("the run").run(), &run(4));
}

#[test]
fn what_is_missing_is_named() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path().join("run"), &run(20)).expect("a new one");
    for blocks in [2..5, 6..19] {
        folder.write(blocks.clone(), &payload(&blocks)).expect("written");
    }
    let error = folder.parts().err().expect("not whole").to_string();
    assert!(error.ends_with("no file has blocks 0 to 1, 5, 19 of 0 to 19"), "{error}");
    assert!(!error.contains('\n'));
}

#[cfg(unix)]
#[test]
fn nobody_else_can_read_what_is_written() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("run");
    let folder = RunFolder::create(&path, &run(2)).expect("a new one");
    folder.write(0..2, &[0, 1]).expect("written");
    let mode = |path: &std::path::Path| {
        let there = std::fs::metadata(path).expect("there");
        there.permissions().mode() & 0o7777
    };
    assert_eq!(mode(&path), 0o700);
    let files = std::fs::read_dir(&path).expect("a folder");
    let files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn what_killed_processes_left_beside_files_is_removed() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = RunFolder::create(place.path().join("run"), &run(10)).expect("a new one");
    let left = folder.path().join(".dp-files-0123456789abcdef-0");
    std::fs::write(&left, "half a part").expect("written");
    folder.missing(0..1).expect("a folder");
    assert!(!left.exists());
}
