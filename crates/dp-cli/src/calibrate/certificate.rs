//! `--certificate`: a claim, and where to look, as `dp-check` reads them.
//!
//! The checker computes with coarser bounds than the answer. So there are several candidates, with
//! finer steering or a larger ε, and the first that the checker accepts is written.

mod steering;

use std::path::Path;

use dp_calibration::strategy_matrix::{StrategyFamily, StrategyMatrix};
use dp_calibration::{Adjacency, NoiseDistribution, Query, SensitivityBound, TrustModel};
use dp_exact::{Delta, Epsilon, Rational, Refusal, Rho, Rounding};
use serde::Serialize;
use serde_json::{Value, json};

pub(super) use self::steering::Steering;
use self::steering::{AggregationSteering, Counts};
use crate::failure::Failure;
use crate::values::{DIGITS, LEAVE_OUT, Norm, SensitivityOptions, SensitivityQuery};

/// The format that the checker reads.
pub(super) const FORMAT: &str = "dp-check certificate";

/// A claim and the steering of its proof, as the checker reads them.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Certificate {
    format: &'static str,
    version: u32,
    claim: Value,
    steering: Steering,
}

/// The claim that the releases together are (ε, δ)-differentially private.
#[derive(Clone, Debug)]
pub(super) struct PrivacyClaim {
    epsilon: Rational,
    delta: Rational,
    adjacency: Adjacency,
    trust_model: TrustModel,
    /// Each mechanism, and the number of times that it is released.
    releases: Vec<(CertifiedMechanism, u32)>,
    /// Whether the claim is also about every larger variance.
    every_larger_variance: bool,
}

/// A mechanism that the checker knows.
#[derive(Clone, Debug)]
pub(super) enum CertifiedMechanism {
    /// Noise of each of `aggregators` honest aggregators on the answer to a query.
    Noise {
        distribution: NoiseDistribution,
        query: String,
        aggregators: u32,
        matrix: Option<Box<StrategyMatrix>>,
    },
    /// The sum of honest clients' one-hot reports under symmetric RAPPOR, with the noise of one
    /// honest aggregator if there is any.
    AggregatedRappor { epsilon0: Epsilon, clients: u64, noise: Option<NoiseDistribution> },
    /// Any (ε, δ)-differentially private mechanism.
    Private { epsilon: Epsilon, delta: Delta },
    /// Any ρ-zero-concentrated private mechanism.
    ZeroConcentrated { rho: Rho },
    /// Any mechanism whose Rényi divergences of order α are at most τ.
    Renyi { alpha: Rational, tau: Rational },
}

impl PrivacyClaim {
    pub(super) fn new(
        (epsilon, delta): (&Rational, &Rational),
        adjacency: Adjacency,
        trust_model: TrustModel,
        releases: Vec<(CertifiedMechanism, u32)>,
    ) -> Self {
        let (epsilon, delta) = (epsilon.clone(), delta.clone());
        Self { epsilon, delta, adjacency, trust_model, releases, every_larger_variance: false }
    }

    /// The claim that noise of each of `aggregators` honest aggregators is (ε, δ)-differentially
    /// private.
    pub(super) fn of_noise(
        budget: (&Rational, &Rational),
        sensitivity: &SensitivityOptions,
        norm: Norm,
        distribution: NoiseDistribution,
        aggregators: u32,
    ) -> Result<Self, Failure> {
        let query = sensitivity.query(norm)?;
        let adjacency = query.adjacency(sensitivity.adjacency());
        let matrix = match &query {
            SensitivityQuery::Query(query) => query.strategy_matrix().map(Box::new),
            _ => None,
        };
        let query = query.in_certificate();
        let mechanism = CertifiedMechanism::Noise { distribution, query, aggregators, matrix };
        let trust_model = TrustModel::OneAggregatorOneClient;
        Ok(Self::new(budget, adjacency, trust_model, vec![(mechanism, 1)]))
    }

    fn to_json(&self) -> Value {
        let releases = self.releases.iter().map(|(mechanism, times)| {
            let mut fields = mechanism.to_json();
            fields["times"] = (*times).into();
            fields
        });
        json!({
            "epsilon": self.epsilon,
            "delta": self.delta,
            "adjacency": self.adjacency,
            "trust_model": self.trust_model,
            "releases": releases.collect::<Vec<_>>(),
            "every_larger_variance": self.every_larger_variance,
        })
    }
}

