//! Errors name the parameter, its value and what is accepted; no parameter or measurement panics in
//! prio.

use std::fmt::Display;

use dp_prio3::Measurement::{Bit, Bits, Bucket, Integers};
use dp_prio3::{
    Aggregator, Amount, Budget, Client, Error, MAX_CONTEXT_LENGTH, MAX_INPUT_LENGTH, Policy,
    Stores, Vdaf, VerifyKey,
};

use crate::support::{
    CONTEXT, concentrated, epsilon_delta, gaussian, histogram, histogram_gaussian,
    histogram_laplace, laplace, limited_parts, multihot, multihot_rappor, noise_parts, policy_of,
    pure, rappor, rational, sum_vec, sum_vec_laplace,
};

/// The result is an error of this text, up to where it goes on.
#[track_caller]
fn assert_refused<T>(result: Result<T, impl Display>, begins: &str) {
    let message = result.err().expect("refused").to_string();
    assert!(message.starts_with(begins), "{message}");
}

#[track_caller]
fn assert_vdaf_refused(vdaf: Vdaf, begins: &str) {
    assert_refused(Policy::new(noise_parts(vdaf, laplace(pure("1")))), begins);
}

#[test]
fn sizes_outside_their_range_are_refused() {
    for aggregators in [0, 1, 255, usize::MAX] {
        let said = format!("vdaf.aggregators is {aggregators}: expected an integer from 2 to 254");
        assert_vdaf_refused(histogram(aggregators, 4), &said);
        assert_vdaf_refused(sum_vec(aggregators, 4, 3), &said);
    }
    for length in [0, 1, MAX_INPUT_LENGTH + 1, usize::MAX] {
        let said = format!("vdaf.length is {length}: expected an integer from 2 to 16777216");
        assert_vdaf_refused(histogram(2, length), &said);
    }
    assert_vdaf_refused(
        sum_vec(2, 0, 3),
        "vdaf.length is 0: expected an integer from 1 to 8388608",
    );
    let said = "vdaf.length is 0: expected an integer from 1 to 1048576";
    assert_refused(Policy::new(rappor(0, 1, "1", "0.01")), said);
    let said = "vdaf.chunk_length is 5: expected an integer from 1 to 4";
    let chunk_length = Some(5);
    assert_vdaf_refused(Vdaf::Histogram { aggregators: 2, length: 4, chunk_length }, said);
    let Vdaf::SumVec { aggregators, length, range, .. } = sum_vec(2, 4, 1) else {
        panic!("a vector");
    };
    assert_vdaf_refused(Vdaf::SumVec { aggregators, length, range, chunk_length }, said);
    for weight in [0, 5, usize::MAX] {
        let said = format!("_weight is {weight}: expected an integer from 1 to 4");
        assert_vdaf_refused(multihot(4, Some(weight)), &format!("vdaf.max{said}"));
        let policy = Policy::new(rappor(4, weight, "1", "0.01"));
        assert_refused(policy, &format!("client_noise.input{said}"));
    }
    for max in [0, u128::MAX] {
        assert_vdaf_refused(sum_vec(2, 4, max), "vdaf.range.max_measurement is ");
    }
    for rate in ["-1", "0.6", "2"] {
        assert!(Policy::new(rappor(4, 1, "1", rate)).is_err(), "{rate}");
    }
}

#[test]
fn a_budget_that_the_noise_does_not_keep_is_refused() {
    let of = |noise| Policy::new(noise_parts(histogram(2, 4), noise));
    assert_refused(
        of(gaussian(epsilon_delta("1", "0"))),
        "aggregator_noise.budget.approximate.delta is 0: \
         expected above 0 and below 1: delta = 0 is a pure budget",
    );
    for noise in [gaussian(pure("1")), laplace(concentrated("0.5"))] {
        assert!(matches!(of(noise), Err(Error::Parameter(_))));
    }
    let renyi = Budget::renyi(rational("2"), rational("1")).unwrap();
    assert!(Amount::try_from(renyi).is_err());
    assert_refused(
        of(gaussian(pure("1"))),
        "aggregator_noise.budget is \"pure differential privacy with epsilon 1\": \
         expected an approximate or a zero-concentrated budget",
    );
}

#[test]
fn the_bounds_on_reports_do_not_cross() {
    let parts = histogram_laplace(2, 4);
    let policy = policy_of(limited_parts(&parts, 100, 100));
    assert!(policy.parameters().contains(&("min_reports", "100".to_owned())));
    for (min_reports, max_reports) in [(100, 99), (0, 100), (101, 100), (0, 0), (1, 0)] {
        for parts in [&parts, &multihot_rappor(2, 4, 1)] {
            let crossed = Policy::new(limited_parts(parts, min_reports, max_reports));
            assert!(crossed.is_err(), "{min_reports} to {max_reports}");
        }
    }
}

#[test]
fn measurements_that_prio_panics_on_or_refuses_are_refused_before() {
    let (sum_vec, bits) = (|| sum_vec_laplace(2, 3, 5), || multihot_rappor(2, 3, 1));
    for (parts, measurement, name, accepted) in [
        (histogram_gaussian(2, 4), Bucket(4), "measurement", "an integer from 0 to 3"),
        (sum_vec(), Integers(&[1, 2]), "measurement length", "3"),
        (sum_vec(), Integers(&[0, 6, 0]), "measurement entry", "an integer from 0 to 5"),
        (bits(), Bits(&[false; 4]), "measurement length", "3"),
        (bits(), Bits(&[true, true, false]), "measurement weight", "an integer from 0 to 1"),
        (bits(), Bit(true), "measurement", "a vector of bits"),
    ] {
        let client = Client::new(policy_of(parts), CONTEXT).expect("a short context");
        let Err(Error::Parameter(error)) = client.report(measurement) else {
            panic!("{measurement:?} is reported");
        };
        // The value belongs to a measurement.
        let hides_the_value =
            ["hidden", "\"a bit\""].iter().any(|shown| error.to_string().contains(shown));
        assert!(name == "measurement length" || hides_the_value, "{error}");
        assert_eq!((error.name(), error.accepted()), (name, accepted));
    }
}

#[test]
fn a_context_that_prio_panics_on_and_an_aggregator_too_many_are_refused_before() {
    let policy = policy_of(histogram_laplace(3, 4));
    let client = |context: &[u8]| Client::new(policy.clone(), context);
    let aggregator = |id, context: &[u8]| {
        let key = VerifyKey::from_bytes([0; 32]);
        Aggregator::new(policy.clone(), id, key, context, Stores::forgotten_at_restart())
    };
    client(&[7; MAX_CONTEXT_LENGTH]).unwrap().report(Bucket(1)).unwrap();
    let said = "context length is 65528: expected at most 65527 bytes";
    assert_refused(client(&[7; MAX_CONTEXT_LENGTH + 1]), said);
    assert_refused(aggregator(0, &[7; MAX_CONTEXT_LENGTH + 1]), said);
    for id in [3, 256, usize::MAX] {
        let said = format!("aggregator is {id}: expected an integer from 0 to 2");
        assert_refused(aggregator(id, CONTEXT), &said);
    }
}
