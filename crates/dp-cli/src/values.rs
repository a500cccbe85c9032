//! Values of options: parsers for clap, options of several commands, and the format of figures.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

use clap::Args;
use dp_calibration::accounting::{Accountant, AccountedMechanism};
use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_calibration::{
    Adjacency, BigInt, Budget, NoiseDistribution, NoiseKind, Query, Refusal, SensitivityBound,
    TrustModel, WorstCaseDifference,
};
use dp_exact::{
    Delta, Dyadic, Epsilon, Interval, ParameterError, Rational, Rho, Rounding, parse_integer,
};
use dp_planner::trust_model_against;
use dp_prio3::grid::Grid;

use crate::failure::{Failure, accepted};

/// Advice for an option that has no meaning beside another one.
pub(crate) const LEAVE_OUT: &str = "leave it out";

/// The most clients for whom `calibrate` and `policies` compute a guarantee.
pub(crate) const MAX_CLIENTS: u64 = 10_000_000_000;

/// Significant digits of a certified figure.
pub(crate) const DIGITS: usize = 20;

/// A parser for clap: an integer in `range`, whose ends are accepted too, also with a suffix or an
/// exponent (`100k`, `1e5`).
pub(crate) fn integers<T>(
    range: RangeInclusive<T>,
) -> impl Fn(&str) -> Result<T, ParameterError> + Clone + Send + Sync + 'static
where
    T: TryFrom<BigInt> + PartialOrd + Display + Clone + Send + Sync + 'static,
{
    move |text| parse_integer("value", text, range.clone())
}

/// A parser for clap: an exact number above 0, such as 0.317 or 1/3.
pub(crate) fn positive(text: &str) -> Result<Rational, ParameterError> {
    let accepted = "a number greater than 0, such as 0.317 or 1/3";
    let value: Rational = text.parse()?;
    if value.is_positive() { Ok(value) } else { Err(ParameterError::new("value", text, accepted)) }
}

/// The name of a noise, with a capital letter for the beginning of a sentence.
pub(crate) fn capitalized(kind: NoiseKind) -> String {
    let name = kind.name();
    name.strip_prefix('d').map_or_else(|| name.to_owned(), |rest| format!("D{rest}"))
}

/// The ε at which a δ is computed; `None` is 0, where δ is the total variation distance. Clap would
/// take the `Option` for an optional value.
pub(crate) type DeltaEpsilon = Option<Epsilon>;

/// A parser for clap: an ε above 0, or `None` for a text whose number is 0.
pub(crate) fn epsilon_or_zero(text: &str) -> Result<DeltaEpsilon, ParameterError> {
    let is_zero = text.parse().is_ok_and(|value: Rational| value.is_zero());
    if is_zero { Ok(None) } else { text.parse().map(Some) }
}

/// The ε if it is above 0; for 0, which is `None`, an `Err` about the option `epsilon`.
pub(crate) fn above_zero(epsilon: &DeltaEpsilon) -> Result<&Epsilon, ParameterError> {
    epsilon.as_ref().ok_or_else(|| ParameterError::new("epsilon", 0, accepted("epsilon")))
}

/// Enclosure of the total variation distance, δ at ε = 0, of one release of this noise on two
/// results that differ by `difference`.
pub(crate) fn total_variation(
    law: NoiseDistribution,
    difference: &WorstCaseDifference,
) -> Result<Interval, Failure> {
    let mut release = Accountant::new();
    release.add(AccountedMechanism::Noise { law, difference: difference.clone() }, 1)?;
    Ok(release.total_variation()?)
}

/// A parser for clap: which batches are neighbours, by [`Adjacency::name`].
pub(crate) fn adjacency(text: &str) -> Result<Adjacency, ParameterError> {
    let accepted = "replacement, deletion or one-coordinate (bounded: one report is replaced; unbounded: one is \
                    left out)";
    text.parse().map_err(|_| ParameterError::new("adjacency", text, accepted))
}

