//! A damaged file on the disk: repaired without loss, or refused and not touched.

use std::fs;

use dp_ledger::{Journal, LedgerError, SharesDigest, Snapshot, Terms};

use crate::{day, pure};

#[test]
fn a_flipped_bit_in_any_byte_is_repaired_or_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    for name in ["monday", "tuesday"] {
        let shares = SharesDigest::of([name]);
        journal.spend(name, &day("0.1"), Some(shares)).unwrap();
    }
    let head = journal.head();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        fs::write(&path, &bytes).unwrap();
        let seen = Snapshot::read(&path).map(|snapshot| snapshot.head());
        match Journal::open(&path) {
            Ok(journal) => {
                assert_eq!((journal.head(), seen.unwrap()), (head, head));
                assert_eq!(fs::read(&path).unwrap(), whole, "byte {place}");
            }
            Err(error) => {
                assert!(seen.is_err(), "byte {place}: {error}");
                assert_eq!(fs::read(&path).unwrap(), bytes, "byte {place}");
            }
        }
    }
}

#[test]
fn every_truncation_is_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    journal.spend("monday", &day("0.5"), None).unwrap();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = Journal::open(&path).unwrap_err();
        let refused = matches!(
            error,
            LedgerError::Damaged { .. } | LedgerError::NotALedger { .. }
        );
        assert!(refused, "{length}: {error}");
        assert!(Snapshot::read(&path).is_err());
        assert!(Journal::create(&path, Terms::new(pure("1"))).is_err());
        assert_eq!(fs::read(&path).unwrap(), &whole[..length]);
    }
}

/// The process stops at every byte of the line that it writes.
#[test]
fn a_torn_last_line_was_never_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    journal.spend("monday", &day("0.5"), None).unwrap();
    let monday = fs::read(&path).unwrap();
    journal.spend("tuesday", &day("0.4"), None).unwrap();
    drop(journal);
    let tuesday = fs::read(&path).unwrap();
    for length in monday.len()..tuesday.len() {
        let torn = [&monday[..], &tuesday[monday.len()..length]].concat();
        fs::write(&path, torn).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.ledger().entries().len(), 1);
        assert_eq!(fs::read(&path).unwrap(), monday);
        if length % 16 == 0 {
            journal.spend("wednesday", &day("0.5"), None).unwrap();
            drop(journal);
            let journal = Journal::open(&path).unwrap();
            assert_eq!(journal.ledger().spent().unwrap(), Some(pure("1").into()));
        }
    }
    // With its end the line may count, though its slot was not written: more is spent, not less.
    let whole = [&monday[..], &tuesday[monday.len()..]].concat();
    fs::write(&path, whole).unwrap();
    let journal = Journal::open(&path).unwrap();
    assert_eq!(journal.ledger().entries().len(), 2);
    assert_eq!(fs::read(&path).unwrap(), tuesday);
}

#[test]
fn foreign_files_are_refused_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign");
    let ledger = Terms::new(pure("1"));
    Journal::create(&path, ledger).unwrap();
    let own = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let foreign: [&[u8]; 9] = [
        b"",
        b"\n",
        b"a list without an end",
        b"a list\nof lines\n",
        b"{\"pure\":{\"epsilon\":\"1\"}}\n",
        b"{}\n",
        &[0; 5_000],
        &[0xff; 40_000],
        &own.replace('\n', "\r").into_bytes(),
    ];
    for bytes in foreign {
        fs::write(&path, bytes).unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("foreign") && !error.contains('\n'),
            "{error}"
        );
        assert!(Snapshot::read(&path).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
}
