//! Stores on the disk: what is kept is found again, and what was altered is refused.

use std::fs;
use std::path::{Path, PathBuf};

use dp_prio3::replay::{ReplayCheck, ReportKey, SeenReports as _, TimeWindow};
use dp_prio3::store::DirectoryReports;
use tempfile::TempDir;

mod altered_files;
mod directory_releases;
mod directory_reports;
mod hostile_places;
mod kills;

/// A folder, and where in it a store of seen reports is to be.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("seen");
    (folder, path)
}

/// A key that differs early: 16 bytes of it are kept.
fn key(number: u64) -> ReportKey {
    let mut key = [7; 32];
    key[..8].copy_from_slice(&number.to_le_bytes());
    ReportKey(key)
}

fn spend(store: &DirectoryReports, window: u64, number: u64) -> ReplayCheck {
    store.spend(TimeWindow(window), &key(number)).expect("a working store")
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    fs::metadata(path).expect("a file or a folder").permissions().mode() & 0o777
}

/// The names of a folder's entries, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: fs::DirEntry| entry.file_name().into_string().expect("a plain name");
    let mut names: Vec<_> = entries.map(|entry| name(entry.expect("readable"))).collect();
    names.sort();
    names
}
