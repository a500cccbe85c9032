//! A value as the code of a category, such as 1, yes or android.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::{ParameterError, Rational, is_printable};

/// A value as the code of a category: a number, however it is written, or else a text. `1` and `1.0`
/// are the same code; texts are the same if they have the same characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A number.
    Number(Rational),
    /// What is no number.
    Text(String),
}

impl Category {
    /// The code that a value of a table is, whatever it is.
    #[must_use]
    pub fn of(value: &str) -> Self {
        match value.parse() {
            Ok(number) => Self::Number(number),
            Err(_) => Self::Text(value.to_owned()),
        }
    }

    /// The codes in a list with commas; quotes around a code that has a comma, as in a CSV file.
    ///
    /// # Errors
    /// If there is none, one is empty or has characters that are not seen, or one stands there twice.
    pub fn list(name: &'static str, text: &str) -> Result<Vec<Self>, ParameterError> {
        let refused = |accepted: &str| {
            ParameterError::new(name, text, format!("values separated by commas, {accepted}"))
        };
        let mut reader = csv::ReaderBuilder::new();
        let mut reader =
            reader.has_headers(false).trim(csv::Trim::All).from_reader(text.as_bytes());
        let records: Vec<csv::StringRecord> = reader.records().filter_map(Result::ok).collect();
        let [record] = records.as_slice() else {
            return Err(refused("each a number or a text"));
        };
        let codes: Result<Vec<Self>, ParameterError> = record.iter().map(str::parse).collect();
        let codes = codes.map_err(|error| refused(&format!("each {}", error.accepted())))?;
        let mut sorted: Vec<&Self> = codes.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(refused(&format!("each value once, not {} twice", pair[0]))),
            None => Ok(codes),
        }
    }

    /// This code, if all of its characters are seen.
    pub(super) fn visible(self) -> Result<Self, ParameterError> {
        match &self {
            Self::Text(text) if !text.chars().all(is_printable) => {
                let accepted = "a text without characters that are not seen";
                Err(ParameterError::new("value", text, accepted))
            }
            _ => Ok(self),
        }
    }
}

impl FromStr for Category {
    type Err = ParameterError;

    /// Reads what a user declares: a number or a text that is not empty and can be seen.
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        match text.trim() {
            "" => Err(ParameterError::new("value", text, "a number or a text")),
            text => Self::of(text).visible(),
        }
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

/// The first twenty codes in words, for an error.
pub(super) fn listed(codes: &[Category], separator: &str) -> String {
    let shown: Vec<String> = codes.iter().take(20).map(Category::to_string).collect();
    shown.join(separator)
}
