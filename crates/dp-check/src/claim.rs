//! What a certificate says: the claim, and where the checker is to look.

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use serde_json::{Map, Value};

use crate::count::{self, Count};
use crate::json::{Fields, members, written};
use crate::noise::Noise;
use crate::number::{Rational, parse, whole};
use crate::query::{Adjacency, Corner};
use crate::statement::{Refusal, outside, unproved, unreadable};

/// The most characters of a certificate, and the largest ε.
const MOST_CHARACTERS: usize = 1 << 20;
const LARGEST_EPSILON: u32 = 10_000;

/// The most releases that are told apart, how often one is repeated at most, and how many numbers move.
const MOST_RELEASES: usize = 1000;
const MOST_TIMES: u64 = 1 << 20;
const MOST_MOVES: u64 = 1 << 40;

/// The most honest clients of a crowd; the most blocks, nodes and cuts, and the loss of the last node.
const MOST_CLIENTS: u64 = 10_000_000_000;
const MOST_BLOCKS: usize = 20_000;
const MOST_NODES: u64 = 4096;
const MOST_CUTS: usize = 1000;
const MOST_AGGREGATORS: u64 = 64;
const LARGEST_LOSS: u32 = 1000;

/// Who is assumed to be honest, beside the client itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrustModel {
    Nobody,
    OneAggregator,
    MostClients,
}

impl TrustModel {
    /// In words, with so many aggregators.
    pub(crate) fn words(self, aggregators: u64) -> String {
        let (one, adds) = match aggregators {
            1 => ("one aggregator".to_owned(), "adds such noise"),
            several => (format!("{several} aggregators"), "each add such noise"),
        };
        match self {
            Self::Nobody => "the client itself is honest (OC)".to_owned(),
            Self::OneAggregator => format!("the client itself and {one}, which {adds}, are honest (OAOC)"),
            Self::MostClients => format!("the client itself, {one} and the clients that count are honest (OAMC)"),
        }
    }
}

/// What is claimed.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) epsilon: Rational,
    pub(crate) delta: Rational,
    /// Both as they were written.
    pub(crate) written: [String; 2],
    pub(crate) adjacency: Adjacency,
    pub(crate) trust_model: TrustModel,
    pub(crate) releases: Vec<Release>,
    /// Whether it is claimed of every larger variance as well.
    pub(crate) every_larger_variance: bool,
}

/// Something that is released.
#[derive(Debug)]
pub(crate) struct Release {
    pub(crate) mechanism: Mechanism,
    /// How many numbers move independently, each with a loss of the same law, in all its repetitions.
    pub(crate) moves: u64,
    /// How many aggregators are honest and add noise.
    pub(crate) aggregators: u64,
    pub(crate) words: String,
}

/// What is known of one number that moves.
#[derive(Debug)]
pub(crate) enum Mechanism {
    /// That it moves by so much under the noise of one aggregator.
    Noise(Noise, BigInt),
    /// More than one noise is added to it, or it is a sum of randomized bits.
    Count(Count),
    /// That it is (ε, δ) private, and no more.
    Private { epsilon: Rational, delta: Rational },
}

/// Where to look. Any choice gives a bound.
#[derive(Debug)]
pub(crate) struct Steering {
    /// The step of the losses of unlike releases.
    pub(crate) grid: Option<Rational>,
    /// The ends of ranges of variances.
    pub(crate) cuts: Vec<Rational>,
    /// The order of the Rényi divergence for all variances beyond.
    pub(crate) order: Option<Rational>,
}

/// Reads a certificate.
pub(crate) fn read(text: &str) -> Result<(Claim, Steering), Refusal> {
    if text.len() > MOST_CHARACTERS {
        return Err(unreadable("the certificate has more than 1048576 bytes"));
    }
    let value = serde_json::from_str(text).map_err(|error| unreadable(format!("no JSON: {error}")));
    let value = value?;
    if members(&value) != written(text) {
        return Err(unreadable("a field is there twice"));
    }
    let mut certificate = Fields::of(value)?;
    let format = certificate.text("format")?;
    if format != "dp-check certificate" || certificate.integer("version", u64::MAX)? != 1 {
        return Err(unreadable("the format is not \"dp-check certificate\" of version 1"));
    }
    let steering = certificate.optional("steering", Fields::value)?;
    let mut steering = Fields::of(steering.unwrap_or_else(|| Map::new().into()))?;
    let claim = Fields::of(certificate.value("claim")?)?;
    certificate.end()?;
    let claim = self::claim(claim, steering.list("crowds", MOST_RELEASES)?)?;
    let cuts = steering.list("cuts", MOST_CUTS)?.into_iter();
    let cuts = cuts.map(|cut| cut.as_str().and_then(parse)).collect::<Option<Vec<Rational>>>();
    let cuts = cuts.ok_or_else(|| unreadable("cuts are no numbers in quotation marks"))?;
    let mut positive = |name| steering.optional(name, |fields, name| Ok(fields.positive(name)?.0));
    let (grid, order) = (positive("grid")?, positive("order")?);
    steering.end()?;
    Ok((claim, Steering { grid, cuts, order }))
}

