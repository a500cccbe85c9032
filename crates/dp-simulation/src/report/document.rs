//! The report as a document for programs.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dp_calibration::Budget;
use dp_exact::{Rational, Rounding};
use dp_prio3::{AbsenceReason, Circumstances, Condition, EpsilonDelta, Guarantee, Remark};
use serde::Serialize;

use super::{ReleasePairs, SimulationReport};
use crate::data::RowCounts;
use crate::{Consistency, Coordinate, Summary};

/// The version of the schema. It changes when a field is removed or changes its meaning.
pub const SCHEMA_VERSION: u32 = 5;

/// Significant digits of a written ε or δ.
const DIGITS: usize = 12;

/// The first field, by which a file is recognized.
pub const FORMAT: &str = "dp-simulation report";

/// A report, ready to serialize.
#[derive(Clone, Debug, Serialize)]
pub struct ReportDocument<'a> {
    format: &'static str,
    schema_version: u32,
    functionality: &'static str,
    policy: &'a str,
    vdaf: &'a str,
    question: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    synthetic: Option<&'a str>,
    data: &'a RowCounts,
    parameters: BTreeMap<&'static str, &'a str>,
    /// In the order of the plan's guarantees; `None` where nothing is proved.
    guarantees: Vec<Option<GuaranteeFields<'a>>>,
    guarantees_in_words: Vec<String>,
    /// What holds for all reports of a person, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    person: Option<PersonFields>,
    seed: String,
    /// The number of trials, from the first, whose coordinates follow.
    trials_listed: usize,
    coordinates: Vec<CoordinateFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cumulative: Option<CumulativeFields<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post_processing: Option<String>,
    summary: &'a Summary,
}

/// A proved guarantee in one trust model.
#[derive(Clone, Debug, Serialize)]
struct GuaranteeFields<'a> {
    trust_model: String,
    must_be_honest: String,
    honest_aggregators: u8,
    adjacency: String,
    budget: &'a Budget,
    #[serde(flatten)]
    terms: GuaranteeTerms,
}

/// The guarantees for one person with several reports as fields of a document, each list in the
/// order of the trust models.
#[derive(Clone, Debug, Serialize)]
pub struct PersonFields {
    /// The number of releases in which the person takes part.
    pub releases: u32,
    /// The most reports of the person in a release.
    pub reports_per_client: u32,
    /// The guarantees of one release; `None` where there is none.
    pub one_release: Vec<Option<PairFields>>,
    /// The guarantees of all releases together; `None` where there is none.
    pub all_releases: Vec<Option<PairFields>>,
}

/// A pair (ε, δ) in decimals of at most 12 digits, rounded up.
#[derive(Clone, Debug, Serialize)]
pub struct PairFields {
    /// ε.
    pub epsilon: String,
    /// δ.
    pub delta: String,
}

/// The terms of a guarantee, as the last fields of each document's guarantee.
#[derive(Clone, Debug, Serialize)]
pub struct GuaranteeTerms {
    protects_nobody: bool,
    provided_that: Vec<String>,
    /// Remarks, in words.
    pub notes: Vec<String>,
    /// What is left if parties that must be honest are not, in words.
    otherwise: String,
}

/// Percentiles and ranges of the listed trials, and the distribution function of the first.
#[derive(Clone, Debug, Default, Serialize)]
struct CumulativeFields<'a> {
    percentiles: Vec<PercentileFields<'a>>,
    ranges: Vec<CoordinateFields<'a>>,
    counts: Vec<CoordinateFields<'a>>,
}

/// One percentile of one trial, in labels of buckets.
#[derive(Clone, Debug, Serialize)]
struct PercentileFields<'a> {
    trial: usize,
    percentile: &'a Rational,
    truth: &'a str,
    estimate: &'a str,
    lowest: &'a str,
    highest: &'a str,
}

/// One estimate of one trial, in the unit of the estimates.
#[derive(Clone, Debug, Serialize)]
struct CoordinateFields<'a> {
    /// From 0.
    trial: usize,
    label: Cow<'a, str>,
    #[serde(flatten)]
    row: &'a Coordinate,
}

