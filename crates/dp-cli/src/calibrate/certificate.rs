//! `--certificate`: a claim and where to look, as `dp-check` reads it. Of the certificates that may be written of an answer,
//! the first that `dp-check` accepts is: the same claim with different steering, and with an ε that is a little larger.

mod claim;
mod steering;

use std::path::Path;

use dp_calibration::{
    Adjacency, NoiseDistribution, Query, SensitivityBound, TrustModel, WorstCaseDifference,
};
use dp_exact::{Rational, Refusal, Rounding};
use serde::Serialize;

pub(crate) use self::claim::{Claim, Draws, Mechanism, Noise, Release};
use self::claim::{Exceeded, Rappor};
pub(crate) use self::steering::Steering;
use self::steering::{Aggregation, Counts};
use crate::failure::Failure;
use crate::options::LEAVE_OUT;
use crate::typed::{Moves, Norm};

/// The format that the checker reads.
pub(crate) const FORMAT: &str = "dp-check certificate";
const VERSION: u32 = 1;

/// A claim and where to look, as the checker reads it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Certificate {
    format: &'static str,
    version: u32,
    claim: Claimed,
    steering: Steering,
}

/// What is claimed, of either kind.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
enum Claimed {
    Private(Claim),
    Exceeded(Exceeded),
}

impl Certificate {
    const fn new(claim: Claimed, steering: Steering) -> Self {
        Self { format: FORMAT, version: VERSION, claim, steering }
    }
}

/// The query that `typed` stands for: `one` and `pair` name what moves, not what is asked.
pub(super) fn query(typed: &str) -> String {
    match typed {
        "one" => "count".to_owned(),
        "pair" => "histogram".to_owned(),
        query => match query.parse::<Query>() {
            Ok(query) => query.to_string(),
            Err(_) => query.to_owned(),
        },
    }
}

/// The neighbours of the claim: what `one` and `pair` name moves as much under either.
pub(super) fn adjacency(typed: &str, adjacency: Adjacency) -> Adjacency {
    match typed {
        "pair" => Adjacency::Replacement,
        _ => adjacency,
    }
}

/// What the noise of so many honest aggregators guarantees about what is typed to move.
pub(super) fn of_noise(
    (epsilon, delta): (&Rational, &Rational),
    moves: &Moves,
    norm: Norm,
    law: NoiseDistribution,
    aggregators: u32,
) -> Result<Claim, Failure> {
    let (typed, neighbours) = (moves.query(norm)?, moves.adjacency()?);
    let noise = Mechanism::noises(law, query(&typed), aggregators);
    Ok(Claim {
        epsilon: epsilon.clone(),
        delta: delta.clone(),
        adjacency: adjacency(&typed, neighbours),
        trust_model: TrustModel::OneAggregatorOneClient,
        releases: vec![Release::once(noise)],
        every_larger_variance: false,
    })
}

/// The first that the checker accepts, for the file of --certificate.
pub(super) fn checked(candidates: &Candidates, path: &Path) -> Result<Certificate, Failure> {
    let outside = candidates.outside.unwrap_or("answers of this kind");
    let mut reason = format!("dp-check does not verify {outside}");
    for certificate in &candidates.certificates {
        let text = serde_json::to_string(certificate).map_err(Failure::other)?;
        match dp_check::check(&text) {
            Ok(_) => return Ok(certificate.clone()),
            Err(refused) => reason = refused.to_string(),
        }
    }
    let place = format!("with this question: {reason}");
    Err(Refusal::contradiction("certificate", path.display(), place, LEAVE_OUT).into())
}

/// Digits of an ε that is made larger.
const DIGITS: usize = 20;

/// What to add to an ε, in parts of it. What the checker says of a aggregation or of several noises is a little looser,
const LOOSER: [&str; 7] = ["3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1", "0.3"];
/// in a large aggregation more so, as its blocks are wide and each of them takes long,
const LARGE: u64 = 1_000_000;
/// of a composition it is that without a grid, and with one.
const COMPOSED: [&str; 1] = ["1e-9"];
const ON_A_GRID: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// Steps of a grid to an ε.
const STEPS: [f64; 2] = [5e3, 2e4];

/// Into how many parts a range of variances is divided.
const PARTS: [u32; 3] = [1, 2, 8];

/// Certificates to try, the best one first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Candidates {
    certificates: Vec<Certificate>,
    /// What of the answer the checker does not verify.
    outside: Option<&'static str>,
}

impl Candidates {
    /// None, as the checker does not verify `what`.
    pub(crate) const fn outside(what: &'static str) -> Self {
        Self { certificates: Vec::new(), outside: Some(what) }
    }

    /// Certificates of a claim: as it is for noise of one aggregator; with an ε that is larger by some parts for sums of
    /// clients' bits, for the noise of several aggregators and for compositions of several kinds. What is known by Rényi
    /// divergences takes its order: [`Self::add`], with [`Steering::concentrated`] or [`Steering::at`].
    pub(crate) fn of(claim: &Claim) -> Self {
        match &claim.releases[..] {
            [Release { mechanism: Mechanism::Noise { aggregators: 1, .. }, times: 1 }] => {
                let mut candidates = Self::default();
                candidates.add(claim.clone(), Steering::default());
                candidates.add_larger(claim, &COMPOSED, &Steering::default());
                candidates
            }
            [Release { mechanism: Mechanism::Rappor(rappor), times: 1 }] => {
                Self::of_rappor(claim, rappor)
            }
            _ => Self::of_composition(claim),
        }
    }

