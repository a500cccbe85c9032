//! Every flipped bit, every truncation, every moment of a crash: repaired without loss, or refused
//! and not touched.

use std::fs;
use std::path::Path;

use dp_ledger::{Head, Journal, LedgerError, SharesDigest, Snapshot, Spending, Terms};

use crate::{approximate, concentrated, day, new_path, pure, zcdp};

/// The bytes of a slot.
const SLOT: usize = 113;

/// Where the slots begin.
fn slots(bytes: &[u8]) -> usize {
    1 + bytes.iter().position(|byte| *byte == b'\n').expect("a line")
}

fn found(bytes: &[u8]) -> Result<Snapshot, LedgerError> {
    Snapshot::parse("the ledger", bytes)
}

fn head(bytes: &[u8]) -> Head {
    found(bytes).expect("whole").head()
}

/// The bytes of files of each rule, and of one without entries.
fn several(folder: &Path) -> Vec<Vec<u8>> {
    let all = [
        (Terms::new(approximate("3", "1e-6")), 0),
        (Terms::new(approximate("3", "1e-6")), 3),
        (zcdp(concentrated("1")), 1),
        (Terms::new(pure("0.3")), 2),
        (Terms::scheduled(pure("0.2"), day("0.1"), 2), 2),
    ];
    all.into_iter()
        .enumerate()
        .map(|(number, (terms, entries))| {
            let path = folder.join(number.to_string());
            let mut journal = Journal::create(&path, terms).expect("a new ledger");
            for entry in 0..entries {
                let name = format!("day {entry}: é");
                let shares = SharesDigest::of([name.as_bytes()]);
                journal.spend(&name, &day("0.1"), Some(shares)).expect("it fits");
            }
            fs::read(path).expect("a file")
        })
        .collect()
}

