//! From a document to its policy.

use dp_calibration::Error as CalibrationError;
use dp_exact::ParameterError;
use dp_prio3::mechanisms::{Calibrate, DiscreteGaussian, DiscreteLaplace};
use dp_prio3::types::{
    Average, Count, Histogram, L1BoundSum, MeasurementType, MultihotCountVec, Sum, SumVec,
};
use dp_prio3::{AggregatorNoise as Noisy, MultihotRappor};

use crate::Error;
use crate::document::{
    AggregatorNoise, BudgetKind, ClientNoise, Document, Mechanism, Randomizer, Vdaf, VdafType,
};
use crate::error::required;
use crate::visitor::{Accept, PolicyVisitor};

/// Builds the policy that the document asks for and hands it to the visitor. Fields that do not
/// belong to it have been refused before.
pub(crate) fn with_policy<V>(document: &Document, visitor: V) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    match (&document.client_noise, &document.aggregator_noise) {
        (None, Some(noise)) => at_aggregators(document, noise, visitor),
        (Some(noise), None) => at_clients(document, noise, visitor),
        (Some(_), Some(noise)) => {
            let both = "no such section beside client_noise";
            let mechanism = noise.mechanism.map_or("", Mechanism::name);
            Err(ParameterError::new("aggregator_noise", mechanism, both).into())
        }
        (None, None) => {
            let accepted = "a section [aggregator_noise] or [client_noise]";
            Err(ParameterError::new("aggregator_noise", "missing", accepted).into())
        }
    }
}

fn at_aggregators<V>(
    document: &Document,
    noise: &AggregatorNoise,
    visitor: V,
) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    let vdaf = &document.vdaf;
    match vdaf.required_type()? {
        VdafType::Count => noisy(count(vdaf), document, noise, visitor),
        VdafType::Sum => noisy(sum(vdaf), document, noise, visitor),
        VdafType::Average => noisy(average(vdaf), document, noise, visitor),
        VdafType::SumVec => noisy(sum_vec(vdaf), document, noise, visitor),
        VdafType::Histogram => noisy(histogram(vdaf), document, noise, visitor),
        VdafType::MultihotCountVec => noisy(multihot(vdaf), document, noise, visitor),
        VdafType::L1BoundSum => noisy(l1_bound_sum(vdaf), document, noise, visitor),
    }
}

fn at_clients<V>(document: &Document, noise: &ClientNoise, visitor: V) -> Result<V::Output, Error>
where
    V: PolicyVisitor,
{
    let vdaf = &document.vdaf;
    let max_reports = document.batch.max_reports;
    match required(
        "client_noise.mechanism",
        noise.mechanism.as_ref(),
        Randomizer::ACCEPTED,
    )? {
        Randomizer::SymmetricRappor => {
            let policy = MultihotRappor::new(
                vdaf.required_aggregators()?,
                vdaf.required_length()?,
                noise.required_input_weight()?,
                noise.required_epsilon0()?,
                &noise.required_rate()?,
            );
            let policy = limited(policy, max_reports, MultihotRappor::with_max_reports);
            Accept::accept(
                visitor,
                policy.map_err(|error| at("client_noise", None, error))?,
            )
        }
    }
}

/// The policy with the document's bound on the reports in a batch, if there is one.
fn limited<P>(
    policy: Result<P, dp_prio3::Error>,
    max_reports: Option<u64>,
    limit: fn(P, u64) -> Result<P, dp_prio3::Error>,
) -> Result<P, dp_prio3::Error> {
    match max_reports {
        Some(max_reports) => limit(policy?, max_reports),
        None => policy,
    }
}

