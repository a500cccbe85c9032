//! Builds the policy of a document. An error names the field that causes it.

use std::sync::Arc;

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::mechanisms::NoiseKind;
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AnyPolicy, DpPolicy, Error as PolicyError, PolicyDescription};

use crate::Error;
use crate::catalogue::no_such_policy;
use crate::document::{AggregatorNoise, ClientNoise, MeasurementRange, TaskDocument, Vdaf};
use crate::measurement::FromMeasurement;

/// A generic function of a task's policy, whose type the document decides. A measurement of the
/// policy is made from a [`Measurement`](crate::Measurement) of any kind.
pub trait PolicyVisitor {
    /// The result of the visit.
    type Output;

    /// Runs the function on the policy of a task.
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static;
}

/// Any policy that takes the measurements of the Prio3 type `T`.
pub(crate) type PolicyOf<T> =
    AnyPolicy<<T as MeasurementType>::Flp, <T as MeasurementType>::Measurement>;

/// Defines [`BuiltPolicy`] over these Prio3 types.
macro_rules! built_policy {
    ($($type:ident),+) => {
        /// The policy of a task, by the Prio3 type of its measurements.
        #[derive(Clone, Debug)]
        pub(crate) enum BuiltPolicy {
            $($type(PolicyOf<$type>),)+
        }

        impl BuiltPolicy {
            /// Hands a clone of the policy to the visitor and returns its result.
            pub(crate) fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
                match self.clone() {
                    $(Self::$type(policy) => visitor.visit(policy),)+
                }
            }

            /// The policy without its measurement type: description, guarantees and estimates.
            pub(crate) const fn description(&self) -> &dyn PolicyDescription {
                match self {
                    $(Self::$type(policy) => policy,)+
                }
            }
        }
    };
}

built_policy!(Count, Sum, Average, SumVec, Histogram, MultihotCountVec, L1BoundSum);

pub(crate) fn policy(document: &TaskDocument) -> Result<BuiltPolicy, Error> {
    let client_noise = document.client_noise.as_ref();
    let aggregators = document.vdaf.aggregators();
    match (&document.vdaf, client_noise) {
        (Vdaf::Count { .. }, _) => {
            let count = Count::new(aggregators);
            match client_noise {
                None => noisy(count, document),
                Some(ClientNoise::RandomizedResponse { epsilon }) => {
                    randomized(count, RandomizedResponse::new(epsilon.clone()), document)
                }
                Some(ClientNoise::CoinFlip {}) => {
                    randomized(count, Ok::<_, PolicyError>(CoinFlip), document)
                }
                Some(_) => Err(no_such_policy(document)),
            }
            .map(BuiltPolicy::Count)
        }
        (Vdaf::Histogram { length, chunk_length, .. }, _) => {
            let histogram = Histogram::new(aggregators, *length)
                .and_then(|histogram| histogram.with_chunk_length(*chunk_length));
            match client_noise {
                None => {
                    let noise = document.aggregator_noise.as_ref();
                    let histogram = match noise.and_then(|noise| noise.kind().strategy()) {
                        Some(family) => histogram.and_then(|own| own.with_strategy(family)),
                        None => histogram,
                    };
                    noisy(histogram, document)
                }
                Some(ClientNoise::KaryRandomizedResponse { epsilon }) => {
                    let answers = u32::try_from(*length).unwrap_or(u32::MAX);
                    let response = KaryRandomizedResponse::new(epsilon.clone(), answers);
                    randomized(histogram, response, document)
                }
                Some(_) => Err(no_such_policy(document)),
            }
            .map(BuiltPolicy::Histogram)
        }
        (Vdaf::MultihotCountVec { length, max_weight, chunk_length, .. }, _) => {
            let vectors = |weight| {
                MultihotCountVec::new(aggregators, *length, weight)
                    .and_then(|vectors| vectors.with_chunk_length(*chunk_length))
            };
            match client_noise {
                None => {
                    let accepted =
                        "the most ones in a measurement, an integer from 1 to vdaf.length";
                    let missing = || ParameterError::new("vdaf.max_weight", "missing", accepted);
                    noisy(vectors(max_weight.ok_or_else(missing)?), document)
                }
                Some(noise) => {
                    let rappor = rappor(*length, noise, document)?;
                    let weight = weight(&rappor, *max_weight)?;
                    with_rappor(vectors(weight), rappor, document)
                }
            }
            .map(BuiltPolicy::MultihotCountVec)
        }
        (_, Some(_)) => Err(no_such_policy(document)),
        (Vdaf::Sum { range, .. }, None) => {
            noisy(sum(aggregators, range), document).map(BuiltPolicy::Sum)
        }
        (Vdaf::Average { range, .. }, None) => {
            noisy(Average::new(aggregators, range.max_measurement()), document)
                .map(BuiltPolicy::Average)
        }
        (Vdaf::SumVec { length, range, chunk_length, .. }, None) => {
            let vectors = SumVec::new(aggregators, *length, range.max_measurement())
                .and_then(|vectors| vectors.with_chunk_length(*chunk_length));
            noisy(vectors, document).map(BuiltPolicy::SumVec)
        }
        (Vdaf::L1BoundSum { length, max_measurement, chunk_length, .. }, None) => {
            let vectors = L1BoundSum::new(aggregators, *length, *max_measurement)
                .and_then(|vectors| vectors.with_chunk_length(*chunk_length));
            noisy(vectors, document).map(BuiltPolicy::L1BoundSum)
        }
    }
}

