//! Accounts across a fork: only one process spends the limit.

use std::cell::RefCell;

use dp_ledger::{Budget, Journal, Ledger, LedgerError, Release, Spending, Terms};
use dp_tests::fork::{Child, alone, two};

/// The limit of an account in these tests: ε = 1.
fn limit() -> Budget {
    Budget::Pure { epsilon: "1".parse().expect("positive") }
}

/// A release that costs all of the limit.
fn all() -> Release {
    Release::new(limit())
}

/// The effect of spending all of the limit, or the message of a refusal.
fn said(spent: Result<Spending, LedgerError>) -> Vec<u8> {
    spent.map_or_else(|error| error.to_string(), |effect| format!("{effect:?}")).into_bytes()
}

/// Asserts that each message names this process as the one that opened the account.
fn assert_refused(said: &[Vec<u8>]) {
    let here = format!("expected {}, which opened this", std::process::id());
    for said in said {
        let text = String::from_utf8_lossy(said);
        assert!(text.contains(&here), "{text}");
    }
}

#[test]
fn a_journal_that_is_open_across_a_fork_is_spent_by_the_process_that_opened_it() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let spend = |journal: &RefCell<Journal>| journal.borrow_mut().spend("all", &all(), None);
    let journal = RefCell::new(Journal::create(&path, Terms::new(limit())).unwrap());
    assert_refused(&two(|| said(spend(&journal))));
    assert_eq!(spend(&journal).unwrap(), Spending::New);
    drop(journal);
    // The children no longer hold its lock, and nothing that was confirmed is lost.
    let journal = RefCell::new(Journal::open(&path).unwrap());
    assert_refused(&two(|| said(spend(&journal))));
    assert_eq!(spend(&journal).unwrap(), Spending::Repeated);
}

/// A forked process may open the ledger once the other one has closed it.
#[test]
fn a_ledger_is_opened_by_one_process_after_the_other() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let journal = Journal::create(&path, Terms::new(limit())).unwrap();
    let open = || match Journal::open(&path) {
        Ok(mut journal) => said(journal.spend("all", &all(), None)),
        Err(LedgerError::InUse { .. }) => b"in use".to_vec(),
        Err(error) => error.to_string().into_bytes(),
    };
    assert_eq!(two(open), [b"in use", b"in use"]);
    drop(journal);
    assert_eq!(Child::start(open).join(), b"New");
    assert_eq!(Journal::open(&path).unwrap().head().entries, 1);
}

#[test]
fn a_ledger_in_memory_is_spent_by_the_process_that_began_it() {
    let _alone = alone();
    let ledger = RefCell::new(Ledger::new(Terms::new(limit())).unwrap());
    let spend = || ledger.borrow_mut().spend("all", &all(), None);
    assert_refused(&two(|| said(spend())));
    assert_eq!(spend().unwrap(), Spending::New);
}
