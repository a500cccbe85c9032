//! A policy takes measurements of one kind.

use dp_task::{FromMeasurement, Measurement};

#[test]
fn a_measurement_of_another_kind_is_refused_without_its_value() {
    let error = u64::from_measurement(Measurement::Integer(1 << 100)).expect_err("too large");
    assert_eq!(error.to_string(), "measurement is hidden: expected an integer of at most 64 bits");
    for (error, says) in [
        (bool::from_measurement(Measurement::Bucket(3)).err(), "\"a bucket\": expected a bit"),
        (usize::from_measurement(Measurement::Integer(3)).err(), "expected a bucket"),
        (u128::from_measurement(Measurement::Bit(true)).err(), "expected an integer"),
        (<[bool]>::from_measurement(Measurement::Integers(&[1])).err(), "a vector of bits"),
        (<[u128]>::from_measurement(Measurement::Bits(&[true])).err(), "a vector of integers"),
    ] {
        let error = error.expect("another kind").to_string();
        assert!(error.contains(says), "{error}");
    }
}
