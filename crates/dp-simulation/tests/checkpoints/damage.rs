//! What was changed, cut, doubled or brought from elsewhere is refused by its name.

use std::fs;
use std::path::{Path, PathBuf};

use dp_simulation::checkpoints::{CheckpointError, RunFolder};

use crate::{merged, payload, run};

/// A whole run of three parts.
fn whole(place: &Path) -> PathBuf {
    let path = place.join("run");
    let folder = RunFolder::create(&path, &run(9)).expect("a new one");
    let claim = folder.claim(0..9).expect("nobody works");
    for blocks in [0..2, 2..7, 7..9] {
        claim.write(blocks.clone(), &payload(&blocks)).expect("written");
    }
    assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
    path
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let place = tempfile::tempdir().expect("a folder");
    let path = whole(place.path());
    for name in ["part-000000000002", "run.json"] {
        let file = path.join(name);
        let bytes = fs::read(&file).expect("a file");
        for position in 0..bytes.len() {
            for change in [0x01, 0x80] {
                let mut other = bytes.clone();
                other[position] ^= change;
                fs::write(&file, &other).expect("written");
                let Err(error) = merged(&path) else {
                    panic!("{name}: byte {position} ^ {change} is not noticed");
                };
                let text = error.to_string();
                assert!(text.contains(name) || text.contains("no file has blocks"), "{text}");
                assert!(!text.contains('\n'), "{text}");
            }
            fs::write(&file, &bytes[..position]).expect("written");
            // Without its last byte, the end of a line, a document is whole.
            let is_whole = name == "run.json" && position + 1 == bytes.len();
            assert_eq!(merged(&path).is_ok(), is_whole, "{name}: cut after {position}");
        }
        fs::write(&file, [bytes.as_slice(), b" "].concat()).expect("written");
        // White space after a document is none of it.
        assert_eq!(merged(&path).is_ok(), name == "run.json");
        fs::write(&file, &bytes).expect("written");
    }
    assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
}

#[test]
fn doubled_and_foreign_parts_are_refused_by_name() {
    let place = tempfile::tempdir().expect("a folder");
    let path = whole(place.path());
    let copy = path.join("part-000000000003");
    fs::copy(path.join("part-000000000002"), &copy).expect("copied");
    let error = merged(&path).expect_err("doubled");
    assert!(error.to_string().contains("it has block 2, as "), "{error}");

    let mut other = run(9);
    other.digest[31] = 0;
    let foreign = RunFolder::create(place.path().join("other"), &other).expect("a new one");
    let claim = foreign.claim(0..9).expect("nobody works");
    claim.write(3..4, &payload(&(3..4))).expect("written");
    fs::copy(foreign.path().join("part-000000000003"), &copy).expect("copied");
    let error = merged(&path).expect_err("foreign");
    let text = error.to_string();
    assert!(matches!(error, CheckpointError::Foreign { .. }), "{text}");
    assert!(text.contains("part-000000000003"), "{text}");
}

#[test]
fn a_part_under_the_name_of_another_one_is_refused() {
    let place = tempfile::tempdir().expect("a folder");
    let path = whole(place.path());
    fs::remove_file(path.join("part-000000000007")).expect("there");
    fs::rename(path.join("part-000000000000"), path.join("part-000000000007")).expect("renamed");
    // Else the part of block 7 would be written over it.
    let folder = RunFolder::resume(&path, &run(9)).expect("the run");
    let error = folder.claim(0..9).expect_err("another name");
    let text = error.to_string();
    assert!(text.contains("part-000000000007: damaged: its name is not that of its"), "{text}");
}

#[test]
fn a_part_that_cannot_be_written_leaves_the_one_before() {
    let place = tempfile::tempdir().expect("a folder");
    let path = place.path().join("run");
    let folder = RunFolder::create(&path, &run(9)).expect("a new one");
    let claim = folder.claim(0..9).expect("nobody works");
    claim.write(0..2, &payload(&(0..2))).expect("written");
    // Something of another program is in the place of the next one.
    fs::write(path.join("part-000000000004"), "A thesis.").expect("written");
    let error = claim.write(4..5, &payload(&(4..5))).expect_err("in the way");
    assert!(error.to_string().contains("part-000000000004"), "{error}");
    assert_eq!(fs::read(path.join("part-000000000004")).expect("kept"), b"A thesis.");
    fs::remove_file(path.join("part-000000000004")).expect("there");
    claim.write(2..9, &payload(&(2..9))).expect("written");
    assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
}
