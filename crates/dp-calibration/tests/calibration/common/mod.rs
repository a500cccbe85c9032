//! Reference tables and small helpers.

use std::fs;

use dp_calibration::WorstCaseDifference;
use dp_exact::{Delta, Epsilon, Interval, Rational};

/// The cells of each row of a table in `tests/data`, without its heading.
pub(crate) fn rows(file: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).expect("the table is part of the crate");
    text.lines().skip(1).map(split).collect()
}

/// The cells of a line; a comma between quotation marks does not separate.
fn split(line: &str) -> Vec<String> {
    let mut quoted = false;
    line.split(|character: char| {
        quoted ^= character == '"';
        character == ',' && !quoted
    })
    .map(|field| field.trim_matches('"').to_owned())
    .collect()
}

/// A number that a test states.
pub(crate) fn number(text: &str) -> Rational {
    text.parse().unwrap_or_else(|_| panic!("{text} is a number"))
}

/// |a − b|/|b|
pub(crate) fn relative(a: &Rational, b: &Rational) -> f64 {
    (a - b).abs().checked_div(&b.abs()).expect("the reference is not zero").to_f64()
}

/// The upper end of an enclosure.
pub(crate) fn upper(interval: &Interval) -> Rational {
    interval.upper().to_rational().expect("a sane exponent")
}

/// An ε that a test states.
pub(crate) fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap_or_else(|_| panic!("{text} is an epsilon"))
}

/// A δ that a test states.
pub(crate) fn delta_of(text: &str) -> Delta {
    text.parse().unwrap_or_else(|_| panic!("{text} is a delta"))
}

/// `coordinates` entries that change by `step` each.
pub(crate) fn difference_of(coordinates: u64, step: u64) -> WorstCaseDifference {
    WorstCaseDifference::new(coordinates, step).expect("in range")
}
