//! What a user types to `calibrate`, and how its numbers are printed.

mod job;
mod moves;
mod noise;

use std::str::FromStr;

use dp_calibration::{Corner, KnownSensitivity, TrustModel};
use dp_exact::{Delta, Dyadic, Epsilon, ParameterError, Rational, Refusal, Rounding};
use dp_planner::Against;

pub(crate) use self::job::Job;
pub(crate) use self::moves::Moves;
pub(crate) use self::noise::{Norm, noise_law, sensitivity, worst_difference};
use crate::failure::Failure;
pub(crate) use crate::options::adjacency;
use crate::options::{LEAVE_OUT, integer};

const POSITIVE: &str = "a number greater than 0, such as 0.317 or 1/3";
const SLACK: &str = "a number from 0 to below 1, such as 1e-9";

/// Digits of a certified figure.
pub(crate) const DIGITS: usize = 20;

/// The text of an option that has to be there.
pub(crate) fn required<'a>(
    name: &'static str,
    given: Option<&'a String>,
    accepted: &'static str,
) -> Result<&'a str, Refusal> {
    match given {
        Some(text) => Ok(text),
        None => Err(Refusal::missing(name, accepted)),
    }
}

/// Refuses an option that says nothing here.
pub(crate) fn refuse(
    name: &'static str,
    given: Option<&String>,
    place: &'static str,
) -> Result<(), Refusal> {
    given.map_or(Ok(()), |value| {
        Err(Refusal::contradiction(name, value, place, LEAVE_OUT))
    })
}

/// A number, under the name of its option.
pub(crate) fn number<T>(name: &'static str, text: &str) -> Result<T, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    text.parse()
        .map_err(|error: ParameterError| error.renamed(name))
}

/// A number that may be left out.
pub(crate) fn optional<T>(
    name: &'static str,
    given: Option<&String>,
) -> Result<Option<T>, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    given.map(|text| number(name, text)).transpose()
}

/// The option --trust-model: a name of `plan --against`, or an abbreviation, in any case.
pub(crate) fn trust_model(given: Option<&String>) -> Result<Option<TrustModel>, ParameterError> {
    let Some(text) = given else {
        return Ok(None);
    };
    let named = text.parse().map(|against: Against| against.trust_model());
    let found = named.or_else(|_| text.trim().to_ascii_uppercase().parse());
    found.map(Some).map_err(|_| {
        let accepted = "all-aggregators (OC: nobody else is honest), one-aggregator (OAOC: one aggregator is), \
                        collector (OAMC: one aggregator and most clients are), or NAOC or NAMC for N honest \
                        aggregators, such as 2AOC";
        ParameterError::new("trust-model", text, accepted)
    })
}

/// The option --epsilon.
pub(crate) fn epsilon(given: Option<&String>) -> Result<Epsilon, Failure> {
    Ok(number("epsilon", required("epsilon", given, POSITIVE)?)?)
}

/// The option --epsilon0.
pub(crate) fn epsilon0(given: Option<&String>) -> Result<Epsilon, Failure> {
    Ok(number("epsilon0", required("epsilon0", given, POSITIVE)?)?)
}

/// The option --delta.
pub(crate) fn delta(given: Option<&String>) -> Result<Delta, Failure> {
    Ok(number("delta", required("delta", given, SLACK)?)?)
}

/// The option --clients: honest ones.
pub(crate) fn clients(given: Option<&String>) -> Result<u64, Failure> {
    let clients = required("clients", given, "an integer from 1 to 10000000000")?;
    Ok(integer("clients", clients, 1..=10_000_000_000)?)
}

/// A positive number, under the name of its option.
pub(crate) fn positive(name: &'static str, text: &str) -> Result<Rational, ParameterError> {
    let value: Rational = number(name, text)?;
    if value.is_positive() {
        Ok(value)
    } else {
        Err(ParameterError::new(name, text, POSITIVE))
    }
}

/// The worst difference, if more than one aggregator is honest.
pub(crate) fn several(
    honest: u32,
    sensitivity: &KnownSensitivity,
) -> Result<Option<&Corner>, Refusal> {
    if honest == 1 {
        return Ok(None);
    }
    let corner = sensitivity.corner().ok_or_else(|| {
        let place = "where only a norm is known";
        let change = "take 1, or the query one or pair";
        Refusal::contradiction("honest-aggregators", honest, place, change)
    })?;
    Ok(Some(corner))
}

/// A number as a fraction, also where it has a finite decimal.
pub(crate) fn fraction(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

/// A decimal that is not below the number.
pub(crate) fn up(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

/// A decimal that is not above the number.
pub(crate) fn down(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Down).to_string()
}

/// A decimal that is not below the end of an enclosure.
pub(crate) fn end_up(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Up)
}

/// A decimal that is not above the end of an enclosure.
pub(crate) fn end_down(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Down)
}

/// A figure of accuracy, in floating point: ten digits.
pub(crate) fn about(value: f64) -> Result<String, ParameterError> {
    Ok(Rational::from_f64(value)?.to_decimal(10, Rounding::Nearest))
}