/// A parser for clap: a name of `plan --against`, such as `collector`, or the abbreviation of a
/// trust model, such as OAMC, in any case.
pub(crate) fn trust_model(text: &str) -> Result<TrustModel, ParameterError> {
    trust_model_against(text).or_else(|_| text.trim().to_ascii_uppercase().parse()).map_err(|_| {
        let accepted = "all-aggregators (OC: only the client is honest), one-aggregator (OAOC: and \
                        one aggregator), collector (OAMC: and most clients), or NAOC or NAMC for N \
                        honest aggregators, such as 2AOC";
        ParameterError::new("trust-model", text, accepted)
    })
}

/// A parser for clap: the grid of a text `LOW..HIGH/STEP`.
pub(crate) fn grid(text: &str) -> Result<Grid, ParameterError> {
    text.parse().map_err(|error: ParameterError| match error.name() {
        "grid" => error,
        name => ParameterError::new("grid", text, format!("for its {name} {}", error.accepted())),
    })
}

/// The option's value; if it is `None`, an `Err` that names the option and its accepted values.
pub(crate) fn required<'a, T>(
    option: &'static str,
    given: &'a Option<T>,
) -> Result<&'a T, Refusal> {
    given.as_ref().ok_or_else(|| Refusal::missing(option, accepted(option)))
}

/// (ε, δ) as a budget, which is pure if δ is 0.
pub(crate) fn budget_of(epsilon: Epsilon, delta: Delta) -> Budget {
    match delta.value().is_zero() {
        true => Budget::Pure { epsilon },
        false => Budget::Approximate { epsilon, delta },
    }
}

/// A budget: (ε, δ) or ρ.
#[derive(Args, Debug)]
pub(crate) struct BudgetOptions {
    /// Privacy loss epsilon; of a release in a ledger also 0, with --delta, which counts as 1e-9
    #[arg(long, alias = "eps", value_parser = epsilon_or_zero)]
    pub(crate) epsilon: Option<DeltaEpsilon>,
    /// Delta, with --epsilon [default, but for gaussian noise: 0]
    #[arg(long)]
    pub(crate) delta: Option<Delta>,
    /// Zero-concentrated budget, in place of --epsilon and --delta
    #[arg(long, conflicts_with_all = ["epsilon", "delta"])]
    rho: Option<Rho>,
}

impl BudgetOptions {
    /// The budget ρ if it is given, else (ε, δ), which is pure for δ = 0. A missing δ is 0 if
    /// `is_pure_by_default`; otherwise a missing option is an `Err` that names it, as is ε = 0.
    pub(crate) fn budget(&self, is_pure_by_default: bool) -> Result<Budget, Failure> {
        if let Some(rho) = &self.rho {
            return Ok(Budget::ZeroConcentrated { rho: rho.clone() });
        }
        let epsilon = above_zero(required("epsilon", &self.epsilon)?)?.clone();
        match &self.delta {
            None if is_pure_by_default => Ok(Budget::Pure { epsilon }),
            delta => Ok(budget_of(epsilon, required("delta", delta)?.clone())),
        }
    }
}

/// The exact value as text `numerator/denominator`: `1/2` and never `0.5`.
pub(crate) fn fraction(value: &Rational) -> String {
    format!("{}/{}", value.numerator(), value.denominator())
}

/// `value` as a decimal with 20 significant digits, rounded up.
pub(crate) fn up(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Up).to_string()
}

/// `value` as a decimal with 20 significant digits, rounded down.
pub(crate) fn down(value: &Rational) -> String {
    value.round_to_digits(DIGITS, Rounding::Down).to_string()
}

/// The upper end of an interval as a decimal with 20 significant digits, rounded up.
pub(crate) fn end_up(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Up)
}

/// The lower end of an interval as a decimal with 20 significant digits, rounded down.
pub(crate) fn end_down(value: &Dyadic) -> String {
    value.to_decimal(DIGITS, Rounding::Down)
}

