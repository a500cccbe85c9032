//! A policy that runs every day: the day that would overspend is refused, nothing confirmed is
//! lost, and nothing is spent twice.

use std::sync::Arc;

use crate::support::{
    CONTEXT, OAOC, OC, Task, WINDOW, alone, epsilon, epsilon_delta, histogram_gaussian,
    histogram_laplace, rational,
};
use dp_calibration::Budget;
use dp_exact::Rational;
use dp_ledger::{Cost, Journal, Ledger, LedgerError, Rule, Terms};
use dp_prio3::message::EncodedAggregateShare;
use dp_prio3::randomizers::RandomizedResponse;
use dp_prio3::spending::{SpendingClient, SpendingCollector, SpendingError};
use dp_prio3::types::Count;
use dp_prio3::{
    Circumstances, Client, ClientNoise, CollectError, Collector, CountResponse, HistogramLaplace,
    MultihotRappor, TrustModel,
};

fn pure(text: &str) -> Budget {
    Budget::Pure { epsilon: epsilon(text) }
}

/// The terms of a client that relies on nobody.
fn terms(limit: &str) -> Terms {
    Terms::new(pure(limit)).with_trust_model(OC)
}

fn local_ledger(limit: &str) -> Ledger {
    Ledger::new(terms(limit)).expect("a limit in range")
}

fn client() -> Client<CountResponse> {
    let response = RandomizedResponse::new(epsilon("0.4")).expect("a valid epsilon");
    let count = Count::new(2).expect("two aggregators");
    let policy = ClientNoise::new(count, response).expect("a count");
    Client::new(Arc::new(policy), b"daily").expect("a short context")
}

#[test]
fn the_day_that_would_overspend_is_refused_and_changes_nothing() {
    let ledger = local_ledger("1");
    let mut client = SpendingClient::new(client(), ledger, OC, &alone()).unwrap();
    client.report("monday", WINDOW, &true).unwrap();
    client.report("tuesday", WINDOW, &true).unwrap();
    for day in ["wednesday", "thursday"] {
        let refused = client.report(day, WINDOW, &true);
        assert!(matches!(refused, Err(SpendingError::Ledger(LedgerError::Overspend { .. }))));
    }
    assert_eq!(client.ledger().spent().unwrap(), Some(pure("0.8").into()));
    assert_eq!(client.ledger().left().unwrap(), Some(pure("0.2").into()));
}

/// The process stops at every point: before the entry is whole, and after it is confirmed.
#[test]
fn a_crash_loses_nothing_that_was_confirmed_and_spends_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    drop(Journal::create(&path, terms("1")).unwrap());
    let open = || {
        let ledger = Journal::open(&path).unwrap();
        SpendingClient::new(client(), ledger, OC, &alone()).unwrap()
    };
    open().report("monday", WINDOW, &true).unwrap();
    let monday = std::fs::read(&path).unwrap();
    open().report("tuesday", WINDOW, &true).unwrap();
    let tuesday = std::fs::read(&path).unwrap();

    // The line is written first, then the slot before it that counts it.
    let torn = (monday.len()..=tuesday.len())
        .map(|length| [&monday[..], &tuesday[monday.len()..length]].concat());
    for (file, is_confirmed) in torn.map(|file| (file, false)).chain([(tuesday.clone(), true)]) {
        std::fs::write(&path, file).unwrap();
        let mut client = open();
        match client.report("tuesday", WINDOW, &true) {
            Err(SpendingError::AlreadyReported { .. }) => assert!(is_confirmed),
            // Never confirmed, so no report left the client.
            report => assert!(report.is_ok() && !is_confirmed),
        }
        assert_eq!(client.ledger().spent().unwrap(), Some(pure("0.8").into()));
        assert!(client.report("wednesday", WINDOW, &true).is_err());
    }
}

