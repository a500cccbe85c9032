//! A claim and where to look, as the checker reads it.

use std::fmt::{self, Display, Formatter};

use dp_exact::Rational;
use serde::Serialize;

use crate::claim::{Claim, Exceeded};
use crate::steering::Steering;

/// The format that the checker reads.
pub const FORMAT: &str = "dp-check certificate";
const VERSION: u32 = 1;

/// A claim and where to look. Its text, JSON, is what `dp_check::check` reads.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    format: &'static str,
    version: u32,
    claim: Claimed,
    steering: Steering,
}

/// What is claimed, of either kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Claimed {
    Private(Claim),
    Exceeded(Exceeded),
}

impl Certificate {
    /// A claim that nobody has verified yet.
    pub(crate) const fn new(claim: Claimed, steering: Steering) -> Self {
        Self {
            format: FORMAT,
            version: VERSION,
            claim,
            steering,
        }
    }

    /// What is claimed of releases; `None` if it is about draws.
    #[must_use]
    pub const fn claim(&self) -> Option<&Claim> {
        match &self.claim {
            Claimed::Private(claim) => Some(claim),
            Claimed::Exceeded(_) => None,
        }
    }

    /// The ε that is claimed, at least that of the answer; `None` if the claim is about draws.
    #[must_use]
    pub fn epsilon(&self) -> Option<&Rational> {
        self.claim().map(|claim| &claim.epsilon)
    }

    /// Where the checker is to look.
    #[must_use]
    pub const fn steering(&self) -> &Steering {
        &self.steering
    }
}

impl Display for Certificate {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| fmt::Error)?;
        formatter.write_str(&text)
    }
}
