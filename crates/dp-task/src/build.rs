//! From a document to its policy.

use std::sync::Arc;

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::mechanisms::NoiseMechanism;
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{Count, MeasurementType, MultihotCountVec};
use dp_prio3::{
    AggregatorNoise as AtAggregators, ClientNoise as AtClients, CompensatedRappor, Hedged,
    PolicyDescription as _,
};

use crate::Error;
use crate::catalogue::no_such_policy;
use crate::document::{AggregatorNoise, Batch, ClientNoise, Document, Vdaf};
use crate::policy::{Noisy, Policy, Randomized};
use crate::types::{average, histogram, l1_bound_sum, multihot, sum, sum_vec};

/// The policy that the document asks for. What the catalogue does not have is refused.
pub(crate) fn policy(document: &Document) -> Result<Policy, Error> {
    match &document.client_noise {
        None => at_aggregators(document),
        Some(noise) => at_clients(document, noise),
    }
}

/// The types, as they are measured.
fn at_aggregators(document: &Document) -> Result<Policy, Error> {
    match &document.vdaf {
        Vdaf::Count { aggregators } => noisy(Count::new(*aggregators), document).map(Policy::Count),
        Vdaf::Sum { aggregators, range } => {
            noisy(sum(*aggregators, range), document).map(Policy::Sum)
        }
        Vdaf::Average { aggregators, range } => {
            noisy(average(*aggregators, range), document).map(Policy::Average)
        }
        Vdaf::SumVec {
            aggregators,
            length,
            range,
            chunk_length,
        } => {
            let vectors = sum_vec(*aggregators, *length, range, *chunk_length);
            noisy(vectors, document).map(Policy::SumVec)
        }
        Vdaf::Histogram {
            aggregators,
            length,
            chunk_length,
        } => {
            let buckets = histogram(*aggregators, *length, *chunk_length);
            noisy(buckets, document).map(Policy::Histogram)
        }
        Vdaf::MultihotCountVec {
            aggregators,
            length,
            max_weight,
            chunk_length,
        } => {
            let weight = max_weight.ok_or_else(|| {
                let accepted = "the most ones in a measurement, an integer from 1 to vdaf.length";
                ParameterError::new("vdaf.max_weight", "missing", accepted)
            })?;
            let vectors = multihot(*aggregators, *length, weight, *chunk_length);
            noisy(vectors, document).map(Policy::MultihotCountVec)
        }
        Vdaf::L1BoundSum {
            aggregators,
            length,
            max_measurement,
            chunk_length,
        } => {
            let vectors = l1_bound_sum(*aggregators, *length, *max_measurement, *chunk_length);
            noisy(vectors, document).map(Policy::L1BoundSum)
        }
    }
}

/// The types with their randomizers.
fn at_clients(document: &Document, noise: &ClientNoise) -> Result<Policy, Error> {
    match (&document.vdaf, noise) {
        (Vdaf::Count { aggregators }, ClientNoise::RandomizedResponse { epsilon }) => {
            let response = RandomizedResponse::new(epsilon.clone());
            randomized(Count::new(*aggregators), response, document).map(Policy::CountResponse)
        }
        (Vdaf::Count { aggregators }, ClientNoise::CoinFlip {}) => {
            let bit = Count::new(*aggregators);
            randomized(bit, Ok::<_, dp_prio3::Error>(CoinFlip), document).map(Policy::CountCoinFlip)
        }
        (
            Vdaf::Histogram {
                aggregators,
                length,
                chunk_length,
            },
            ClientNoise::KaryRandomizedResponse { epsilon },
        ) => {
            let answers = u32::try_from(*length).unwrap_or(u32::MAX);
            let response = KaryRandomizedResponse::new(epsilon.clone(), answers);
            let buckets = histogram(*aggregators, *length, *chunk_length);
            randomized(buckets, response, document).map(Policy::HistogramResponse)
        }
        (
            Vdaf::MultihotCountVec {
                aggregators,
                length,
                max_weight,
                chunk_length,
            },
            noise,
        ) => {
            let rappor = rappor(*length, noise).ok_or_else(|| no_such_policy(document))?;
            let rappor = rappor.map_err(|error| document.blame("client_noise", error))?;
            let weight = weight(&rappor, *max_weight)?;
            let vectors = multihot(*aggregators, *length, weight, *chunk_length);
            with_rappor(vectors, rappor, document)
        }
        _ => Err(no_such_policy(document)),
    }
}

/// The randomizer of vectors of bits, if it is one.
fn rappor(length: usize, noise: &ClientNoise) -> Option<Result<Rappor, dp_prio3::Error>> {
    Some(match noise {
        ClientNoise::SymmetricRappor {
            epsilon0,
            input_weight,
            false_positive_rate,
        } => Rappor::new(length, *input_weight, epsilon0.clone(), false_positive_rate),
        ClientNoise::OneHotRappor {
            epsilon0,
            false_positive_rate,
        } => Rappor::one_hot(length, epsilon0.clone(), false_positive_rate),
        ClientNoise::BasicRappor {
            epsilon,
            false_positive_rate,
        } => Rappor::basic(length, epsilon, false_positive_rate),
        ClientNoise::RandomizedResponse { .. }
        | ClientNoise::CoinFlip {}
        | ClientNoise::KaryRandomizedResponse { .. } => return None,
    })
}

