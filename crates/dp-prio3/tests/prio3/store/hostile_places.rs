//! Places that are not as the stores left them: what is no file, what was deleted or cannot be
//! written. Everything is refused by an error, at once.

use std::fs;
use std::path::Path;
use std::process::Command;

use dp_prio3::releases::{ReleaseKey, ReleaseStore as _};
use dp_prio3::replay::{ReplayCheck, SeenReports as _, TimeWindow};
use dp_prio3::store::{DirectoryReleases, DirectoryReports};

use super::{place, spend};

/// A store with a report in window 0.
fn store(path: &Path) {
    let store = DirectoryReports::create(path, 2).expect("a fresh path");
    assert_eq!(spend(&store, 0, 1), ReplayCheck::New);
    store.sync().expect("a working store");
}

/// A pipe would block for ever, and a device never ends.
#[test]
fn what_is_no_regular_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = |path: &Path| {
        assert!(Command::new("mkfifo").arg(path).status().expect("mkfifo").success());
    };
    let endless = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).expect("writable");
    let directory = |path: &Path| fs::create_dir(path).expect("writable");
    for (number, replace) in [pipe, endless, directory].into_iter().enumerate() {
        for name in ["seen-reports", "confirmed", "window.0"] {
            let path = folder.path().join(format!("{number} {name}"));
            store(&path);
            fs::remove_file(path.join(name)).unwrap();
            replace(&path.join(name));
            let refused = DirectoryReports::open(&path, 2).unwrap_err().to_string();
            assert!(refused.contains("not a regular file"), "{refused}");
            assert!(refused.contains(name), "{refused}");
        }
        let path = folder.path().join(format!("releases {number}"));
        let releases = DirectoryReleases::create(&path).unwrap();
        replace(&path.join("07".repeat(32)));
        let batch = ReleaseKey([7; 32]);
        for _ in 0..2 {
            let refused = releases.keep(&batch, b"a share").unwrap_err().to_string();
            assert!(refused.ends_with("not a regular file"), "{refused}");
            assert!(releases.find(&batch).is_err());
        }
    }
}

#[test]
fn releases_that_are_deleted_while_they_are_open_confirm_nothing() {
    let (_folder, path) = place();
    let releases = DirectoryReleases::create(&path).unwrap();
    fs::remove_dir(&path).unwrap();
    assert!(releases.keep(&ReleaseKey([7; 32]), b"a share").is_err());
    assert!(releases.find(&ReleaseKey([7; 32])).is_err());
    assert!(!path.exists());
}

/// Each window with reports is an open file.
#[test]
fn a_store_of_no_window_or_of_very_many_is_refused() {
    let (_folder, path) = place();
    for windows in [0, 513, u64::MAX] {
        let expected = format!("windows is {windows}: expected an integer from 1 to 512");
        let refused = DirectoryReports::create(&path, windows).unwrap_err();
        assert_eq!(refused.to_string(), expected);
        assert!(!path.exists());
    }
    drop(DirectoryReports::create(&path, 512).unwrap());
    assert!(DirectoryReports::open(&path, 513).is_err());
    let store = DirectoryReports::open(&path, 512).unwrap();
    // At the end of all windows nothing wraps around.
    store.expire_before(TimeWindow(u64::MAX)).unwrap();
    store.expire_before(TimeWindow(u64::MAX)).unwrap();
    assert_eq!(spend(&store, u64::MAX, 1), ReplayCheck::New);
    assert_eq!(spend(&store, 0, 1), ReplayCheck::Expired);
}
