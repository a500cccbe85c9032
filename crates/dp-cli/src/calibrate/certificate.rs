//! `--certificate`: what is typed as a claim of `dp-certificate`.

use std::path::Path;

use dp_calibration::{Adjacency, NoiseLaw, Query, TrustModel};
use dp_certificate::{Candidates, Certificate, Claim, Mechanism, Release};
use dp_exact::{Rational, Refusal};

use crate::failure::Failure;
use crate::options::LEAVE_OUT;

/// The query that `typed` stands for: `one` and `pair` name what moves, not what is asked.
pub(crate) fn query(typed: &str) -> String {
    match typed {
        "one" => "count".to_owned(),
        "pair" => "histogram".to_owned(),
        query => match query.parse::<Query>() {
            Ok(query) => query.to_string(),
            Err(_) => query.to_owned(),
        },
    }
}

/// The neighbours of the claim: what `one` and `pair` name moves as much under either.
pub(crate) fn adjacency(typed: &str, adjacency: Adjacency) -> Adjacency {
    match typed {
        "pair" => Adjacency::Replacement,
        _ => adjacency,
    }
}

/// What the noise of so many honest aggregators promises about a query that is typed.
pub(crate) fn of_noise(
    (epsilon, delta): (&Rational, &Rational),
    (typed, neighbours): (&str, Adjacency),
    law: NoiseLaw,
    aggregators: u32,
) -> Claim {
    let noise = Mechanism::noises(law, query(typed), aggregators);
    Claim {
        epsilon: epsilon.clone(),
        delta: delta.clone(),
        adjacency: adjacency(typed, neighbours),
        trust_model: TrustModel::OneAggregatorOneClient,
        releases: vec![Release::once(noise)],
        every_larger_variance: false,
    }
}

/// The first that the checker accepts, for the file of --certificate.
///
/// # Errors
/// If it accepts none, with what it says of the last.
pub(crate) fn checked(candidates: &Candidates, path: &Path) -> Result<Certificate, Failure> {
    candidates.checked().cloned().map_err(|reason| {
        let place = format!("with this question: {reason}");
        Refusal::contradiction("certificate", path.display(), place, LEAVE_OUT).into()
    })
}