/// The type Prio3Sum with this range; `Err` if the largest measurement needs more than 63 bits.
fn sum(aggregators: usize, range: &MeasurementRange) -> Result<Sum, ParameterError> {
    let max = range.max_measurement();
    let max = u64::try_from(max).map_err(|_| {
        let accepted = "an integer of at most 63 bits with Prio3Sum";
        ParameterError::new("max_measurement", max, accepted)
    })?;
    Sum::new(aggregators, max)
}

/// The randomizer of vectors of `length` bits; `Err` if `noise` is no kind of RAPPOR.
fn rappor(length: usize, noise: &ClientNoise, document: &TaskDocument) -> Result<Rappor, Error> {
    match noise {
        ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate } => {
            Rappor::new(length, *input_weight, epsilon0.clone(), false_positive_rate)
        }
        ClientNoise::OneHotRappor { epsilon0, false_positive_rate } => {
            Rappor::one_hot(length, epsilon0.clone(), false_positive_rate)
        }
        ClientNoise::BasicRappor { epsilon, false_positive_rate } => {
            Rappor::basic(length, epsilon, false_positive_rate)
        }
        _ => return Err(no_such_policy(document)),
    }
    .map_err(|error| document.error_in("client_noise", error))
}

/// The largest number of ones in a shared vector, which RAPPOR determines. `Err` if the document
/// states another number.
fn weight(rappor: &Rappor, in_document: Option<usize>) -> Result<usize, ParameterError> {
    let bound = rappor.max_weight();
    match in_document.filter(|weight| *weight != bound) {
        None => Ok(bound),
        Some(weight) => {
            let accepted = format!(
                "{bound}, the least that at most the fraction client_noise.false_positive_rate of \
                 honest reports exceeds"
            );
            Err(ParameterError::new("vdaf.max_weight", weight, accepted))
        }
    }
}

/// The policy of vectors of bits with RAPPOR and the document's aggregator noise or compensation.
fn with_rappor(
    vectors: Result<MultihotCountVec, ParameterError>,
    rappor: Rappor,
    document: &TaskDocument,
) -> Result<PolicyOf<MultihotCountVec>, Error> {
    let rappor = Ok::<_, PolicyError>(rappor);
    let Some(AggregatorNoise::Compensation { target_honest_clients, assumed_malicious_clients }) =
        document.aggregator_noise
    else {
        return randomized(vectors, rappor, document);
    };
    let clients = clients(vectors, rappor, document)?;
    let policy = clients.with_compensation(target_honest_clients, assumed_malicious_clients);
    Ok(Arc::new(policy.map_err(|error| document.error_in("aggregator_noise", error))?))
}

/// The kind and budget of the document's aggregator noise; `Err` if it has none, or compensation.
fn kind_and_budget(document: &TaskDocument) -> Result<(NoiseKind, &Budget), Error> {
    let noise = document.aggregator_noise.as_ref();
    let found = noise.and_then(|noise| noise.kind().noise_kind().zip(noise.budget()));
    found.ok_or_else(|| no_such_policy(document))
}

