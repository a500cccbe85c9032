//! Every bit and every truncation of every file of a store of seen reports: refused, or nothing of
//! what was confirmed is lost.

use std::fs;
use std::path::Path;

use super::{names, place, spend};
use crate::support::{flipped_bits, truncations};
use dp_prio3::replay::{ReplayCheck, SeenReports as _, TimeWindow};
use dp_prio3::store::DirectoryReports;

/// A store with 6 reports from `first` on in windows 3 and 4, confirmed in three steps; window 2
/// has expired.
fn store(path: &Path, first: u64) {
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

/// Whether the store of reports 0 to 5 opens. If it does it must know everything.
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
    for name in names(from) {
        fs::copy(from.join(&name), to.join(&name)).expect("copied");
    }
}

/// Puts all that `alter` makes of a file into its place in a copy, for each file of a store, and
/// gives how many were refused and how many were harmless.
fn altered(alter: impl Fn(&[u8]) -> Vec<Vec<u8>>) -> (u32, u32) {
    let (folder, whole) = place();
    store(&whole, 0);
    let copied = folder.path().join("copy");
    let (mut refused, mut harmless) = (0, 0);
    assert_eq!(names(&whole).len(), 4);
    for name in names(&whole) {
        let content = fs::read(whole.join(&name)).expect("readable");
        copy(&whole, &copied);
        for bytes in alter(&content) {
            fs::write(copied.join(&name), &bytes).expect("writable");
            if opens(&copied, &name) {
                harmless += 1;
                // Nor does it the next time.
                assert!(opens(&copied, &name));
            } else {
                refused += 1;
                assert_eq!(fs::read(copied.join(&name)).expect("readable"), bytes);
            }
        }
    }
    (refused, harmless)
}

/// Every flipped bit and every truncation is refused. What a crash leaves behind a log is harmless;
/// appended to another file it is refused.
#[test]
fn every_altered_file_is_refused_or_harmless() {
    let (refused, harmless) = altered(|bytes| flipped_bits(bytes).collect());
    assert!(refused > 2000 && harmless == 0, "{refused} {harmless}");
    let (refused, harmless) = altered(|bytes| truncations(bytes).collect());
    assert!(refused > 250 && harmless == 0, "{refused} {harmless}");
    let tails: [&[u8]; 4] = [&[0], &[0; 52], &[0, 0, 0, 1, 9, 9, 9], &[0xff; 300]];
    let counts = altered(|bytes| tails.map(|tail| [bytes, tail].concat()).to_vec());
    assert_eq!(counts, (8, 8));
}

#[test]
fn a_file_that_is_missing_or_of_another_store_is_refused() {
    let (folder, one) = place();
    let [other, copied] = ["other", "copy"].map(|name| folder.path().join(name));
    store(&one, 0);
    store(&other, 100);
    for name in names(&one) {
        copy(&one, &copied);
        fs::copy(other.join(&name), copied.join(&name)).unwrap();
        assert!(!opens(&copied, "mixed"), "{name}");
        copy(&one, &copied);
        fs::remove_file(copied.join(&name)).unwrap();
        assert!(!opens(&copied, "missing"), "{name}");
    }
    // The log of one window under the name of the other.
    copy(&one, &copied);
    fs::copy(one.join("window.3"), copied.join("window.4")).unwrap();
    assert!(!opens(&copied, "exchanged"));
}

/// An older file of ends beside newer logs: what the logs hold counts, or the store is refused.
#[test]
fn reports_behind_the_ends_of_an_older_copy_are_still_spent() {
    let (_folder, path) = place();
    let ends = path.join("confirmed");
    let store = DirectoryReports::create(&path, 10).unwrap();
    let mut copies = vec![fs::read(&ends).unwrap()];
    for number in 0..40 {
        assert_eq!(spend(&store, number % 4, number), ReplayCheck::New);
        store.sync().unwrap();
        copies.push(fs::read(&ends).unwrap());
    }
    store.expire_before(TimeWindow(2)).unwrap();
    drop(store);
    let mut opened = 0;
    for copy in &copies {
        fs::write(&ends, copy).unwrap();
        let Ok(store) = DirectoryReports::open(&path, 10) else { continue };
        opened += 1;
        for number in 0..40 {
            let expected =
                if number % 4 < 2 { ReplayCheck::Expired } else { ReplayCheck::Repeated };
            assert_eq!(spend(&store, number % 4, number), expected, "{opened} {number}");
        }
    }
    // The others have an end of a log that went with its window.
    assert_eq!(opened, 1);
}

/// What follows the torn end of a log is found again: the end is cut first.
#[test]
fn a_store_goes_on_after_what_a_crash_left_half_written() {
    let (_folder, path) = place();
    store(&path, 0);
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
