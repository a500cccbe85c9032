//! `--certificate` and `--sampler-certificate`: certificates that `dp-check` accepts, of an answer
//! and of the sampler's tables.

use std::path::{Path, PathBuf};

use dp_calibration::certificate::{Certificate, CertifiedMechanism, PrivacyClaim, drawn_exactly};
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Adjacency, NoiseDistribution, Query, Refusal};
use dp_check::Statement;
use dp_exact::{Dyadic, Rational};
use dp_samplers::{DiscreteGaussian, DiscreteLaplace};

use crate::failure::Failure;
use crate::values::{LEAVE_OUT, Norm, SensitivityOptions, SensitivityQuery, end_up};

impl SensitivityQuery {
    /// The answer to this query with noise of each of `aggregators` honest aggregators, as a
    /// mechanism in a certificate.
    pub(super) fn with_noise(
        &self,
        distribution: &NoiseDistribution,
        aggregators: u32,
    ) -> CertifiedMechanism {
        let matrix = match self {
            Self::Query(query) => query.strategy_matrix(),
            _ => None,
        };
        // A certificate has the matrix itself in the place of its name.
        let name = match self {
            Self::Query(Query::HistogramRanges { length, family }) => match family {
                StrategyFamily::Toeplitz => format!("percentiles:{length}"),
                StrategyFamily::Circulant | StrategyFamily::FoldedTree => {
                    format!("ranges:{length}")
                }
            },
            other => other.to_string(),
        };
        CertifiedMechanism::noise(distribution, &name, matrix.as_ref(), aggregators)
    }

    /// The query of a claim about this query: the checker knows whole measurements alone, and one
    /// coordinate of vectors is a sum of its largest entries.
    pub(super) fn claimed(self, adjacency: Adjacency) -> Self {
        match self {
            Self::Query(query)
                if adjacency == Adjacency::OneCoordinate && query != Query::Count =>
            {
                Self::Query(Query::Sum { max_measurement: query.max_entry() })
            }
            other => other,
        }
    }
}

/// Units of work, about a nanosecond each, that the checker may take: enough for 10⁷ clients.
const WORK: u64 = 30_000_000_000;

/// The first candidate that the checker accepts within [`WORK`], and what it proves. `Err` with the
/// reason of the last refusal, or if there is no candidate; the message names the option and its
/// file.
pub(super) fn accepted(
    candidates: &[Certificate],
    (option, path): (&str, &PathBuf),
) -> Result<(Certificate, Statement), Failure> {
    let mut reason = "dp-check does not verify answers of this kind".to_owned();
    for certificate in candidates {
        let text = serde_json::to_string(certificate).map_err(Failure::other)?;
        match dp_check::check_within(&text, WORK) {
            Ok(statement) => return Ok((certificate.clone(), statement)),
            Err(refused) => reason = refused.to_string(),
        }
    }
    Err(without(option, path, &reason))
}

/// The refusal of a certificate that the `option` asked for in the file `path`, for a `reason`.
fn without(option: &str, path: &Path, reason: &str) -> Failure {
    let context = format!("with this question: {reason}");
    Refusal::contradiction(option, path.display(), context, LEAVE_OUT).into()
}

/// The certificate that the tables by which the sampler draws slices of `noise` draw it exactly.
/// `Err` if there is no noise, or a sampler without tables; the message names the file `path`.
pub(super) fn of_sampler(
    noise: Option<&NoiseDistribution>,
    path: &PathBuf,
) -> Result<Certificate, Failure> {
    let option = "sampler-certificate";
    let passes = match noise {
        Some(NoiseDistribution::DiscreteGaussian { variance }) => {
            DiscreteGaussian::new(variance).map_err(Failure::other)?.passes()
        }
        Some(NoiseDistribution::DiscreteLaplace { scale }) => {
            DiscreteLaplace::new(scale).map_err(Failure::other)?.passes()
        }
        None => Vec::new(),
    };
    if let (Some(noise), false) = (noise, passes.is_empty()) {
        return Ok(accepted(&[drawn_exactly(noise, &passes)], (option, path))?.0);
    }
    let reason = match noise {
        Some(_) => "noise so wide is drawn in two digits or by rejection, which no table describes",
        None => "the answer has no noise that is drawn from a table",
    };
    Err(without(option, path, reason))
}

/// The δ that a certificate claims, from its upper bound: 0, or rounded up to a decimal, and then
/// at least 2^−860, as the checker proves no smaller one.
pub(super) fn claimed_delta(upper: &Dyadic) -> Result<Rational, Failure> {
    let least = Dyadic::new(1, -860);
    let is_zero = upper.cmp_rational(&Rational::zero()).is_le();
    Ok(if is_zero { Rational::zero() } else { end_up(upper.max(&least)).parse()? })
}

/// The claim of (ε, δ)-privacy for one release with noise of each of `aggregators` honest
/// aggregators, for the query and the adjacency of `sensitivity`.
pub(super) fn claim_of_noise(
    (epsilon, delta): (&Rational, &Rational),
    sensitivity: &SensitivityOptions,
    norm: Norm,
    distribution: &NoiseDistribution,
    aggregators: u32,
) -> Result<PrivacyClaim, Failure> {
    let query = sensitivity.query(norm)?.claimed(sensitivity.adjacency());
    let adjacency = sensitivity.adjacency();
    let releases = vec![(query.with_noise(distribution, aggregators), 1)];
    Ok(PrivacyClaim { epsilon: epsilon.clone(), delta: delta.clone(), adjacency, releases })
}
