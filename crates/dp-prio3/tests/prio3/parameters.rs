//! Errors name the parameter, its value and what is accepted; no parameter or measurement panics in
//! prio.

use std::fmt::Display;
use std::sync::Arc;

use dp_exact::{ParameterError, Rho};
use dp_prio3::types::{Histogram, MAX_INPUT_LENGTH, MultihotCountVec, SumVec};
use dp_prio3::{
    Aggregator, AggregatorNoise, Budget, Client, DpPolicy, Error, MAX_CONTEXT_LENGTH,
    MultihotRappor, PolicyDescription, VerifyKey,
};

use crate::support::{
    CONTEXT, epsilon, epsilon_delta, histogram_gaussian, histogram_laplace, multihot_rappor,
    rational, sum_vec_laplace,
};

/// The result is an error of this text, up to where it goes on.
#[track_caller]
fn refused<T>(result: Result<T, impl Display>, begins: &str) {
    let message = result.err().expect("refused").to_string();
    assert!(message.starts_with(begins), "{message}");
}

fn rappor(length: usize, weight: usize, rate: &str) -> Result<MultihotRappor, Error> {
    MultihotRappor::vectors(2, length, weight, epsilon("1"), &rational(rate))
}

#[test]
fn sizes_outside_their_range_are_refused() {
    for aggregators in [0, 1, 255, usize::MAX] {
        let said = format!("aggregators is {aggregators}: expected an integer from 2 to 254");
        refused(Histogram::new(aggregators, 4), &said);
        refused(SumVec::new(aggregators, 4, 3), &said);
        refused(MultihotCountVec::new(aggregators, 4, 3), &said);
    }
    for length in [0, 1, MAX_INPUT_LENGTH + 1, usize::MAX] {
        let said = format!("length is {length}: expected an integer from 2 to 16777216");
        refused(Histogram::new(2, length), &said);
    }
    refused(SumVec::new(2, 0, 3), "length is 0: expected an integer from 1 to 8388608");
    refused(rappor(0, 1, "0.01"), "length is 0: expected an integer from 1 to 1048576");
    let said = "chunk_length is 5: expected an integer from 1 to 4";
    refused(Histogram::new(2, 4).and_then(|type_of_4| type_of_4.with_chunk_length(5)), said);
    refused(SumVec::new(2, 4, 1).and_then(|type_of_4| type_of_4.with_chunk_length(5)), said);
    for weight in [0, 5, usize::MAX] {
        let said = format!("_weight is {weight}: expected an integer from 1 to 4");
        refused(MultihotCountVec::new(2, 4, weight), &format!("max{said}"));
        refused(rappor(4, weight, "0.01"), &format!("input{said}"));
    }
    for max in [0, u128::MAX] {
        refused(SumVec::new(2, 4, max), "max_measurement is ");
    }
    for rate in ["-1", "0.6", "2"] {
        assert!(rappor(4, 1, rate).is_err(), "{rate}");
    }
}

#[test]
fn a_budget_that_the_noise_does_not_keep_is_refused() {
    let histogram = || Histogram::new(2, 4).unwrap();
    let gaussian = |budget| AggregatorNoise::gaussian(histogram(), budget).map(drop);
    let laplace = |budget| AggregatorNoise::laplace(histogram(), budget).map(drop);
    refused(
        gaussian(epsilon_delta("1", "0")),
        "delta is 0: expected above 0 and below 1: delta = 0 is a pure budget",
    );
    let rho: Rho = "0.5".parse().unwrap();
    let renyi = Budget::renyi(rational("2"), rational("1")).unwrap();
    for error in [
        gaussian(Budget::from(epsilon("1"))),
        gaussian(renyi.clone()),
        laplace(Budget::from(rho)),
        laplace(renyi),
    ] {
        assert!(matches!(error, Err(Error::Parameter(_))));
    }
    refused(
        gaussian(Budget::from(epsilon("1"))),
        "budget is \"pure differential privacy with epsilon 1\": \
         expected an approximate or a zero-concentrated budget",
    );
}

#[test]
fn the_bounds_on_reports_do_not_cross() {
    let policy = histogram_laplace(2, 4).with_min_reports(100).unwrap();
    assert!(policy.parameters().contains(&("min_reports", "100".to_owned())));
    assert!(policy.clone().with_max_reports(99).is_err());
    let policy = policy.with_max_reports(100).unwrap();
    assert!(policy.clone().with_min_reports(0).is_err());
    assert!(policy.with_min_reports(101).is_err());
    assert!(multihot_rappor(2, 4, 1).with_max_reports(0).is_err());
}

#[test]
fn measurements_that_prio_panics_on_or_refuses_are_refused_before() {
    fn not_sent<P: DpPolicy>(policy: P, measurement: &P::Measurement) -> ParameterError {
        let client = Client::new(Arc::new(policy), CONTEXT).expect("a short context");
        match client.report(measurement) {
            Err(Error::Parameter(error)) => error,
            other => panic!("{other:?}"),
        }
    }
    let sum_vec = || sum_vec_laplace(2, 3, 5);
    let bits = || multihot_rappor(2, 3, 1);
    let range = |error: ParameterError| (error.name().to_owned(), error.accepted().to_owned());
    for (error, name, accepted) in [
        (not_sent(histogram_gaussian(2, 4), &4), "measurement", "an integer from 0 to 3"),
        (not_sent(sum_vec(), &[1, 2]), "measurement length", "3"),
        (not_sent(sum_vec(), &[0, 6, 0]), "measurement entry", "an integer from 0 to 5"),
        (not_sent(bits(), &[false; 4]), "measurement length", "3"),
        (not_sent(bits(), &[true, true, false]), "measurement weight", "an integer from 0 to 1"),
    ] {
        // The value belongs to a measurement.
        assert!(name == "measurement length" || error.to_string().contains("is hidden"));
        assert_eq!(range(error), (name.to_owned(), accepted.to_owned()));
    }
}

#[test]
fn a_context_that_prio_panics_on_and_an_aggregator_too_many_are_refused_before() {
    let policy = Arc::new(histogram_laplace(3, 4));
    let longest = vec![7; MAX_CONTEXT_LENGTH];
    Client::new(Arc::clone(&policy), &longest).unwrap().report(&1).unwrap();
    let too_long = vec![7; MAX_CONTEXT_LENGTH + 1];
    let said = "context length is 65528: expected at most 65527 bytes";
    refused(Client::new(Arc::clone(&policy), &too_long), said);
    let key = || VerifyKey::from_bytes([0; 32]);
    refused(Aggregator::new(Arc::clone(&policy), 0, key(), &too_long), said);
    for id in [3, 256, usize::MAX] {
        let said = format!("aggregator is {id}: expected an integer from 0 to 2");
        refused(Aggregator::new(Arc::clone(&policy), id, key(), CONTEXT), &said);
    }
}