#[test]
fn every_flipped_bit_and_every_truncation_is_refused_or_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for whole in several(folder.path()) {
        let snapshot = found(&whole).unwrap();
        let mut repaired = 0;
        for bit in 0..8 * whole.len() {
            let mut bytes = whole.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            match found(&bytes) {
                Ok(altered) => {
                    assert_eq!(altered.ledger(), snapshot.ledger(), "bit {bit}");
                    assert_eq!(altered.head(), snapshot.head(), "bit {bit}");
                    repaired += 1;
                }
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
        // A slot has a twin; anything else is there once.
        assert_eq!(repaired, 8 * 2 * SLOT);
        for length in 0..whole.len() {
            let error = found(&whole[..length]).unwrap_err();
            assert!(matches!(error, LedgerError::Damaged { .. } | LedgerError::NotALedger { .. }));
        }
    }
}

/// A new entry counts as soon as all of its line is there.
#[test]
fn a_crash_at_any_byte_leaves_a_new_entry_or_none() {
    let folder = tempfile::tempdir().unwrap();
    let schedule = Terms::scheduled(pure("0.3"), day("0.1"), 3);
    for (number, terms) in
        [Terms::new(pure("1")), Terms::new(pure("1")), schedule].into_iter().enumerate()
    {
        let path = folder.path().join(number.to_string());
        let mut journal = Journal::create(&path, terms).unwrap();
        for entry in 0..number {
            journal.spend(&entry.to_string(), &day("0.1"), None).unwrap();
        }
        let before = fs::read(&path).unwrap();
        journal.spend("day", &day("0.1"), None).unwrap();
        let after = fs::read(&path).unwrap();
        drop(journal);
        let (old, new) = (head(&before), head(&after));
        assert_eq!(new.entries, old.entries + 1);
        let lines = &after[before.len()..];
        for length in 0..=lines.len() {
            let torn = [&before[..], &lines[..length]].concat();
            let expected = if length < lines.len() { old } else { new };
            assert_eq!(head(&torn), expected, "{length}");
        }
        // A system that makes room before it writes leaves zeros.
        assert_eq!(head(&[&before[..], &vec![0; lines.len()]].concat()), old);
        let start = slots(&before);
        let place = if after[start..start + SLOT] == before[start..start + SLOT] {
            start + SLOT
        } else {
            start
        };
        for written in 0..=SLOT {
            let mut bytes = [&before[..], lines].concat();
            bytes[place..place + written].copy_from_slice(&after[place..place + written]);
            assert_eq!(head(&bytes), new, "{written}");
        }
        // It goes on with what is left on the disk.
        fs::write(&path, [&before[..], &lines[..lines.len() - 1]].concat()).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(fs::read(&path).unwrap(), before);
        journal.spend("day", &day("0.1"), None).unwrap();
        assert_eq!(fs::read(&path).unwrap(), after);
        drop(journal);
        // The caller repeats what it does not know to be confirmed.
        let again = Journal::open(&path).unwrap().spend("day", &day("0.1"), None);
        assert_eq!(again.unwrap(), Spending::Repeated);
    }
}

#[test]
fn what_no_crash_leaves_is_refused_untouched_and_a_torn_slot_repaired() {
    let (folder, path) = new_path();
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    journal.spend("monday", &day("0.1"), None).unwrap();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    let start = slots(&whole);
    let flipped = |places: &[usize]| {
        let mut bytes = whole.clone();
        places.iter().for_each(|place| bytes[*place] ^= 1);
        bytes
    };
    let other = {
        let path = folder.path().join("other");
        drop(Journal::create(&path, Terms::new(pure("2"))).unwrap());
        fs::read(path).unwrap()
    };
    let mut foreign_slots = whole.clone();
    foreign_slots[start..start + 2 * SLOT].copy_from_slice(&other[start..start + 2 * SLOT]);
    let text = String::from_utf8(whole.clone()).unwrap();
    for bytes in [
        flipped(&[start, start + SLOT]),
        [&flipped(&[start])[..], b"x"].concat(),
        foreign_slots,
        text.replace('\n', "\r\n").into_bytes(),
        text.replacen("\"version\":3", "\"version\":4", 1).into_bytes(),
        text.replacen("\"version\":3", "\"version\":5", 1).into_bytes(),
        Vec::new(),
        b"a list\nof lines\n".to_vec(),
        vec![0xff; 40_000],
    ] {
        fs::write(&path, &bytes).unwrap();
        let error = Journal::open(&path).unwrap_err().to_string();
        assert!(error.contains("visits: ") && !error.contains('\n'), "{error}");
        assert!(Snapshot::read(&path, None).is_err());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    for place in [start, start + SLOT] {
        fs::write(&path, flipped(&[place])).unwrap();
        let mut journal = Journal::open(&path).unwrap();
        assert_eq!(journal.head(), head(&whole));
        assert_eq!(head(&fs::read(&path).unwrap()), head(&whole));
        journal.spend("tuesday", &day("0.1"), None).unwrap();
        drop(journal);
        assert_eq!(Journal::open(&path).unwrap().head().entries, 2);
    }
}

/// The first lines of an older copy before the lines of the newest one.
#[test]
fn entries_count_behind_an_older_block_and_are_not_cut_behind_a_damaged_one() {
    let (_folder, path) = new_path();
    let mut journal = Journal::create(&path, Terms::new(pure("1"))).unwrap();
    journal.spend("0", &day("0.1"), None).unwrap();
    let older = fs::read(&path).unwrap();
    for number in 1..8 {
        journal.spend(&number.to_string(), &day("0.1"), None).unwrap();
    }
    let all = journal.head();
    drop(journal);
    let mut bytes = fs::read(&path).unwrap();
    let end = slots(&bytes) + 2 * SLOT;
    bytes[..end].copy_from_slice(&older[..end]);
    assert_eq!(head(&bytes), all);
    fs::write(&path, &bytes).unwrap();
    for name in ["8", "9"] {
        Journal::open(&path).unwrap().spend(name, &day("0.1"), None).unwrap();
    }
    assert_eq!(found(&fs::read(&path).unwrap()).unwrap().ledger().left(), None);
    bytes[older.len() + 10] ^= 1;
    fs::write(&path, &bytes).unwrap();
    assert!(matches!(Journal::open(&path), Err(LedgerError::Damaged { .. })));
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn a_ledger_of_another_version_is_refused_with_both_versions() {
    let line = b"{\"format\":\"dp-ledger\",\"version\":5,\"terms\":{}} 0123\n";
    let error = found(line).unwrap_err();
    assert!(matches!(error, LedgerError::OtherFormat { version: 5, .. }));
    assert!(error.to_string().ends_with("a ledger of format version 5: expected version 3 or 4"));
}

/// Two entries of 0.6 under a limit of 1, and two with a δ of 0.6, with correct checksums.
#[test]
fn entries_beyond_the_limit_are_refused() {
    for bytes in [&include_bytes!("overspent.ledger")[..], include_bytes!("delta.ledger")] {
        let error = found(bytes).unwrap_err().to_string();
        let said = "line 6: its entries exceed its limit: take the last good copy, ";
        assert!(error.contains(said), "{error}");
    }
}
