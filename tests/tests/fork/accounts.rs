//! Accounts across a fork: only one process spends the limit.

use std::cell::RefCell;
use std::fmt::Debug;

use dp_ledger::{Adjacency, Budget, Journal, Ledger, LedgerError, Release, Rule, Spending, Terms};
use dp_tests::fork::{alone, two};

/// The limit of an account in these tests: ρ = 1.
fn limit() -> Budget {
    Budget::ZeroConcentrated { rho: "1".parse().expect("positive") }
}

/// A release that costs all of the limit.
fn all() -> Release {
    Release::new(limit()).with_adjacency(Adjacency::Deletion)
}

fn terms() -> Terms {
    let rule = Rule::zero_concentrated(&limit()).expect("a rule");
    let terms = Terms::new(limit()).with_adjacency(Adjacency::Deletion);
    terms.with_rule(rule)
}

/// Spends all of an account's limit; `true` if it was not spent before.
type Spend<T> = fn(&mut T) -> Result<bool, LedgerError>;

/// Every way to spend all of a limit.
macro_rules! ways {
    ($account:ty) => {{
        let ways: [Spend<$account>; 2] = [
            |account| Ok(account.spend("all", &all(), None)? == Spending::New),
            |account| {
                let half = Budget::ZeroConcentrated { rho: "0.5".parse()? };
                let half = Release::new(half).with_adjacency(Adjacency::Deletion);
                Ok(account.spend_times("all", 2, &half)? == 2)
            },
        ];
        ways
    }};
}

/// The message of a refusal because of a fork; for any other result, a text that no test expects.
fn refusal<T: Debug>(result: Result<T, LedgerError>) -> Vec<u8> {
    match result {
        Err(LedgerError::Forked(forked)) => forked.to_string().into_bytes(),
        other => format!("spent: {other:?}").into_bytes(),
    }
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
    for (number, spend) in ways!(Journal).into_iter().enumerate() {
        let path = folder.path().join(number.to_string());
        let journal = RefCell::new(Journal::create(&path, terms()).unwrap());
        assert_refused(&two(|| refusal(spend(&mut journal.borrow_mut()))));
        assert!(spend(&mut journal.borrow_mut()).unwrap());
        drop(journal);
        // The children no longer hold its lock, and nothing that was confirmed is lost.
        let journal = RefCell::new(Journal::open(&path).unwrap());
        assert!(!journal.borrow().ledger().entries().is_empty());
        assert_refused(&two(|| refusal(spend(&mut journal.borrow_mut()))));
        assert!(!spend(&mut journal.borrow_mut()).unwrap());
    }
}

/// A forked process may open the ledger once the other one has closed it.
#[test]
fn a_ledger_is_opened_by_one_process_after_the_other() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("visits");
    let journal = Journal::create(&path, terms()).unwrap();
    let open = || match Journal::open(&path) {
        Ok(mut journal) => match journal.spend("all", &all(), None) {
            Ok(Spending::New) => b"new".to_vec(),
            other => format!("{other:?}").into_bytes(),
        },
        Err(LedgerError::InUse { .. }) => b"in use".to_vec(),
        Err(error) => error.to_string().into_bytes(),
    };
    assert_eq!(two(open), [b"in use", b"in use"]);
    drop(journal);
    let child = dp_tests::fork::Child::start(open);
    assert_eq!(child.join(), b"new");
    assert_eq!(Journal::open(&path).unwrap().head().entries(), 1);
}

#[test]
fn a_ledger_in_memory_is_spent_by_the_process_that_began_it() {
    let _alone = alone();
    for spend in ways!(Ledger) {
        let ledger = RefCell::new(Ledger::new(terms()).unwrap());
        assert_refused(&two(|| refusal(spend(&mut ledger.borrow_mut()))));
        assert!(spend(&mut ledger.borrow_mut()).unwrap());
    }
}