/// What the upper end of an enclosure of a δ is, in words: the exact δ rounded up, if the ends
/// differ by at most 1e-9 times the upper one; else only an upper bound on the δ.
pub(crate) fn meaning_of_delta(delta: &Interval) -> &'static str {
    let (lower, upper) = (delta.lower().to_f64(), delta.upper().to_f64());
    match upper - lower <= 1e-9 * upper {
        true => "exact delta of this noise, rounded up",
        false => "the exact delta of this noise is at most this",
    }
}

/// A figure computed in floating point, no bound: ten significant digits, rounded to the nearest.
/// `Err` if it is not finite.
pub(crate) fn about(value: f64) -> Result<String, ParameterError> {
    Ok(Rational::from_f64(value)?.to_decimal(10, Rounding::Nearest))
}

/// The distribution of a `name` and its `parameter`: `gaussian` with the variance or `laplace` with
/// the scale. `None` for other names; `Err` for a parameter that is no positive number.
pub(crate) fn noise_distribution(
    name: &str,
    parameter: &str,
) -> Result<Option<NoiseDistribution>, ParameterError> {
    let of = |option| positive(parameter).map_err(|error| error.renamed(option));
    Ok(match name {
        "gaussian" => Some(NoiseDistribution::DiscreteGaussian { variance: of("variance")? }),
        "laplace" => Some(NoiseDistribution::DiscreteLaplace { scale: of("scale")? }),
        _ => None,
    })
}

/// The meaning of a figure by [`SensitivityOptions::of_textbooks`].
pub(crate) const OF_TEXTBOOKS: &str =
    "if people are added or removed, as in textbooks: no guarantee for what is asked";

/// What one client's measurement can change in the result.
#[derive(Args, Clone, Debug)]
pub(crate) struct SensitivityOptions {
    /// The result that one client changes: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX,
    /// histogram:LENGTH, multihot:LENGTH:WEIGHT, l1boundsum:LENGTH:MAX, one (one number, by 1),
    /// pair (a histogram: two numbers, by 1 each, under replacement), l1:NUMBER or
    /// l2-squared:NUMBER; percentiles:LENGTH (Gaussian noise) or ranges:LENGTH for a histogram
    /// behind a strategy matrix [default: pair]
    #[arg(long)]
    query: Option<SensitivityQuery>,
    /// Which batches are neighbours: replacement, deletion or one-coordinate [default: replacement]
    #[arg(long, value_parser = adjacency)]
    adjacency: Option<Adjacency>,
}

/// The norm of a difference of two results that noise is calibrated to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Norm {
    L1,
    L2Squared,
}

impl SensitivityOptions {
    /// The query of `--query`, by default `pair`. For noise of the L1 norm (Laplace), `ranges` gets
    /// the strategy matrix of a folded tree, and `percentiles` is refused.
    pub(crate) fn query(&self, norm: Norm) -> Result<SensitivityQuery, ParameterError> {
        match self.query.clone().unwrap_or(SensitivityQuery::PAIR) {
            // Laplace noise has a matrix of its own.
            SensitivityQuery::Query(Query::HistogramRanges { length, family })
                if norm == Norm::L1 =>
            {
                if family == StrategyFamily::Toeplitz {
                    let query = format!("percentiles:{length}");
                    let accepted = format!("ranges:{length}, with Laplace noise");
                    return Err(ParameterError::new("query", query, accepted));
                }
                let family = StrategyFamily::FoldedTree;
                Ok(SensitivityQuery::Query(Query::HistogramRanges { length, family }))
            }
            query => Ok(query),
        }
    }

    /// The bound where people are added or removed, as in textbooks; `None` where that is the bound
    /// of [`Self::known`], and where a norm alone is typed.
    pub(crate) fn of_textbooks(&self, norm: Norm) -> Result<Option<SensitivityBound>, Failure> {
        let query = match self.query(norm)? {
            SensitivityQuery::Query(query) => query,
            SensitivityQuery::L1(_) | SensitivityQuery::L2Squared(_) => return Ok(None),
        };
        let added = query.sensitivity_bound(Adjacency::Deletion)?;
        let is_other = query.sensitivity_bound(self.adjacency())? != added;
        Ok(Some(added).filter(|_| is_other))
    }

