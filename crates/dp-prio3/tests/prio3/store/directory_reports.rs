//! A report is spent once, however often it is asked for, and stays spent after a restart.

use std::fs;
use std::path::Path;

use dp_prio3::replay::{ReplayCheck, SeenReports as _, TimeWindow};
use dp_prio3::store::DirectoryReports;

use super::{key, mode, names, place, spend};

/// The files of a folder, by name, with what they hold.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let with_content = |name: String| {
        let content = fs::read(folder.join(&name)).unwrap_or_default();
        (name, content)
    };
    names(folder).into_iter().map(with_content).collect()
}

#[test]
fn what_was_synced_is_found_again() {
    let (_folder, path) = place();
    let store = DirectoryReports::create(&path, 3).unwrap();
    for number in 0..14_000 {
        assert_eq!(spend(&store, number % 2, number), ReplayCheck::New);
        if number % 7_000 == 0 {
            store.sync().unwrap();
        }
    }
    store.sync().unwrap();
    store.sync().unwrap();
    assert_eq!(spend(&store, 0, 14_000), ReplayCheck::New);
    let refused = DirectoryReports::open(&path, 3).unwrap_err().to_string();
    assert!(refused.ends_with("open already, here or in another process"), "{refused}");
    drop(store);

    let store = DirectoryReports::open(&path, 3).unwrap();
    for number in 0..14_000 {
        assert_eq!(spend(&store, number % 2, number), ReplayCheck::Repeated);
    }
    // In another window it is another report, and this one was not synced.
    assert_eq!(spend(&store, 2, 0), ReplayCheck::New);
    assert_eq!(spend(&store, 0, 14_000), ReplayCheck::New);
}

#[test]
fn windows_expire_for_good_and_their_files_go() {
    let (_folder, path) = place();
    let store = DirectoryReports::create(&path, 2).unwrap();
    assert_eq!(spend(&store, 0, 1), ReplayCheck::New);
    assert_eq!(spend(&store, 1, 2), ReplayCheck::New);
    assert_eq!(spend(&store, 2, 3), ReplayCheck::Early);
    assert_eq!(spend(&store, u64::MAX, 3), ReplayCheck::Early);
    store.expire_before(TimeWindow(1)).unwrap();
    store.expire_before(TimeWindow(0)).unwrap();
    assert_eq!(spend(&store, 0, 1), ReplayCheck::Expired);
    assert_eq!(spend(&store, 0, 9), ReplayCheck::Expired);
    assert_eq!(spend(&store, 1, 2), ReplayCheck::Repeated);
    assert_eq!(spend(&store, 2, 3), ReplayCheck::New);
    store.sync().unwrap();
    drop(store);

    let store = DirectoryReports::open(&path, 2).unwrap();
    assert_eq!(spend(&store, 0, 1), ReplayCheck::Expired);
    assert_eq!(spend(&store, 1, 2), ReplayCheck::Repeated);
    store.expire_before(TimeWindow(u64::MAX)).unwrap();
    assert_eq!(spend(&store, u64::MAX, 3), ReplayCheck::New);
    assert_eq!(names(&path), ["confirmed", "seen-reports", &format!("window.{}", u64::MAX)]);
    // The directory and every file in it are their owner's alone.
    let modes = names(&path).into_iter().map(|name| mode(&path.join(name)));
    assert_eq!((mode(&path), modes.collect::<Vec<_>>()), (0o700, vec![0o600; 3]));
}

#[test]
fn what_is_no_store_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("confirmed"), b"something").unwrap();
    fs::write(foreign.join("window.0"), b"").unwrap();
    let before = contents(&foreign);
    assert!(DirectoryReports::open(&foreign, 1).is_err());
    assert!(DirectoryReports::create(&foreign, 1).is_err());
    for marker in [&b""[..], b"dp-prio3 seen reports 1\n"] {
        fs::write(foreign.join("seen-reports"), marker).unwrap();
        assert!(DirectoryReports::open(&foreign, 1).is_err());
        assert!(DirectoryReports::create(&foreign, 1).is_err());
    }
    fs::remove_file(foreign.join("seen-reports")).unwrap();
    assert_eq!(contents(&foreign), before);

    let (file, missing) = (folder.path().join("file"), folder.path().join("missing"));
    fs::write(&file, b"a file").unwrap();
    for path in [&file, &missing] {
        let refused = DirectoryReports::open(path, 1).unwrap_err().to_string();
        assert!(refused.starts_with(&path.display().to_string()), "{refused}");
    }
    assert!(DirectoryReports::create(&file, 1).is_err());
    assert!(!missing.exists());

    // An empty directory is taken, a store is not replaced.
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    drop(DirectoryReports::create(&empty, 1).unwrap());
    let created = contents(&empty);
    assert!(DirectoryReports::create(&empty, 1).is_err());
    assert_eq!(contents(&empty), created);
    // Nothing is left beside them.
    assert_eq!(names(folder.path()).len(), 3);
}

/// Another process may have the other one open.
#[test]
fn a_store_that_is_replaced_while_it_is_open_confirms_nothing_more() {
    let folder = tempfile::tempdir().unwrap();
    let (path, away) = (folder.path().join("seen"), folder.path().join("away"));
    let store = DirectoryReports::create(&path, 1).unwrap();
    assert_eq!(spend(&store, 0, 1), ReplayCheck::New);
    fs::rename(&path, away).unwrap();
    let other = DirectoryReports::create(&path, 1).unwrap();
    assert!(store.sync().is_err());
    // It does not know any more what is on the disk.
    let refused = store.spend(TimeWindow(0), &key(2)).unwrap_err().to_string();
    assert!(refused.ends_with("failed before: open it again"), "{refused}");
    assert!(store.sync().is_err());
    assert_eq!(spend(&other, 0, 1), ReplayCheck::New);
    other.sync().unwrap();
}

/// As with too many open files: the other windows go on, and this one does once it can be opened.
#[test]
fn a_window_that_cannot_be_opened_fails_its_own_calls_alone() {
    let (_folder, path) = place();
    let store = DirectoryReports::create(&path, 2).unwrap();
    fs::create_dir(path.join("window.1")).unwrap();
    assert!(store.spend(TimeWindow(1), &key(1)).is_err());
    assert_eq!(spend(&store, 0, 1), ReplayCheck::New);
    store.sync().unwrap();
    fs::remove_dir(path.join("window.1")).unwrap();
    assert_eq!(spend(&store, 1, 1), ReplayCheck::New);
}
