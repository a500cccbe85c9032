//! Ledgers of format version 1.

use std::fs;

use dp_calibration::{Adjacency, TrustModel};
use dp_ledger::{Journal, LedgerError, Mechanism, Rule, Snapshot, Terms};

use crate::{day, pure};

const OLD: &str = "\
{\"pure\":{\"epsilon\":\"1\"}}
{\"name\":\"monday\",\"budget\":{\"pure\":{\"epsilon\":\"0.4\"}}}
{\"name\":\"tuesday\",\"budget\":{\"pure\":{\"epsilon\":\"1/3\"}}}
";

#[test]
fn an_old_journal_is_refused_and_can_be_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, OLD).unwrap();
    let error = Journal::open(&old).unwrap_err();
    assert!(matches!(error, LedgerError::OldFormat { .. }), "{error}");
    assert!(error.to_string().contains("ledger upgrade OLD NEW"));
    let model = TrustModel::OneClient;
    let upgrade = || Journal::upgrade(&old, &new, Some(Adjacency::Deletion), Some(model));
    drop(upgrade().unwrap());
    assert_eq!(fs::read_to_string(&old).unwrap(), OLD);
    let mut journal = Journal::open(&new).unwrap();
    let ledger = journal.ledger();
    assert_eq!(ledger.entries().len(), 2);
    assert_eq!(ledger.terms().trust_model(), model);
    let tuesday = ledger.entry("tuesday").unwrap();
    assert_eq!(tuesday.release().budget(), &pure("1/3"));
    assert_eq!(tuesday.release().adjacency(), Adjacency::Deletion);
    assert!(journal.spend("wednesday", &day("0.1"), None).is_err());
    drop(journal);
    assert!(matches!(upgrade(), Err(LedgerError::Exists { .. })));
}

/// Version 1 spent thirds exactly; rounded up, three of them exceed the limit.
#[test]
fn a_limit_that_was_spent_to_the_last_is_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let mut text = "{\"pure\":{\"epsilon\":\"1\"}}\n".to_owned();
    for name in ["one", "two", "three"] {
        text +=
            &format!("{{\"name\":\"{name}\",\"budget\":{{\"pure\":{{\"epsilon\":\"1/3\"}}}}}}\n");
    }
    fs::write(&old, text).unwrap();
    let model = TrustModel::OneAggregatorOneClient;
    drop(Journal::upgrade(&old, &new, Some(Adjacency::Replacement), Some(model)).unwrap());
    let journal = Journal::open(&new).unwrap();
    assert_eq!(journal.ledger().left().unwrap(), None);
    assert_eq!(journal.ledger().entries().len(), 3);
}

#[test]
fn what_cannot_be_upgraded_names_the_line() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let entry = |name: &str| {
        format!("{{\"name\":\"{name}\",\"budget\":{{\"pure\":{{\"epsilon\":\"0.1\"}}}}}}\n")
    };
    for (text, expected) in [
        (OLD[..OLD.len() - 1].to_owned(), "line 3: cut short"),
        (OLD.to_owned() + &entry("monday"), "line 4: a name"),
        (OLD.to_owned() + &entry(&"x".repeat(300)), "line 4: name is"),
        (OLD.to_owned() + "{\"rho\":1}\n", "line 4"),
        ("milk\n".to_owned(), "its first line is not"),
        (String::new(), "its first line is not"),
    ] {
        fs::write(&old, text).unwrap();
        let model = TrustModel::OneClient;
        let error =
            Journal::upgrade(&old, &new, Some(Adjacency::Replacement), Some(model)).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        let is_told = error
            .to_string()
            .ends_with("by hand in a copy, and upgrade that");
        assert_eq!(is_told, expected.starts_with("line"), "{error}");
        assert!(!new.exists());
    }
}

/// A ledger as the program of format version 2 wrote it.
const SECOND: &str = include_str!("second.ledger");