/// The policy with the document's aggregator noise and no client noise.
fn noisy<T>(
    measurements: Result<T, ParameterError>,
    document: &TaskDocument,
) -> Result<PolicyOf<T>, Error>
where
    T: MeasurementType + 'static,
{
    let measurements = measurements.map_err(|error| document.error_in("vdaf", error))?;
    let failed = |error| document.error_in("aggregator_noise", error);
    let (kind, budget) = kind_and_budget(document)?;
    let mut policy =
        dp_prio3::AggregatorNoise::new(kind, measurements, budget.clone()).map_err(failed)?;
    if let Some(max_reports) = document.batch.max_reports {
        policy = policy.with_max_reports(max_reports).map_err(failed)?;
    }
    Ok(Arc::new(policy.with_min_reports(document.batch.min_reports).map_err(failed)?))
}

/// The policy with client noise, and with aggregator noise as well if the document has some.
fn randomized<T, R>(
    measurements: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<PolicyError>>,
    document: &TaskDocument,
) -> Result<PolicyOf<T>, Error>
where
    T: MeasurementType + 'static,
    R: LocalRandomizer<T> + 'static,
{
    let clients = clients(measurements, randomizer, document)?;
    if document.aggregator_noise.is_none() {
        return Ok(Arc::new(clients));
    }
    let (kind, budget) = kind_and_budget(document)?;
    let policy = clients.with_noise(kind, budget.clone());
    Ok(Arc::new(policy.map_err(|error| document.error_in("aggregator_noise", error))?))
}

/// The policy with client noise alone, and the batch limits of the document.
fn clients<T, R>(
    measurements: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<PolicyError>>,
    document: &TaskDocument,
) -> Result<dp_prio3::ClientNoise<T, R>, Error>
where
    T: MeasurementType,
    R: LocalRandomizer<T>,
{
    let failed = |error| document.error_in("client_noise", error);
    let randomizer = randomizer.map_err(|error| failed(error.into()))?;
    let measurements = measurements.map_err(|error| document.error_in("vdaf", error))?;
    let mut clients = dp_prio3::ClientNoise::new(measurements, randomizer).map_err(failed)?;
    if let Some(max_reports) = document.batch.max_reports {
        clients = clients.with_max_reports(max_reports).map_err(failed)?;
    }
    clients.with_min_reports(document.batch.min_reports).map_err(failed)
}

impl TaskDocument {
    /// The error with the path of the document's field: in `section`, which was being built, in
    /// `batch` or in `vdaf`.
    fn error_in(&self, section: &'static str, error: impl Into<PolicyError>) -> Error {
        let error = match error.into() {
            PolicyError::Parameter(error)
            | PolicyError::Calibration(dp_calibration::Error::Parameter(error))
            | PolicyError::Sampler(dp_samplers::Error::Parameter(error)) => error,
            source => return Error::Policy { field: section, source },
        };
        let (own, budget): (&[&str], _) =
            match (section, &self.client_noise, &self.aggregator_noise) {
                ("client_noise", Some(noise), _) => (noise.kind().fields(), None),
                ("aggregator_noise", _, Some(noise)) => (noise.kind().fields(), noise.budget()),
                _ => (&[], None),
            };
        let sections = [
            (section, own),
            ("batch", &["min_reports", "max_reports"]),
            ("vdaf", self.vdaf.kind().fields()),
        ];
        // The answers of a randomizer are the buckets of a histogram; compensation is planned for
        // the largest batch.
        let name = match error.name() {
            "answers" => "length",
            "reports" => "max_reports",
            name => name,
        };
        let found = sections.iter().find(|(_, fields)| fields.contains(&name));
        match (found, self.vdaf.range(), budget) {
            (Some((section, _)), ..) => {
                let path = format!("{section}.{name}");
                error.renamed(path).into()
            }
            (None, Some(range), _) if name == "max_measurement" => range_error(range, error),
            (None, _, Some(_)) if name == "delta" => {
                error.renamed("aggregator_noise.budget.approximate.delta").into()
            }
            // Of the budget, or of what follows from it alone, such as the scale of the noise.
            (None, _, Some(budget)) => {
                let accepted = format!("another one: the {error}");
                ParameterError::new("aggregator_noise.budget", budget, accepted).into()
            }
            (None, _, None) => Error::Policy { field: section, source: error.into() },
        }
    }
}

/// The error that the largest measurement is too large. On a grid it names the granularity, which
/// is too fine.
fn range_error(range: &MeasurementRange, error: ParameterError) -> Error {
    match range {
        MeasurementRange::MaxMeasurement(_) => error.renamed("vdaf.range.max_measurement").into(),
        MeasurementRange::Grid(grid) => {
            let accepted = format!("a larger one: the {error}");
            let field = "vdaf.range.grid.granularity";
            ParameterError::new(field, grid.granularity(), accepted).into()
        }
    }
}
