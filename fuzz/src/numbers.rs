//! Numbers, names, and short documents of numbers.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use dp_calibration::{Adjacency, Budget, NoiseDistribution, Query, TrustModel};
use dp_exact::{Delta, Epsilon, Rational, Rho, Rounding};
use dp_ledger::{Head, Mechanism, Release, SharesDigest};
use dp_libprio::Strategy;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{check_refusal, text};

/// A number: it has bounded size, is equal when printed and read, and lies between its decimals.
pub fn rational(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let value: Rational = match text.parse() {
        Ok(value) => value,
        Err(error) => return check_refusal(&error),
    };
    assert!(value.bits() <= Rational::MAX_BITS);
    assert_eq!(value.to_string().parse().as_ref(), Ok(&value));
    let side = |rounding| value.round_to_digits(5, rounding);
    assert!(side(Rounding::Down) <= value && value <= side(Rounding::Up));
    let decimal = value.to_decimal(5, Rounding::Up);
    let rounded = side(Rounding::Up);
    if rounded.bits() <= Rational::MAX_BITS {
        assert_eq!(decimal.parse(), Ok(rounded), "{decimal}");
    } else {
        // Only the smallest and the largest numbers have a decimal with too many bits.
        assert!(value.bits() > Rational::MAX_BITS - 64);
        check_refusal(&decimal.parse::<Rational>().expect_err("a number of too many bits"));
    }
    let _ = (value.to_f64(), value.floor(), value.ceil());
    if text.len() < 64 {
        parameter::<Epsilon>(text);
        parameter::<Delta>(text);
        parameter::<Rho>(text);
    }
}

/// Asserts that a parsed value is equal when printed and read again.
fn parameter<T>(text: &str)
where
    T: FromStr<Err: Display + Debug> + Display + Debug + PartialEq,
{
    match text.parse::<T>() {
        Ok(value) => assert_eq!(value.to_string().parse::<T>().as_ref().ok(), Some(&value)),
        Err(error) => check_refusal(&error),
    }
}

/// Names on the command line and in documents.
pub fn names(data: &[u8]) {
    let Some(text) = text(data) else { return };
    parameter::<Head>(text);
    match SharesDigest::try_from(text.to_owned()) {
        Ok(digest) => assert_eq!(digest.to_string(), text),
        Err(error) => check_refusal(&error),
    }
    if let Ok(model) = text.parse::<TrustModel>() {
        assert_eq!(model.abbreviation().parse(), Ok(model));
    }
    match dp_ledger::check_name("name", text) {
        Ok(()) => assert!((1..=dp_ledger::MAX_NAME).contains(&text.len())),
        Err(error) => check_refusal(&error),
    }
}

/// JSON of a budget, a distribution of noise, a query or a release: it is equal when written and
/// read again.
pub fn guarantees(data: &[u8]) {
    if let Some(budget) = json::<Budget>(data) {
        let _ = budget.check_range();
        let _ = budget.to_string();
    }
    json::<NoiseDistribution>(data);
    json::<Adjacency>(data);
    json::<TrustModel>(data);
    json::<Mechanism>(data);
    json::<Release>(data);
    if let Some(query) = json::<Query>(data) {
        for adjacency in Adjacency::ALL {
            let _ = query.sensitivity(adjacency);
            let _ = query.worst_case_difference(adjacency);
        }
    }
}

/// JSON of a noise strategy, as servers keep it.
pub fn strategy(data: &[u8]) {
    if let Some(strategy) = json::<Strategy>(data) {
        strategy.budget().check_range().expect("in range");
    }
}

/// The value in this JSON, equal when written and read again; `None` if it is refused.
fn json<T>(data: &[u8]) -> Option<T>
where
    T: DeserializeOwned + Serialize + PartialEq + Debug,
{
    let value: T = serde_json::from_slice(data).ok()?;
    let written = serde_json::to_vec(&value).expect("JSON");
    let again: T = serde_json::from_slice(&written).expect("written JSON");
    assert_eq!(again, value);
    assert_eq!(serde_json::to_vec(&again).expect("JSON"), written);
    Some(value)
}
