//! From a document to its policy.

use dp_calibration::{Budget, Error as CalibrationError};
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{DiscreteGaussian, DiscreteLaplace, NoiseMechanism};
use dp_prio3::randomizers::{
    CoinFlip, KaryRandomizedResponse, LocalRandomizer, RandomizedResponse, Rappor,
};
use dp_prio3::types::MeasurementType;
use dp_prio3::{AggregatorNoise as AtAggregators, ClientNoise as AtClients, DpPolicy, Hedged};

use crate::Error;
use crate::compensation::compensated;
use crate::document::{
    Batch, BudgetKind, ClientNoise, Document, Mechanism, Randomizer, Vdaf, VdafType,
};
use crate::error::required;
use crate::types::{average, count, histogram, l1_bound_sum, multihot, sum, sum_vec};
use crate::visitor::{Accept, PolicyVisitor};

/// Builds the policy that the document asks for and hands it to the visitor. Fields that do not
/// belong to it have been refused before.
pub(crate) fn with_policy<V>(document: &Document, visitor: V) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    match &document.client_noise {
        None => at_aggregators(document, visitor).map_err(|error| document.blame_grid(error)),
        Some(noise) => at_clients(document, noise, visitor),
    }
}

/// The types, as they are measured.
fn at_aggregators<V>(document: &Document, visitor: V) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    let vdaf = &document.measured()?;
    match vdaf.required_type()? {
        VdafType::Count => noisy(Plain(count(vdaf)?), document, visitor),
        VdafType::Sum => noisy(Plain(sum(vdaf)?), document, visitor),
        VdafType::Average => noisy(Plain(average(vdaf)?), document, visitor),
        VdafType::SumVec => noisy(Plain(sum_vec(vdaf)?), document, visitor),
        VdafType::Histogram => noisy(Plain(histogram(vdaf)?), document, visitor),
        VdafType::MultihotCountVec => noisy(Plain(multihot(vdaf)?), document, visitor),
        VdafType::L1BoundSum => noisy(Plain(l1_bound_sum(vdaf)?), document, visitor),
    }
}

/// The types with their randomizers.
fn at_clients<V>(document: &Document, noise: &ClientNoise, visitor: V) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    let vdaf = &document.vdaf;
    match noise.required_mechanism()? {
        Randomizer::RandomizedResponse => {
            let response = RandomizedResponse::new(noise.required_epsilon()?);
            let response = response.map_err(in_client_noise)?;
            randomized(count(vdaf)?, response, document, visitor)
        }
        Randomizer::CoinFlip => randomized(count(vdaf)?, CoinFlip, document, visitor),
        Randomizer::KaryRandomizedResponse => {
            let buckets = histogram(vdaf)?;
            let answers = u32::try_from(vdaf.required_length()?).unwrap_or(u32::MAX);
            let response = KaryRandomizedResponse::new(noise.required_epsilon()?, answers);
            let response = response.map_err(in_client_noise)?;
            randomized(buckets, response, document, visitor)
        }
        Randomizer::SymmetricRappor => {
            let (length, weight) = (vdaf.required_length()?, noise.required_input_weight()?);
            let epsilon0 = noise.required_epsilon0()?;
            let rappor = Rappor::new(length, weight, epsilon0, &noise.required_rate()?);
            with_rappor(rappor, document, visitor)
        }
        Randomizer::OneHotRappor => {
            let (length, epsilon0) = (vdaf.required_length()?, noise.required_epsilon0()?);
            let rappor = Rappor::one_hot(length, epsilon0, &noise.required_rate()?);
            with_rappor(rappor, document, visitor)
        }
        Randomizer::BasicRappor => {
            let (length, epsilon) = (vdaf.required_length()?, noise.required_epsilon()?);
            let rappor = Rappor::basic(length, &epsilon, &noise.required_rate()?);
            with_rappor(rappor, document, visitor)
        }
    }
}