/// RAPPOR sets the bound on the weight of what is shared. A document may state it.
fn weight(rappor: &Rappor, stated: Option<usize>) -> Result<usize, ParameterError> {
    let bound = rappor.max_weight();
    match stated {
        Some(stated) if stated != bound => {
            let accepted = format!(
                "{bound}, the least that at most the fraction client_noise.false_positive_rate of \
                 honest reports exceeds"
            );
            Err(ParameterError::new("vdaf.max_weight", stated, accepted))
        }
        _ => Ok(bound),
    }
}

fn with_rappor(
    vectors: Result<MultihotCountVec, ParameterError>,
    rappor: Rappor,
    document: &Document,
) -> Result<Policy, Error> {
    let Some(AggregatorNoise::Compensation {
        wanted_honest_clients,
        assumed_malicious_clients,
    }) = document.aggregator_noise
    else {
        return randomized(vectors, Ok::<_, dp_prio3::Error>(rappor), document).map(Policy::Rappor);
    };
    if !matches!(
        document.client_noise,
        Some(ClientNoise::OneHotRappor { .. })
    ) {
        return Err(no_such_policy(document));
    }
    let clients = clients(vectors, Ok::<_, dp_prio3::Error>(rappor), document)?;
    let failed = |error| document.blame("aggregator_noise", error);
    let (wanted, malicious) = (wanted_honest_clients, assumed_malicious_clients);
    let policy = CompensatedRappor::new(clients, wanted, malicious).map_err(failed)?;
    // The largest batch has a plan, hence every smaller one that is released.
    policy.plan(policy.max_reports()).map_err(failed)?;
    Ok(Policy::CompensatedRappor(Arc::new(policy)))
}

/// A type with the noise of its aggregators.
fn noisy<T: MeasurementType>(
    measured: Result<T, ParameterError>,
    document: &Document,
) -> Result<Noisy<T>, Error> {
    let measured = measured.map_err(|error| document.blame("vdaf", error))?;
    let batch = document.batch;
    let policy = match &document.aggregator_noise {
        Some(AggregatorNoise::DiscreteLaplace { budget }) => {
            with_noise(measured, budget, batch).map(Noisy::Laplace)
        }
        Some(AggregatorNoise::DiscreteGaussian { budget }) => {
            with_noise(measured, budget, batch).map(Noisy::Gaussian)
        }
        Some(AggregatorNoise::Compensation { .. }) | None => return Err(no_such_policy(document)),
    };
    policy.map_err(|error| document.blame("aggregator_noise", error))
}

fn with_noise<T, N>(
    measured: T,
    budget: &Budget,
    batch: Batch,
) -> Result<Arc<AtAggregators<T, N>>, dp_prio3::Error>
where
    T: MeasurementType,
    N: NoiseMechanism,
{
    let mut policy = AtAggregators::new(measured, budget.clone())?;
    if let Some(max_reports) = batch.max_reports {
        policy = policy.with_max_reports(max_reports)?;
    }
    policy.with_min_reports(batch.min_reports).map(Arc::new)
}

/// A type with its randomizer, and with the noise of its aggregators if there is some.
fn randomized<T, R>(
    measured: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<dp_prio3::Error>>,
    document: &Document,
) -> Result<Randomized<T, R>, Error>
where
    T: MeasurementType,
    R: LocalRandomizer<T>,
{
    let clients = clients(measured, randomizer, document)?;
    let policy = match &document.aggregator_noise {
        None => return Ok(Randomized::Clients(Arc::new(clients))),
        Some(AggregatorNoise::DiscreteLaplace { budget }) => {
            Hedged::new(clients, budget.clone()).map(|policy| Randomized::Laplace(Arc::new(policy)))
        }
        Some(AggregatorNoise::DiscreteGaussian { budget }) => Hedged::new(clients, budget.clone())
            .map(|policy| Randomized::Gaussian(Arc::new(policy))),
        Some(AggregatorNoise::Compensation { .. }) => return Err(no_such_policy(document)),
    };
    policy.map_err(|error| document.blame("aggregator_noise", error))
}

/// A type with its randomizer.
fn clients<T, R>(
    measured: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<dp_prio3::Error>>,
    document: &Document,
) -> Result<AtClients<T, R>, Error>
where
    T: MeasurementType,
    R: LocalRandomizer<T>,
{
    let failed = |error| document.blame("client_noise", error);
    let randomizer = randomizer.map_err(|error| failed(error.into()))?;
    let measured = measured.map_err(|error| document.blame("vdaf", error))?;
    let batch = document.batch;
    let mut clients = AtClients::new(measured, randomizer).map_err(failed)?;
    if let Some(max_reports) = batch.max_reports {
        clients = clients.with_max_reports(max_reports).map_err(failed)?;
    }
    clients.with_min_reports(batch.min_reports).map_err(failed)
}
