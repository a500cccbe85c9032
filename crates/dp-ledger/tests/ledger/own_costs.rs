//! A client that pays for what it sends itself.

use dp_calibration::Adjacency;
use dp_exact::Rational;
use dp_ledger::{Ledger, LedgerError, Release, Rule, Spending, Terms};

use crate::concentrated;

fn rational(text: &str) -> Rational {
    text.parse().expect("a number")
}

fn zcdp(limit: &str) -> Terms {
    let limit = concentrated(limit);
    let rule = Rule::zero_concentrated(&limit).expect("a limit of rho");
    Terms::new(limit).with_rule(rule)
}

fn own(limit: &str) -> Ledger {
    let terms = zcdp(limit).with_adjacency(Adjacency::Deletion);
    Ledger::new(terms).expect("a limit in range")
}

#[test]
fn a_client_pays_its_own_cost_and_zeros_are_free() {
    let worst = Release::new(concentrated("0.1")).with_adjacency(Adjacency::Deletion);
    let mut ledger = own("0.1");
    for number in 0..1_000 {
        let rho = rational("0.0001");
        ledger
            .spend_individually(&number.to_string(), &worst, &rho)
            .unwrap();
    }
    let refused = ledger.spend_individually("more", &worst, &rational("1e-9"));
    assert!(matches!(refused, Err(LedgerError::Overspend { .. })));
    for name in ["zeros", "and zeros"] {
        let spent = ledger.spend_individually(name, &worst, &Rational::zero());
        assert_eq!(spent.unwrap(), Spending::New);
    }
    let again = ledger.spend_individually("zeros", &worst, &Rational::zero());
    assert_eq!(again.unwrap(), Spending::Repeated);
    assert_eq!(ledger.left().unwrap(), None);
}

#[test]
fn a_clients_own_cost_is_refused_where_it_would_not_hold() {
    let worst = Release::new(concentrated("0.1")).with_adjacency(Adjacency::Deletion);
    let spend = |mut ledger: Ledger, release: &Release, rho: &str| {
        ledger.spend_individually("monday", release, &rational(rho))
    };
    assert!(spend(own("1"), &worst, "0.1").is_ok());
    assert!(spend(own("1"), &worst, "0.11").is_err());
    assert!(spend(own("1"), &worst, "-0.1").is_err());
    let replaced = Release::new(concentrated("0.1"));
    assert!(spend(own("1"), &replaced, "0.01").is_err());
    let sums = Terms::new(concentrated("1")).with_adjacency(Adjacency::Deletion);
    assert!(spend(Ledger::new(sums).unwrap(), &worst, "0.01").is_err());
    let replacement = Ledger::new(zcdp("1")).unwrap();
    assert!(spend(replacement, &worst, "0.01").is_err());
}
