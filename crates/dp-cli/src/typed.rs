//! What a user types, as values, and how numbers are printed.

use std::borrow::Cow;
use std::path::Path;
use std::str::FromStr;

use clap::Args;
use dp_calibration::{
    Adjacency, BigUint, Budget, NoiseDistribution, Query, SensitivityBound, TrustModel,
    WorstCaseDifference,
};
use dp_exact::{Delta, Dyadic, Epsilon, ParameterError, Rational, Refusal, Rho, Rounding};
use dp_planner::trust_model_against;
use dp_task::AggregatorNoise;

use crate::failure::Failure;
pub(crate) use crate::options::adjacency;
use crate::options::{LEAVE_OUT, parse_integer};
use crate::policies;

const POSITIVE: &str = "a number greater than 0, such as 0.317 or 1/3";
const SLACK: &str = "a number from 0 to below 1, such as 1e-9";

/// Digits of a certified figure.
pub(crate) const DIGITS: usize = 20;

/// The text of an option that has to be there.
pub(crate) fn required<'a>(
    name: &'static str,
    given: Option<&'a String>,
    accepted: &'static str,
) -> Result<&'a str, Refusal> {
    match given {
        Some(text) => Ok(text),
        None => Err(Refusal::missing(name, accepted)),
    }
}

/// Refuses an option that says nothing here.
pub(crate) fn refuse(
    name: &'static str,
    given: Option<&String>,
    place: &'static str,
) -> Result<(), Refusal> {
    given.map_or(Ok(()), |value| Err(Refusal::contradiction(name, value, place, LEAVE_OUT)))
}

