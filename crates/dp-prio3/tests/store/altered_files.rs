//! Every bit and every truncation of every file of a store of seen reports: refused, or nothing of
//! what was confirmed is lost.

use std::fs;
use std::path::{Path, PathBuf};

use crate::directory_reports::spend;
use dp_prio3::replay::{ReplayCheck, SeenReports as _, TimeWindow};
use dp_prio3::store::DirectoryReports;

/// A store with reports 0 to 5 in windows 3 and 4, confirmed in three steps; window 2 has expired.
fn store(path: &Path) {
    store_from(path, 0);
}

/// A store with the reports from `first` on.
fn store_from(path: &Path, first: u64) {
    let store = DirectoryReports::create(path, 10).expect("a fresh path");
    for number in 0..6 {
        assert_eq!(spend(&store, 3 + number % 2, first + number), ReplayCheck::New);
        if number == 1 {
            assert_eq!(spend(&store, 2, 9), ReplayCheck::New);
            store.expire_before(TimeWindow(3)).expect("a working store");
        }
        if number > 3 {
            store.sync().expect("a working store");
        }
    }
}

/// Whether the store opens. If it does it must know everything.
fn opens(path: &Path, what: &str) -> bool {
    let Ok(store) = DirectoryReports::open(path, 10) else {
        return false;
    };
    for number in 0..6 {
        let window = 3 + number % 2;
        assert_eq!(spend(&store, window, number), ReplayCheck::Repeated, "{what}: {number}");
    }
    assert_eq!(spend(&store, 2, 9), ReplayCheck::Expired, "{what}");
    true
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("writable");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("readable");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

/// Alters one file of a fresh copy, in all the ways that `alter` knows for its length, and gives
/// how many were refused and how many were harmless.
fn altered(alter: impl Fn(usize, &mut Vec<u8>) -> bool) -> (u32, u32) {
    let folder = tempfile::tempdir().expect("a folder");
    let whole = folder.path().join("whole");
    store(&whole);
    let copied = folder.path().join("copy");
    let (mut refused, mut harmless) = (0, 0);
    let files: Vec<PathBuf> = fs::read_dir(&whole)
        .expect("a folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    assert_eq!(files.len(), 4);
    for file in files {
        let name = file.file_name().expect("a name");
        let content = fs::read(&file).expect("readable");
        copy(&whole, &copied);
        for case in 0.. {
            let mut bytes = content.clone();
            if !alter(case, &mut bytes) {
                break;
            }
            fs::write(copied.join(name), &bytes).expect("writable");
            let what = format!("{} {case}", name.to_string_lossy());
            if opens(&copied, &what) {
                harmless += 1;
                // Nor does it the next time.
                assert!(opens(&copied, &what));
            } else {
                refused += 1;
                assert_eq!(fs::read(copied.join(name)).expect("readable"), bytes);
            }
        }
    }
    (refused, harmless)
}

/// Every flipped bit and every truncation is refused. What a crash leaves behind a log is harmless;
/// appended to another file it is refused.
#[test]
fn every_altered_file_is_refused_or_harmless() {
    let (refused, harmless) = altered(|bit, bytes| {
        let here = bit < 8 * bytes.len();
        if here {
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        here
    });
    assert!(refused > 2000 && harmless == 0, "{refused} {harmless}");
    let (refused, harmless) = altered(|length, bytes| {
        let here = length < bytes.len();
        bytes.truncate(length);
        here
    });
    assert!(refused > 250 && harmless == 0, "{refused} {harmless}");
    let tails: [&[u8]; 4] = [&[0], &[0; 52], &[0, 0, 0, 1, 9, 9, 9], &[0xff; 300]];
    let (refused, harmless) = altered(|case, bytes| {
        let tail = tails.get(case);
        bytes.extend(tail.copied().unwrap_or_default());
        tail.is_some()
    });
    assert_eq!((refused, harmless), (8, 8));
}

#[test]
fn a_file_that_is_missing_or_of_another_store_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    store(&one);
    store_from(&other, 100);
    let copied = folder.path().join("copy");
    for entry in fs::read_dir(&one).unwrap() {
        let name = entry.unwrap().file_name();
        copy(&one, &copied);
        fs::copy(other.join(&name), copied.join(&name)).unwrap();
        assert!(!opens(&copied, "mixed"), "{name:?}");
        copy(&one, &copied);
        fs::remove_file(copied.join(&name)).unwrap();
        assert!(!opens(&copied, "missing"), "{name:?}");
    }
    // The log of one window under the name of the other.
    copy(&one, &copied);
    fs::copy(one.join("window.3"), copied.join("window.4")).unwrap();
    assert!(!opens(&copied, "exchanged"));
}

/// What follows the torn end of a log is found again: the end is cut first.
#[test]
fn a_store_goes_on_after_what_a_crash_left_half_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen");
    store(&path);
    let log = path.join("window.3");
    let torn = [&fs::read(&log).unwrap()[..], &[0, 0, 0, 9, 1, 2, 3]].concat();
    fs::write(&log, torn).unwrap();
    for number in 10..12 {
        let store = DirectoryReports::open(&path, 10).unwrap();
        assert_eq!(spend(&store, 3, number), ReplayCheck::New);
        store.sync().unwrap();
        drop(store);
        let store = DirectoryReports::open(&path, 10).unwrap();
        assert_eq!(spend(&store, 3, number), ReplayCheck::Repeated);
    }
    assert!(opens(&path, "torn"));
}
