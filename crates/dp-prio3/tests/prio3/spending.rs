//! A policy that runs every day: the day that would overspend is refused, nothing confirmed is
//! lost, and nothing is spent twice.

use std::sync::Arc;

use crate::support::{CONTEXT, Task, alone, epsilon, histogram_laplace, rational};
use dp_calibration::Budget;
use dp_calibration::privacy_loss::{Accountant, Release};
use dp_ledger::{Journal, Ledger, LedgerError};
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::spending::{SpendingClient, SpendingCollector, SpendingError};
use dp_prio3::types::Count;
use dp_prio3::{Client, ClientNoise, Collector, CountResponse, MultihotRappor, TrustModel};

const OC: TrustModel = TrustModel::OneClient;
const OAOC: TrustModel = TrustModel::OneAggregatorOneClient;

fn pure(text: &str) -> Budget {
    Budget::Pure {
        epsilon: epsilon(text),
    }
}

fn client() -> Client<CountResponse> {
    let response = RandomizedResponse::new(epsilon("0.4")).expect("a valid epsilon");
    let count = Count::new(2).expect("two aggregators");
    let policy = ClientNoise::new(count, response).expect("a count");
    Client::new(Arc::new(policy), b"daily").expect("a short context")
}

#[test]
fn the_day_that_would_overspend_is_refused_and_changes_nothing() {
    let purse = Ledger::new(pure("1"));
    let mut client = SpendingClient::new(client(), purse, OC, &alone()).unwrap();
    client.report("monday", &true).unwrap();
    client.report("tuesday", &true).unwrap();
    for day in ["wednesday", "thursday"] {
        let refused = client.report(day, &true);
        assert!(matches!(
            refused,
            Err(SpendingError::Ledger(LedgerError::Overspend { .. }))
        ));
    }
    assert_eq!(client.ledger().spent().unwrap(), Some(pure("0.8")));
    assert_eq!(client.ledger().left().unwrap(), Some(pure("0.2")));
}

#[test]
fn a_second_report_of_a_day_is_refused() {
    let purse = Ledger::new(pure("1"));
    let mut client = SpendingClient::new(client(), purse, OC, &alone()).unwrap();
    client.report("monday", &true).unwrap();
    let refused = client.report("monday", &true);
    assert!(matches!(
        refused,
        Err(SpendingError::AlreadyReported { .. })
    ));
}

/// The process stops at every point: before the entry is whole, and after it is confirmed.
#[test]
fn a_crash_loses_nothing_that_was_confirmed_and_spends_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let open = || {
        let purse = Journal::open(&path, pure("1")).unwrap();
        SpendingClient::new(client(), purse, OC, &alone()).unwrap()
    };
    open().report("monday", &true).unwrap();
    let after_monday = std::fs::read(&path).unwrap();
    open().report("tuesday", &true).unwrap();
    let after_tuesday = std::fs::read(&path).unwrap();

    for length in after_monday.len()..=after_tuesday.len() {
        std::fs::write(&path, &after_tuesday[..length]).unwrap();
        let mut client = open();
        let again = client.report("tuesday", &true);
        if length < after_tuesday.len() {
            // Never confirmed, so no report left the client.
            again.unwrap();
        } else {
            assert!(matches!(again, Err(SpendingError::AlreadyReported { .. })));
        }
        assert_eq!(client.ledger().spent().unwrap(), Some(pure("0.8")));
        assert!(client.report("wednesday", &true).is_err());
    }
}

#[test]
fn a_measurement_that_is_not_valid_costs_nothing_and_a_dropped_report_costs_all() {
    let policy = MultihotRappor::vectors(2, 12, 1, epsilon("1"), &rational("1/2")).unwrap();
    let cost = policy.local_epsilon().clone();
    let client = Client::new(Arc::new(policy), b"daily").unwrap();
    let purse = Ledger::new(pure("1000"));
    let mut client = SpendingClient::new(client, purse, OC, &alone()).unwrap();
    assert!(client.report("day", &[true; 12][..]).is_err());
    assert_eq!(client.ledger().spent().unwrap(), None);

    // Each report is dropped with probability above 0.2: none of 100 with less than 2^−30.
    let mut bits = [false; 12];
    bits[0] = true;
    for day in 0..100 {
        let before = client.ledger().entries().len();
        let result = client.report(&day.to_string(), &bits[..]);
        assert_eq!(client.ledger().entries().len(), before + 1);
        if let Err(error) = result {
            assert!(matches!(
                error,
                SpendingError::Client(dp_prio3::Error::Dropped { .. })
            ));
            assert_eq!(
                client.ledger().entries()[before].budget,
                Budget::Pure { epsilon: cost }
            );
            return;
        }
    }
    panic!("no report was dropped");
}

#[test]
fn a_collector_says_what_was_spent_and_refuses_the_release_beyond() {
    let mut task = Task::new(histogram_laplace(2, 3), 8);
    let collector = Collector::new(Arc::clone(&task.policy), CONTEXT).unwrap();
    let purse = Ledger::new(pure("1"));
    let mut collector = SpendingCollector::new(collector, purse, OAOC, &alone()).unwrap();
    let mut shares_of_a_day = || {
        task.send(&1);
        task.finish()
    };
    let monday = shares_of_a_day();
    let statement = collector.collect("monday", &monday).unwrap();
    assert_eq!(statement.spent, pure("0.5"));
    assert_eq!(statement.left, Some(pure("0.5")));
    // The same release again reveals nothing new.
    assert_eq!(
        collector.collect("monday", &monday).unwrap().spent,
        pure("0.5")
    );
    let statement = collector.collect("tuesday", &shares_of_a_day()).unwrap();
    assert_eq!((statement.spent, statement.left), (pure("1"), None));
    assert!(collector.collect("wednesday", &shares_of_a_day()).is_err());
}

#[test]
fn a_trust_model_without_a_guarantee_cannot_be_paid_for() {
    let client = Client::new(Arc::new(histogram_laplace(2, 3)), b"daily").unwrap();
    let refused = SpendingClient::new(client, Ledger::new(pure("1")), OC, &alone());
    assert!(matches!(refused, Err(SpendingError::NoGuarantee { .. })));
}

/// With δ = 0 nothing composes better than by the sum: at the ledger's total the accountant finds
/// no δ, and just below it finds one.
#[test]
fn the_ledgers_total_is_the_accountants() {
    let purse = Ledger::new(pure("10"));
    let mut client = SpendingClient::new(client(), purse, OC, &alone()).unwrap();
    let mut accountant = Accountant::new();
    let day = Release::RandomizedResponse {
        epsilon: epsilon("0.4"),
        delta: "0".parse().unwrap(),
    };
    for number in 0..7 {
        client.report(&number.to_string(), &false).unwrap();
        accountant.add(day.clone(), 1).unwrap();
    }
    let Some(Budget::Pure { epsilon: spent }) = client.ledger().spent().unwrap() else {
        panic!("a sum of pure budgets is pure");
    };
    assert_eq!(spent, epsilon("2.8"));
    let at_the_total = accountant.delta(&spent).unwrap();
    let just_below = accountant.delta(&epsilon("2.79")).unwrap();
    let small = rational("1e-10");
    assert!(
        at_the_total.upper().cmp_rational(&small).is_le(),
        "{at_the_total}"
    );
    // (e^0.4/(e^0.4 + 1))^7 · (1 − e^−0.01) = 2.7e-4
    assert!(
        just_below.lower().cmp_rational(&rational("2e-4")).is_ge(),
        "{just_below}"
    );
}
