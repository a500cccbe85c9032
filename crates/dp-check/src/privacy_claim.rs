//! Reads a certificate of privacy: the claim, and the steering of the checker.

use serde_json::{Map, Value};

use crate::aggregated_count::{AggregatedCount, CurveSteering};
use crate::json::Fields;
use crate::noise::DiscreteNoise;
use crate::number::*;
use crate::query::WorstCaseDifference;
use crate::statement::{Refusal, ensure, outside, unproved, unreadable};

// Limits of a certificate, its aggregations and its steering; MOST_CHANGED: numbers that change.
const MOST_CHARACTERS: usize = 1 << 20;
const LARGEST_EPSILON: u32 = 10_000;
const MOST_RELEASES: usize = 1000;
const MOST_TIMES: u64 = 1 << 20;
const MOST_CHANGED: u64 = 1 << 40;

pub(crate) const MOST_CLIENTS: u64 = 10_000_000_000;
const MOST_AGGREGATORS: u64 = 64;
const MOST_BLOCKS: usize = 20_000;
const MOST_NODES: u64 = 4096;
const MOST_CUTS: usize = 1000;
const LARGEST_LOSS: u32 = 1000;

/// A claim that all releases together are (ε, δ)-differentially private.
#[derive(Debug)]
pub(crate) struct PrivacyClaim {
    pub(crate) epsilon: Rational,
    pub(crate) delta: Rational,
    pub(crate) releases: Vec<ClaimedRelease>,
    /// Whether the claim also holds for every larger variance of the noise.
    pub(crate) every_larger_variance: bool,
    pub(crate) words: String,
}

/// One kind of release of a claim, with its repetitions.
#[derive(Debug)]
pub(crate) struct ClaimedRelease {
    pub(crate) mechanism: NumberLoss,
    /// The number of changed numbers in all repetitions. Their losses are independent and alike.
    pub(crate) changed: u64,
    /// Behind a matrix: the squared L2 norm of one repetition's change, and the number of rows.
    pub(crate) rows: Option<(BigInt, u64)>,
    /// The number of honest aggregators that add noise.
    aggregators: u64,
    /// The number of repetitions.
    times: u64,
    words: String,
}

/// The privacy loss of one number that changes when a client's measurement does.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few of them exist at a time")]
pub(crate) enum NumberLoss {
    /// The number changes by the integer, under the noise of one aggregator.
    Noise(DiscreteNoise, BigInt),
    /// Several aggregators add noise to the number, or it is a sum of randomized bits.
    Count(AggregatedCount),
    /// The release is (ε, δ) private, and nothing else is known.
    Private { epsilon: Rational, delta: Rational },
    /// Upper bound on the Rényi divergence: `slope` at `order`; without one α·`slope` at each α.
    Renyi { slope: Rational, order: Option<Rational> },
}

/// Hints of a certificate on how to bound δ. Every choice gives an upper bound on δ.
#[derive(Debug)]
pub(crate) struct ClaimSteering {
    /// The step of the grid to which finer losses are rounded; `None` for no grid.
    pub(crate) grid: Option<Rational>,
    /// The ends of the ranges of variances after the first, the claimed variance, in growing order.
    pub(crate) cuts: Vec<Rational>,
    /// The order α at which Rényi divergences may prove the claim; `None` not to use them.
    pub(crate) order: Option<Rational>,
}

/// The unread fields of claim and steering, and a sentence about the question, empty without one.
/// `Err` if `text` is no certificate of this version.
pub(crate) fn open(text: &str) -> Result<(Fields, Fields, String), Refusal> {
    let is_plain = text.len() <= MOST_CHARACTERS && !text.contains('\\');
    ensure(is_plain, unreadable, "the certificate has more than 1048576 bytes, or a backslash")?;
    let value = serde_json::from_str::<Value>(text);
    let value = value.map_err(|error| unreadable(format!("no JSON: {error}")))?;
    // The parser drops repetitions of a field. Every text has two quotation marks.
    let marks = |text: &str| text.matches('"').count();
    ensure(marks(&value.to_string()) == marks(text), unreadable, "a field is there twice")?;
    let mut certificate = Fields::of(value)?;
    let is_known = certificate.text("format")? == "dp-check certificate"
        && certificate.integer("version", u64::MAX)? == 1;
    ensure(is_known, unreadable, "the format is not \"dp-check certificate\" of version 1")?;
    let question = certificate.optional("question", Fields::text)?;
    let question = question.map(|text| text.chars().take(1000).collect::<String>());
    let question = question.map(|text| format!(". The question, which is not verified: {text:?}"));
    let steering = certificate.optional("steering", Fields::value)?;
    let steering = Fields::of(steering.unwrap_or_else(|| Map::new().into()))?;
    let claim = Fields::of(certificate.value("claim")?)?;
    certificate.end().map(|()| (claim, steering, question.unwrap_or_default()))
}

