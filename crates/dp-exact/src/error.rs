//! What can go wrong: a parameter out of its range.

use std::borrow::Cow;
use std::error::Error;
use std::fmt::{self, Display, Formatter};

/// Longest value that an error repeats in full, in characters.
const SHOWN: usize = 40;

/// A parameter whose value is not accepted.
///
/// The message is one line that names the parameter, its value (shortened when long) and what
/// would have been accepted.
///
/// ```
/// use dp_exact::Epsilon;
///
/// let error = "0".parse::<Epsilon>().unwrap_err();
/// assert_eq!(error.to_string(), "epsilon is 0: expected a number greater than 0");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterError {
    name: Cow<'static, str>,
    value: String,
    accepted: Cow<'static, str>,
}

impl ParameterError {
    /// An error for the parameter `name`, whose `value` is not among what is `accepted`.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        value: impl Display,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            name: name.into(),
            value: shorten(&value.to_string()),
            accepted: accepted.into(),
        }
    }

    /// The same error, for a parameter that its caller knows by another name.
    #[must_use]
    pub fn renamed(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self {
            name: name.into(),
            ..self
        }
    }

    /// The parameter.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its value, shortened when long.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// What is accepted.
    #[must_use]
    pub fn accepted(&self) -> &str {
        &self.accepted
    }
}

impl Display for ParameterError {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            value,
            accepted,
        } = self;
        write!(formatter, "{name} is {value}: expected {accepted}")
    }
}

impl Error for ParameterError {}

/// One line, quoted where the text would be unclear, with the middle of a long text left out.
fn shorten(text: &str) -> String {
    let printable: String = text.chars().flat_map(char::escape_debug).collect();
    let length = printable.chars().count();
    if length == 0 || printable.contains(char::is_whitespace) && length <= SHOWN {
        return format!("\"{printable}\"");
    }
    if length <= SHOWN {
        return printable;
    }
    let head: String = printable.chars().take(SHOWN / 2).collect();
    format!("{head}… ({} characters)", text.chars().count())
}