    /// Of Gaussian noise that keeps its guarantee at every larger variance: `cover` has the ends of the ranges for which that was
    /// proved, the variance itself first. Then of that variance alone.
    pub(crate) fn of_larger_variances(
        claim: &Claim,
        cover: &[Rational],
        sensitivity: &SensitivityBound,
    ) -> Self {
        let l2_squared = Rational::integer(sensitivity.l2_squared()).to_f64();
        let (epsilon, delta) = (claim.epsilon.to_f64(), claim.delta.to_f64());
        let mut candidates = Self::default();
        for parts in PARTS {
            if let Some(steering) = Steering::larger(cover, parts, l2_squared, epsilon, delta) {
                let claim = Claim { every_larger_variance: true, ..claim.clone() };
                candidates.add(claim, steering);
            }
        }
        candidates.add(claim.clone(), Steering::default());
        candidates
    }

    /// Of the noise of several aggregators, the one release of a claim, on the numbers of a worst-case difference.
    pub(crate) fn of_several(claim: &Claim, difference: &WorstCaseDifference) -> Self {
        let mut candidates = Self::default();
        let times = f64::from(u32::try_from(difference.coordinates()).unwrap_or(u32::MAX));
        if let [Release { mechanism: Mechanism::Noise { noise, aggregators, .. }, .. }] =
            &claim.releases[..]
        {
            let counts = Counts::of_noise(&noise.0, *aggregators, times);
            if let Some(aggregation) = Aggregation::of(&counts, claim.delta.to_f64()) {
                let steering = Steering::of_aggregations(vec![aggregation]);
                // At δ = 0 each noise by itself has to suffice, and nothing is loose.
                candidates.add(claim.clone(), steering.clone());
                candidates.add_larger(claim, &LOOSER[..6], &steering);
            }
        }
        candidates
    }

    fn of_rappor(claim: &Claim, rappor: &Rappor) -> Self {
        let mut candidates = Self::default();
        if let Some(aggregation) = Aggregation::of(&counts(rappor, 1), claim.delta.to_f64()) {
            let parts = if rappor.clients < LARGE { &LOOSER[..] } else { &LOOSER[2..] };
            candidates.add_larger(claim, parts, &Steering::of_aggregations(vec![aggregation]));
        }
        candidates
    }

    fn of_composition(claim: &Claim) -> Self {
        let mut aggregations = Vec::new();
        for release in &claim.releases {
            if let Mechanism::Rappor(rappor) = &release.mechanism {
                let counts = counts(rappor, release.times);
                aggregations.extend(Aggregation::of(&counts, claim.delta.to_f64()));
            }
        }
        let steering = Steering::of_aggregations(aggregations);
        let mut candidates = Self::default();
        candidates.add_larger(claim, &COMPOSED, &steering);
        for steps in STEPS {
            let steering =
                Steering { grid: Steering::grid(&claim.epsilon, steps), ..steering.clone() };
            candidates.add_larger(claim, &ON_A_GRID, &steering);
        }
        candidates
    }

    /// The one claim that draws exceed `bound` with at most this probability; none if that is too large, or 0.
    pub(crate) fn exceeded(draws: Draws, bound: impl TryInto<u64>, probability: Rational) -> Self {
        let mut candidates = Self::default();
        if let Ok(bound) = bound.try_into()
            && bound > 0
        {
            let claim = Exceeded { draws, bound, probability };
            let certificate = Certificate::new(Claimed::Exceeded(claim), Steering::default());
            candidates.certificates.push(certificate);
        }
        candidates
    }

    /// One more, to be tried after the others.
    pub(crate) fn add(&mut self, claim: Claim, steering: Steering) {
        let certificate = Certificate::new(Claimed::Private(claim), steering);
        self.certificates.push(certificate);
    }

    /// The same claim with ε larger by each of these parts, in growing order.
    fn add_larger(&mut self, claim: &Claim, parts: &[&str], steering: &Steering) {
        for part in parts {
            let factor = part
                .parse::<Rational>()
                .map_or_else(|_| Rational::one(), |part| part + Rational::one());
            let epsilon = (&claim.epsilon * &factor).round_to_digits(DIGITS, Rounding::Up);
            let claim = Claim { epsilon, ..claim.clone() };
            self.add(claim, steering.clone());
        }
    }
}

/// The counts that one client changes in so many sums.
fn counts(rappor: &Rappor, times: u32) -> Counts {
    let epsilon0 = rappor.epsilon0.value().to_f64();
    let counts = Counts::of_bits(epsilon0, rappor.clients, 2.0 * f64::from(times));
    match &rappor.noise {
        Some(noise) => counts.with(&noise.0, 1),
        None => counts,
    }
}