/// Reads a claim of privacy and its steering.
pub(crate) fn read(
    mut fields: Fields, mut steering: Fields,
) -> Result<(PrivacyClaim, ClaimSteering), Refusal> {
    let ((epsilon, one), (delta, two)) = (fields.number("epsilon")?, fields.number("delta")?);
    let is_in_range = epsilon <= whole(LARGEST_EPSILON) && delta < Rational::one();
    ensure(is_in_range, unreadable, "epsilon is more than 10000, or delta is not less than 1")?;
    let adjacency = fields.text("adjacency")?;
    let to = match adjacency.as_str() {
        "replacement" => "another",
        "deletion" => "zero",
        _ => return Err(unreadable("adjacency is neither replacement nor deletion")),
    };
    let trust_model = fields.text("trust_model")?;
    let mut aggregations = steering.list("aggregations", MOST_RELEASES, Some)?.into_iter();
    let mut releases = Vec::new();
    for one in fields.list("releases", MOST_RELEASES, Some)? {
        let one = Fields::of(one)?;
        releases.push(release(one, to == "another", &trust_model, &mut aggregations)?);
    }
    let is_whole = !releases.is_empty() && aggregations.next().is_none();
    ensure(is_whole, unreadable, "no releases, or fewer aggregations than steering says")?;
    let (who, each) = match &releases[..] {
        [ClaimedRelease { times: 1, .. }] => ("one client's measurement is", ""),
        _ => ("the measurements of one client in all releases are each", " in each release"),
    };
    let (count, aggregators, noise) = match releases.iter().map(|one| one.aggregators).max() {
        None | Some(1) => ("O".to_owned(), "one aggregator".to_owned(), "adds"),
        Some(several) => (several.to_string(), format!("{several} aggregators"), "each add"),
    };
    let honest = match trust_model.strip_prefix(&count) {
        Some("C") if count == "O" => " is".to_owned(),
        Some("AOC") => format!(" and {aggregators}{each}, which {noise} such noise, are"),
        Some("AMC") => format!(", {aggregators}{each} and the clients that count are"),
        _ => return Err(unreadable(format!("trust_model is no OC, {count}AOC or {count}AMC"))),
    };
    let every_larger_variance = fields.flag("every_larger_variance")?;
    fields.end()?;
    let words: Vec<&str> = releases.iter().map(|release| release.words.as_str()).collect();
    let words = words.join("; together with ");
    let larger = match every_larger_variance {
        true => ", and likewise with every larger variance parameter,",
        false => "",
    };
    let words = format!(
        "{words}{larger} gives ({one}, {two})-differential privacy where {who} replaced by {to}, \
         if the client itself{honest} honest ({trust_model})"
    );
    let cuts = steering.list("cuts", MOST_CUTS, |cut| parse(cut.as_str()?))?;
    let mut positive = |name| steering.optional(name, |fields, name| Ok(fields.positive(name)?.0));
    let (grid, order) = (positive("grid")?, positive("order")?);
    steering.end()?;
    let claim = PrivacyClaim { epsilon, delta, releases, every_larger_variance, words };
    Ok((claim, ClaimSteering { grid, cuts, order }))
}

