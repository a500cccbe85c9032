//! k-ary randomized response on Prio3Histogram: a client reports its own bucket with probability
//! e^ε/(e^ε + k − 1), and each of the others with 1/(e^ε + k − 1).
//!
//! The report is ε-differentially private under replacement, against every adversary. The histogram
//! of all honest clients hides more, and so do the answer and the noise of an aggregator together
//! (`dp_amplification::aggregated_response`).

use dp_amplification::aggregated_response::AggregatedResponse;
use dp_calibration::accounting::AccountedMechanism;
use dp_calibration::{Adjacency, NoiseDistribution};
use dp_exact::{ParameterError, Rational, elementary};
use dp_rappor::KaryRandomizedResponse;

use crate::guarantees::{Circumstances, LocalReleases, epsilon_of_pairs};
use crate::{Error, as_float};

/// The probabilities, rounded, that a client reports a bucket: its own one, and any other.
pub(super) fn probabilities(response: &KaryRandomizedResponse) -> [f64; 2] {
    let odds = elementary::exp(-response.epsilon().value().to_f64());
    let truth = (1.0 + as_float(response.answers() - 1) * odds).recip();
    [truth, odds * truth]
}

/// The report as one release. `Err` but under replacement: no bucket counts nothing, and no
/// coordinate of a histogram changes alone.
pub(super) fn local_releases(
    response: &KaryRandomizedResponse,
    adjacency: Adjacency,
) -> Result<LocalReleases, Error> {
    match adjacency {
        Adjacency::Replacement => {}
        Adjacency::Deletion => {
            let what = "a guarantee for a deleted answer, as no answer counts nothing";
            return Err(ParameterError::new("adjacency", what, "ask for replacement").into());
        }
        Adjacency::OneCoordinate => {
            return Err(Error::no_single_coordinate("k-ary answers"));
        }
    }
    let (epsilon, answers) = (response.epsilon().clone(), response.answers().into());
    let release = AccountedMechanism::KaryResponse { epsilon: epsilon.clone(), answers };
    Ok(LocalReleases { release, epsilon, count: 1 })
}

/// Upper bound on ε of an answer in the histogram of all honest clients. The noise of one honest
/// aggregator counts, however many aggregators are honest. `None` where no bound is proved, and for
/// Laplace noise with more than one honest client: its bound for one client is stated apart.
pub(super) fn aggregated_epsilon(
    response: &KaryRandomizedResponse,
    noise: Option<(&NoiseDistribution, u32)>,
    circumstances: &Circumstances,
) -> Result<Option<Rational>, Error> {
    let (epsilon0, answers) = (response.epsilon().clone(), response.answers().into());
    let sum = AggregatedResponse::new(epsilon0, answers, circumstances.honest_clients)?;
    Ok(match (noise, &circumstances.delta, circumstances.releases) {
        (None, delta, 1) => Some(sum.epsilon(delta)?.upper),
        (None, delta, releases) => Some(sum.epsilon_of_releases(delta, releases)?),
        // Laplace noise has the bound of one client, which is stated apart.
        (Some((NoiseDistribution::DiscreteLaplace { .. }, _)), ..)
            if circumstances.honest_clients > 1 =>
        {
            None
        }
        (Some((noise, _)), ..) => {
            epsilon_of_pairs(circumstances, |one| Ok(sum.epsilon_with_noise(&one.delta, noise)?))?
        }
    })
}
