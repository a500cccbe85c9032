//! Many releases at once.

use std::fs;

use dp_ledger::{
    Corner, Declared, DominatedBy, Journal, Ledger, LedgerError, MAX_TIMES, Mechanism, Noise,
    NoiseLaw, Release, Rule, Snapshot, Terms, TrustModel,
};

use crate::{approximate, concentrated, day, ledger, pure};

#[test]
fn all_fit_or_none_is_recorded() {
    let mut ledger = ledger(pure("1"));
    assert_eq!(ledger.spend_times("day", 7, &day("0.1")).unwrap(), 7);
    assert_eq!(ledger.entries().last().unwrap().name(), "day 7");
    // Those that were recorded are not recorded again, and what is too much leaves no trace.
    let before = ledger.spent().unwrap();
    let refused = ledger.spend_times("day", 11, &day("0.1")).unwrap_err();
    assert!(matches!(&refused, LedgerError::Overspend { name, .. } if name == "day 11"));
    assert_eq!(ledger.spent().unwrap(), before);
    assert_eq!(ledger.entries().len(), 7);
    assert_eq!(ledger.spend_times("day", 10, &day("0.1")).unwrap(), 3);
    assert_eq!(ledger.spend_times("day", 10, &day("0.1")).unwrap(), 0);
    let other = ledger.spend_times("day", 10, &day("0.2")).unwrap_err();
    assert!(matches!(other, LedgerError::Conflict { .. }));
    for times in [0, MAX_TIMES + 1] {
        let refused = ledger.spend_times("week", times, &day("0.1")).unwrap_err();
        assert!(refused.to_string().starts_with("times is"), "{refused}");
    }
    assert_eq!(ledger.left().unwrap(), None);
}

/// Declarations are used up one after the other, also within what is recorded at once.
#[test]
fn declared_releases_are_used_up_in_order() {
    let private = |epsilon: &str| DominatedBy::Private {
        epsilon: epsilon.parse().unwrap(),
        delta: "0".parse().unwrap(),
    };
    let declared = |epsilon: &str, times| Declared {
        dominated_by: private(epsilon),
        times,
    };
    let releases = vec![declared("0.1", 3), declared("0.2", 2)];
    let terms = Terms::new(pure("0.7")).with_rule(Rule::Declared { releases });
    let mut ledger = Ledger::new(terms).unwrap();
    assert!(ledger.spend_times("day", 6, &day("0.1")).is_err());
    assert_eq!(ledger.entries().len(), 0);
    assert_eq!(ledger.spend_times("day", 4, &day("0.1")).unwrap(), 4);
    assert_eq!(ledger.room_for(&day("0.1")).unwrap(), 1);
}

#[test]
fn a_file_with_many_at_once_is_the_one_with_each_of_them_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (once, each) = (folder.path().join("once"), folder.path().join("each"));
    let terms = || Terms::new(approximate("2", "1e-6"));
    let mut journal = Journal::create(&once, terms()).unwrap();
    journal.spend("before", &day("0.1"), None).unwrap();
    assert_eq!(journal.spend_times("day", 5, &day("0.1")).unwrap(), 5);
    // It goes on in the new file.
    journal.spend("after", &day("0.1"), None).unwrap();
    assert_eq!(journal.spend_times("day", 6, &day("0.1")).unwrap(), 1);
    let head = journal.head();
    drop(journal);
    let mut journal = Journal::create(&each, terms()).unwrap();
    journal.spend("before", &day("0.1"), None).unwrap();
    for number in 1..=5 {
        let name = format!("day {number}");
        journal.spend(&name, &day("0.1"), None).unwrap();
    }
    journal.spend("after", &day("0.1"), None).unwrap();
    journal.spend("day 6", &day("0.1"), None).unwrap();
    drop(journal);
    assert_eq!(fs::read(&once).unwrap(), fs::read(&each).unwrap());
    let snapshot = Snapshot::read_at_least(&once, &head).unwrap();
    assert_eq!(snapshot.ledger().entries().len(), 8);
    let left = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 2, "nothing beside");
}

/// The file that takes the place of the old one is locked as well, and what leads to it stays.
#[cfg(unix)]
#[test]
fn links_and_permissions_stay_as_they_are() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    let [path, link, second] = ["visits", "link", "second"].map(|name| folder.path().join(name));
    let limit = concentrated("1");
    drop(
        Journal::create(
            &path,
            Terms::new(limit.clone()).with_rule(Rule::zero_concentrated(&limit).unwrap()),
        )
        .unwrap(),
    );
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&path, &link).unwrap();
    let mut journal = Journal::open(&link).unwrap();
    journal.spend_times("day", 3, &day("0.1")).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(matches!(
        Journal::open(&path),
        Err(LedgerError::InUse { .. })
    ));
    // A hard link would keep the ledger of before, with more left.
    fs::hard_link(&path, &second).unwrap();
    let before = fs::read(&path).unwrap();
    let refused = journal.spend_times("week", 3, &day("0.1")).unwrap_err();
    assert!(
        refused.to_string().contains("second hard link"),
        "{refused}"
    );
    drop(journal);
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn noise_of_aggregators_is_not_recorded_where_none_is_honest() {
    let law = NoiseLaw::DiscreteLaplace {
        scale: "10".parse().unwrap(),
    };
    let corner = Corner::one();
    let noise = Release::new(pure("0.1"))
        .with_trust_model(TrustModel::OneClient)
        .with_mechanism(Mechanism::Aggregators(Noise { law, corner }));
    for terms in [
        Terms::new(pure("1")).with_trust_model(TrustModel::OneClient),
        Terms::new(pure("1")),
    ] {
        let mut ledger = Ledger::new(terms).unwrap();
        let refused = ledger.spend("monday", &noise, None).unwrap_err();
        assert!(
            matches!(refused, LedgerError::NoHonestAggregator { .. }),
            "{refused}"
        );
        assert!(ledger.room_for(&noise).is_err());
        assert_eq!(ledger.entries().len(), 0);
        let honest = noise
            .clone()
            .with_trust_model(TrustModel::OneAggregatorOneClient);
        let is_counted = ledger.terms().trust_model() == TrustModel::OneAggregatorOneClient;
        assert_eq!(ledger.spend("monday", &honest, None).is_ok(), is_counted);
    }
}
