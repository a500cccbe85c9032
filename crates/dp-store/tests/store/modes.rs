//! Who may read what a store keeps: its owner alone, in every file that it writes or writes again.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use dp_prio3::releases::{ReleaseKey, ReleaseStore};
use dp_prio3::replay::{ReportKey, SeenReports, Window};
use dp_store::{DirectoryReleases, DirectoryReports};

fn mode(path: &Path) -> u32 {
    fs::metadata(path)
        .expect("it is there")
        .permissions()
        .mode()
        & 0o777
}

/// Of the directory and of all files in it, of which there are at least as many.
fn assert_private(path: &Path, files: usize) {
    assert_eq!(mode(path), 0o700, "{}", path.display());
    let entries: Vec<_> = fs::read_dir(path).expect("a directory").collect();
    assert!(entries.len() >= files, "{entries:?}");
    for entry in entries {
        let path = entry.expect("an entry").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn seen_reports_are_readable_by_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seen");
    let store = DirectoryReports::create(&path, 8).unwrap();
    assert_private(&path, 3);
    for number in 0..4 {
        let window = Window(u64::from(number));
        store.spend(window, &ReportKey([number; 32])).unwrap();
        store.sync().unwrap();
        assert_private(&path, 4 + usize::from(number));
    }
    store.expire_before(Window(2)).unwrap();
    assert_private(&path, 5);
    drop(store);
    let store = DirectoryReports::open(&path, 8).unwrap();
    store.spend(Window(5), &ReportKey([9; 32])).unwrap();
    store.sync().unwrap();
    assert_private(&path, 6);

    // An empty directory of another mode gives its place.
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    drop(DirectoryReports::create(&empty, 8).unwrap());
    assert_private(&empty, 3);
}

#[test]
fn released_shares_are_readable_by_their_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("releases");
    let store = DirectoryReleases::create(&path).unwrap();
    store.keep(&ReleaseKey([1; 32]), b"share").unwrap();
    assert_private(&path, 1);
    let store = DirectoryReleases::open(&path).unwrap();
    store.keep(&ReleaseKey([2; 32]), b"share").unwrap();
    assert_private(&path, 2);
    let refused = DirectoryReleases::create(&path).unwrap_err();
    assert!(refused.to_string().contains("releases"), "{refused}");
}
