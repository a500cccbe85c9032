//! Sums and refusals.

use dp_ledger::{
    Budget, Cost, Ledger, LedgerError, Mechanism, Release, SharesDigest, Spending, Terms,
};

use crate::{approximate, concentrated, day, ledger, pure, renyi};

#[test]
fn the_limit_can_be_spent_to_the_last_and_not_beyond() {
    let mut ledger = ledger(approximate("1", "1e-6"));
    let release = Release::new(approximate("0.1", "1e-7"));
    for day in 0..10 {
        ledger.spend(&format!("day {day}"), &release, None).unwrap();
    }
    assert_eq!(ledger.left(), None);
    assert_eq!(ledger.spent(), Some(approximate("1", "1e-6").into()));
    let more = Release::new(approximate("1e-9", "0"));
    let error = ledger.spend("day 10", &more, None).unwrap_err();
    assert!(error.to_string().contains("1e-9; left is nothing of "), "{error}");
    assert_eq!(ledger.entries().len(), 10);
    // Where δ is spent a pure budget is left.
    let mut purse = crate::ledger(approximate("1", "1e-6"));
    let all = Release::new(approximate("0.5", "1e-6"));
    purse.spend("first", &all, None).unwrap();
    assert_eq!(purse.left(), Some(pure("0.5").into()));
    let lost = Release::new(approximate("0.1", "1e-12"));
    let error = purse.spend("second", &lost, None).unwrap_err().to_string();
    assert!(error.contains("left is pure differential privacy with epsilon 0.5 of "), "{error}");
    purse.spend("third", &day("0.5"), None).unwrap();
}

#[test]
fn each_kind_adds_up_by_its_own_rule() {
    let mut purse = ledger(concentrated("0.1"));
    let release = Release::new(concentrated("0.04"));
    purse.spend("one", &release, None).unwrap();
    assert_eq!(purse.left(), Some(concentrated("0.06").into()));
    let refused = purse.spend("two", &day("0.01"), None);
    assert!(matches!(refused, Err(LedgerError::Kind(_))));
    // Rényi privacy is not counted.
    let refused = purse.spend("two", &Release::new(renyi("8", "0.01")), None);
    assert!(matches!(refused, Err(LedgerError::Kind(_))));
    let terms = dp_ledger::Terms::new(renyi("8", "1"));
    assert!(matches!(dp_ledger::Ledger::new(terms), Err(LedgerError::Kind(_))));
}

#[test]
fn a_name_stands_for_one_release() {
    let mut purse = ledger(pure("1"));
    let (monday, tuesday) = (SharesDigest::of(["a"]), SharesDigest::of(["b"]));
    for expected in [Spending::New, Spending::Repeated, Spending::Repeated] {
        let spending = purse.spend("monday", &day("0.6"), Some(monday)).unwrap();
        assert_eq!(spending, expected);
    }
    assert_eq!(purse.spent(), Some(pure("0.6").into()));
    for shares in [Some(tuesday), None] {
        let refused = purse.spend("monday", &day("0.6"), shares);
        assert!(matches!(refused, Err(LedgerError::OtherShares { .. })));
    }
    let smaller = purse.spend("monday", &day("0.1"), Some(monday));
    assert!(matches!(smaller, Err(LedgerError::Conflict { .. })));
    // A refusal is short, whatever was typed.
    let digits = format!("0.{}", "6".repeat(1_000));
    let mut long = ledger(pure(&digits));
    let error = long.spend("monday", &day(&format!("{digits}7")), None).unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
    let batch = Release { minimum_batch: 10, ..day("0.6") };
    let other = purse.spend("monday", &batch, Some(monday));
    assert!(matches!(other, Err(LedgerError::Conflict { .. })));
}

#[test]
fn a_name_or_a_mechanism_that_is_no_line_of_text_is_refused() {
    let mut purse = ledger(pure("1"));
    for name in ["", "a\nb", "\u{1b}[2K", "\u{2028}", "\u{202e}x", &"x".repeat(257)] {
        let refused = purse.spend(name, &day("0.1"), None);
        assert!(matches!(refused, Err(LedgerError::Parameter(_))), "{name:?}");
        let mechanism = Mechanism::Other(name.to_owned());
        let other = Release { mechanism, ..day("0.1") };
        let refused = purse.spend("monday", &other, None);
        assert!(matches!(refused, Err(LedgerError::Parameter(_))), "{name:?}");
    }
    let mechanism =
        Mechanism::Aggregators(crate::laplace("0", dp_calibration::WorstCaseDifference::one()));
    let refused = purse.spend("monday", &Release { mechanism, ..day("0.1") }, None);
    assert!(matches!(refused, Err(LedgerError::Parameter(_))));
    assert_eq!(purse.spent(), None);
}