impl CertifiedMechanism {
    fn to_json(&self) -> Value {
        match self {
            Self::Noise { distribution, query, aggregators, matrix } => {
                let mut fields = noise(distribution);
                fields["query"] = query.as_str().into();
                fields["aggregators"] = (*aggregators).into();
                if let Some(matrix) = matrix {
                    // The buckets of a block of a folded tree; of others the first column.
                    if matrix.family() == StrategyFamily::FoldedTree {
                        fields["block"] = json!(matrix.largest_entry() + 1);
                    } else {
                        let mut first = vec![0_i64; matrix.length()];
                        first[0] = 1;
                        fields["column"] = json!(matrix.multiply(&first));
                    }
                }
                fields
            }
            Self::AggregatedRappor { epsilon0, clients, noise: distribution } => {
                let mut fields = json!({
                    "mechanism": "rappor", "query": "histogram",
                    "epsilon0": epsilon0, "clients": clients,
                });
                if let Some(distribution) = distribution {
                    fields["noise"] = noise(distribution);
                }
                fields
            }
            Self::Private { epsilon, delta } => {
                json!({"mechanism": "private", "epsilon": epsilon, "delta": delta})
            }
            Self::ZeroConcentrated { rho } => json!({"mechanism": "concentrated", "rho": rho}),
            Self::Renyi { alpha, tau } => {
                json!({"mechanism": "renyi", "alpha": alpha, "tau": tau})
            }
        }
    }

    /// The counts that one client changes in `times` sums of bits or of several aggregators' noise;
    /// `None` for other mechanisms.
    fn counts(&self, times: u32) -> Option<Counts> {
        let times = 2.0 * f64::from(times);
        match self {
            Self::AggregatedRappor { epsilon0, clients, noise } => {
                let epsilon0 = Some(epsilon0.value().to_f64());
                Some(Counts::new(epsilon0, *clients, noise.as_ref(), 1, times))
            }
            Self::Noise { distribution, aggregators: aggregators @ 2.., .. } => {
                Some(Counts::new(None, 1, Some(distribution), *aggregators, times))
            }
            _ => None,
        }
    }
}

/// The noise of one aggregator, as the checker reads it.
fn noise(distribution: &NoiseDistribution) -> Value {
    match distribution {
        NoiseDistribution::DiscreteGaussian { variance } => {
            json!({"mechanism": "gaussian", "variance": variance})
        }
        NoiseDistribution::DiscreteLaplace { scale } => {
            json!({"mechanism": "laplace", "scale": scale})
        }
    }
}

impl SensitivityQuery {
    /// The query that a certificate names: `one` and `pair` stand for a count and a histogram.
    pub(super) fn in_certificate(&self) -> String {
        match self {
            Self::One => "count".to_owned(),
            Self::Pair => "histogram".to_owned(),
            Self::Query(Query::HistogramRanges { length, family: StrategyFamily::Toeplitz }) => {
                format!("percentiles:{length}")
            }
            Self::Query(Query::HistogramRanges { length, .. }) => format!("ranges:{length}"),
            query => query.to_string(),
        }
    }

    /// The adjacency of a claim. `pair` is a histogram under replacement, whatever is typed.
    pub(super) const fn adjacency(&self, typed: Adjacency) -> Adjacency {
        match self {
            Self::Pair => Adjacency::Replacement,
            _ => typed,
        }
    }
}

/// The first candidate that the checker accepts. `Err` if there is none, with the reason of the
/// last refusal.
pub(super) fn accepted(candidates: &Candidates, path: &Path) -> Result<Certificate, Failure> {
    let mut reason = "dp-check does not verify answers of this kind".to_owned();
    for certificate in &candidates.certificates {
        let text = serde_json::to_string(certificate).map_err(Failure::other)?;
        match dp_check::check(&text) {
            Ok(_) => return Ok(certificate.clone()),
            Err(refused) => reason = refused.to_string(),
        }
    }
    let context = format!("with this question: {reason}");
    Err(Refusal::contradiction("certificate", path.display(), context, LEAVE_OUT).into())
}

/// Relative increases of ε to try: the checker's bounds of a sum of bits or of noises are looser.
const FOR_SUMS: [&str; 7] = ["3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1", "0.3"];

/// From this many clients on, the checker's blocks of datasets are so wide that small increases fail.
const MANY_CLIENTS: u64 = 1_000_000;

/// Relative increases of ε for exact compositions, which the checker only rounds.
const FOR_ROUNDING: [&str; 1] = ["1e-9"];

/// Relative increases of ε for compositions whose losses the checker rounds to a grid.
const FOR_GRIDS: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// The numbers of steps per ε of grids to try.
const STEPS: [f64; 2] = [5e3, 2e4];

/// The numbers of parts into which a range of variances is divided.
const PARTS: [u32; 3] = [1, 2, 8];

/// Certificates to try, the tightest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    certificates: Vec<Certificate>,
}