impl<'a> From<SimulationReport<'a>> for ReportDocument<'a> {
    fn from(report: SimulationReport<'a>) -> Self {
        let SimulationReport { plan, outcome } = report;
        let parameters = plan.parameters.iter();
        let coordinates = outcome.trials.iter().enumerate().flat_map(|(trial, run)| {
            let labelled = plan.labels.iter().zip(&run.coordinates);
            labelled.map(move |(label, row)| CoordinateFields { trial, label: label.into(), row })
        });
        Self {
            format: FORMAT,
            schema_version: SCHEMA_VERSION,
            functionality: if plan.is_ideal { "ideal" } else { "prio3" },
            policy: plan.task.policy_name().name,
            vdaf: plan.task.document().vdaf.kind().name(),
            question: plan.question.to_string(),
            synthetic: plan.synthetic.as_deref(),
            data: &plan.reading,
            parameters: parameters.map(|(name, value)| (*name, value.as_str())).collect(),
            guarantees: plan.guarantees.iter().map(GuaranteeFields::of).collect(),
            guarantees_in_words: plan.guarantees.iter().map(Guarantee::to_string).collect(),
            person: PersonFields::of(&plan.circumstances, || plan.pairs()),
            seed: plan.seed.to_string(),
            trials_listed: outcome.trials.len(),
            coordinates: coordinates.collect(),
            cumulative: cumulative(report),
            post_processing: plan.post_processing.as_ref().map(Consistency::to_string),
            summary: &outcome.summary,
        }
    }
}

impl PersonFields {
    /// The fields of the pairs that `pairs` computes under the circumstances; `None` if these are
    /// one report of a person.
    pub fn of<P: AsRef<[ReleasePairs]>>(
        circumstances: &Circumstances,
        pairs: impl FnOnce() -> P,
    ) -> Option<Self> {
        let Circumstances { releases, reports_per_client, .. } = *circumstances;
        if releases == 1 && reports_per_client == 1 {
            return None;
        }
        let fields = |pair: &Result<EpsilonDelta, AbsenceReason>| {
            let up = |value: &Rational| value.round_to_digits(DIGITS, Rounding::Up).to_string();
            let EpsilonDelta { epsilon, delta } = pair.as_ref().ok()?;
            Some(PairFields { epsilon: up(epsilon.value()), delta: up(delta.value()) })
        };
        let pairs = pairs();
        let pairs = pairs.as_ref().iter();
        let one_release = pairs.clone().map(|pairs| fields(&pairs.once)).collect();
        let all_releases = pairs.map(|pairs| fields(&pairs.all)).collect();
        Some(Self { releases, reports_per_client, one_release, all_releases })
    }
}

/// Percentiles, ranges and cumulative counts of the kept trials; `None` if the plan has no question
/// about them or its labels have no order.
fn cumulative(report: SimulationReport<'_>) -> Option<CumulativeFields<'_>> {
    let (question, axis) = report.plan.axis()?;
    let label = |bucket: usize| report.plan.labels.get(bucket).map_or("", String::as_str);
    let mut fields = CumulativeFields::default();
    for (trial, run) in report.outcome.trials.iter().enumerate() {
        let Some(found) = &run.distribution else { continue };
        let percentiles = question.percentiles.iter().zip(&found.percentiles);
        fields.percentiles.extend(percentiles.map(|(percentile, one)| PercentileFields {
            trial,
            percentile,
            truth: label(one.truth),
            estimate: label(one.estimate),
            lowest: label(*one.interval.start()),
            highest: label(*one.interval.end()),
        }));
        let ranges = question.ranges.iter().zip(&found.ranges);
        fields.ranges.extend(ranges.map(|(range, row)| {
            let label = axis.words(range.start, range.end - 1).into();
            CoordinateFields { trial, label, row }
        }));
        let counts = found.counts.iter().enumerate();
        fields.counts.extend(counts.map(|(last, row)| {
            let label = label(last).into();
            CoordinateFields { trial, label, row }
        }));
    }
    Some(fields)
}

impl<'a> GuaranteeFields<'a> {
    /// The guarantee as fields; `None` if nothing is proved.
    fn of(guarantee: &'a Guarantee) -> Option<Self> {
        Some(Self {
            trust_model: guarantee.trust_model.abbreviation(),
            adjacency: guarantee.adjacency.to_string(),
            must_be_honest: guarantee.trust_model.must_be_honest(),
            honest_aggregators: guarantee.trust_model.honest_aggregators(),
            budget: guarantee.budget()?,
            terms: guarantee.into(),
        })
    }
}

impl From<&Guarantee> for GuaranteeTerms {
    fn from(guarantee: &Guarantee) -> Self {
        Self {
            protects_nobody: guarantee.is_weak,
            provided_that: guarantee.conditions.iter().map(Condition::to_string).collect(),
            notes: guarantee.remarks.iter().map(Remark::to_string).collect(),
            otherwise: guarantee.fallback.to_string(),
        }
    }
}