/// Refuses options that say nothing here, in this order.
pub(crate) fn refuse_all<const N: usize>(
    place: &'static str,
    options: [(&'static str, Option<&String>); N],
) -> Result<(), Refusal> {
    let mut options = options.into_iter();
    options.try_for_each(|(name, given)| refuse(name, given, place))
}

/// A number, under the name of its option.
pub(crate) fn number<T>(name: &'static str, text: &str) -> Result<T, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    text.parse().map_err(|error: ParameterError| error.renamed(name))
}

/// A number that may be left out.
pub(crate) fn optional<T>(
    name: &'static str,
    given: Option<&String>,
) -> Result<Option<T>, ParameterError>
where
    T: FromStr<Err = ParameterError>,
{
    given.map(|text| number(name, text)).transpose()
}

/// The option --trust-model: a name of `plan --against`, or an abbreviation, in any case.
pub(crate) fn trust_model(given: Option<&String>) -> Result<Option<TrustModel>, ParameterError> {
    let Some(text) = given else {
        return Ok(None);
    };
    let found = trust_model_against(text).or_else(|_| text.trim().to_ascii_uppercase().parse());
    found.map(Some).map_err(|_| {
        let accepted = "all-aggregators (OC: nobody else is honest), one-aggregator (OAOC: one aggregator is), \
                        collector (OAMC: one aggregator and most clients are), or NAOC or NAMC for N honest \
                        aggregators, such as 2AOC";
        ParameterError::new("trust-model", text, accepted)
    })
}

/// The option --epsilon.
pub(crate) fn epsilon(given: Option<&String>) -> Result<Epsilon, Failure> {
    Ok(number("epsilon", required("epsilon", given, POSITIVE)?)?)
}

/// The option --epsilon0.
pub(crate) fn epsilon0(given: Option<&String>) -> Result<Epsilon, Failure> {
    Ok(number("epsilon0", required("epsilon0", given, POSITIVE)?)?)
}

/// The option --delta.
pub(crate) fn delta(given: Option<&String>) -> Result<Delta, Failure> {
    Ok(number("delta", required("delta", given, SLACK)?)?)
}

/// The option --clients: honest ones.
pub(crate) fn clients(given: Option<&String>) -> Result<u64, Failure> {
    let clients = required("clients", given, "an integer from 1 to 10000000000")?;
    Ok(parse_integer("clients", clients, 1..=10_000_000_000)?)
}

/// A positive number, under the name of its option.
pub(crate) fn positive(name: &'static str, text: &str) -> Result<Rational, ParameterError> {
    let value: Rational = number(name, text)?;
    if value.is_positive() { Ok(value) } else { Err(ParameterError::new(name, text, POSITIVE)) }
}

/// The worst difference, if more than one aggregator is honest.
pub(crate) fn several(
    honest: u32,
    sensitivity: &SensitivityBound,
) -> Result<Option<&WorstCaseDifference>, Refusal> {
    if honest == 1 {
        return Ok(None);
    }
    let difference = sensitivity.worst_case_difference().ok_or_else(|| {
        let place = "where only a norm is known";
        let change = "take 1, or the query one or pair";
        Refusal::contradiction("honest-aggregators", honest, place, change)
    })?;
    Ok(Some(difference))
}

/// A number as a fraction, also where it has a finite decimal.
pub(crate) fn fraction(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

/// ε and δ as a budget, which is pure if δ is 0.
pub(crate) fn budget_of(epsilon: Epsilon, delta: Delta) -> Budget {
    match delta.value().is_zero() {
        true => Budget::Pure { epsilon },
        false => Budget::Approximate { epsilon, delta },
    }
}

/// --rho, or --epsilon with --delta, which is 0 if it is not typed and may be.
pub(crate) fn budget(
    epsilon: Option<&String>,
    delta: Option<&String>,
    rho: Option<&String>,
    is_pure_by_default: bool,
) -> Result<Budget, Failure> {
    if let Some(rho) = rho {
        refuse_all("with --rho", [("epsilon", epsilon), ("delta", delta)])?;
        let rho: Rho = number("rho", rho)?;
        return Ok(Budget::ZeroConcentrated { rho });
    }
    let epsilon = self::epsilon(epsilon)?;
    Ok(match delta {
        None if is_pure_by_default => Budget::Pure { epsilon },
        delta => budget_of(epsilon, self::delta(delta)?),
    })
}

/// A decimal that is not below the number.
pub(crate) fn up(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

/// A decimal that is not above the number.
pub(crate) fn down(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Down).to_string()
}

/// A decimal that is not below the end of an enclosure.
pub(crate) fn end_up(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Up)
}

/// A decimal that is not above the end of an enclosure.
pub(crate) fn end_down(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Down)
}

/// A figure of accuracy, in floating point: ten digits.
pub(crate) fn about(value: f64) -> Result<String, ParameterError> {
    Ok(Rational::from_f64(value)?.to_decimal(10, Rounding::Nearest))
}

/// What a task says, as a person would type it.
pub(crate) struct Job {
    /// The query, as --query takes it.
    pub(crate) query: String,
    /// The ε that its aggregators' noise keeps, if it keeps one.
    pub(crate) epsilon: Option<String>,
    /// Its δ, if there is one.
    pub(crate) delta: Option<String>,
    /// How many aggregators there are.
    pub(crate) aggregators: String,
    /// The noise with its parameter, as --mechanism takes it: of aggregators, else the flips of clients.
    pub(crate) mechanism: Option<String>,
}

impl Job {
    /// That of the task in this file.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let task = policies::read(path)?;
        let document = task.document();
        let noise = document.aggregator_noise.as_ref();
        let (epsilon, delta) = match noise.and_then(AggregatorNoise::budget) {
            Some(Budget::Pure { epsilon }) => (Some(epsilon.to_string()), None),
            Some(Budget::Approximate { epsilon, delta }) => {
                (Some(epsilon.to_string()), Some(delta.to_string()))
            }
            Some(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. }) | None => (None, None),
        };
        let parameter = |name: &str| {
            let mut parameters = task.parameters().iter();
            parameters.find(|(own, _)| *own == name).map(|(_, value)| value)
        };
        let named = [("laplace", "scale"), ("gaussian", "variance"), ("rappor", "epsilon0")];
        let mechanism = named
            .iter()
            .find_map(|(mechanism, name)| Some(format!("{mechanism}:{}", parameter(name)?)));
        Ok(Self {
            query: task.query().to_string(),
            epsilon,
            delta,
            aggregators: document.vdaf.aggregators().to_string(),
            mechanism,
        })
    }
}

/// How far one client moves a result.
#[derive(Args, Clone, Debug)]
pub(crate) struct Moves {
    /// What one client moves: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH,
    /// multihot:LENGTH:WEIGHT, l1boundsum:LENGTH:MAX, one, pair (a histogram, replaced), l1:NUMBER or
    /// l2-squared:NUMBER [default: pair]
    #[arg(long, alias = "type")]
    query: Option<String>,
    /// In place of --query, how far one client moves the result at most: its L1 norm with Laplace noise, its L2
    /// norm with Gaussian noise
    #[arg(long, conflicts_with = "query")]
    sensitivity: Option<String>,
    /// Which batches are neighbours: replacement or deletion [default: replacement]
    #[arg(long)]
    adjacency: Option<String>,
}