fn claim(mut fields: Fields, crowds: Vec<Value>) -> Result<Claim, Refusal> {
    let ((epsilon, one), (delta, other)) = (fields.number("epsilon")?, fields.number("delta")?);
    if epsilon > whole(LARGEST_EPSILON) || delta >= Rational::one() {
        return Err(unreadable("epsilon is more than 10000, or delta is not less than 1"));
    }
    let adjacency = match fields.text("adjacency")?.as_str() {
        "replacement" => Adjacency::Replacement,
        "deletion" => Adjacency::Deletion,
        _ => return Err(unreadable("adjacency is neither replacement nor deletion")),
    };
    let trust_model = match fields.text("trust_model")?.as_str() {
        "OC" => TrustModel::Nobody,
        "OAOC" => TrustModel::OneAggregator,
        "OAMC" => TrustModel::MostClients,
        _ => return Err(unreadable("trust_model is none of OC, OAOC and OAMC")),
    };
    let mut crowds = crowds.into_iter();
    let releases = fields.list("releases", MOST_RELEASES)?.into_iter();
    let releases = releases.map(|one| release(Fields::of(one)?, adjacency, trust_model, &mut crowds));
    let releases = releases.collect::<Result<Vec<Release>, Refusal>>()?;
    if releases.is_empty() || crowds.next().is_some() {
        return Err(unreadable("there are no releases, or fewer crowds than steering says"));
    }
    let every_larger_variance = fields.optional("every_larger_variance", Fields::value)?;
    let every_larger_variance = every_larger_variance.map_or(Some(false), |value| value.as_bool());
    let Some(every_larger_variance) = every_larger_variance else {
        return Err(unreadable("every_larger_variance is neither true nor false"));
    };
    fields.end()?;
    let written = [one, other];
    Ok(Claim { epsilon, delta, written, adjacency, trust_model, releases, every_larger_variance })
}