#[test]
fn a_journal_of_version_2_is_refused_and_upgraded_under_its_own_rule() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    fs::write(&old, SECOND).unwrap();
    for error in [
        Journal::open(&old).unwrap_err(),
        Snapshot::read(&old).unwrap_err(),
    ] {
        assert!(
            matches!(error, LedgerError::OldFormat { version: 2, .. }),
            "{error}"
        );
        assert!(error.to_string().contains("ledger upgrade OLD NEW"));
    }
    // What the file says cannot be restated.
    let other = Journal::upgrade(&old, &new, Some(Adjacency::Deletion), None).unwrap_err();
    assert!(other.to_string().contains("as the file says"), "{other}");
    let other = Journal::upgrade(&old, &new, None, Some(TrustModel::OneClient)).unwrap_err();
    assert!(other.to_string().contains("as the file says"), "{other}");
    drop(Journal::upgrade(&old, &new, None, None).unwrap());
    assert_eq!(fs::read_to_string(&old).unwrap(), SECOND);

    let mut journal = Journal::open(&new).unwrap();
    let ledger = journal.ledger();
    assert_eq!(ledger.terms().rule(), &Rule::Basic);
    assert_eq!(ledger.entries().len(), 3);
    let entry = ledger.entry("day 1").unwrap();
    assert!(entry.shares().is_some());
    assert!(matches!(
        entry.release().mechanism(),
        Mechanism::Aggregators(_)
    ));
    assert_eq!(entry.release().budget(), &pure("1/7"));
    let spent = pure("0.428571428571428571428571428574");
    assert_eq!(ledger.spent().unwrap(), Some(spent.into()));
    let again = journal.spend("day 0", &day("1/7"), None).unwrap();
    assert_eq!(again, dp_ledger::Spending::Repeated);
}

#[test]
fn a_journal_of_the_present_version_needs_no_upgrade_and_is_not_called_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    drop(Journal::create(&old, Terms::new(pure("1"))).unwrap());
    let error = Journal::upgrade(&old, &new, None, None).unwrap_err();
    assert!(
        matches!(error, LedgerError::OtherFormat { version: 3, .. }),
        "{error}"
    );
    assert!(error.to_string().contains("needs no upgrade"), "{error}");
    assert!(!new.exists());
}

#[test]
fn a_damaged_journal_of_version_2_is_not_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let (old, new) = (folder.path().join("old"), folder.path().join("new"));
    let altered = SECOND.replace("1/7", "1/9");
    let cut = SECOND
        .rsplit_once("{")
        .map(|(before, _)| before.to_owned())
        .unwrap();
    for text in [altered, cut, SECOND.replace("OAOC\"}}", "OAMC\"}}")] {
        fs::write(&old, text).unwrap();
        let error = Journal::upgrade(&old, &new, None, None).unwrap_err();
        assert!(matches!(error, LedgerError::Damaged { .. }), "{error}");
        assert!(!new.exists());
    }
}

/// A whole first line of a version that is not known yet: newer, and not damaged.
#[test]
fn a_newer_version_of_the_format_is_told_from_damage() {
    use sha2::{Digest as _, Sha256};
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("newer");
    let json = r#"{"format":"dp-ledger","version":4,"terms":{"anything":"else"}}"#;
    let start = Sha256::digest("dp-ledger 4\n");
    let chain = Sha256::new_with_prefix(&start[..16])
        .chain_update(json)
        .finalize();
    let digits: String = chain[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    fs::write(&path, format!("{json} {digits}\n")).unwrap();
    for error in [
        Journal::open(&path).unwrap_err(),
        Snapshot::read(&path).unwrap_err(),
    ] {
        assert!(
            matches!(error, LedgerError::OtherFormat { version: 4, .. }),
            "{error}"
        );
        let text = error.to_string();
        assert!(
            text.contains("version 4, which a newer version of this program reads"),
            "{text}"
        );
    }
}
