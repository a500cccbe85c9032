//! The statement that a certificate proves, and the reasons to refuse one.

use std::fmt::{self, Display, Formatter};

use crate::number::{Rational, shown};

/// The verified statement: `Display` is a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement(pub(crate) String);

impl Display for Statement {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The text is no certificate.
    Unreadable(String),
    /// The claim was not proved: it is false, or the steering gives too loose a bound.
    NotProved(String),
    /// This crate does not verify claims of this kind or size.
    Outside(String),
}

pub(crate) fn unreadable(what: impl Into<String>) -> Refusal {
    Refusal::Unreadable(what.into())
}

pub(crate) fn unproved(what: impl Into<String>) -> Refusal {
    Refusal::NotProved(what.into())
}

pub(crate) fn outside(what: impl Into<String>) -> Refusal {
    Refusal::Outside(what.into())
}

/// `Ok` if the condition `holds`, otherwise the refusal with this reason.
pub(crate) fn ensure(
    holds: bool, refusal: fn(&'static str) -> Refusal, reason: &'static str,
) -> Result<(), Refusal> {
    if holds { Ok(()) } else { Err(refusal(reason)) }
}

/// `Ok` if what was `found` is at most what is `claimed`, otherwise the refusal with both numbers.
pub(crate) fn at_most(what: &str, found: &Rational, claimed: &Rational) -> Result<(), Refusal> {
    let reason =
        || format!("{what} is at least {}, and {} is claimed", shown(found), shown(claimed));
    if found <= claimed { Ok(()) } else { Err(unproved(reason())) }
}

impl Display for Refusal {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(what) => write!(formatter, "unreadable: {what}"),
            Self::NotProved(what) => write!(formatter, "not proved: {what}"),
            Self::Outside(what) => write!(formatter, "not verified here: {what}"),
        }
    }
}

impl std::error::Error for Refusal {}
