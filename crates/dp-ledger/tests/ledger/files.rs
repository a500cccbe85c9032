//! The file among others: replaced while open, read while written, devices, pipes, permissions.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use dp_ledger::{Journal, LedgerError, Snapshot, Terms};

use crate::{day, new_path, pure};

fn create(path: &Path) -> Journal {
    Journal::create(path, Terms::new(pure("1"))).expect("a new ledger")
}

fn assert_changed(journal: &mut Journal) {
    // What was recorded before is not confirmed again either.
    for name in ["tuesday", "monday"] {
        let refused = journal.spend(name, &day("0.5"), None);
        assert!(matches!(refused, Err(LedgerError::Changed { .. })), "{refused:?}");
    }
    assert_eq!(journal.ledger().entries().len(), 1);
}

#[test]
fn two_journals_under_one_path_do_not_both_spend_the_limit() {
    let (folder, path) = new_path();
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
    let (_folder, path) = new_path();
    let mut journal = create(&path);
    let empty = fs::read(&path).unwrap();
    // What a client spent tells what it measured: nobody else on the machine reads it.
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    journal.spend("monday", &day("0.5"), None).unwrap();
    let monday = fs::read(&path).unwrap();
    // Taken back in place; longer; shorter; another slot of the same length.
    let mut other_slot = monday.clone();
    let words = other_slot.windows(5);
    let slot = words.into_iter().rposition(|word| word == b"slot ").unwrap();
    other_slot[slot + 6] = b'9';
    let longer = [&monday[..], b"x"].concat();
    for bytes in [&empty[..], &longer, &monday[..monday.len() - 1], &other_slot] {
        fs::write(&path, bytes).unwrap();
        assert_changed(&mut journal);
    }
    fs::write(&path, &monday).unwrap();
    journal.spend("tuesday", &day("0.5"), None).unwrap();
}

#[test]
fn a_ledger_is_shown_while_it_is_written_and_where_it_cannot_be() {
    let (_folder, path) = new_path();
    let mut journal = create(&path);
    std::thread::scope(|scope| {
        let shown = scope.spawn(|| {
            let mut last = 0;
            while last < 30 {
                let snapshot = Snapshot::read(&path, None).expect("a whole ledger");
                let entries = snapshot.head().entries;
                assert!(last <= entries);
                last = entries;
            }
        });
        for number in 0..30 {
            journal.spend(&number.to_string(), &day("0.001"), None).unwrap();
        }
        shown.join().unwrap();
    });
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    assert_eq!(Snapshot::read(&path, None).unwrap().ledger(), journal.ledger());
}

#[test]
fn a_journal_begins_only_where_there_is_nothing_and_only_a_bounded_regular_file_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
    fs::write(at("empty"), "").unwrap();
    fs::write(at("text"), "milk, no newline").unwrap();
    let others = [at("huge"), at("empty"), at("text"), "/dev/zero".into(), at("")];
    for path in &others {
        for error in [Journal::open(path).unwrap_err(), Snapshot::read(path, None).unwrap_err()] {
            assert!(matches!(error, LedgerError::NotALedger { .. }), "{error}");
        }
        let error = Journal::create(path, Terms::new(pure("1"))).unwrap_err();
        assert!(matches!(error, LedgerError::Exists { .. }), "{error}");
    }
    assert_eq!(fs::read(at("text")).unwrap(), b"milk, no newline");
    // What is not there is not made, nor is a file for a limit that is refused.
    assert!(matches!(Journal::open(at("nothing")), Err(LedgerError::NotALedger { .. })));
    assert!(Journal::create(at("nothing"), Terms::new(pure("1e20"))).is_err());
}