impl Moves {
    /// The query that is typed, or the norm that the sensitivity is.
    pub(crate) fn query(&self, norm: Norm) -> Result<Cow<'_, str>, ParameterError> {
        Ok(match &self.sensitivity {
            Some(typed) => Cow::Owned(norm_of(typed, norm)?),
            None => Cow::Borrowed(self.query.as_deref().unwrap_or("pair")),
        })
    }

    /// These options with the query of a task.
    pub(crate) fn of_query(self, query: String) -> Self {
        Self { query: Some(query), ..self }
    }

    /// Whether a query or a sensitivity is typed.
    pub(crate) const fn is_given(&self) -> bool {
        self.query.is_some() || self.sensitivity.is_some()
    }

    /// Which batches are neighbours.
    pub(crate) fn adjacency(&self) -> Result<Adjacency, ParameterError> {
        adjacency(self.adjacency.as_deref().unwrap_or("replacement"))
    }

    /// How far one client moves the result, for noise that depends on a norm.
    pub(crate) fn known(&self, norm: Norm) -> Result<SensitivityBound, Failure> {
        sensitivity(&self.query(norm)?, self.adjacency()?)
    }

    /// Refuses the options where they say nothing.
    pub(crate) fn refuse(&self, place: &'static str) -> Result<(), Failure> {
        let (query, sensitivity) = (self.query.as_ref(), self.sensitivity.as_ref());
        let adjacency = ("adjacency", self.adjacency.as_ref());
        let options = [("query", query), ("sensitivity", sensitivity), adjacency];
        Ok(refuse_all(place, options)?)
    }
}

/// The option --sensitivity as a query. Results move by whole numbers, so both norms of a move by 1 are those of one
/// number that moves by 1.
fn norm_of(typed: &str, norm: Norm) -> Result<String, ParameterError> {
    let size = match parse_integer::<u64>("sensitivity", typed, 1..=u64::MAX) {
        Ok(1) => return Ok("one".to_owned()),
        Ok(size) => size,
        Err(refused) => return Err(root(typed, norm).unwrap_or(refused)),
    };
    Ok(match norm {
        Norm::L1 => format!("l1:{size}"),
        Norm::L2Squared => format!("l2-squared:{}", u128::from(size) * u128::from(size)),
    })
}

/// The refusal of a positive L2 norm that is no integer, such as 1.41: its square is one.
fn root(typed: &str, norm: Norm) -> Option<ParameterError> {
    let size: Rational = positive("sensitivity", typed).ok()?;
    let is_root = norm == Norm::L2Squared && !size.is_integer();
    let accepted = format!(
        "an integer of at least 1, or in place of it the square, --query l2-squared:{}",
        (&size * &size).ceil()
    );
    is_root.then(|| ParameterError::new("sensitivity", typed, accepted))
}

/// `gaussian` or `laplace` with a parameter; `None` if the name is that of no law of noise.
pub(crate) fn noise_law(
    name: &str,
    parameter: &str,
) -> Result<Option<NoiseDistribution>, ParameterError> {
    Ok(match name {
        "gaussian" => {
            Some(NoiseDistribution::DiscreteGaussian { variance: positive("variance", parameter)? })
        }
        "laplace" => {
            Some(NoiseDistribution::DiscreteLaplace { scale: positive("scale", parameter)? })
        }
        _ => None,
    })
}

/// The forms of --query beside those of a query.
const NORMS: &str = "one, pair, l1:NUMBER, l2-squared:NUMBER";

/// The norm on which noise depends where no more is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    L1,
    L2Squared,
}

/// `one`, `pair` or a query, as its worst difference.
pub(crate) fn worst_difference(
    text: &str,
    adjacency: Adjacency,
) -> Result<WorstCaseDifference, Failure> {
    match text {
        "one" => return Ok(WorstCaseDifference::one()),
        "pair" => return Ok(WorstCaseDifference::one_hot()),
        _ => {}
    }
    query(text)?.worst_case_difference(adjacency)?.ok_or_else(|| {
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

/// The option --query: `one`, `pair`, a query, or a bound on a norm, `l1:NUMBER` or `l2-squared:NUMBER`.
fn sensitivity(text: &str, adjacency: Adjacency) -> Result<SensitivityBound, Failure> {
    let size = |size: &str| parse_integer("query", size, 1..=u128::MAX).map(BigUint::from);
    Ok(match text.split_once(':') {
        Some(("l1", number)) => SensitivityBound::L1(size(number)?),
        Some(("l2-squared", number)) => SensitivityBound::L2Squared(size(number)?),
        _ => SensitivityBound::WorstCase(worst_difference(text, adjacency)?),
    })
}
