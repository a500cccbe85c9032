//! What can go wrong: a parameter out of its range ([`ParameterError`]), or a question that is refused
//! for another reason ([`Refusal`]).

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::string::ToString as _;
use core::error::Error;
use core::fmt::{self, Display, Formatter};

use crate::text::{escaped_bytes, shown_bytes};

/// Longest value that an error repeats in full, in characters.
const SHOWN: usize = 40;

/// A parameter whose value is not accepted.
///
/// The message is one line that names the parameter, its value (shortened when long) and what
/// would have been accepted. Whatever comes from outside is made visible, see [`shown`](crate::shown).
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
            name: name_shown(name.into()),
            value: shorten(&value.to_string()),
            accepted: visible(accepted.into()),
        }
    }

    /// The same error, for a parameter that its caller knows by another name.
    #[must_use]
    pub fn renamed(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { name: name_shown(name.into()), ..self }
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
        let Self { name, value, accepted } = self;
        write!(formatter, "{name} is {value}: expected {accepted}")
    }
}

impl Error for ParameterError {}

/// Why a question is refused, other than for a parameter out of its range. Each kind is one line that
/// says what to change.
///
/// ```
/// use dp_exact::Refusal;
///
/// let missing = Refusal::missing("epsilon", "a number greater than 0");
/// assert_eq!(missing.to_string(), "epsilon is missing: expected a number greater than 0");
/// let both = Refusal::contradiction("delta", "1e-9", "with --rho", "leave one of them out");
/// assert_eq!(
///     both.to_string(),
///     "delta 1e-9 has no meaning with --rho: leave one of them out",
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// Something that is needed was not given.
    Missing {
        /// What is needed.
        name: Cow<'static, str>,
        /// What would be accepted.
        accepted: Cow<'static, str>,
    },
    /// Something that was given contradicts something else.
    Contradiction {
        /// The name of what was given, and its value, shortened when long.
        given: String,
        /// Beside what, or without what, it has no meaning.
        place: Cow<'static, str>,
        /// What to change.
        change: Cow<'static, str>,
    },
    /// The answer exists, and computing it would take more time or memory than is allowed.
    TooCostly {
        /// What would have to be computed.
        what: Cow<'static, str>,
        /// What to change.
        change: Cow<'static, str>,
    },
    /// Nothing is known that would answer.
    NotAvailable {
        /// What is not known.
        what: Cow<'static, str>,
        /// What to change.
        change: Cow<'static, str>,
    },
}

impl Refusal {
    /// `name` was not given, one of what is `accepted`.
    pub fn missing(
        name: impl Into<Cow<'static, str>>,
        accepted: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Missing { name: name_shown(name.into()), accepted: visible(accepted.into()) }
    }

    /// `name` was given as `value`, which has no meaning in a `place` such as "with --rho".
    pub fn contradiction(
        name: &str,
        value: impl Display,
        place: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Contradiction {
            given: format!("{} {}", shown_bytes(name.as_bytes()), shorten(&value.to_string())),
            place: visible(place.into()),
            change: visible(change.into()),
        }
    }

    /// `what` is a statement, such as "this table has 2^30 entries".
    pub fn too_costly(
        what: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (what, change) = (visible(what.into()), visible(change.into()));
        Self::TooCostly { what, change }
    }

    /// `what` is a noun, such as "a bound for 3 coordinates".
    pub fn not_available(
        what: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (what, change) = (visible(what.into()), visible(change.into()));
        Self::NotAvailable { what, change }
    }
}

impl Refusal {
    /// Whether it is [`Refusal::TooCostly`].
    #[must_use]
    pub const fn is_too_costly(&self) -> bool {
        matches!(self, Self::TooCostly { .. })
    }
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name, accepted } => {
                write!(formatter, "{name} is missing: expected {accepted}")
            }
            Self::Contradiction { given, place, change } => {
                write!(formatter, "{given} has no meaning {place}: {change}")
            }
            Self::TooCostly { what, change } => {
                write!(formatter, "{what}, which takes too long: {change}")
            }
            Self::NotAvailable { what, change } => {
                write!(formatter, "{what} is not available: {change}")
            }
        }
    }
}

impl Error for Refusal {}

/// A name, which is one of this program's, or comes from a document or the header of a table.
fn name_shown(name: Cow<'static, str>) -> Cow<'static, str> {
    match name {
        Cow::Borrowed(own) => Cow::Borrowed(own),
        Cow::Owned(name) => Cow::Owned(shown_bytes(name.as_bytes())),
    }
}

/// A part of a sentence, which may list what is accepted and so repeat names from outside.
fn visible(part: Cow<'static, str>) -> Cow<'static, str> {
    match part {
        Cow::Borrowed(own) => Cow::Borrowed(own),
        Cow::Owned(part) => Cow::Owned(escaped_bytes(part.as_bytes())),
    }
}

/// One line, quoted where the text would be unclear, with the end of a long text left out.
fn shorten(text: &str) -> String {
    let printable = escaped_bytes(text.as_bytes());
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
