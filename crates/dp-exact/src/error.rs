//! What can go wrong: a parameter out of its range ([`ParameterError`]), a question that is refused
//! for another reason ([`Refusal`]), or one that no precision answers ([`PrecisionError`]).

use std::borrow::Cow;
use std::fmt::Display;

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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}: expected {accepted}")]
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
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Something that is needed was not given.
    #[error("{name} is missing: expected {accepted}")]
    Missing {
        /// What is needed.
        name: Cow<'static, str>,
        /// What would be accepted.
        accepted: Cow<'static, str>,
    },
    /// Something that was given contradicts something else.
    #[error("{given} has no meaning {place}: {change}")]
    Contradiction {
        /// The name of what was given, and its value, shortened when long.
        given: String,
        /// Beside what, or without what, it has no meaning.
        place: Cow<'static, str>,
        /// What to change.
        change: Cow<'static, str>,
    },
    /// The answer exists, and computing it would take more time or memory than is allowed.
    #[error("{what}, which takes too long: {change}")]
    TooCostly {
        /// What would have to be computed.
        what: Cow<'static, str>,
        /// What to change.
        change: Cow<'static, str>,
    },
    /// Nothing is known that would answer.
    #[error("{what} is not available: {change}")]
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
        let (name, accepted) = (name.into(), accepted.into());
        Self::Missing { name, accepted }
    }

    /// `name` was given as `value`, which has no meaning in a `place` such as "with --rho".
    pub fn contradiction(
        name: &str,
        value: impl Display,
        place: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::Contradiction {
            given: format!("{name} {}", shorten(&value.to_string())),
            place: place.into(),
            change: change.into(),
        }
    }

    /// `what` is a statement, such as "this table has 2^30 entries".
    pub fn too_costly(
        what: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (what, change) = (what.into(), change.into());
        Self::TooCostly { what, change }
    }

    /// `what` is a noun, such as "a bound for 3 coordinates".
    pub fn not_available(
        what: impl Into<Cow<'static, str>>,
        change: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (what, change) = (what.into(), change.into());
        Self::NotAvailable { what, change }
    }
}

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

/// No precision up to [`MAX_PRECISION`](crate::MAX_PRECISION) answered the question.
///
/// Either the two sides of a comparison are equal, or a value lies beyond every exponent that
/// an [`Interval`](crate::Interval) can hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, thiserror::Error)]
#[error("no precision up to {} bits decides this", crate::MAX_PRECISION)]
pub struct PrecisionError;