#[test]
fn a_measurement_that_is_not_valid_costs_nothing_and_a_dropped_report_costs_all() {
    let policy = MultihotRappor::vectors(2, 12, 1, epsilon("1"), &rational("1/2")).unwrap();
    let cost = policy.local_epsilon().clone();
    let client = Client::new(Arc::new(policy), b"daily").unwrap();
    let ledger = local_ledger("1000");
    let mut client = SpendingClient::new(client, ledger, OC, &alone()).unwrap();
    assert!(client.report("day", WINDOW, &[true; 12][..]).is_err());
    assert_eq!(client.ledger().spent().unwrap(), None);

    // Each report is dropped with probability above 0.2: none of 100 with less than 2^−30.
    let mut bits = [false; 12];
    bits[0] = true;
    for day in 0..100 {
        let before = client.ledger().entries().len();
        let result = client.report(&day.to_string(), WINDOW, &bits[..]);
        assert_eq!(client.ledger().entries().len(), before + 1);
        if let Err(error) = result {
            assert!(matches!(error, SpendingError::Client(dp_prio3::Error::Dropped { .. })));
            assert_eq!(
                client.ledger().entries()[before].release().budget,
                Budget::Pure { epsilon: cost }
            );
            return;
        }
    }
    panic!("no report was dropped");
}

/// A daily histogram, each day ε = 0.5.
fn daily(ledger: Ledger) -> (Task<HistogramLaplace>, SpendingCollector<HistogramLaplace>) {
    let task = Task::new(histogram_laplace(2, 3), 8);
    let collector = Collector::new(Arc::clone(&task.policy), CONTEXT).expect("a valid policy");
    let collector =
        SpendingCollector::new(collector, ledger, OAOC, &alone()).expect("a valid policy");
    (task, collector)
}

fn shares_of_a_day(task: &mut Task<HistogramLaplace>) -> Vec<EncodedAggregateShare> {
    task.send(&1);
    task.finish()
}

fn population(limit: &str) -> Ledger {
    Ledger::new(Terms::new(pure(limit))).expect("a limit in range")
}

#[test]
fn a_collector_says_what_was_spent_and_refuses_the_release_beyond() {
    let (mut task, mut collector) = daily(population("1"));
    let monday = shares_of_a_day(&mut task);
    let statement = collector.collect("monday", &monday).unwrap();
    assert_eq!(statement.cost, pure("0.5").into());
    assert_eq!(statement.spent, pure("0.5").into());
    assert_eq!(statement.left, Some(pure("0.5").into()));
    // A repeated release reveals nothing new, in whatever order its shares come.
    let reversed: Vec<_> = monday.iter().rev().cloned().collect();
    let again = collector.collect("monday", &reversed).unwrap();
    assert_eq!(again, statement);
    let tuesday = shares_of_a_day(&mut task);
    let statement = collector.collect("tuesday", &tuesday).unwrap();
    assert_eq!((statement.spent, statement.left), (pure("1").into(), None));
    let wednesday = shares_of_a_day(&mut task);
    assert!(collector.collect("wednesday", &wednesday).is_err());
}

/// The mean of 400 releases of one batch under one name would be its total, for one charge.
#[test]
fn fresh_noise_under_the_same_name_is_refused() {
    let (mut task, mut collector) = daily(population("1"));
    let mut accepted = 0;
    for _ in 0..400 {
        let shares = shares_of_a_day(&mut task);
        match collector.collect("monday", &shares) {
            Ok(_) => accepted += 1,
            Err(error) => {
                assert!(matches!(error, SpendingError::Ledger(LedgerError::OtherShares { .. })))
            }
        }
    }
    assert_eq!(accepted, 1);
    assert_eq!(collector.ledger().spent().unwrap(), Some(pure("0.5").into()));
}