    /// The options for one entry of the vectors of `--query`, which accounts for cube-shaped noise,
    /// and the query of the vectors. `Err` for a query that is not about vectors.
    pub(crate) fn of_one_entry(&self) -> Result<(Self, Query), Failure> {
        let missing = || Refusal::missing("query", SensitivityQuery::OF_VECTORS);
        let (entry, vectors) = self.query.as_ref().ok_or_else(missing)?.one_entry()?;
        Ok((Self { query: Some(entry), ..self.clone() }, vectors))
    }

    /// The adjacency of `--adjacency`, by default replacement.
    pub(crate) fn adjacency(&self) -> Adjacency {
        self.adjacency.unwrap_or_default()
    }

    /// What bounds the difference of two neighbouring results: the worst-case difference where it
    /// is known; for `l1`, `l2-squared` and queries behind a strategy matrix only its norm.
    pub(crate) fn known(&self, norm: Norm) -> Result<SensitivityBound, Failure> {
        Ok(match self.query(norm)? {
            SensitivityQuery::L1(bound) => SensitivityBound::of_l1(bound.into()),
            SensitivityQuery::L2Squared(bound) => SensitivityBound::of_l2_squared(bound.into()),
            SensitivityQuery::Query(query @ Query::HistogramRanges { .. }) => {
                query.sensitivity_bound(self.adjacency())?
            }
            query => query.worst_difference(self.adjacency())?.into(),
        })
    }
}

/// The worst-case difference if more than one aggregator is honest, as the bound for a sum of
/// noises needs it. `None` for one honest aggregator; `Err` for several if only a norm is known.
pub(crate) fn difference_for_several(
    honest_aggregators: u32,
    sensitivity: &SensitivityBound,
) -> Result<Option<&WorstCaseDifference>, Refusal> {
    match sensitivity.worst_case_difference() {
        _ if honest_aggregators == 1 => Ok(None),
        Some(difference) => Ok(Some(difference)),
        None => {
            let context = "where only a norm is known";
            let change = "take 1, or the query one or pair";
            Err(Refusal::contradiction("honest-aggregators", honest_aggregators, context, change))
        }
    }
}

/// The words "from each of N honest aggregators" behind `before`; an empty text for one aggregator.
pub(crate) fn source(before: &str, honest_aggregators: u32) -> String {
    match honest_aggregators {
        1 => String::new(),
        count => format!("{before}from each of {count} honest aggregators"),
    }
}

/// A value of `--query`, and of QUERY in `gaussian:VARIANCE:QUERY`.
#[derive(Clone, Debug)]
pub(crate) enum SensitivityQuery {
    Query(Query),
    /// Any query whose differences have an L1 norm of at most this integer.
    L1(u128),
    /// Any query whose differences have a squared L2 norm of at most this integer.
    L2Squared(u128),
}

impl FromStr for SensitivityQuery {
    type Err = ParameterError;

