//! `--certificate`: a claim and where to look, for `dp-check`, which verifies it by arithmetic of its own.
//!
//! Nothing here decides anything: what is written was accepted by `dp_check::check`. Steering comes from
//! estimates in floating point; where a bound of the checker's is looser than the answer, the claim
//! that is written has a larger ε, the least of a few that the checker accepts.

mod steering;

use std::path::Path;

use dp_calibration::Adjacency;
use dp_check::check;
use dp_exact::{Rational, Refusal, Rounding};
use serde::Serialize;

pub(crate) use self::steering::{Crowd, Steering};
use super::typed::DIGITS;
use crate::failure::Failure;
use crate::options::LEAVE_OUT;

/// The format that the checker reads.
const FORMAT: &str = "dp-check certificate";
const VERSION: u32 = 1;

/// A certificate.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Certificate {
    format: &'static str,
    version: u32,
    claim: Claim,
    steering: Steering,
}

/// What is claimed. `dp-check`'s README says what each field means.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Claim {
    pub(crate) epsilon: String,
    pub(crate) delta: String,
    pub(crate) adjacency: Adjacency,
    pub(crate) trust_model: &'static str,
    pub(crate) releases: Vec<Release>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) every_larger_variance: bool,
}

/// Something that is released.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Release {
    #[serde(flatten)]
    pub(crate) mechanism: Mechanism,
    #[serde(skip_serializing_if = "is_once")]
    pub(crate) times: u32,
}

#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mechanism", rename_all = "lowercase")]
pub(crate) enum Mechanism {
    Gaussian {
        query: String,
        variance: String,
    },
    Laplace {
        query: String,
        scale: String,
    },
    Rappor {
        query: &'static str,
        epsilon0: String,
        clients: u64,
    },
    Private {
        epsilon: String,
        delta: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_once(times: &u32) -> bool {
    *times == 1
}

impl Release {
    pub(crate) const fn once(mechanism: Mechanism) -> Self {
        Self {
            mechanism,
            times: 1,
        }
    }
}

/// The query that `typed` stands for: `one` and `pair` name what moves, not what is asked.
pub(crate) fn query(typed: &str) -> String {
    match typed {
        "one" => "count".to_owned(),
        "pair" => "histogram".to_owned(),
        query => query.to_owned(),
    }
}

/// The neighbours of the claim: what `one` and `pair` name moves as much under either.
pub(crate) fn adjacency(typed: &str, adjacency: Adjacency) -> Adjacency {
    match typed {
        "pair" => Adjacency::Replacement,
        _ => adjacency,
    }
}

/// Certificates to try, the best one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates(Vec<Certificate>);

impl Candidates {
    pub(crate) fn add(&mut self, claim: Claim, steering: Steering) {
        self.0.push(Certificate {
            format: FORMAT,
            version: VERSION,
            claim,
            steering,
        });
    }

    /// The same claim with ε larger by each of these parts, in growing order.
    pub(crate) fn add_larger(
        &mut self,
        claim: &Claim,
        epsilon: &Rational,
        parts: &[&str],
        steering: &Steering,
    ) {
        for part in parts {
            let factor = part
                .parse::<Rational>()
                .map(|part| &part + &Rational::one());
            let larger = factor.map_or_else(|_| epsilon.clone(), |factor| epsilon * &factor);
            let epsilon = larger.round_to_digits(DIGITS, Rounding::Up).to_string();
            self.add(
                Claim {
                    epsilon,
                    ..claim.clone()
                },
                steering.clone(),
            );
        }
    }

    /// The first that the checker accepts, for the file of --certificate.
    ///
    /// # Errors
    /// If it accepts none, with what it says of the last.
    pub(crate) fn checked(&self, path: &Path) -> Result<&Certificate, Failure> {
        let mut reason = "dp-check knows no answers of this kind".to_owned();
        for certificate in &self.0 {
            let text = serde_json::to_string(certificate);
            match check(&text.map_err(|error| Failure::Other(error.into()))?) {
                Ok(_) => return Ok(certificate),
                Err(refused) => reason = refused.to_string(),
            }
        }
        let place = format!("with this question: {reason}");
        Err(Refusal::contradiction("certificate", path.display(), place, LEAVE_OUT).into())
    }
}
