//! From a document to its policy, what is done with that, and which field is to blame where there is none.

use std::sync::Arc;

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{
    AggregatorNoise as AtAggregators, AnyPolicy, ClientNoise as AtClients, CompensatedRappor,
    DpPolicy, Error as PolicyError, Hedged, PolicyDescription,
};

use crate::Error;
use crate::catalogue::no_such_policy;
use crate::document::{
    AggregatorNoise, BatchLimits, ClientNoise, MeasurementRange, TaskDocument, Vdaf,
};
use crate::measurement::FromMeasurement;

/// Takes the policy of a task: the way to a client, an aggregator, a collector, a simulation. Which
/// policy it is, the document decides, so a visitor is generic.
///
/// What a client of the policy measures is [`FromMeasurement`]: it is made from a
/// [`Measurement`](crate::Measurement), whatever its kind.
pub trait PolicyVisitor {
    /// What the visit yields.
    type Output;

    /// Takes the policy.
    fn visit<P>(self, policy: P) -> Self::Output
    where
        P: DpPolicy<Measurement: FromMeasurement> + 'static;
}

/// Any policy of a Prio3 type.
pub(crate) type Of<T> = AnyPolicy<<T as MeasurementType>::Flp, <T as MeasurementType>::Measurement>;

/// A policy that has been built.
#[derive(Clone, Debug)]
pub(crate) enum Policy {
    Count(Of<Count>),
    Sum(Of<Sum>),
    Average(Of<Average>),
    SumVec(Of<SumVec>),
    Histogram(Of<Histogram>),
    MultihotCountVec(Of<MultihotCountVec>),
    L1BoundSum(Of<L1BoundSum>),
}

impl Policy {
    /// Hands a clone to the visitor.
    pub(crate) fn visit<V: PolicyVisitor>(&self, visitor: V) -> V::Output {
        match self.clone() {
            Self::Count(policy) => visitor.visit(policy),
            Self::Sum(policy) => visitor.visit(policy),
            Self::Average(policy) => visitor.visit(policy),
            Self::SumVec(policy) => visitor.visit(policy),
            Self::Histogram(policy) => visitor.visit(policy),
            Self::MultihotCountVec(policy) => visitor.visit(policy),
            Self::L1BoundSum(policy) => visitor.visit(policy),
        }
    }

    /// What it is, guarantees and estimates.
    pub(crate) const fn described(&self) -> &dyn PolicyDescription {
        match self {
            Self::Count(policy) => policy,
            Self::Sum(policy) => policy,
            Self::Average(policy) => policy,
            Self::SumVec(policy) => policy,
            Self::Histogram(policy) => policy,
            Self::MultihotCountVec(policy) => policy,
            Self::L1BoundSum(policy) => policy,
        }
    }
}

/// The policy that the document asks for. What the catalogue does not have is refused.
pub(crate) fn policy(document: &TaskDocument) -> Result<Policy, Error> {
    match &document.client_noise {
        None => at_aggregators(document),
        Some(noise) => at_clients(document, noise),
    }
}