/// RAPPOR sets the bound on the weight of what is shared. A document may state it.
fn with_rappor<V>(
    rappor: Result<Rappor, dp_prio3::Error>,
    document: &Document,
    visitor: V,
) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    let rappor = rappor.map_err(in_client_noise)?;
    let bound = rappor.max_weight();
    let stated = document.vdaf.max_weight.unwrap_or(bound);
    if stated != bound {
        let accepted = format!(
            "{bound}, the least that at most the fraction client_noise.false_positive_rate of \
             honest reports exceeds"
        );
        return Err(ParameterError::new("vdaf.max_weight", stated, accepted).into());
    }
    let vdaf = Vdaf {
        max_weight: Some(bound),
        ..document.vdaf.clone()
    };
    let vectors = multihot(&vdaf)?;
    match &document.aggregator_noise {
        Some(noise) if noise.mechanism == Some(Mechanism::Compensation) => {
            let clients = clients(vectors, rappor, document)?;
            Accept::accept(visitor, compensated(clients, noise)?)
        }
        _ => randomized(vectors, rappor, document, visitor),
    }
}

/// A type with its randomizer, and with the noise of its aggregators if there is some.
fn randomized<T, R, V>(
    measurement_type: T,
    randomizer: R,
    document: &Document,
    visitor: V,
) -> Result<V::Output, Error>
where
    T: MeasurementType<Measurement: Accept> + 'static,
    R: LocalRandomizer<T> + 'static,
    V: PolicyVisitor,
{
    let clients = clients(measurement_type, randomizer, document)?;
    if document.aggregator_noise.is_some() {
        return noisy(clients, document, visitor);
    }
    Accept::accept(visitor, clients)
}

/// A type with its randomizer.
fn clients<T, R>(
    measurement_type: T,
    randomizer: R,
    document: &Document,
) -> Result<AtClients<T, R>, Error>
where
    T: MeasurementType,
    R: LocalRandomizer<T>,
{
    let batch = &document.batch;
    let mut clients = AtClients::new(measurement_type, randomizer).map_err(in_client_noise)?;
    if let Some(max_reports) = batch.max_reports {
        clients = clients
            .with_max_reports(max_reports)
            .map_err(in_client_noise)?;
    }
    clients
        .with_min_reports(batch.required_min_reports()?)
        .map_err(in_client_noise)
}

/// What aggregators can add noise to: a type, with or without a randomizer.
trait Noiseless {
    type Measurement: Accept + ?Sized;
    type Noisy<N: NoiseMechanism + 'static>: DpPolicy<Measurement = Self::Measurement> + 'static;

    fn with_noise<N>(
        self,
        budget: Budget,
        batch: &Batch,
    ) -> Result<Self::Noisy<N>, dp_prio3::Error>
    where
        N: NoiseMechanism + 'static;
}

/// A type whose clients do not randomize.
struct Plain<T>(T);

impl<T: MeasurementType<Measurement: Accept> + 'static> Noiseless for Plain<T> {
    type Measurement = T::Measurement;
    type Noisy<N: NoiseMechanism + 'static> = AtAggregators<T, N>;

    fn with_noise<N>(
        self,
        budget: Budget,
        batch: &Batch,
    ) -> Result<AtAggregators<T, N>, dp_prio3::Error>
    where
        N: NoiseMechanism + 'static,
    {
        let mut policy = AtAggregators::new(self.0, budget)?;
        if let Some(max_reports) = batch.max_reports {
            policy = policy.with_max_reports(max_reports)?;
        }
        policy.with_min_reports(batch.required_min_reports()?)
    }
}

impl<T, R> Noiseless for AtClients<T, R>
where
    T: MeasurementType<Measurement: Accept> + 'static,
    R: LocalRandomizer<T> + 'static,
{
    type Measurement = T::Measurement;
    type Noisy<N: NoiseMechanism + 'static> = Hedged<T, R, N>;

    /// The bounds on the reports are the clients'.
    fn with_noise<N>(self, budget: Budget, _: &Batch) -> Result<Hedged<T, R, N>, dp_prio3::Error>
    where
        N: NoiseMechanism + 'static,
    {
        Hedged::new(self, budget)
    }
}

