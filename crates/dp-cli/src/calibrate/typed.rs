//! What a user types to `calibrate`, and how its numbers are printed.

use std::str::FromStr;

use dp_calibration::{Adjacency, Corner};
use dp_exact::{Delta, Dyadic, Epsilon, ParameterError, Rational, Rounding, square_root_up};

use crate::failure::Failure;
use crate::options::integer;

const POSITIVE: &str = "a number greater than 0, such as 0.317 or 1/3";
const SLACK: &str = "a number from 0 to below 1, such as 1e-9";

/// Digits of a certified figure.
const DIGITS: usize = 20;

/// The text of an option that has to be there.
pub(crate) fn required<'a>(
    name: &'static str,
    given: Option<&'a String>,
    accepted: &'static str,
) -> Result<&'a str, ParameterError> {
    match given {
        Some(text) => Ok(text),
        None => Err(ParameterError::new(name, "missing", accepted)),
    }
}

/// Refuses an option that says nothing here.
pub(crate) fn refuse(
    name: &'static str,
    given: Option<&String>,
    place: &'static str,
) -> Result<(), ParameterError> {
    given.map_or(Ok(()), |value| {
        Err(ParameterError::new(
            name,
            value,
            format!("no option --{name} {place}"),
        ))
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

/// The option --epsilon.
pub(crate) fn epsilon(given: Option<&String>) -> Result<Epsilon, ParameterError> {
    number("epsilon", required("epsilon", given, POSITIVE)?)
}

/// The option --epsilon0.
pub(crate) fn epsilon0(given: Option<&String>) -> Result<Epsilon, ParameterError> {
    number("epsilon0", required("epsilon0", given, POSITIVE)?)
}

/// The option --delta.
pub(crate) fn delta(given: Option<&String>) -> Result<Delta, ParameterError> {
    number("delta", required("delta", given, SLACK)?)
}

/// The option --adjacency.
pub(crate) fn adjacency(text: &str) -> Result<Adjacency, ParameterError> {
    match text {
        "replacement" => Ok(Adjacency::Replacement),
        "deletion" => Ok(Adjacency::Deletion),
        other => Err(ParameterError::new(
            "adjacency",
            other,
            "replacement or deletion",
        )),
    }
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

/// How far one client can move an aggregate.
#[derive(Debug)]
pub(crate) struct Moves {
    /// The worst difference, if there is a single one.
    pub(crate) corner: Option<Corner>,
    /// Its L1 norm, which is the square of its L2 norm, or the norm that was typed.
    pub(crate) norm: u128,
    /// In words.
    pub(crate) words: String,
}

impl Moves {
    /// `one`, `pair`, or the name of a norm and a number.
    pub(crate) fn parse(text: &str, norm: &'static str) -> Result<Self, ParameterError> {
        let (corner, size, words) = match text {
            "one" => (
                Some(Corner::one()),
                1,
                "one integer of sensitivity 1".to_owned(),
            ),
            "pair" => {
                let words = "a histogram under replacement, two counts that move by 1";
                (Some(Corner::one_hot()), 2, words.to_owned())
            }
            _ => {
                let size = text
                    .strip_prefix(norm)
                    .and_then(|rest| rest.strip_prefix(':'));
                let size = size.ok_or_else(|| {
                    ParameterError::new("query", text, format!("one, pair or {norm}:NUMBER"))
                })?;
                let size = integer("query", size, 1..=u128::MAX)?;
                let norm = if norm == "l1" { "L1" } else { "squared L2" };
                (
                    None,
                    size,
                    format!("any query of {norm} sensitivity {size}"),
                )
            }
        };
        Ok(Self {
            corner,
            norm: size,
            words,
        })
    }
}

/// The worst difference, if more than one aggregator is honest.
pub(crate) fn several(
    honest: u32,
    corner: Option<&Corner>,
) -> Result<Option<&Corner>, ParameterError> {
    match (honest, corner) {
        (1, _) => Ok(None),
        (_, Some(corner)) => Ok(Some(corner)),
        (_, None) => Err(ParameterError::new(
            "honest-aggregators",
            honest,
            "1, or the query one or pair",
        )),
    }
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

/// A square root, rounded up to 25 digits.
pub(crate) fn root_up(square: &Rational) -> Result<Rational, Failure> {
    Ok(square_root_up(square, 25).map_err(dp_calibration::Error::from)?)
}
