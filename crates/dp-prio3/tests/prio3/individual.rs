//! A client that pays for what it sends itself: it sends zeros when it has no more, and nothing
//! shows it.

use std::sync::Arc;

use dp_calibration::{Adjacency, Budget};
use dp_exact::{Rational, Rho};
use dp_ledger::{Journal, Ledger, Rule, Terms};
use dp_prio3::mechanisms::DiscreteGaussian;
use dp_prio3::spending::{Cost, IndividualClient, SpendingError};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise, Client, TrustModel};
use num_bigint::BigUint;

use crate::support::{OAOC, Task, WINDOW, alone, rational};

fn rho(text: &str) -> Rho {
    text.parse().expect("positive")
}

fn terms(limit: &str) -> Terms {
    let limit = Budget::ZeroConcentrated { rho: rho(limit) };
    let rule = Rule::zero_concentrated(&limit).expect("a rule");
    let terms = Terms::new(limit).with_rule(rule);
    terms.with_adjacency(Adjacency::Deletion)
}

/// A policy of ρ under replacement of one measurement.
fn policy<V: MeasurementType>(of: V, day: &str) -> AggregatorNoise<V, DiscreteGaussian> {
    AggregatorNoise::new(of, rho(day)).expect("a valid budget")
}

fn client<V: MeasurementType>(
    policy: AggregatorNoise<V, DiscreteGaussian>,
) -> Client<AggregatorNoise<V, DiscreteGaussian>> {
    Client::new(Arc::new(policy), b"daily").expect("a short context")
}

fn sum(limit: &str) -> IndividualClient<Sum, u64> {
    let sum = policy(Sum::new(2, 80).expect("valid"), "0.01");
    let ledger = Ledger::new(terms(limit)).expect("a limit");
    IndividualClient::new(client(sum), ledger, OAOC, &alone(), 0).expect("a sum has zeros")
}

fn spent<V: MeasurementType, Z: std::borrow::Borrow<V::Measurement>>(
    client: &IndividualClient<V, Z>,
) -> Rational {
    match client.ledger().spent().expect("an amount") {
        Some(Cost::Concentrated { rho, .. }) => rho,
        other => panic!("{other:?} is no sum of rho"),
    }
}

/// Ten days of 80 are paid for, and a hundred more get reports like any others.
#[test]
fn who_has_no_more_sends_zeros_and_goes_on() {
    let of = || policy(Sum::new(2, 80).expect("valid"), "0.01");
    let mut task = Task::new(of(), 4);
    let context = crate::support::CONTEXT;
    let client = Client::new(Arc::new(of()), context).expect("a short context");
    let ledger = Ledger::new(terms("0.1")).expect("a limit");
    let mut client = IndividualClient::new(client, ledger, OAOC, &alone(), 0).unwrap();
    let mut lengths = Vec::new();
    for day in 0..110 {
        let report = client.report(&day.to_string(), WINDOW, &80).expect("a report");
        let shares = report.private.iter().map(|part| part.input_share.len());
        lengths.push(shares.collect::<Vec<_>>());
        task.verify(report).expect("zeros verify like all else");
    }
    assert!(lengths.iter().all(|length| *length == lengths[0]));
    assert_eq!(spent(&client), rational("0.1"));
    assert_eq!(client.ledger().entries().len(), 110);
    assert_eq!(task.exact_totals(), (110, vec![10 * 80]));
    // A smaller measurement finds no room either: all is spent.
    client.report("last", WINDOW, &1).unwrap();
    assert_eq!(spent(&client), rational("0.1"));
}

#[test]
fn a_second_report_of_a_day_is_refused_whatever_the_first_was_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own");
    drop(Journal::create(&path, terms("0.0002")).unwrap());
    let open = || {
        let journal = Journal::open(&path).unwrap();
        let sum = policy(Sum::new(2, 80).expect("valid"), "0.01");
        IndividualClient::new(client(sum), journal, OAOC, &alone(), 0).unwrap()
    };
    // Sent, sent as zeros, and zeros themselves.
    for (day, measurement) in [("monday", 8), ("tuesday", 80), ("wednesday", 0)] {
        open().report(day, WINDOW, &measurement).unwrap();
        let again = open().report(day, WINDOW, &measurement);
        assert!(matches!(again, Err(SpendingError::AlreadyReported { .. })));
    }
    assert_eq!(spent(&open()), rational("0.0001"));
}

