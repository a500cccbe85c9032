//! Errors name the parameter, its value and what is accepted; no parameter or measurement panics in
//! prio.

use std::fmt::Display;

use dp_prio3::{Error, MAX_CONTEXT_LENGTH, MAX_INPUT_LENGTH};

use crate::support::*;

/// The result is an error of this text, up to where it goes on.
#[track_caller]
fn assert_refused<T>(result: Result<T, impl Display>, begins: &str) {
    let message = result.err().expect("refused").to_string();
    assert!(message.starts_with(begins), "{message}");
}

/// The type with noise of the aggregators.
fn noisy(vdaf: Vdaf) -> Parts {
    noise_parts(vdaf, laplace(pure("1")))
}

#[test]
fn sizes_outside_their_range_are_refused() {
    for aggregators in [0, 1, 255, usize::MAX] {
        let said = format!("vdaf.aggregators is {aggregators}: expected an integer from 2 to 254");
        assert_refused(Policy::new(noisy(histogram(aggregators, 4))), &said);
        assert_refused(Policy::new(noisy(sum_vec(aggregators, 4, 3))), &said);
    }
    for length in [0, 1, MAX_INPUT_LENGTH + 1, usize::MAX] {
        let said = format!("vdaf.length is {length}: expected an integer from 2 to 16777216");
        assert_refused(Policy::new(noisy(histogram(2, length))), &said);
    }
    for weight in [0, 5, usize::MAX] {
        let said = format!("_weight is {weight}: expected an integer from 1 to 4");
        let policy = Policy::new(noisy(multihot(4, Some(weight))));
        assert_refused(policy, &format!("vdaf.max{said}"));
        let policy = Policy::new(rappor(4, weight, "1", "0.01"));
        assert_refused(policy, &format!("client_noise.input{said}"));
    }
    let chunk_length = Some(5);
    let range = MeasurementRange::MaxMeasurement(1);
    let long_chunks = "vdaf.chunk_length is 5: expected an integer from 1 to 4";
    let bad_rate = "client_noise.false_positive_rate is ";
    let bad_range = "vdaf.range.max_measurement is ";
    for (parts, said) in [
        (noisy(sum_vec(2, 0, 3)), "vdaf.length is 0: expected an integer from 1 to 8388608"),
        (rappor(0, 1, "1", "0.01"), "vdaf.length is 0: expected an integer from 1 to 1048576"),
        (noisy(Vdaf::Histogram { aggregators: 2, length: 4, chunk_length }), long_chunks),
        (noisy(Vdaf::SumVec { aggregators: 2, length: 4, range, chunk_length }), long_chunks),
        (noisy(sum_vec(2, 4, 0)), bad_range),
        (noisy(sum_vec(2, 4, u128::MAX)), bad_range),
        (rappor(4, 1, "1", "-1"), bad_rate),
        (rappor(4, 1, "1", "0.6"), bad_rate),
        (rappor(4, 1, "1", "2"), bad_rate),
    ] {
        assert_refused(Policy::new(parts), said);
    }
}

/// RAPPOR determines the most ones of a report, and not every noise fits every measurement.
#[test]
fn parts_that_contradict_each_other_are_refused() {
    let clients = rappor(9, 1, "1", "0.01");
    let bound = policy_of(clients.clone()).max_weight();
    let other = Parts { vdaf: multihot(9, Some(bound + 1)), ..clients };
    let said = format!("vdaf.max_weight is {}: expected {bound}, the least that", bound + 1);
    assert_refused(Policy::new(other), &said);
    assert_refused(Policy::new(noisy(multihot(9, None))), "vdaf.max_weight is missing: ");

    let ranges = AggregatorNoise::RangesLaplace { budget: pure("1") };
    let coin = Some(ClientNoise::CoinFlip {});
    for parts in [
        noise_parts(sum(2, 9), ranges.clone()),
        with_noise(&kary_response(4, "1"), ranges),
        with_noise(&kary_response(4, "1"), compensation(9, 0)),
        noise_parts(histogram(2, 4), compensation(9, 0)),
        Parts { client_noise: coin, ..histogram_laplace(2, 4) },
    ] {
        assert!(Policy::new(parts.clone()).is_err(), "{parts:?}");
    }
    let plain = Parts { aggregator_noise: None, ..histogram_laplace(2, 4) };
    assert_refused(Policy::new(plain), "no policy has Prio3Histogram with no noise");
}

#[test]
fn the_bounds_on_reports_do_not_cross() {
    let parts = histogram_laplace(2, 4);
    let policy = policy_of(limited_parts(&parts, 100, 100));
    assert!(policy.parameters().contains(&("min_reports", "100".to_owned())));
    for (min_reports, max_reports) in
        [(100, Some(99)), (0, Some(100)), (101, Some(100)), (0, Some(0)), (1, Some(0)), (0, None)]
    {
        let batch = BatchLimits { min_reports, max_reports };
        for parts in [&parts, &multihot_rappor(2, 4, 1)] {
            assert!(Policy::new(Parts { batch, ..parts.clone() }).is_err(), "{batch:?}");
        }
    }
}

#[test]
fn measurements_that_prio_panics_on_or_refuses_are_refused_before() {
    const ONES: &str = "measurement weight, the number of ones,";
    let (sum_vec, bits) = (|| sum_vec_laplace(2, 3, 5), || multihot_rappor(2, 3, 1));
    let one_hot = || one_hot_rappor(3, "1", "0");
    for (parts, measurement, name, accepted) in [
        (histogram_gaussian(2, 4), Bucket(4), "measurement", "an integer from 0 to 3"),
        (sum_vec(), Integers(&[1, 2]), "measurement length", "3"),
        (sum_vec(), Integers(&[0, 6, 0]), "measurement entry", "an integer from 0 to 5"),
        (bits(), Bits(&[false; 4]), "measurement length", "3"),
        (bits(), Bits(&[true, true, false]), ONES, "an integer from 0 to 1"),
        (one_hot(), Bits(&[false; 3]), ONES, "1"),
        (one_hot(), Bucket(3), "measurement", "an integer from 0 to 2"),
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
