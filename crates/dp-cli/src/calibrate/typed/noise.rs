//! The one written form of a law of noise and of what one client moves.

use dp_calibration::{
    Adjacency, BigUint, Corner, KnownSensitivity, NoiseLaw, Query, discrete_laplace,
};
use dp_exact::ParameterError;

use super::positive;
use crate::failure::Failure;
use crate::options::integer;

/// `gaussian` or `laplace` with a parameter; `None` if the name is that of no law of noise.
pub(crate) fn noise_law(name: &str, parameter: &str) -> Result<Option<NoiseLaw>, ParameterError> {
    Ok(match name {
        "gaussian" => Some(NoiseLaw::DiscreteGaussian {
            variance: positive("variance", parameter)?,
        }),
        "laplace" => Some(NoiseLaw::DiscreteLaplace {
            scale: positive("scale", parameter)?,
        }),
        _ => None,
    })
}

/// The forms of --query beside those of a query.
const NORMS: &str = "one, pair, l1:NUMBER, l2-squared:NUMBER";

/// The norm on which noise depends where the worst difference has too many entries to be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    L1,
    L2Squared,
}

impl Norm {
    /// The most entries of a worst difference.
    const fn most_coordinates(self) -> u64 {
        match self {
            Self::L1 => discrete_laplace::MAX_COORDINATES,
            Self::L2Squared => Corner::MAX_COORDINATES,
        }
    }
}

/// `one`, `pair` or a query, as its worst difference.
pub(crate) fn worst_difference(text: &str, adjacency: Adjacency) -> Result<Corner, Failure> {
    match text {
        "one" => return Ok(Corner::one()),
        "pair" => return Ok(Corner::one_hot()),
        _ => {}
    }
    query(text)?.corner(adjacency)?.ok_or_else(|| {
        let accepted = "a query whose measurements differ; this one needs no noise";
        ParameterError::new("query", text, accepted).into()
    })
}

/// A query, with all that --query accepts in the refusal.
fn query(text: &str) -> Result<Query, ParameterError> {
    text.parse().map_err(|error: ParameterError| {
        if error.name() == "query" {
            let accepted = format!("{NORMS}, {}", error.accepted());
            ParameterError::new("query", text, accepted)
        } else {
            error
        }
    })
}

/// The option --query: `one`, `pair`, a query, or a bound on a norm, `l1:NUMBER` or
/// `l2-squared:NUMBER`; for noise that depends on `norm` where the worst difference is out of reach.
pub(crate) fn sensitivity(
    text: &str,
    adjacency: Adjacency,
    norm: Norm,
) -> Result<KnownSensitivity, Failure> {
    let size = |size: &str| integer("query", size, 1..=u128::MAX).map(BigUint::from);
    match text.split_once(':') {
        Some(("l1", number)) => return Ok(KnownSensitivity::L1(size(number)?)),
        Some(("l2-squared", number)) => return Ok(KnownSensitivity::L2Squared(size(number)?)),
        _ => {}
    }
    match worst_difference(text, adjacency) {
        Ok(corner) if corner.coordinates() <= norm.most_coordinates() => {
            Ok(KnownSensitivity::WorstDifference(corner))
        }
        found => {
            // Of a query that is valid, and moves too many entries.
            let moves = query(text).map(|query| query.sensitivity(adjacency));
            match (moves, found) {
                (Ok(Ok(moves)), _) if moves.l1 > Corner::one_hot().l1() => Ok(match norm {
                    Norm::L1 => KnownSensitivity::L1(moves.l1),
                    Norm::L2Squared => KnownSensitivity::L2Squared(moves.l2_squared),
                }),
                (_, found) => found.map(KnownSensitivity::WorstDifference),
            }
        }
    }
}