/// A type with the noise of its aggregators, by the kind of noise and of budget.
fn noisy<T, V>(
    measurement_type: Result<T, Error>,
    document: &Document,
    noise: &AggregatorNoise,
    visitor: V,
) -> Result<V::Output, Error>
where
    T: MeasurementType<Measurement: Accept> + 'static,
    V: PolicyVisitor,
{
    use BudgetKind::{Approximate, Pure, ZeroConcentrated};
    use Mechanism::{DiscreteGaussian as Gaussian, DiscreteLaplace as Laplace};

    let kind = measurement_type?;
    let max_reports = document.batch.max_reports;
    match (noise.required_mechanism()?, noise.required_budget()?) {
        (Laplace, Pure) => {
            let budget = noise.required_epsilon()?;
            calibrated::<_, DiscreteLaplace, _, _>(kind, budget, max_reports, noise, visitor)
        }
        (Laplace, Approximate) => {
            let budget = noise.epsilon_delta()?;
            calibrated::<_, DiscreteLaplace, _, _>(kind, budget, max_reports, noise, visitor)
        }
        (Gaussian, Approximate) => {
            let budget = noise.epsilon_delta()?;
            calibrated::<_, DiscreteGaussian, _, _>(kind, budget, max_reports, noise, visitor)
        }
        (Gaussian, ZeroConcentrated) => {
            let budget = noise.required_rho()?;
            calibrated::<_, DiscreteGaussian, _, _>(kind, budget, max_reports, noise, visitor)
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

fn calibrated<T, N, B, V>(
    measurement_type: T,
    budget: B,
    max_reports: Option<u64>,
    noise: &AggregatorNoise,
    visitor: V,
) -> Result<V::Output, Error>
where
    T: MeasurementType<Measurement: Accept> + 'static,
    N: Calibrate<B> + 'static,
    V: PolicyVisitor,
{
    let policy = Noisy::<T, N>::new(measurement_type, budget);
    let policy = limited(policy, max_reports, Noisy::with_max_reports);
    let policy = policy.map_err(|error| at("aggregator_noise", noise.dial(), error))?;
    Accept::accept(visitor, policy)
}

/// The error with the path of the field that is to blame, in the section that asked.
///
/// `dial` is the budget's field: what follows from it alone, such as the scale of the noise, is
/// its fault.
fn at(
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
        ("length", _) => "vdaf.length",
        ("max_measurement", _) => "vdaf.max_measurement",
        ("max_weight", _) => "vdaf.max_weight",
        ("chunk_length", _) => "vdaf.chunk_length",
        ("max_reports", _) => "batch.max_reports",
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

fn count(vdaf: &Vdaf) -> Result<Count, Error> {
    Count::new(vdaf.required_aggregators()?).map_err(in_vdaf)
}

fn sum(vdaf: &Vdaf) -> Result<Sum, Error> {
    let max = vdaf.required_max_measurement()?;
    let max = u64::try_from(max).map_err(|_| {
        let accepted = "an integer of at most 63 bits with Prio3Sum";
        ParameterError::new("vdaf.max_measurement", max, accepted)
    })?;
    Sum::new(vdaf.required_aggregators()?, max).map_err(in_vdaf)
}

fn average(vdaf: &Vdaf) -> Result<Average, Error> {
    let aggregators = vdaf.required_aggregators()?;
    Average::new(aggregators, vdaf.required_max_measurement()?).map_err(in_vdaf)
}

fn sum_vec(vdaf: &Vdaf) -> Result<SumVec, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let max = vdaf.required_max_measurement()?;
    match vdaf.chunk_length {
        Some(chunk) => SumVec::with_chunk_length(aggregators, length, max, chunk),
        None => SumVec::new(aggregators, length, max),
    }
    .map_err(in_vdaf)
}

fn histogram(vdaf: &Vdaf) -> Result<Histogram, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    match vdaf.chunk_length {
        Some(chunk) => Histogram::with_chunk_length(aggregators, length, chunk),
        None => Histogram::new(aggregators, length),
    }
    .map_err(in_vdaf)
}

fn multihot(vdaf: &Vdaf) -> Result<MultihotCountVec, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let weight = vdaf.required_max_weight()?;
    match vdaf.chunk_length {
        Some(chunk) => MultihotCountVec::with_chunk_length(aggregators, length, weight, chunk),
        None => MultihotCountVec::new(aggregators, length, weight),
    }
    .map_err(in_vdaf)
}

fn l1_bound_sum(vdaf: &Vdaf) -> Result<L1BoundSum, Error> {
    let (aggregators, length) = (vdaf.required_aggregators()?, vdaf.required_length()?);
    let max = vdaf.required_max_measurement()?;
    match vdaf.chunk_length {
        Some(chunk) => L1BoundSum::with_chunk_length(aggregators, length, max, chunk),
        None => L1BoundSum::new(aggregators, length, max),
    }
    .map_err(in_vdaf)
}

fn in_vdaf(error: ParameterError) -> Error {
    at("vdaf", None, error.into())
}