impl Candidates {
    /// Certificates of a claim that needs no order of a Rényi divergence.
    pub(super) fn of(claim: &PrivacyClaim) -> Self {
        let mut candidates = Self::default();
        let steering = Steering::of_sums(claim);
        match &claim.releases[..] {
            [(mechanism, 1)] if mechanism.counts(1).is_some() => {
                let increases = match mechanism {
                    CertifiedMechanism::AggregatedRappor { clients: MANY_CLIENTS.., .. } => {
                        &FOR_SUMS[2..]
                    }
                    CertifiedMechanism::AggregatedRappor { .. } => &FOR_SUMS[..],
                    _ => {
                        // At δ = 0 each noise by itself has to be enough, and no bound is looser.
                        candidates.add(claim, steering.clone());
                        &FOR_SUMS[..6]
                    }
                };
                candidates.add_larger(claim, increases, &steering);
            }
            [(CertifiedMechanism::Noise { .. }, 1)] => {
                candidates.add(claim, Steering::default());
                candidates.add_larger(claim, &FOR_ROUNDING, &steering);
                // Behind a strategy matrix the checker sets a tail probability by the claimed
                // delta.
                candidates.add_larger(claim, &FOR_GRIDS[..1], &steering);
            }
            _ => {
                candidates.add_larger(claim, &FOR_ROUNDING, &steering);
                for steps in STEPS {
                    let grid = Steering::grid(&claim.epsilon, steps);
                    let steering = Steering { grid, ..steering.clone() };
                    candidates.add_larger(claim, &FOR_GRIDS, &steering);
                }
            }
        }
        candidates
    }

    /// Certificates of Gaussian noise for every larger variance, then for its variance alone.
    ///
    /// `cover` has the ends of the ranges for which that was proved, the variance itself first.
    pub(super) fn of_larger_variances(
        claim: &PrivacyClaim,
        cover: &[Rational],
        sensitivity: &SensitivityBound,
    ) -> Self {
        let l2_squared = Rational::integer(sensitivity.l2_squared()).to_f64();
        let (epsilon, delta) = (claim.epsilon.to_f64(), claim.delta.to_f64());
        let mut candidates = Self::default();
        for parts in PARTS {
            if let Some(steering) = Steering::larger(cover, parts, l2_squared, epsilon, delta) {
                let claim = PrivacyClaim { every_larger_variance: true, ..claim.clone() };
                candidates.add(&claim, steering);
            }
        }
        candidates.add(claim, Steering::default());
        candidates
    }

    /// The certificate that draws exceed `bound` with at most this probability. None if the bound is
    /// 0 or too large for the checker.
    pub(super) fn exceeded(draws: Value, bound: impl TryInto<u64>, probability: &Rational) -> Self {
        let mut candidates = Self::default();
        if let Ok(bound @ 1..) = bound.try_into() {
            let mut claim = draws;
            claim["bound"] = bound.into();
            claim["probability"] = json!(probability);
            candidates.push(claim, Steering::default());
        }
        candidates
    }

    /// Adds a candidate behind the others.
    pub(super) fn add(&mut self, claim: &PrivacyClaim, steering: Steering) {
        self.push(claim.to_json(), steering);
    }

    fn push(&mut self, claim: Value, steering: Steering) {
        self.certificates.push(Certificate { format: FORMAT, version: 1, claim, steering });
    }

    /// Adds the claim with ε larger by each of these relative increases, rounded up.
    fn add_larger(&mut self, claim: &PrivacyClaim, increases: &[&str], steering: &Steering) {
        for increase in increases {
            let epsilon = increased(&claim.epsilon, increase);
            self.add(&PrivacyClaim { epsilon, ..claim.clone() }, steering.clone());
        }
    }
}

/// The value, larger by a relative `increase` and rounded up.
pub(super) fn increased(value: &Rational, increase: &str) -> Rational {
    let increase = increase.parse().unwrap_or_else(|_| Rational::zero());
    (value * &(Rational::one() + increase)).round_to_digits(DIGITS, Rounding::Up)
}

/// The claim about the largest noise of all aggregators on `numbers` numbers.
pub(super) fn noise_draws(
    distribution: &NoiseDistribution,
    aggregators: u32,
    numbers: u64,
) -> Value {
    let mut draws = noise(distribution);
    draws["aggregators"] = aggregators.into();
    draws["numbers"] = numbers.into();
    draws
}

/// The claim about the weight of a vector of `length` bits after symmetric RAPPOR. Before, `weight` bits
/// were set.
pub(super) fn weight_draws(epsilon0: &Epsilon, length: usize, weight: usize) -> Value {
    let mut draws = json!({"mechanism": "rappor", "epsilon0": epsilon0, "length": length});
    if weight > 0 {
        draws["weight"] = weight.into();
    }
    draws
}

impl Steering {
    /// The steering of each sum of bits in a claim.
    fn of_sums(claim: &PrivacyClaim) -> Self {
        let counts =
            claim.releases.iter().filter_map(|(mechanism, times)| mechanism.counts(*times));
        let delta = claim.delta.to_f64();
        let aggregations = counts.filter_map(|counts| AggregationSteering::of(&counts, delta));
        Self { aggregations: aggregations.collect(), ..Self::default() }
    }
}