#[test]
fn fractions_that_add_up_to_the_limit_fit_and_one_more_does_not() {
    for (limit, part, times) in [("1", "1/3", 3), ("1", "1/11", 11), ("1", "1/365", 365)] {
        for limit in [pure(limit), concentrated(limit)] {
            let release = Release::new(match &limit {
                Budget::Pure { .. } => pure(part),
                _ => concentrated(part),
            });
            let mut purse = ledger(limit.clone());
            assert_eq!(purse.room_for(&release).unwrap(), times, "{part}");
            for number in 0..times {
                purse.spend(&number.to_string(), &release, None).unwrap();
            }
            assert_eq!((purse.spent(), purse.left()), (Some(limit.into()), None), "{part}");
            assert!(purse.spend("one more", &release, None).is_err());
        }
    }
    // What is shown of a third has 30 digits, on the safe side.
    let mut purse = ledger(pure("1"));
    purse.spend("one", &day("1/3"), None).unwrap();
    assert_eq!(purse.spent(), Some(pure("0.333333333333333333333333333334").into()));
    assert_eq!(purse.left(), Some(pure("0.666666666666666666666666666666").into()));
}

/// By sums ten of these releases of ε = 0.1 fit.
#[test]
fn a_schedule_takes_its_releases_and_no_other_one() {
    let daily = Release { task: Some("00ff".to_owned()), ..day("0.1") };
    let limit = approximate("1", "1e-8");
    let of = |releases| Ledger::new(Terms::scheduled(limit.clone(), daily.clone(), releases));
    let mut ledger = of(30).unwrap();
    let others = [
        day("0.1"),
        Release { task: Some("00fe".to_owned()), ..day("0.1") },
        Release { minimum_batch: 2, ..daily.clone() },
        Release { budget: pure("1e-9"), ..daily.clone() },
    ];
    for number in 1..=30 {
        for other in &others {
            let error = ledger.spend("other", other, None).unwrap_err().to_string();
            assert!(error.starts_with("other is a release") && error.contains("00ff"), "{error}");
        }
        assert_eq!(ledger.room_for(&daily).unwrap(), 31 - number);
        ledger.spend(&number.to_string(), &daily, None).unwrap();
        assert_eq!(ledger.spent(), Some(Cost::Scheduled { releases: number }));
    }
    let delta = "1e-8".parse().unwrap();
    assert_eq!(ledger.spent_epsilon(&delta).unwrap(), Some(crate::rational("1")));
    let error = ledger.spend("one more", &daily, None).unwrap_err().to_string();
    assert!(error.ends_with("release; left is nothing of 30 scheduled releases"), "{error}");
    assert_eq!(ledger.spend("1", &daily, None).unwrap(), Spending::Repeated);
    assert!(of(0).is_err() && of((1 << 20) + 1).is_err());
}

/// With sums over all entries for each of them this takes minutes.
#[test]
fn a_hundred_thousand_entries_are_spent_one_by_one() {
    let mut purse = ledger(pure("1"));
    let day = day("1e-5");
    for number in 0..100_000 {
        purse.spend(&number.to_string(), &day, None).unwrap();
    }
    assert_eq!(purse.left(), None);
    assert!(purse.spend("one more", &day, None).is_err());
}

#[test]
fn amounts_from_1e_350_to_1e9_are_counted_and_others_refused() {
    let mut purse = ledger(approximate("1e9", "1e-299"));
    let tiny = Release::new(approximate("1e-350", "1e-300"));
    purse.spend("tiny", &tiny, None).unwrap();
    assert_eq!(purse.spent(), Some(approximate("1e-350", "1e-300").into()));
    assert_eq!(purse.left(), Some(approximate("999999999.999999999999999999999", "9e-300").into()));
    for refused in ["1e-351", "1e10", "1e1000"] {
        let error = purse.spend("x", &day(refused), None).unwrap_err();
        assert!(error.to_string().contains("1e-350 to 1e9"), "{error}");
        let terms = dp_ledger::Terms::new(pure(refused));
        assert!(dp_ledger::Ledger::new(terms).is_err(), "{refused}");
    }
}
