//! Categories, such as 1, yes or android, and missing values.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_calibration::is_printable;
use dp_exact::{ParameterError, Rational};

use super::Delimiter;
use super::table::values;

/// A category: a number, however it is written (`1` and `1.0` are one), or a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A number.
    Number(Rational),
    /// A text that is no number.
    Text(String),
}

impl Category {
    /// The category of a value of a table. A fraction is a text: `4/5` may be a date or a ratio.
    #[must_use]
    pub fn of(value: &str) -> Self {
        match value.parse() {
            Ok(number) if !value.contains('/') => Self::Number(number),
            _ => Self::Text(value.to_owned()),
        }
    }

    /// The categories in a list with commas; one with a comma stands in quotes, as in a CSV file.
    ///
    /// # Errors
    /// If there is none, one is empty or has invisible characters, or one stands there twice.
    pub fn list(name: &'static str, text: &str) -> Result<Vec<Self>, ParameterError> {
        let refused = |accepted: &str| {
            ParameterError::new(name, text, format!("values separated by commas, {accepted}"))
        };
        let values = values(text, Delimiter::COMMA).map_err(refused)?;
        let codes: Result<Vec<Self>, ParameterError> =
            values.iter().map(|value| value.parse()).collect();
        let codes = codes.map_err(|error| refused(&format!("each {}", error.accepted())))?;
        let mut sorted: Vec<&Self> = codes.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(refused(&format!("each value once, not {} twice", pair[0]))),
            None => Ok(codes),
        }
    }
}

/// The texts in a list with commas, as of [`Category::list`].
///
/// # Errors
/// As of [`Category::list`].
pub fn names(name: &'static str, list: &str) -> Result<Vec<String>, ParameterError> {
    Category::list(name, list)?;
    values(list, Delimiter::COMMA).map_err(|accepted| ParameterError::new(name, list, accepted))
}

/// A truth value, as programs write it, as the number 1 or 0; any other value as it is.
pub(super) fn truth_as_number(value: &str) -> &str {
    match value {
        "true" | "True" | "TRUE" => "1",
        "false" | "False" | "FALSE" => "0",
        other => other,
    }
}

impl FromStr for Category {
    type Err = ParameterError;

    /// Reads a category that a user declares: a number, or a visible text that is not empty.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let value = text.trim();
        if value.is_empty() {
            return Err(ParameterError::new("value", text, "a number or a text"));
        }
        if !value.chars().all(is_printable) {
            let accepted = "a text without characters that are not seen";
            return Err(ParameterError::new("value", value, accepted));
        }
        Ok(Self::of(value))
    }
}

impl Display for Category {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => text.fmt(formatter),
        }
    }
}

/// The first twenty categories with `separator` between them, for an error.
pub(super) fn listed(codes: &[Category], separator: &str) -> String {
    let shown: Vec<String> = codes.iter().take(20).map(Category::to_string).collect();
    shown.join(separator)
}

/// Values that count as missing, in capital letters or not; so does the empty value.
pub const MARKERS: [&str; 4] = ["NA", "N/A", "NaN", "NULL"];

/// The treatment of rows with a missing value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingAction {
    /// The data are refused; the error names the line.
    #[default]
    Refuse,
    /// The row is left out. **Aggregators see that its person sends no report.**
    Skip,
}

impl FromStr for MissingAction {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text {
            "refuse" => Ok(Self::Refuse),
            "skip" => Ok(Self::Skip),
            _ => Err(ParameterError::new("missing", text, "skip or refuse")),
        }
    }
}

/// The rule for missing values, and the treatment of their rows. A value is missing if it is empty,
/// one of [`MARKERS`] or one of `codes`, unless it is declared as a bin or as a code for yes or no.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MissingRule {
    /// The treatment of rows with a missing value.
    pub values: MissingAction,
    /// Further values that count as missing, which are no bins and no codes for yes or no.
    pub codes: Vec<Category>,
}

impl MissingRule {
    /// Whether the value is one of [`Self::codes`].
    pub(super) fn names(&self, value: &str) -> bool {
        !self.codes.is_empty() && self.codes.contains(&Category::of(value))
    }

    /// `Err` if a code of missing values is among the `declared` values of this `option`.
    pub(super) fn check(&self, declared: &[Category], option: &str) -> Result<(), ParameterError> {
        let Some(twice) = self.codes.iter().find(|code| declared.contains(code)) else {
            return Ok(());
        };
        let others: Vec<Category> =
            declared.iter().filter(|code| !self.codes.contains(code)).cloned().collect();
        let change = match others.is_empty() {
            true => "another --".to_owned() + option,
            false => format!("--{option} {}", listed(&others, ",")),
        };
        let declared = listed(declared, ",");
        let accepted = format!("a value that is not in --{option} {declared}, or {change}");
        Err(ParameterError::new("missing-value", twice, accepted))
    }
}

/// Whether the value is empty or one of [`MARKERS`], in capital letters or not.
pub(super) fn is_marker(value: &str) -> bool {
    value.is_empty() || MARKERS.iter().any(|marker| marker.eq_ignore_ascii_case(value))
}