/// Ten thousand honest clients hide each other, three do not: their ε is near the local one.
#[test]
fn a_batch_of_fewer_reports_than_the_cost_counts_on_is_refused() {
    let rate = rational("1e-12");
    let policy = MultihotRappor::one_hot(2, 4, epsilon("3"), &rate).unwrap();
    let mut task = Task::new(policy, 9);
    let many_clients = Circumstances::new(10_000, "1e-6".parse().unwrap());
    let model = TrustModel::OneAggregatorMostClients;
    let limit = Budget::Approximate { epsilon: epsilon("10"), delta: "1e-3".parse().unwrap() };
    let ledger = Ledger::new(Terms::new(limit).with_trust_model(model)).unwrap();
    let collector = Collector::new(Arc::clone(&task.policy), CONTEXT).unwrap();
    let collector = SpendingCollector::new(collector, ledger, model, &many_clients).unwrap();
    let Budget::Approximate { epsilon: cost, .. } = &collector.cost().budget else {
        panic!("an approximate budget");
    };
    assert!(*cost.value() < Rational::one(), "{cost}");
    for _ in 0..3 {
        task.send(&[true, false, false, false][..]);
    }
    let shares = task.finish();
    let mut collector = collector.with_minimum_batch(10);
    assert_eq!(collector.cost().minimum_batch, 10_000);
    let refused = collector.collect("monday", &shares);
    assert!(matches!(refused, Err(SpendingError::TooFewReports { minimum: 10_000, .. })));
    assert_eq!(collector.ledger().entries(), []);
}

#[test]
fn shares_are_paid_for_before_anything_depends_on_their_totals() {
    let (mut task, mut collector) = daily(population("0.5"));
    let shares = shares_of_a_day(&mut task);
    let missing = collector.collect("monday", &shares[..1]);
    assert!(matches!(missing, Err(SpendingError::Collect(CollectError::NotOneOfEach { .. }))));
    assert_eq!(collector.ledger().entries(), []);

    // A dishonest aggregator shifts the total out of its range: the refusal shows it, and is paid.
    let mut shifted = shares.clone();
    let last = shifted[1].share.len() - 1;
    shifted[1].share[last - 1] ^= 0x7f;
    let refused = collector.collect("monday", &shifted);
    assert!(matches!(refused, Err(SpendingError::Collect(CollectError::OutOfRange { .. }))));
    assert_eq!(collector.ledger().left().unwrap(), None);
    // With nothing left, no refusal says anything of the totals.
    shifted[1].share[last - 1] ^= 1;
    for name in ["monday", "tuesday"] {
        let refused = collector.collect(name, &shifted);
        assert!(matches!(refused, Err(SpendingError::Ledger(_))), "{name}");
    }
}

/// By the guarantee (0.906, 1e-9) of each day a year is ε = 330.7; the recorded noise makes it
/// 24.44.
#[test]
fn a_filter_is_charged_by_the_mechanism_that_a_policy_records() {
    let year = epsilon_delta("24.5", "1e-9");
    let rule = Rule::zero_concentrated(&year).unwrap();
    let ledger = Ledger::new(Terms::new(year).with_rule(rule)).unwrap();
    let mut task = Task::new(histogram_gaussian(2, 3), 10);
    let variance = task.policy.mechanism().variance_parameter().clone();
    let collector = Collector::new(Arc::clone(&task.policy), CONTEXT).unwrap();
    let mut collector = SpendingCollector::new(collector, ledger, OAOC, &alone()).unwrap();
    assert_eq!(collector.ledger().room_for(collector.cost()).unwrap(), 365);
    task.send(&1);
    let statement = collector.collect("monday", &task.finish()).unwrap();
    // Two counts that change by 1.
    let exact = variance.reciprocal().unwrap();
    let Cost::Concentrated { rho, delta, .. } = &statement.cost else {
        panic!("{} is no cost in rho", statement.cost);
    };
    assert!(delta.is_zero() && *rho >= exact && *rho <= &exact * &rational("1.000000000001"));
    assert_eq!(statement.spent, statement.cost);
    assert_eq!(collector.ledger().room_for(collector.cost()).unwrap(), 364);
}

/// The guarantee of noise at one aggregator is none against all of them together.
#[test]
fn a_ledger_that_trusts_nobody_pays_for_no_guarantee_that_does() {
    let policy = Arc::new(histogram_laplace(2, 3));
    let collector = SpendingCollector::new(
        Collector::new(policy, CONTEXT).unwrap(),
        local_ledger("1"),
        OAOC,
        &alone(),
    );
    assert!(matches!(collector, Err(SpendingError::Ledger(LedgerError::TrustModel { .. }))));
    // The guarantee of a client's own noise holds there as well.
    assert!(SpendingClient::new(client(), population("1"), OC, &alone()).is_ok());
}
