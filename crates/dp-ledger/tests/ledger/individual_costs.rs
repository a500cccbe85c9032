//! A client that pays for what it sends itself.

use dp_calibration::Adjacency;
use dp_ledger::{
    BigUint, Cost, IndividualCosts, IndividualSpending, Journal, Ledger, LedgerError, Release,
    Snapshot, Spending, Terms,
};

use crate::{concentrated, rational, zcdp};

fn terms(limit: &str) -> Terms {
    zcdp(concentrated(limit)).with_adjacency(Adjacency::Deletion)
}

fn own(limit: &str) -> Ledger {
    Ledger::new(terms(limit)).expect("a limit in range")
}

/// What the largest measurement costs.
fn worst() -> Release {
    Release::new(concentrated("0.1")).with_adjacency(Adjacency::Deletion)
}

/// Otherwise a client that paid for zeros, and stopped before it learnt of it, would send its measurement for
/// nothing.
#[test]
fn a_name_that_was_paid_at_a_clients_own_cost_stands_for_nothing_else() {
    let worst = worst();
    let costs = IndividualCosts::new(&terms("1"), &worst, &rational("0.01")).unwrap();
    let mut ledger = own("1");
    ledger.spend_individual("monday", &costs, &BigUint::ZERO).unwrap();
    ledger.spend_individual("tuesday", &costs, &BigUint::from(9_u32)).unwrap();
    for name in ["monday", "tuesday"] {
        let refused = ledger.spend(name, &worst, None);
        assert!(matches!(refused, Err(LedgerError::Conflict { .. })));
    }
    // What was paid in full stands for every measurement.
    assert_eq!(ledger.spend("friday", &worst, None).unwrap(), Spending::New);
    assert_eq!(ledger.spend("friday", &worst, None).unwrap(), Spending::Repeated);
    assert!(
        ledger.spend_individual("friday", &costs, &BigUint::from(4_u32)).unwrap()
            == IndividualSpending::Repeated
    );
    assert_eq!(ledger.entries().len(), 3);
}

/// From a client's own cost its measurement follows, and so it does from a checksum or a length that depends on it.
#[test]
fn nothing_that_is_printed_for_debugging_depends_on_what_was_spent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own");
    let costs = IndividualCosts::new(&terms("1"), &worst(), &rational("0.001")).unwrap();
    let printed = |norm: u32| {
        let mut ledger = Ledger::new(terms("1")).unwrap();
        ledger.spend_individual("monday", &costs, &norm.into()).unwrap();
        let mut journal = Journal::create(&path, terms("1")).unwrap();
        journal.spend_individual("monday", &costs, &norm.into()).unwrap();
        let snapshot = Snapshot::read(&path).unwrap();
        let entries = ledger.entries();
        std::fs::remove_file(&path).unwrap();
        format!("{ledger:#?} {journal:#?} {snapshot:#?} {entries:#?}")
    };
    let one = printed(1);
    assert!(one == printed(97));
    assert!(one == printed(0));
    // The terms and the names are there.
    assert!(one.contains("monday") && one.contains("Deletion"), "{one}");
}

/// Whatever fits, the same is recorded as by a refusal and a second attempt with nothing; a cost is rounded up by less
/// than thirty digits of the largest one. A file has it with as many bytes.
#[test]
fn what_does_not_fit_is_recorded_as_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own");
    // 3 costs 9/400, and 0.1 is the cost of √40.
    let one = rational("1/400");
    let costs = IndividualCosts::new(&terms("0.05"), &worst(), &one).unwrap();
    let mut ledger = own("0.05");
    let mut journal = Journal::create(&path, terms("0.05")).unwrap();
    let length = || std::fs::metadata(&path).unwrap().len();
    let mut lengths = vec![length()];
    let spent = |ledger: &Ledger| match ledger.spent().unwrap() {
        Some(Cost::Concentrated { rho, .. }) => rho,
        other => panic!("{other:?}"),
    };
    let days = [
        (9_u32, true, "0.0225"),
        (9, true, "0.045"),
        (9, false, "0.045"),
        (0, true, "0.045"),
        (2, true, "0.05"),
        (1, false, "0.05"),
        (0, true, "0.05"),
    ];
    for (day, (norm, fits, total)) in days.into_iter().enumerate() {
        let (name, norm) = (day.to_string(), BigUint::from(norm));
        let paid = if fits { IndividualSpending::Own } else { IndividualSpending::Nothing };
        assert!(ledger.spend_individual(&name, &costs, &norm).unwrap() == paid, "{day}");
        assert!(journal.spend_individual(&name, &costs, &norm).unwrap() == paid, "{day}");
        assert!(
            ledger.spend_individual(&name, &costs, &norm).unwrap() == IndividualSpending::Repeated
        );
        assert!(
            journal.spend_individual(&name, &costs, &norm).unwrap() == IndividualSpending::Repeated
        );
        assert_eq!(spent(&ledger), rational(total));
        assert_eq!(spent(journal.ledger()), rational(total));
        lengths.push(length());
    }
    let steps: Vec<u64> = lengths.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.iter().all(|step| *step == steps[0]), "{steps:?}");
    drop(journal);
    assert!(*Journal::open(&path).unwrap().ledger() == ledger);

    // A third of a norm: 1/3 is rounded up in the thirtieth digit of 0.1.
    let costs = IndividualCosts::new(&terms("1"), &worst(), &rational("1/30")).unwrap();
    let mut ledger = own("1");
    ledger.spend_individual("monday", &costs, &BigUint::from(1_u32)).unwrap();
    assert_eq!(spent(&ledger), rational("0.033333333333333333333333333334"));
    assert!(
        ledger.spend_individual("tuesday", &costs, &BigUint::from(3_u32)).unwrap()
            == IndividualSpending::Own
    );
    assert!(ledger.spend_individual("wednesday", &costs, &BigUint::from(4_u32)).is_err());
    assert!(ledger.spend_individual("wednesday", &costs, &(BigUint::from(1_u32) << 300)).is_err());
    assert_eq!(ledger.entries().len(), 2);
}

#[test]
fn own_costs_are_of_one_ledgers_terms() {
    let new = |terms: &Terms, release: &Release, rho: &str| {
        IndividualCosts::new(terms, release, &rational(rho)).map(drop)
    };
    let costs = IndividualCosts::new(&terms("1"), &worst(), &rational("0.01")).unwrap();
    assert!(own("1").spend_individual("monday", &costs, &BigUint::from(1_u32)).is_ok());
    assert!(own("2").spend_individual("monday", &costs, &BigUint::from(1_u32)).is_err());
    for rho in ["0", "-0.01"] {
        assert!(new(&terms("1"), &worst(), rho).is_err());
    }
    let replaced = Release::new(concentrated("0.1"));
    assert!(new(&terms("1"), &replaced, "0.01").is_err());
    let sums = Terms::new(concentrated("1")).with_adjacency(Adjacency::Deletion);
    assert!(new(&sums, &worst(), "0.01").is_err());
    assert!(new(&zcdp(concentrated("1")), &worst(), "0.01").is_err());
    let tiny = Release::new(concentrated("1e-321")).with_adjacency(Adjacency::Deletion);
    assert!(new(&terms("1"), &tiny, "1e-322").is_err());
    let small = Release::new(concentrated("1e-320")).with_adjacency(Adjacency::Deletion);
    assert!(new(&terms("1"), &small, "1e-322").is_ok());
}
