//! The file among others: replaced while open, read while written, devices, pipes, permissions.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use dp_ledger::{Journal, LedgerError, Snapshot, Terms};

use crate::{day, pure};

fn create(path: &Path) -> Journal {
    Journal::create(path, Terms::new(pure("1"))).expect("a new ledger")
}

fn assert_changed(journal: &mut Journal) {
    // What was recorded before is not confirmed again either.
    for name in ["tuesday", "monday"] {
        let refused = journal.spend(name, &day("0.5"), None);
        assert!(
            matches!(refused, Err(LedgerError::Changed { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(journal.ledger().entries().len(), 1);
}

#[test]
fn two_journals_under_one_path_do_not_both_spend_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut first = create(&path);
    first.spend("monday", &day("0.5"), None).unwrap();
    fs::remove_file(&path).unwrap();
    assert_changed(&mut first);
    let mut second = create(&path);
    assert_changed(&mut first);
    second.spend("monday", &day("0.5"), None).unwrap();

    // A copy of the same content under the same path is another file.
    let copy = folder.path().join("copy");
    fs::copy(&path, &copy).unwrap();
    fs::rename(&copy, &path).unwrap();
    assert_changed(&mut second);
    Journal::open(&path).unwrap();
}

#[test]
fn a_file_that_others_write_while_it_is_open_confirms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = create(&path);
    let empty = fs::read(&path).unwrap();
    journal.spend("monday", &day("0.5"), None).unwrap();
    let monday = fs::read(&path).unwrap();
    // Taken back in place; longer; shorter; another slot of the same length.
    let mut other_slot = monday.clone();
    let place = monday.len() - 150;
    let slot = other_slot
        .windows(5)
        .rposition(|word| word == b"slot ")
        .unwrap();
    assert!(slot < place);
    other_slot[slot + 6] = b'9';
    let longer = [&monday[..], b"x"].concat();
    for bytes in [
        &empty[..],
        &longer,
        &monday[..monday.len() - 1],
        &other_slot,
    ] {
        fs::write(&path, bytes).unwrap();
        assert_changed(&mut journal);
    }
    fs::write(&path, &monday).unwrap();
    journal.spend("tuesday", &day("0.5"), None).unwrap();
}

#[test]
fn a_ledger_is_shown_while_it_is_written_and_where_it_cannot_be() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = create(&path);
    let small = day("0.001");
    std::thread::scope(|scope| {
        let shown = scope.spawn(|| {
            let mut last = 0;
            while last < 60 {
                let snapshot = Snapshot::read(&path).expect("a whole ledger");
                let entries = snapshot.head().entries();
                assert!(last <= entries);
                assert_eq!(entries, snapshot.ledger().entries().len() as u64);
                last = entries;
            }
        });
        for number in 0..60 {
            journal.spend(&number.to_string(), &small, None).unwrap();
        }
        shown.join().unwrap();
    });
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let snapshot = Snapshot::read(&path).unwrap();
    assert_eq!(snapshot.ledger(), journal.ledger());
}

#[test]
fn only_regular_files_of_bounded_size_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let huge = folder.path().join("huge");
    fs::File::create(&huge).unwrap().set_len(1 << 40).unwrap();
    let zero = Path::new("/dev/zero");
    for path in [&pipe, &huge, zero, folder.path()] {
        for error in [
            Journal::open(path).unwrap_err(),
            Snapshot::read(path).unwrap_err(),
        ] {
            assert!(matches!(error, LedgerError::NotALedger { .. }), "{error}");
        }
        let error = Journal::create(path, Terms::new(pure("1"))).unwrap_err();
        assert!(matches!(error, LedgerError::Exists { .. }), "{error}");
    }
}

#[test]
fn a_link_leads_to_a_ledger_and_is_never_replaced_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("visits"), folder.path().join("link"));
    symlink(&path, &link).unwrap();
    // It leads nowhere yet.
    let error = Journal::create(&link, Terms::new(pure("1"))).unwrap_err();
    assert!(matches!(error, LedgerError::Exists { .. }), "{error}");
    drop(create(&path));
    let mut journal = Journal::open(&link).unwrap();
    assert!(matches!(
        Journal::open(&path),
        Err(LedgerError::InUse { .. })
    ));
    journal.spend("monday", &day("0.5"), None).unwrap();
    fs::remove_file(&link).unwrap();
    assert_changed(&mut journal);
}

#[test]
fn what_a_stopped_process_left_beside_is_removed_by_the_next_ledger() {
    let folder = tempfile::tempdir().unwrap();
    let beside = |name: &str| folder.path().join(name);
    drop(create(&beside("whole")));
    let whole = fs::read(beside("whole")).unwrap();
    // Stopped before, while and after it wrote; a second name of a ledger that came to be.
    fs::write(beside(".dp-ledger-1-0"), "").unwrap();
    fs::write(beside(".dp-ledger-1-1"), &whole[..9]).unwrap();
    fs::write(beside(".dp-ledger-1-2"), &whole).unwrap();
    fs::hard_link(beside("whole"), beside(".dp-ledger-1-3")).unwrap();
    // One of a process that is at it, and what others called alike.
    fs::write(beside(".dp-ledger-2-0"), &whole[..9]).unwrap();
    let live = fs::File::open(beside(".dp-ledger-2-0")).unwrap();
    live.lock().unwrap();
    fs::write(beside(".dp-ledger-3-0"), "milk").unwrap();
    fs::write(beside(".dp-ledger-notes"), "").unwrap();
    fs::create_dir(beside(".dp-ledger-4-0")).unwrap();
    drop(create(&beside("next")));
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let kept = [
        ".dp-ledger-2-0",
        ".dp-ledger-3-0",
        ".dp-ledger-4-0",
        ".dp-ledger-notes",
    ];
    assert_eq!(names, [&kept[..], &["next", "whole"]].concat());
    assert_eq!(fs::read(beside("whole")).unwrap(), whole);
}

/// What a client spent tells what it measured: nobody else on the machine reads it, whatever writes the file.
#[test]
fn a_ledger_is_readable_by_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let mut journal = create(&path);
    assert_eq!(mode(&path), 0o600);
    journal.spend("monday", &day("0.1"), None).unwrap();
    assert_eq!(mode(&path), 0o600);
    journal.spend_times("tuesday", 3, &day("0.1")).unwrap();
    assert_eq!(mode(&path), 0o600);
    drop(journal);
    Journal::open(&path)
        .unwrap()
        .spend("sunday", &day("0.1"), None)
        .unwrap();
    assert_eq!(mode(&path), 0o600);
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "nothing else is left beside it");
}
