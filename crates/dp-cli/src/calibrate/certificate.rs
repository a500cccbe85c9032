//! `--certificate`: a claim and where to look, for `dp-check`, which verifies it by arithmetic of its own.
//!
//! Nothing here decides anything: what is written was accepted by `dp_check::check`. Steering comes from
//! estimates in floating point; where a bound of the checker's is looser than the answer, the claim
//! that is written has a larger ε, the least of a few that the checker accepts.

mod steering;

use std::path::Path;

use dp_calibration::{Adjacency, Corner, NoiseLaw};
use dp_check::check;
use dp_exact::{Epsilon, Rational, Refusal, Rounding};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

pub(crate) use self::steering::{Counts, Crowd, Steering, best_order};
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
    claim: Claimed,
    steering: Steering,
}

/// What is claimed, of either kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Claimed {
    Private(Claim),
    Exceeded(Exceeded),
}

/// That draws exceed a bound with a probability of at most so much.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Exceeded {
    #[serde(flatten)]
    pub(crate) draws: Draws,
    pub(crate) bound: u64,
    pub(crate) probability: String,
}

/// Draws of which the largest counts.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Draws {
    /// The noise of all aggregators on so many numbers.
    Noise {
        #[serde(flatten)]
        noise: Noise,
        aggregators: u32,
        numbers: u64,
    },
    /// The weight of a randomized vector.
    Weight {
        mechanism: &'static str,
        epsilon0: String,
        length: usize,
        #[serde(skip_serializing_if = "is_zero")]
        weight: usize,
    },
}

/// Noise of one aggregator.
#[derive(Clone, Debug)]
pub(crate) struct Noise(pub(crate) NoiseLaw);

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mechanism, name, parameter) = match &self.0 {
            NoiseLaw::DiscreteGaussian { variance } => ("gaussian", "variance", variance),
            NoiseLaw::DiscreteLaplace { scale } => ("laplace", "scale", scale),
        };
        let mut fields = serializer.serialize_map(Some(2))?;
        fields.serialize_entry("mechanism", mechanism)?;
        fields.serialize_entry(name, &parameter.to_string())?;
        fields.end()
    }
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

/// A mechanism, by its fields.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Mechanism {
    Noise {
        #[serde(flatten)]
        noise: Noise,
        query: String,
        #[serde(skip_serializing_if = "is_once")]
        aggregators: u32,
    },
    Named(Named),
}

/// A mechanism that has a name of its own.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mechanism", rename_all = "lowercase")]
pub(crate) enum Named {
    Rappor {
        query: &'static str,
        epsilon0: String,
        clients: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        noise: Option<Noise>,
    },
    Private {
        epsilon: String,
        delta: String,
    },
    Concentrated {
        rho: String,
    },
    Renyi {
        alpha: String,
        tau: String,
    },
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_once(times: &u32) -> bool {
    *times == 1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_zero(weight: &usize) -> bool {
    *weight == 0
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
pub(crate) struct Candidates {
    certificates: Vec<Certificate>,
    /// What of the answer the checker does not verify.
    outside: Option<&'static str>,
}

impl Candidates {
    /// None, as the checker does not verify this.
    pub(crate) const fn outside(what: &'static str) -> Self {
        Self {
            certificates: Vec::new(),
            outside: Some(what),
        }
    }

    pub(crate) fn add(&mut self, claim: Claim, steering: Steering) {
        self.push(Claimed::Private(claim), steering);
    }

    /// The one claim that draws exceed `bound` rarely; none if that is too large, or 0.
    pub(crate) fn exceeded(draws: Draws, bound: impl TryInto<u64>, probability: String) -> Self {
        let mut candidates = Self::default();
        if let Ok(bound) = bound.try_into()
            && bound > 0
        {
            let claim = Exceeded {
                draws,
                bound,
                probability,
            };
            candidates.push(Claimed::Exceeded(claim), Steering::default());
        }
        candidates
    }

    fn push(&mut self, claim: Claimed, steering: Steering) {
        self.certificates.push(Certificate {
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
        let outside = self.outside.unwrap_or("answers of this kind");
        let mut reason = format!("dp-check does not verify {outside}");
        for certificate in &self.certificates {
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

/// What to add to an ε, in parts of it: what the checker says of several noises is a little looser.
const LOOSER: [&str; 6] = ["3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1"];

/// Certificates of the noise of several aggregators, that of the first release of a claim.
pub(crate) fn of_several(
    claim: &Claim,
    epsilon: &Epsilon,
    delta: f64,
    corner: &Corner,
) -> Candidates {
    let mut candidates = Candidates::default();
    let times = f64::from(u32::try_from(corner.coordinates()).unwrap_or(u32::MAX));
    if let [
        Release {
            mechanism: Mechanism::Noise {
                noise, aggregators, ..
            },
            ..
        },
    ] = &claim.releases[..]
        && let Some(crowd) = Crowd::of(&Counts::of_noise(&noise.0, *aggregators, times), delta)
    {
        let steering = Steering {
            crowds: vec![crowd],
            ..Steering::default()
        };
        // At δ = 0 each noise by itself has to suffice, and nothing is loose.
        candidates.add(claim.clone(), steering.clone());
        candidates.add_larger(claim, epsilon.value(), &LOOSER, &steering);
    }
    candidates
}