    fn from_str(text: &str) -> Result<Self, ParameterError> {
        // An error shows the query as it was typed.
        let integer = |number: &str, range| {
            parse_integer("query", number, range).map_err(|error: ParameterError| {
                ParameterError::new("query", text, format!("behind the colon {}", error.accepted()))
            })
        };
        Ok(match text.split_once(':') {
            Some(("l1", number)) => Self::L1(integer(number, 1..=u128::MAX)?),
            Some(("l2-squared", number)) => Self::L2Squared(integer(number, 1..=u128::MAX)?),
            Some((name @ ("percentiles" | "ranges"), numbers)) => {
                let (number, matrix) = match numbers.split_once(':') {
                    Some((number, matrix)) if name == "ranges" => (number, Some(matrix)),
                    _ => (numbers, None),
                };
                let length = integer(number, 3..=StrategyMatrix::MAX_LENGTH as u128)?;
                let family = match (name, matrix) {
                    ("percentiles", _) => Some(StrategyFamily::Toeplitz),
                    (_, None) => Some(StrategyFamily::Circulant),
                    (_, Some(typed)) => {
                        StrategyFamily::ALL.into_iter().find(|family| family.name() == typed)
                    }
                };
                let family = family.ok_or_else(|| {
                    let accepted = "ranges:LENGTH, or with its matrix as in ranges:16:toeplitz, \
                                    ranges:16:circulant or ranges:16:folded-tree";
                    ParameterError::new("query", text, accepted)
                })?;
                let length = usize::try_from(length).expect("at most the largest matrix");
                Self::Query(Query::HistogramRanges { length, family })
            }
            // A count changes by 1.
            None if text == "one" => Self::Query(Query::Count),
            None if text == "pair" => Self::PAIR,
            _ => Self::Query(text.parse().map_err(|error: ParameterError| match error.name() {
                "query" => {
                    let norms = "one, pair, l1:NUMBER, l2-squared:NUMBER, percentiles:LENGTH, ranges:LENGTH";
                    let accepted = format!("{norms}, {}", error.accepted());
                    ParameterError::new("query", text, accepted)
                }
                _ => ParameterError::new("query", text, format!("for {} {}", error.name(), error.accepted())),
            })?),
        })
    }
}

impl Display for SensitivityQuery {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Query(Query::HistogramRanges { length, family: StrategyFamily::Toeplitz }) => {
                write!(formatter, "percentiles:{length}")
            }
            Self::Query(query) => query.fmt(formatter),
            Self::L1(bound) => write!(formatter, "l1:{bound}"),
            Self::L2Squared(bound) => write!(formatter, "l2-squared:{bound}"),
        }
    }
}

impl SensitivityQuery {
    /// A histogram, of which two counts change by 1 each under replacement.
    const PAIR: Self = Self::Query(Query::Histogram { length: 2 });

    /// The queries that [`Self::one_entry`] accepts.
    const OF_VECTORS: &str = "sumvec:LENGTH:MAX or multihot:LENGTH:WEIGHT, for cube-shaped noise";

    /// The largest change of one entry of these vectors, as a query, and the query of the vectors.
    /// `Err` for a query that is not about vectors.
    pub(crate) fn one_entry(&self) -> Result<(Self, Query), ParameterError> {
        match self {
            Self::Query(query @ (Query::SumVec { .. } | Query::MultihotCountVec { .. })) => {
                let entry = Query::Sum { max_measurement: query.max_entry() };
                Ok((Self::Query(entry), query.clone()))
            }
            other => Err(ParameterError::new("query", other, Self::OF_VECTORS)),
        }
    }

    /// The worst-case difference of two neighbouring results under this adjacency. `Err` for an L2
    /// norm, for a query behind a strategy matrix, and if the results of all neighbours are equal.
    pub(crate) fn worst_difference(
        &self,
        adjacency: Adjacency,
    ) -> Result<WorstCaseDifference, Failure> {
        let refused = |accepted| ParameterError::new("query", self, accepted).into();
        match self {
            Self::Query(Query::HistogramRanges { .. }) => Err(refused(
                "a query without a strategy matrix; with one ask calibrate convert --rho, with the \
                 sum of the rho of all releases, by calibrate gaussian",
            )),
            Self::Query(query) => query.worst_case_difference(adjacency)?.ok_or_else(|| {
                refused("a query whose measurements differ, such as count for yes or no")
            }),
            // No difference of this L1 norm is worse than one number that takes all of it.
            Self::L1(bound) => Ok(WorstCaseDifference::new(1, *bound)?),
            Self::L2Squared(_) => {
                Err(refused("one, pair, l1:NUMBER, or a query such as histogram:24"))
            }
        }
    }
}