#[test]
fn where_zeros_are_no_measurement_or_the_ledger_is_another_it_is_refused() {
    let refused = |result: Result<(), SpendingError>, needed: &str| {
        let error = result.expect_err(needed).to_string();
        assert!(error.contains(needed), "{error}");
    };
    let ledger = |terms| Ledger::new(terms).expect("a limit");
    let of = || policy(Sum::new(2, 80).expect("valid"), "0.01");
    let new = |terms, model, zeros: u64| {
        IndividualClient::new(client(of()), ledger(terms), model, &alone(), zeros).map(drop)
    };
    let replacement = terms("1").with_adjacency(Adjacency::Replacement);
    refused(new(replacement, OAOC, 0), "counts deletion");
    refused(new(terms("1").with_rule(Rule::Basic), OAOC, 0), "zero-concentrated privacy");
    refused(new(terms("1"), OAOC, 1), "adds nothing to any total");
    refused(new(terms("1"), OAOC, 81), "adds nothing to any total");
    refused(new(terms("1"), TrustModel::OneClient, 0), "no guarantee");
    let nobody = terms("1").with_trust_model(TrustModel::OneClient);
    refused(new(nobody, OAOC, 0), "OAOC");
    let histogram = policy(Histogram::new(2, 4).expect("valid"), "0.01");
    let own = IndividualClient::new(client(histogram), ledger(terms("1")), OAOC, &alone(), 0_usize);
    refused(own.map(drop), "adds nothing to any total");
}

/// No valid measurement has a larger norm than the worst-case difference of its query under
/// deletion.
#[test]
fn the_norm_is_that_of_what_is_added_to_the_totals() {
    let big = |number: u32| BigUint::from(number);
    assert_eq!(Count::new(2).unwrap().squared_norm(&true), big(1));
    assert_eq!(Count::new(2).unwrap().squared_norm(&false), big(0));
    assert_eq!(Sum::new(2, 80).unwrap().squared_norm(&9), big(81));
    assert_eq!(Average::new(2, 80).unwrap().squared_norm(&9), big(81));
    let vector = SumVec::new(2, 3, 10).unwrap();
    assert_eq!(vector.squared_norm(&[1, 0, 5]), big(26));
    assert_eq!(vector.squared_norm(&[10, 10, 10]), big(300));
    let bounded = L1BoundSum::new(2, 3, 10).unwrap();
    assert_eq!(bounded.squared_norm(&[1, 0, 9]), big(82));
    let multihot = MultihotCountVec::new(2, 4, 2).unwrap();
    assert_eq!(multihot.squared_norm(&[true, false, true, false]), big(2));
    assert_eq!(Histogram::new(2, 4).unwrap().squared_norm(&3), big(1));
    // What a client can spend on one day is what the worst case says.
    let worst = policy(vector, "0.01");
    let ledger = Ledger::new(terms("1")).expect("a limit");
    let zeros = vec![0_u128; 3];
    let mut client = IndividualClient::new(client(worst), ledger, OAOC, &alone(), zeros).unwrap();
    client.report("monday", WINDOW, &[10, 10, 10]).unwrap();
    let Budget::ZeroConcentrated { rho } = &client.worst_cost().budget else {
        panic!("a budget of rho");
    };
    assert_eq!(spent(&client), *rho.value());
}

/// Neither the client nor any report, in memory and on the disk.
#[test]
fn what_is_printed_for_debugging_does_not_depend_on_the_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own");
    let printed = |measurement: u64| {
        let policy = || policy(Sum::new(2, 80).expect("valid"), "0.01");
        let journal = Journal::create(&path, terms("1")).unwrap();
        let mut disk = IndividualClient::new(client(policy()), journal, OAOC, &alone(), 0).unwrap();
        let mut memory = sum("1");
        disk.report("monday", WINDOW, &measurement).unwrap();
        memory.report("monday", WINDOW, &measurement).unwrap();
        let printed = format!("{disk:#?} {memory:#?}");
        std::fs::remove_file(&path).unwrap();
        printed
    };
    let one = printed(8);
    assert!(one.contains("DiscreteGaussian"), "the parameters are there");
    assert!(one == printed(37));
    assert!(one == printed(0));
}