/// Reads a release. If it is a count that needs steering, the next of `crowds` steers.
fn release(
    mut fields: Fields,
    adjacency: Adjacency,
    trust_model: TrustModel,
    crowds: &mut impl Iterator<Item = Value>,
) -> Result<Release, Refusal> {
    let name = fields.text("mechanism")?;
    let times = fields.optional("times", |fields, name| fields.integer(name, MOST_TIMES))?.unwrap_or(1);
    let query = fields.optional("query", Fields::text)?;
    let corner = query.as_ref().map(|query| Corner::of(query, adjacency)).transpose()?;
    let numbers = corner.as_ref().map_or(BigInt::one(), |corner| corner.numbers.clone()) * times;
    let moves = numbers.to_u64().filter(|&moves| moves <= MOST_MOVES);
    let moves = moves.ok_or_else(|| outside("more than 2^40 numbers that move"))?;
    let mut aggregators = 1;
    let (mechanism, words) = match (name.as_str(), corner) {
        ("gaussian" | "laplace", Some(corner)) => {
            let (noise, several, words) = noise(&name, &mut fields, trust_model)?;
            aggregators = several;
            if several == 1 {
                (Mechanism::Noise(noise, corner.moved), words)
            } else if corner.is_split && !corner.has_bits {
                return Err(outside("noise of several aggregators on numbers of which only the sum is bounded"));
            } else {
                let steering = crowd(crowds.next(), 1)?;
                (
                    Mechanism::Count(Count {
                        epsilon0: None,
                        clients: 1,
                        zeros: 0,
                        noise: Some((noise, several)),
                        corner,
                        steering,
                    }),
                    words,
                )
            }
        }
        ("rappor", Some(corner)) if corner.has_bits => {
            let (epsilon0, written) = fields.positive("epsilon0")?;
            let mut words = format!("symmetric RAPPOR with epsilon0 {written}");
            let mut clients = 1;
            if trust_model == TrustModel::MostClients {
                clients = fields.integer("clients", MOST_CLIENTS)?;
                words = format!("the sum of {clients} honest clients' reports under {words}");
            }
            let zeros = fields.optional("added_zeros", |fields, name| fields.integer(name, MOST_CLIENTS))?.unwrap_or(0);
            if zeros > 0 {
                words += &format!(" and of the randomized bits of {zeros} zeros that an honest aggregator adds");
            }
            let noise = fields.optional("noise", |fields, name| {
                let mut fields = Fields::of(fields.value(name)?)?;
                let (noise, several, added) = self::noise(&fields.text("mechanism")?, &mut fields, trust_model)?;
                aggregators = several;
                words += &format!(" and {added}");
                fields.end().map(|()| (noise, several))
            })?;
            if trust_model == TrustModel::Nobody && zeros > 0 {
                return Err(unproved("bits of aggregators promise nothing where none is honest"));
            }
            if trust_model != TrustModel::MostClients && zeros == 0 && noise.is_none() {
                (Mechanism::Private { epsilon: epsilon0, delta: Rational::zero() }, words)
            } else {
                let steering = crowd(crowds.next(), clients + zeros)?;
                (Mechanism::Count(Count { epsilon0: Some(epsilon0), clients, zeros, noise, corner, steering }), words)
            }
        }
        ("rappor", Some(_)) => return Err(outside("RAPPOR of measurements that are no bits")),
        ("private", None) => {
            let ((epsilon, one), (delta, other)) = (fields.number("epsilon")?, fields.number("delta")?);
            if delta >= Rational::one() {
                return Err(unreadable("the delta of a release is not less than 1"));
            }
            let words = format!("whatever is ({one}, {other})-differentially private");
            (Mechanism::Private { epsilon, delta }, words)
        }
        _ => return Err(outside("a mechanism that is none of gaussian, laplace, rappor and private, or has no query")),
    };
    fields.end()?;
    let query = query.map_or(String::new(), |query| format!(" for {query}"));
    let times = if times == 1 { String::new() } else { format!("{times} times ") };
    Ok(Release { mechanism, moves, aggregators, words: format!("{times}{words}{query}") })
}

/// Reads noise, and of how many honest aggregators it is.
fn noise(name: &str, fields: &mut Fields, trust_model: TrustModel) -> Result<(Noise, u64, String), Refusal> {
    if trust_model == TrustModel::Nobody {
        return Err(unproved("noise of aggregators promises nothing where none is honest"));
    }
    let aggregators =
        fields.optional("aggregators", |fields, name| fields.integer(name, MOST_AGGREGATORS))?.unwrap_or(1);
    let (noise, words) = match name {
        "gaussian" => {
            let (variance, written) = fields.positive("variance")?;
            (Noise::Gaussian(variance), format!("discrete Gaussian noise of variance parameter {written}"))
        }
        "laplace" => {
            let (scale, written) = fields.positive("scale")?;
            (Noise::Laplace(scale), format!("discrete Laplace noise of scale {written}"))
        }
        _ => return Err(outside("noise that is neither gaussian nor laplace")),
    };
    let each = if aggregators == 1 { String::new() } else { format!(" of each of {aggregators} aggregators") };
    Ok((noise, aggregators, format!("{words}{each} on every coordinate")))
}

/// Reads the steering of a count of so many bits.
fn crowd(steering: Option<Value>, bits: u64) -> Result<count::Steering, Refusal> {
    let mut fields = Fields::of(steering.ok_or_else(|| unreadable("a crowd has no steering"))?)?;
    let (step, _) = fields.positive("step")?;
    let nodes = fields.integer("nodes", MOST_NODES)?;
    let ends = fields.list("block_ends", MOST_BLOCKS)?;
    fields.end()?;
    let block_ends = ends.iter().map(Value::as_u64).collect::<Option<Vec<u64>>>();
    let block_ends = block_ends.ok_or_else(|| unreadable("block_ends are no integers"))?;
    let is_growing = block_ends.windows(2).all(|two| two[0] < two[1]);
    if !is_growing || block_ends.last() != Some(&(bits - 1)) {
        return Err(unproved("block_ends do not grow, or the last is not all other clients"));
    }
    if &step * whole(nodes) > whole(LARGEST_LOSS) {
        return Err(outside("nodes beyond a loss of 1000"));
    }
    Ok(count::Steering { step, nodes, block_ends })
}
