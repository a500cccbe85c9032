//! The ledger: sums, refusals, and what survives a crash.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use dp_calibration::Budget;
use dp_ledger::{Journal, Ledger, LedgerError};

fn pure(epsilon: &str) -> Budget {
    Budget::Pure {
        epsilon: epsilon.parse().expect("positive"),
    }
}

fn approximate(epsilon: &str, delta: &str) -> Budget {
    Budget::Approximate {
        epsilon: epsilon.parse().expect("positive"),
        delta: delta.parse().expect("in range"),
    }
}

fn concentrated(rho: &str) -> Budget {
    Budget::ZeroConcentrated {
        rho: rho.parse().expect("positive"),
    }
}

/// A file of its own for each test.
fn scratch(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_file(&path).expect("the file of an earlier run");
    }
    path
}

#[test]
fn the_limit_can_be_spent_to_the_last_and_not_beyond() {
    let mut ledger = Ledger::new(approximate("1", "1e-6"));
    for day in 0..10 {
        ledger
            .spend(&format!("day {day}"), approximate("0.1", "1e-7"))
            .unwrap();
    }
    assert_eq!(ledger.left().unwrap(), None);
    assert_eq!(ledger.spent().unwrap(), Some(approximate("1", "1e-6")));
    let error = ledger
        .spend("day 10", approximate("1e-9", "0"))
        .unwrap_err();
    assert!(matches!(error, LedgerError::Overspend { .. }), "{error}");
    assert_eq!(ledger.entries().len(), 10);
}

#[test]
fn delta_is_refused_where_only_epsilon_is_left() {
    let mut ledger = Ledger::new(approximate("1", "1e-6"));
    ledger.spend("first", approximate("0.5", "1e-6")).unwrap();
    assert_eq!(ledger.left().unwrap(), Some(pure("0.5")));
    assert!(ledger.spend("second", approximate("0.1", "1e-12")).is_err());
    ledger.spend("third", pure("0.5")).unwrap();
    let mut strict = Ledger::new(pure("1"));
    assert!(strict.spend("first", approximate("0.1", "1e-9")).is_err());
    assert!(strict.spend("first", approximate("0.1", "0")).is_ok());
    assert!(
        Ledger::new(approximate("9", "0.9"))
            .spend("one", approximate("1", "0.95"))
            .is_err()
    );
}

#[test]
fn each_kind_adds_up_by_its_own_rule() {
    let mut ledger = Ledger::new(concentrated("0.1"));
    ledger.spend("one", concentrated("0.04")).unwrap();
    assert_eq!(ledger.left().unwrap(), Some(concentrated("0.06")));
    assert!(matches!(
        ledger.spend("two", pure("0.01")),
        Err(LedgerError::Kind(_))
    ));
    let renyi = |tau: &str| {
        Budget::renyi(
            "8".parse().expect("a number"),
            tau.parse().expect("a number"),
        )
        .expect("in range")
    };
    let mut ledger = Ledger::new(renyi("1"));
    ledger.spend("one", renyi("0.75")).unwrap();
    assert_eq!(ledger.left().unwrap(), Some(renyi("0.25")));
    let other = Budget::renyi("9".parse().unwrap(), "0.1".parse().unwrap()).unwrap();
    assert!(ledger.spend("two", other).is_err());
}

#[test]
fn a_repeated_entry_is_spent_once_and_a_changed_one_is_refused() {
    let mut ledger = Ledger::new(pure("1"));
    for _ in 0..3 {
        ledger.spend("monday", pure("0.6")).unwrap();
    }
    assert_eq!(ledger.spent().unwrap(), Some(pure("0.6")));
    assert!(matches!(
        ledger.spend("monday", pure("0.1")),
        Err(LedgerError::Conflict { .. })
    ));
}

#[test]
fn a_ledger_survives_serialization_and_a_forged_one_is_refused() {
    let mut ledger = Ledger::new(pure("1"));
    ledger.spend("monday", pure("1/3")).unwrap();
    let text = serde_json::to_string(&ledger).unwrap();
    assert_eq!(serde_json::from_str::<Ledger>(&text).unwrap(), ledger);
    let forged = text.replace("1/3", "4/3");
    assert!(serde_json::from_str::<Ledger>(&forged).is_err());
}

#[test]
fn a_journal_keeps_what_it_confirmed() {
    let path = scratch("kept.journal");
    {
        let mut journal = Journal::open(&path, pure("1")).unwrap();
        journal.spend("monday", pure("0.5")).unwrap();
        journal.spend("tuesday", pure("0.4")).unwrap();
        // No orderly end: the process stops here.
        std::mem::forget(journal.ledger().clone());
    }
    let mut journal = Journal::open(&path, pure("1")).unwrap();
    assert_eq!(journal.ledger().spent().unwrap(), Some(pure("0.9")));
    // The caller repeats what it does not know to be confirmed.
    journal.spend("tuesday", pure("0.4")).unwrap();
    assert!(matches!(
        journal.spend("wednesday", pure("0.2")),
        Err(LedgerError::Overspend { .. })
    ));
    journal.spend("thursday", pure("0.1")).unwrap();
    drop(journal);
    assert_eq!(
        Journal::open(&path, pure("1"))
            .unwrap()
            .ledger()
            .entries()
            .len(),
        3
    );
}

#[test]
fn a_torn_last_line_was_never_confirmed() {
    let path = scratch("torn.journal");
    let mut journal = Journal::open(&path, pure("1")).unwrap();
    journal.spend("monday", pure("0.5")).unwrap();
    drop(journal);
    let whole = fs::read(&path).unwrap();
    let line = br#"{"name":"tuesday","budget":{"pure":{"epsilon":"0.4"}}}"#;
    for cut in 1..=line.len() {
        fs::write(&path, &whole).unwrap();
        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(&line[..cut]).unwrap();
        drop(file);
        let mut journal = Journal::open(&path, pure("1")).unwrap();
        assert_eq!(journal.ledger().entries().len(), 1);
        journal.spend("wednesday", pure("0.5")).unwrap();
        drop(journal);
        let journal = Journal::open(&path, pure("1")).unwrap();
        assert_eq!(journal.ledger().spent().unwrap(), Some(pure("1")));
    }
}

#[test]
fn a_journal_is_open_once_and_has_one_limit() {
    let path = scratch("locked.journal");
    let journal = Journal::open(&path, pure("1")).unwrap();
    assert!(matches!(
        Journal::open(&path, pure("1")),
        Err(LedgerError::File(_))
    ));
    drop(journal);
    assert!(matches!(
        Journal::open(&path, pure("2")),
        Err(LedgerError::Malformed { line: 1, .. })
    ));
    fs::write(&path, "not a journal\n").unwrap();
    assert!(Journal::open(&path, pure("1")).is_err());
}