/// Reads a release, under replacement or else deletion; aggregated, with one of the `aggregations`.
fn release(
    mut fields: Fields, is_replaced: bool, trust_model: &str,
    aggregations: &mut impl Iterator<Item = Value>,
) -> Result<ClaimedRelease, Refusal> {
    let name = fields.text("mechanism")?;
    let times = fields.optional_integer("times", MOST_TIMES)?.unwrap_or(1);
    let query = fields.optional("query", Fields::text)?;
    let difference = match &query {
        Some(query) => Some(WorstCaseDifference::of(query, is_replaced, &mut fields)?),
        None => None,
    };
    let rows = difference.as_ref().and_then(|difference| difference.rows.clone());
    let numbers = difference.as_ref().map_or(BigInt::one(), |one| one.numbers.clone());
    let changed = (numbers * times).to_u64().filter(|&changed| changed <= MOST_CHANGED);
    let changed = changed.ok_or_else(|| outside("more than 2^40 numbers that change"))?;
    let mut aggregators = 1;
    let mut is_added = ["gaussian", "laplace"].contains(&name.as_str());
    let (mechanism, words) = match (name.as_str(), difference) {
        ("gaussian" | "laplace", Some(difference)) => {
            let (noise, several, words) = noise(&name, &mut fields)?;
            aggregators = several;
            if several == 1 {
                (NumberLoss::Noise(noise, difference.change), words)
            } else if difference.is_sum && !difference.change.is_one() {
                return Err(outside("several aggregators' noise where only a sum is bounded"));
            } else {
                let steering = curve_steering(aggregations.next(), 1)?;
                let (epsilon0, clients, noise) = (None, 1, Some((noise, several)));
                let count = AggregatedCount { epsilon0, clients, noise, difference, steering };
                (NumberLoss::Count(count), words)
            }
        }
        ("rappor", Some(difference)) if difference.change.is_one() => {
            let (epsilon0, written) = fields.positive("epsilon0")?;
            let mut words = format!("symmetric RAPPOR with epsilon0 {written}");
            let (mut clients, is_summed) = (1, trust_model.ends_with("AMC"));
            if is_summed {
                clients = fields.integer("clients", MOST_CLIENTS)?;
                words = format!("the sum of {clients} honest clients' reports under {words}");
            }
            let noise = fields.optional("noise", |fields, name| {
                let mut fields = Fields::of(fields.value(name)?)?;
                let (noise, several, added) = self::noise(&fields.text("mechanism")?, &mut fields)?;
                aggregators = several;
                words += &format!(" and {added}");
                fields.end().map(|()| (noise, several))
            })?;
            is_added = noise.is_some();
            if is_summed || is_added {
                let steering = curve_steering(aggregations.next(), clients)?;
                let epsilon0 = Some(epsilon0);
                let count = AggregatedCount { epsilon0, clients, noise, difference, steering };
                (NumberLoss::Count(count), words)
            } else {
                (NumberLoss::Private { epsilon: epsilon0, delta: Rational::zero() }, words)
            }
        }
        ("k-ary", None) => {
            let answers = fields.integer("answers", u64::MAX)?;
            let (epsilon, written) = fields.positive("epsilon0")?;
            let words = format!("randomized response of {answers} answers with epsilon0 {written}");
            (NumberLoss::Private { epsilon, delta: Rational::zero() }, words)
        }
        ("private", None) => {
            let (epsilon, one) = fields.number("epsilon")?;
            let (delta, other) = fields.number("delta")?;
            ensure(delta < Rational::one(), unreadable, "the delta of a release is 1 or more")?;
            let words = format!("whatever is ({one}, {other})-differentially private");
            (NumberLoss::Private { epsilon, delta }, words)
        }
        ("concentrated", None) => {
            let (slope, written) = fields.positive("rho")?;
            let words = format!("whatever is {written}-zero-concentrated private");
            (NumberLoss::Renyi { slope, order: None }, words)
        }
        ("renyi", None) => {
            let (order, one) = fields.positive("alpha")?;
            let (slope, other) = fields.positive("tau")?;
            let words = format!("whatever has Rényi divergences of order {one} of at most {other}");
            (NumberLoss::Renyi { slope, order: Some(order) }, words)
        }
        _ => return Err(outside("a mechanism that is unknown, or not of such a query")),
    };
    fields.end()?;
    let is_honest = !is_added || trust_model != "OC";
    ensure(is_honest, unproved, "noise of aggregators guarantees nothing where none is honest")?;
    let has = |query: &str| query.starts_with("percentiles:") || query.starts_with("ranges:");
    let behind = if query.as_deref().is_some_and(has) { " behind its matrix" } else { "" };
    let query = query.map_or(String::new(), |query| format!(" for {query}{behind}"));
    let repeated = if times == 1 { String::new() } else { format!("{times} times ") };
    let words = format!("{repeated}{words}{query}");
    Ok(ClaimedRelease { mechanism, changed, rows, aggregators, times, words })
}

/// Reads noise of aggregators: the noise of each, their number, and both in words.
pub(crate) fn noise(
    name: &str, fields: &mut Fields,
) -> Result<(DiscreteNoise, u64, String), Refusal> {
    let several = fields.optional_integer("aggregators", MOST_AGGREGATORS)?.unwrap_or(1);
    let (noise, words) = match name {
        "gaussian" => {
            let (variance, written) = fields.positive("variance")?;
            (
                DiscreteNoise::Gaussian(variance),
                format!("discrete Gaussian noise of variance parameter {written}"),
            )
        }
        "laplace" => {
            let (scale, written) = fields.positive("scale")?;
            (DiscreteNoise::Laplace(scale), format!("discrete Laplace noise of scale {written}"))
        }
        _ => return Err(outside("noise that is neither gaussian nor laplace")),
    };
    let each = match several {
        1 => String::new(),
        _ => format!(" of each of {several} aggregators, added up,"),
    };
    Ok((noise, several, format!("{words}{each} on every coordinate")))
}

/// Reads the steering of an aggregation of `clients` clients' bits, the own one included.
fn curve_steering(steering: Option<Value>, clients: u64) -> Result<CurveSteering, Refusal> {
    let steering = steering.ok_or_else(|| unreadable("an aggregation has no steering"))?;
    let mut fields = Fields::of(steering)?;
    let (step, _) = fields.positive("step")?;
    let nodes = fields.integer("nodes", MOST_NODES)?;
    let block_ends = fields.list("block_ends", MOST_BLOCKS, |end| end.as_u64())?;
    fields.end()?;
    let is_growing = block_ends.windows(2).all(|two| two[0] < two[1]);
    let is_growing = is_growing && block_ends.last() == Some(&(clients - 1));
    ensure(is_growing, unproved, "block_ends do not grow, or the last is not all other clients")?;
    ensure(&step * whole(nodes) <= whole(LARGEST_LOSS), outside, "nodes beyond a loss of 1000")?;
    Ok(CurveSteering { step, nodes, block_ends })
}