/// The types, as they are measured.
fn at_aggregators(document: &TaskDocument) -> Result<Policy, Error> {
    match &document.vdaf {
        Vdaf::Count { aggregators } => noisy(Count::new(*aggregators), document).map(Policy::Count),
        Vdaf::Sum { aggregators, range } => {
            noisy(sum(*aggregators, range), document).map(Policy::Sum)
        }
        Vdaf::Average { aggregators, range } => {
            let measured = Average::new(*aggregators, range.max_measurement());
            noisy(measured, document).map(Policy::Average)
        }
        Vdaf::SumVec { aggregators, length, range, chunk_length } => {
            let vectors = SumVec::with_chunk_length(
                *aggregators,
                *length,
                range.max_measurement(),
                *chunk_length,
            );
            noisy(vectors, document).map(Policy::SumVec)
        }
        Vdaf::Histogram { aggregators, length, chunk_length } => {
            let buckets = Histogram::with_chunk_length(*aggregators, *length, *chunk_length);
            noisy(buckets, document).map(Policy::Histogram)
        }
        Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length } => {
            let weight = max_weight.ok_or_else(|| {
                let accepted = "the most ones in a measurement, an integer from 1 to vdaf.length";
                ParameterError::new("vdaf.max_weight", "missing", accepted)
            })?;
            let vectors =
                MultihotCountVec::with_chunk_length(*aggregators, *length, weight, *chunk_length);
            noisy(vectors, document).map(Policy::MultihotCountVec)
        }
        Vdaf::L1BoundSum { aggregators, length, max_measurement, chunk_length } => {
            let vectors = L1BoundSum::with_chunk_length(
                *aggregators,
                *length,
                *max_measurement,
                *chunk_length,
            );
            noisy(vectors, document).map(Policy::L1BoundSum)
        }
    }
}

/// The types with their randomizers.
fn at_clients(document: &TaskDocument, noise: &ClientNoise) -> Result<Policy, Error> {
    match (&document.vdaf, noise) {
        (Vdaf::Count { aggregators }, ClientNoise::RandomizedResponse { epsilon }) => {
            let response = RandomizedResponse::new(epsilon.clone());
            randomized(Count::new(*aggregators), response, document).map(Policy::Count)
        }
        (Vdaf::Count { aggregators }, ClientNoise::CoinFlip {}) => {
            let bit = Count::new(*aggregators);
            randomized(bit, Ok::<_, dp_prio3::Error>(CoinFlip), document).map(Policy::Count)
        }
        (
            Vdaf::Histogram { aggregators, length, chunk_length },
            ClientNoise::KaryRandomizedResponse { epsilon },
        ) => {
            let answers = u32::try_from(*length).unwrap_or(u32::MAX);
            let response = KaryRandomizedResponse::new(epsilon.clone(), answers);
            let buckets = Histogram::with_chunk_length(*aggregators, *length, *chunk_length);
            randomized(buckets, response, document).map(Policy::Histogram)
        }
        (Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length }, noise) => {
            let rappor = rappor(*length, noise).ok_or_else(|| no_such_policy(document))?;
            let rappor = rappor.map_err(|error| document.blame("client_noise", error))?;
            let weight = weight(&rappor, *max_weight)?;
            let vectors =
                MultihotCountVec::with_chunk_length(*aggregators, *length, weight, *chunk_length);
            with_rappor(vectors, rappor, document)
        }
        _ => Err(no_such_policy(document)),
    }
}

/// The randomizer of vectors of bits, if it is one.
fn rappor(length: usize, noise: &ClientNoise) -> Option<Result<Rappor, dp_prio3::Error>> {
    Some(match noise {
        ClientNoise::SymmetricRappor { epsilon0, input_weight, false_positive_rate } => {
            Rappor::new(length, *input_weight, epsilon0.clone(), false_positive_rate)
        }
        ClientNoise::OneHotRappor { epsilon0, false_positive_rate } => {
            Rappor::one_hot(length, epsilon0.clone(), false_positive_rate)
        }
        ClientNoise::BasicRappor { epsilon, false_positive_rate } => {
            Rappor::basic(length, epsilon, false_positive_rate)
        }
        ClientNoise::RandomizedResponse { .. }
        | ClientNoise::CoinFlip {}
        | ClientNoise::KaryRandomizedResponse { .. } => return None,
    })
}

