//! How far one client moves a result: the options --query, --sensitivity and --adjacency.

use std::borrow::Cow;

use clap::Args;
use dp_calibration::{Adjacency, KnownSensitivity};
use dp_exact::{ParameterError, Rational, integer};

use super::{Norm, adjacency, positive, refuse, sensitivity};
use crate::failure::Failure;

/// How far one client moves a result.
#[derive(Args, Clone, Debug)]
pub(crate) struct Moves {
    /// What one client moves: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH,
    /// multihot:LENGTH:WEIGHT, l1boundsum:LENGTH:MAX, one, pair (a histogram, replaced), l1:NUMBER or
    /// l2-squared:NUMBER [default: pair]
    #[arg(long, alias = "type", allow_hyphen_values = true)]
    query: Option<String>,
    /// In place of --query, how far one client moves the result at most: its L1 norm with Laplace noise, its L2
    /// norm with Gaussian noise
    #[arg(long, conflicts_with = "query", allow_hyphen_values = true)]
    sensitivity: Option<String>,
    /// Which batches are neighbours: replacement or deletion [default: replacement]
    #[arg(long, allow_hyphen_values = true)]
    adjacency: Option<String>,
}

impl Moves {
    /// The query that is typed, or the norm that the sensitivity is.
    pub(crate) fn query(&self, norm: Norm) -> Result<Cow<'_, str>, ParameterError> {
        Ok(match &self.sensitivity {
            Some(typed) => Cow::Owned(norm_of(typed, norm)?),
            None => Cow::Borrowed(self.query.as_deref().unwrap_or("pair")),
        })
    }

    /// These options with the query of a task.
    pub(crate) fn of_query(self, query: String) -> Self {
        Self {
            query: Some(query),
            ..self
        }
    }

    /// Whether a query or a sensitivity is typed.
    pub(crate) const fn is_given(&self) -> bool {
        self.query.is_some() || self.sensitivity.is_some()
    }

    /// Which batches are neighbours.
    pub(crate) fn adjacency(&self) -> Result<Adjacency, ParameterError> {
        adjacency(self.adjacency.as_deref().unwrap_or("replacement"))
    }

    /// How far one client moves the result, for noise that depends on a norm.
    pub(crate) fn known(&self, norm: Norm) -> Result<KnownSensitivity, Failure> {
        sensitivity(&self.query(norm)?, self.adjacency()?, norm)
    }

    /// Refuses the options where they say nothing.
    pub(crate) fn refuse(&self, place: &'static str) -> Result<(), Failure> {
        refuse("query", self.query.as_ref(), place)?;
        refuse("sensitivity", self.sensitivity.as_ref(), place)?;
        Ok(refuse("adjacency", self.adjacency.as_ref(), place)?)
    }
}

/// The option --sensitivity as a query. Results move by whole numbers, so both norms of a move by 1 are those of one
/// number that moves by 1.
fn norm_of(typed: &str, norm: Norm) -> Result<String, ParameterError> {
    let size = match integer::<u64>("sensitivity", typed, 1..=u64::MAX) {
        Ok(1) => return Ok("one".to_owned()),
        Ok(size) => size,
        Err(refused) => return Err(root(typed, norm).unwrap_or(refused)),
    };
    Ok(match norm {
        Norm::L1 => format!("l1:{size}"),
        Norm::L2Squared => format!("l2-squared:{}", u128::from(size) * u128::from(size)),
    })
}

/// The refusal of a positive L2 norm that is no integer, such as 1.41: its square is one.
fn root(typed: &str, norm: Norm) -> Option<ParameterError> {
    let size: Rational = positive("sensitivity", typed).ok()?;
    let is_root = norm == Norm::L2Squared && !size.is_integer();
    let accepted = format!(
        "an integer of at least 1, or in place of it the square, --query l2-squared:{}",
        (&size * &size).ceil()
    );
    is_root.then(|| ParameterError::new("sensitivity", typed, accepted))
}