/// Adds the noise of the aggregators, by the kind of noise and of budget.
fn noisy<S, V>(noiseless: S, document: &Document, visitor: V) -> Result<V::Output, Error>
where
    S: Noiseless,
    V: PolicyVisitor,
{
    use BudgetKind::{Approximate, Pure, ZeroConcentrated};
    use Mechanism::{Compensation, DiscreteGaussian as Gaussian, DiscreteLaplace as Laplace};

    let accepted = "a section [aggregator_noise] or [client_noise]";
    let noise = required(
        "aggregator_noise",
        document.aggregator_noise.as_ref(),
        accepted,
    )?;
    let batch = &document.batch;
    let failed = |error| at("aggregator_noise", noise.dial(), error);
    match (noise.required_mechanism()?, noise.required_budget()?) {
        (Laplace, Pure) => {
            let policy =
                noiseless.with_noise::<DiscreteLaplace>(noise.required_epsilon()?.into(), batch);
            Accept::accept(visitor, policy.map_err(failed)?)
        }
        (Laplace, Approximate) => {
            let policy = noiseless.with_noise::<DiscreteLaplace>(noise.epsilon_delta()?, batch);
            Accept::accept(visitor, policy.map_err(failed)?)
        }
        (Gaussian, Approximate) => {
            let policy = noiseless.with_noise::<DiscreteGaussian>(noise.epsilon_delta()?, batch);
            Accept::accept(visitor, policy.map_err(failed)?)
        }
        (Gaussian, ZeroConcentrated) => {
            let policy =
                noiseless.with_noise::<DiscreteGaussian>(noise.required_rho()?.into(), batch);
            Accept::accept(visitor, policy.map_err(failed)?)
        }
        // It is RAPPOR's, and built with it: the catalogue knows no other policy of it.
        (Compensation, _) => {
            let accepted = "a law of noise";
            Err(ParameterError::new("aggregator_noise.mechanism", Compensation, accepted).into())
        }
        (Laplace, ZeroConcentrated) => Err(wrong_budget(
            ZeroConcentrated,
            "pure or approximate with mechanism discrete-laplace",
        )),
        (Gaussian, Pure) => Err(wrong_budget(
            Pure,
            "approximate or zero-concentrated with mechanism discrete-gaussian",
        )),
    }
}

fn wrong_budget(kind: BudgetKind, accepted: &'static str) -> Error {
    ParameterError::new("aggregator_noise.budget", kind, accepted).into()
}

pub(crate) fn in_client_noise(error: impl Into<dp_prio3::Error>) -> Error {
    at("client_noise", None, error.into())
}

/// The error with the path of the field that is to blame, in the section that asked.
///
/// `dial` is the budget's field: what follows from it alone, such as the scale of the noise, is
/// its fault.
pub(crate) fn at(
    section: &'static str,
    dial: Option<(&'static str, String)>,
    error: dp_prio3::Error,
) -> Error {
    use dp_prio3::Error::{Calibration, Parameter, Rappor, Sampler};
    let error = match error {
        Parameter(error)
        | Calibration(CalibrationError::Parameter(error))
        | Sampler(dp_samplers::Error::Parameter(error))
        | Rappor(dp_rappor::Error::Parameter(error)) => error,
        source => {
            return Error::Policy {
                field: section,
                source,
            };
        }
    };
    let path = match (error.name(), section) {
        ("aggregators", _) => "vdaf.aggregators",
        ("length" | "answers", _) => "vdaf.length",
        ("max_measurement", _) => "vdaf.max_measurement",
        ("max_weight", _) => "vdaf.max_weight",
        ("chunk_length", _) => "vdaf.chunk_length",
        ("max_reports" | "reports", _) => "batch.max_reports",
        ("min_reports", _) => "batch.min_reports",
        ("wanted", _) => "aggregator_noise.wanted_honest_clients",
        ("malicious", _) => "aggregator_noise.assumed_malicious_clients",
        ("epsilon", "aggregator_noise") => "aggregator_noise.epsilon",
        ("delta", "aggregator_noise") => "aggregator_noise.delta",
        ("rho", "aggregator_noise") => "aggregator_noise.rho",
        ("epsilon", "client_noise") => "client_noise.epsilon",
        ("epsilon0", _) => "client_noise.epsilon0",
        ("input_weight" | "input weight", _) => "client_noise.input_weight",
        ("false_positive_rate" | "false-positive rate", _) => "client_noise.false_positive_rate",
        _ => {
            return match dial {
                Some((field, value)) => {
                    let accepted = format!("another one: the {error}");
                    ParameterError::new(field, value, accepted).into()
                }
                None => Error::Policy {
                    field: section,
                    source: error.into(),
                },
            };
        }
    };
    error.renamed(path).into()
}