fn sum(aggregators: usize, range: &MeasurementRange) -> Result<Sum, ParameterError> {
    let max = range.max_measurement();
    let max = u64::try_from(max).map_err(|_| {
        let accepted = "an integer of at most 63 bits with Prio3Sum";
        ParameterError::new("max_measurement", max, accepted)
    })?;
    Sum::new(aggregators, max)
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
    document: &TaskDocument,
) -> Result<Policy, Error> {
    let Some(AggregatorNoise::Compensation { wanted_honest_clients, assumed_malicious_clients }) =
        document.aggregator_noise
    else {
        return randomized(vectors, Ok::<_, dp_prio3::Error>(rappor), document)
            .map(Policy::MultihotCountVec);
    };
    if !matches!(document.client_noise, Some(ClientNoise::OneHotRappor { .. })) {
        return Err(no_such_policy(document));
    }
    let clients = clients(vectors, Ok::<_, dp_prio3::Error>(rappor), document)?;
    let failed = |error| document.blame("aggregator_noise", error);
    let (wanted, malicious) = (wanted_honest_clients, assumed_malicious_clients);
    let policy = CompensatedRappor::new(clients, wanted, malicious).map_err(failed)?;
    // The largest batch has a plan, hence every smaller one that is released.
    policy.plan(policy.max_reports()).map_err(failed)?;
    Ok(Policy::MultihotCountVec(Arc::new(policy)))
}

/// A type with the noise of its aggregators.
fn noisy<T>(measured: Result<T, ParameterError>, document: &TaskDocument) -> Result<Of<T>, Error>
where
    T: MeasurementType + 'static,
{
    let measured = measured.map_err(|error| document.blame("vdaf", error))?;
    let batch = document.batch;
    let policy = match &document.aggregator_noise {
        Some(AggregatorNoise::DiscreteLaplace { budget }) => {
            with_noise::<T, DiscreteLaplace>(measured, budget, batch)
        }
        Some(AggregatorNoise::DiscreteGaussian { budget }) => {
            with_noise::<T, DiscreteGaussian>(measured, budget, batch)
        }
        Some(AggregatorNoise::Compensation { .. }) | None => return Err(no_such_policy(document)),
    };
    policy.map_err(|error| document.blame("aggregator_noise", error))
}

fn with_noise<T, N>(
    measured: T,
    budget: &Budget,
    batch: BatchLimits,
) -> Result<Of<T>, dp_prio3::Error>
where
    T: MeasurementType + 'static,
    N: NoiseMechanism + 'static,
{
    let mut policy = AtAggregators::<T, N>::new(measured, budget.clone())?;
    if let Some(max_reports) = batch.max_reports {
        policy = policy.with_max_reports(max_reports)?;
    }
    Ok(Arc::new(policy.with_min_reports(batch.min_reports)?))
}

/// A type with its randomizer, and with the noise of its aggregators if there is some.
fn randomized<T, R>(
    measured: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<dp_prio3::Error>>,
    document: &TaskDocument,
) -> Result<Of<T>, Error>
where
    T: MeasurementType + 'static,
    R: LocalRandomizer<T> + 'static,
{
    let clients = clients(measured, randomizer, document)?;
    let failed = |error| document.blame("aggregator_noise", error);
    Ok(match &document.aggregator_noise {
        None => Arc::new(clients),
        Some(AggregatorNoise::DiscreteLaplace { budget }) => {
            Arc::new(Hedged::<T, R, DiscreteLaplace>::new(clients, budget.clone()).map_err(failed)?)
        }
        Some(AggregatorNoise::DiscreteGaussian { budget }) => Arc::new(
            Hedged::<T, R, DiscreteGaussian>::new(clients, budget.clone()).map_err(failed)?,
        ),
        Some(AggregatorNoise::Compensation { .. }) => return Err(no_such_policy(document)),
    })
}

