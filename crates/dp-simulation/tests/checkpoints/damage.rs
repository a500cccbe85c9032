//! What was changed, cut, doubled or brought from elsewhere is refused by its name.

use std::fs;
use std::path::{Path, PathBuf};

use dp_simulation::checkpoints::RunFolder;

use crate::{merged, payload, run};

/// A whole run of three parts.
fn whole(place: &Path) -> PathBuf {
    let path = place.join("run");
    let folder = RunFolder::create(&path, &run(9)).expect("a new one");
    for blocks in [0..2, 2..7, 7..9] {
        folder.write(blocks.clone(), &payload(&blocks)).expect("written");
    }
    assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
    path
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let place = tempfile::tempdir().expect("a folder");
    let path = whole(place.path());
    let file = path.join("part-000000000002-000000000007");
    let bytes = fs::read(&file).expect("a file");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        let error = merged(&path).expect_err("noticed").to_string();
        assert!(error.contains("part-000000000002") && !error.contains('\n'), "{error}");
    };
    for position in 0..bytes.len() {
        for change in [0x01, 0x80] {
            let mut other = bytes.clone();
            other[position] ^= change;
            refused(&other);
        }
        refused(&bytes[..position]);
    }
    refused(&[bytes.as_slice(), b" "].concat());
    fs::write(&file, &bytes).expect("written");
    assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
    // Under the name of other blocks.
    fs::rename(&file, path.join("part-000000000002-000000000008")).expect("renamed");
    assert!(merged(&path).is_err());
}

#[test]
fn each_block_counts_once_and_what_contradicts_another_part_is_refused_by_name() {
    let place = tempfile::tempdir().expect("a folder");
    let path = whole(place.path());
    let folder = RunFolder::read(&path).expect("the run");
    for covered in [3..4, 7..8] {
        folder.write(covered.clone(), &payload(&covered)).expect("written");
        assert_eq!(merged(&path).expect("whole"), payload(&(0..9)));
    }
    folder.write(6..8, &payload(&(6..8))).expect("written");
    let error = merged(&path).expect_err("doubled").to_string();
    assert!(error.contains("part-000000000006-000000000008: it has block 6, as "), "{error}");
    fs::remove_file(path.join("part-000000000006-000000000008")).expect("there");

    let mut other = run(9);
    other.digest[31] = 0;
    let foreign = RunFolder::create(place.path().join("other"), &other).expect("a new one");
    foreign.write(2..7, &payload(&(2..7))).expect("written");
    let name = "part-000000000002-000000000007";
    fs::copy(foreign.path().join(name), path.join(name)).expect("copied");
    let error = merged(&path).expect_err("foreign").to_string();
    assert!(error.contains(name) && error.contains("it is of another run"), "{error}");
}