/// A type with its randomizer.
fn clients<T, R>(
    measured: Result<T, ParameterError>,
    randomizer: Result<R, impl Into<dp_prio3::Error>>,
    document: &TaskDocument,
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

impl TaskDocument {
    /// The error with the path of the field that is to blame: one of the section that asked, or else
    /// of the batch or the VDAF.
    pub(crate) fn blame(&self, section: &'static str, error: impl Into<PolicyError>) -> Error {
        let error = match parameter(error.into()) {
            Ok(error) => error,
            Err(PolicyError::BudgetKind { budget, accepted, .. }) => {
                return ParameterError::new("aggregator_noise.budget", budget, accepted).into();
            }
            Err(source) => {
                return Error::Policy { field: section, source };
            }
        };
        let name = field(error.name());
        let sections = self.fields(section);
        let found = sections.iter().find(|(_, fields)| fields.contains(&name));
        let path = found.map(|(section, _)| format!("{section}.{name}"));
        let is_range = name == "max_measurement";
        match (path, self.vdaf.range(), self.budget_of(section)) {
            (Some(path), _, _) => error.renamed(path).into(),
            (None, Some(range), _) if is_range => of_range(range, error),
            (None, _, Some(budget)) => of_budget(budget, error),
            (None, _, None) => Error::Policy { field: section, source: error.into() },
        }
    }

    /// The fields of the section, then those of the sections that every part of a policy depends on.
    fn fields(&self, section: &'static str) -> [(&'static str, &'static [&'static str]); 3] {
        let own: &[&str] = match (section, &self.client_noise, &self.aggregator_noise) {
            ("client_noise", Some(noise), _) => noise.kind().fields(),
            ("aggregator_noise", _, Some(noise)) => noise.kind().fields(),
            _ => &[],
        };
        [
            (section, own),
            ("batch", &["min_reports", "max_reports"]),
            ("vdaf", self.vdaf.kind().fields()),
        ]
    }

    fn budget_of(&self, section: &str) -> Option<&Budget> {
        let noise = self.aggregator_noise.as_ref();
        noise.filter(|_| section == "aggregator_noise")?.budget()
    }
}

/// The parameter that is out of its range, if that is the error.
fn parameter(error: PolicyError) -> Result<ParameterError, PolicyError> {
    match error {
        PolicyError::Parameter(error)
        | PolicyError::Calibration(dp_calibration::Error::Parameter(error))
        | PolicyError::Sampler(dp_samplers::Error::Parameter(error))
        | PolicyError::Rappor(dp_rappor::Error::Parameter(error)) => Ok(error),
        other => Err(other),
    }
}

/// The name in a document of what means more where it is computed with: the answers of a randomizer are
/// the buckets of a histogram, and the reports of a plan those of the largest batch.
fn field(parameter: &str) -> &str {
    match parameter {
        "answers" => "length",
        "reports" => "max_reports",
        same => same,
    }
}

/// Where a grid says what the largest measurement is, its granularity is to blame if that is too large.
fn of_range(range: &MeasurementRange, error: ParameterError) -> Error {
    match range {
        MeasurementRange::MaxMeasurement(_) => error.renamed("vdaf.range.max_measurement").into(),
        MeasurementRange::Grid(grid) => {
            let accepted = format!("a larger one: the {error}");
            let field = "vdaf.range.grid.granularity";
            ParameterError::new(field, grid.granularity(), accepted).into()
        }
    }
}

/// A parameter of the budget itself, or something that follows from it alone, such as the scale of the
/// noise.
fn of_budget(budget: &Budget, error: ParameterError) -> Error {
    let path = match (budget, error.name()) {
        (Budget::Pure { .. }, "epsilon") => "aggregator_noise.budget.pure.epsilon",
        (Budget::Approximate { .. }, "epsilon") => "aggregator_noise.budget.approximate.epsilon",
        (Budget::Approximate { .. }, "delta") => "aggregator_noise.budget.approximate.delta",
        (Budget::ZeroConcentrated { .. }, "rho") => "aggregator_noise.budget.zero_concentrated.rho",
        _ => {
            let accepted = format!("another one: the {error}");
            return ParameterError::new("aggregator_noise.budget", budget, accepted).into();
        }
    };
    error.renamed(path).into()
}
