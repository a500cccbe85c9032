//! `--certificate`: a claim, and where to look for its proof, as `dp-check` reads them.
//!
//! The checker computes with coarser bounds than the answer. So there are several candidates, with
//! finer steering or a larger ε, and the first that the checker accepts is written.

mod steering;

use std::path::Path;

use dp_calibration::strategy_matrix::StrategyFamily;
use dp_calibration::{Adjacency, NoiseDistribution, Query, Refusal, SensitivityBound, TrustModel};
use dp_exact::{Epsilon, Rational, Rounding};
use serde::Serialize;
use serde_json::{Value, json};

use self::steering::{CountedSum, grid};
pub(super) use self::steering::{Steering, order_for_rho};
use crate::failure::Failure;
use crate::values::{DIGITS, LEAVE_OUT, Norm, SensitivityOptions, SensitivityQuery};

pub(super) const FORMAT: &str = "dp-check certificate";

/// A claim and the steering of its proof, as the checker reads them.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Certificate {
    format: &'static str,
    version: u32,
    claim: Value,
    steering: Steering,
}

impl Certificate {
    const fn new(claim: Value, steering: Steering) -> Self {
        Self { format: FORMAT, version: 1, claim, steering }
    }
}

/// The claim that the releases together are (ε, δ)-differentially private.
#[derive(Clone, Debug)]
pub(super) struct PrivacyClaim {
    pub(super) epsilon: Rational,
    pub(super) delta: Rational,
    pub(super) adjacency: Adjacency,
    /// Each mechanism, and the number of times that it is released.
    pub(super) releases: Vec<(CertifiedMechanism, u32)>,
}

#[derive(Clone, Debug)]
pub(super) struct CertifiedMechanism {
    /// The mechanism as the checker reads it.
    fields: Value,
    trust_model: TrustModel,
    /// The sum of bits or of several noises whose losses the checker bounds at nodes.
    sum: Option<CountedSum>,
}

impl CertifiedMechanism {
    /// A mechanism of one client, whose guarantee needs no other party.
    pub(super) const fn of_one_client(fields: Value) -> Self {
        Self { fields, trust_model: TrustModel::OneClient, sum: None }
    }

    /// Noise of each of `aggregators` honest aggregators on the answer to a query.
    pub(super) fn noise(
        distribution: &NoiseDistribution,
        query: &SensitivityQuery,
        aggregators: u32,
    ) -> Self {
        let mut fields = noise(distribution);
        fields["query"] = query.in_certificate().into();
        fields["aggregators"] = aggregators.into();
        if let SensitivityQuery::Query(query) = query
            && let Some(matrix) = query.strategy_matrix()
        {
            // The buckets of a block of a folded tree; of others the first column.
            if matrix.family() == StrategyFamily::FoldedTree {
                fields["block"] = json!(matrix.largest_entry() + 1);
            } else {
                let mut first = vec![0_i64; matrix.length()];
                first[0] = 1;
                fields["column"] = json!(matrix.multiply(&first));
            }
        }
        let noises = Some((distribution.clone(), aggregators));
        let sum = (aggregators > 1).then_some(CountedSum { bits: None, clients: 1, noises });
        Self { fields, trust_model: TrustModel::OneAggregatorOneClient, sum }
    }

    /// The sum of honest clients' one-hot reports, with one aggregator's noise if there is any.
    pub(super) fn aggregated_rappor(
        epsilon0: &Epsilon,
        clients: u64,
        distribution: Option<NoiseDistribution>,
    ) -> Self {
        let mut fields = json!({
            "mechanism": "rappor", "query": "histogram", "epsilon0": epsilon0, "clients": clients,
        });
        if let Some(distribution) = &distribution {
            fields["noise"] = noise(distribution);
        }
        let (bits, noises) =
            (Some(epsilon0.value().to_f64()), distribution.map(|noise| (noise, 1)));
        let sum = Some(CountedSum { bits, clients, noises });
        Self { fields, trust_model: TrustModel::OneAggregatorMostClients, sum }
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

/// The first candidate that the checker accepts; `Err` with the reason of the last refusal.
pub(super) fn accepted(candidates: &[Certificate], path: &Path) -> Result<Certificate, Failure> {
    let mut reason = "dp-check does not verify answers of this kind".to_owned();
    for certificate in candidates {
        let text = serde_json::to_string(certificate).map_err(Failure::other)?;
        match dp_check::check(&text) {
            Ok(_) => return Ok(certificate.clone()),
            Err(refused) => reason = refused.to_string(),
        }
    }
    let context = format!("with this question: {reason}");
    Err(Refusal::contradiction("certificate", path.display(), context, LEAVE_OUT).into())
}

/// Relative increases of ε to try for a sum of bits or of noises, whose bounds are looser.
const FOR_SUMS: [&str; 8] = ["0", "3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1", "0.3"];

/// From this many clients on, blocks of datasets are so wide that small increases fail.
const MANY_CLIENTS: u64 = 1_000_000;

/// Relative increases of ε for one noise, whose tail the checker may bound by the claimed δ.
const FOR_ONE: [&str; 3] = ["0", "1e-9", "1e-6"];

/// Relative increase of ε for exact compositions, which the checker only rounds.
const FOR_ROUNDING: [&str; 1] = ["1e-9"];

/// Relative increases of ε for compositions whose losses the checker rounds to a grid.
const FOR_GRIDS: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// The numbers of steps per ε of grids to try.
const STEPS: [f64; 2] = [5e3, 2e4];

/// The numbers of parts into which a range of variances is divided.
const PARTS: [u32; 3] = [1, 2, 8];

impl PrivacyClaim {
    /// The claim that the noise of `aggregators` honest aggregators is (ε, δ)-private.
    pub(super) fn of_noise(
        (epsilon, delta): (&Rational, &Rational),
        sensitivity: &SensitivityOptions,
        norm: Norm,
        distribution: &NoiseDistribution,
        aggregators: u32,
    ) -> Result<Self, Failure> {
        let query = sensitivity.query(norm)?;
        let adjacency = query.adjacency(sensitivity.adjacency());
        let releases = vec![(CertifiedMechanism::noise(distribution, &query, aggregators), 1)];
        let (epsilon, delta) = (epsilon.clone(), delta.clone());
        Ok(Self { epsilon, delta, adjacency, releases })
    }

    pub(super) fn candidates(&self) -> Vec<Certificate> {
        let sums = self.releases.iter().filter_map(|(mechanism, times)| {
            mechanism.sum.as_ref()?.steering(*times, self.delta.to_f64())
        });
        let steering = Steering { aggregations: sums.collect(), ..Steering::default() };
        let increased = |increases: &[&str], steering: &Steering| -> Vec<Certificate> {
            let larger = increases.iter().map(|increase| increased(&self.epsilon, increase));
            larger.map(|epsilon| self.certificate(epsilon, false, steering.clone())).collect()
        };
        match &self.releases[..] {
            [(CertifiedMechanism { sum: Some(sum), .. }, 1)] => {
                // At δ = 0 each of several noises by itself has to be enough.
                let first = match sum.bits {
                    None => 0,
                    Some(_) if sum.clients < MANY_CLIENTS => 1,
                    Some(_) => 3,
                };
                increased(&FOR_SUMS[first..], &steering)
            }
            [(_, 1)] => increased(&FOR_ONE, &steering),
            _ => {
                let mut candidates = increased(&FOR_ROUNDING, &steering);
                for steps in STEPS {
                    let grid = grid(&self.epsilon, steps);
                    candidates
                        .extend(increased(&FOR_GRIDS, &Steering { grid, ..steering.clone() }));
                }
                candidates
            }
        }
    }

    /// Certificates of Gaussian noise for every larger variance, then for its variance alone.
    ///
    /// `cover` has the ends of the ranges for which that was proved, the variance itself first.
    pub(super) fn for_larger_variances(
        &self,
        cover: &[Rational],
        sensitivity: &SensitivityBound,
    ) -> Vec<Certificate> {
        let l2_squared = Rational::integer(sensitivity.l2_squared()).to_f64();
        let (epsilon, delta) = (self.epsilon.to_f64(), self.delta.to_f64());
        let steerings = PARTS
            .iter()
            .filter_map(|parts| Steering::larger(cover, *parts, l2_squared, epsilon, delta));
        let larger =
            steerings.map(|steering| self.certificate(self.epsilon.clone(), true, steering));
        let alone = self.certificate(self.epsilon.clone(), false, Steering::default());
        larger.chain([alone]).collect()
    }

    pub(super) fn certificate(
        &self,
        epsilon: Rational,
        every_larger_variance: bool,
        steering: Steering,
    ) -> Certificate {
        let releases = self.releases.iter().map(|(mechanism, times)| {
            let mut fields = mechanism.fields.clone();
            fields["times"] = (*times).into();
            fields
        });
        let claim = json!({
            "epsilon": epsilon,
            "delta": self.delta,
            "adjacency": self.adjacency,
            "trust_model": self.releases.iter().map(|(mechanism, _)| mechanism.trust_model).max(),
            "releases": releases.collect::<Vec<_>>(),
            "every_larger_variance": every_larger_variance,
        });
        Certificate::new(claim, steering)
    }
}

/// The value, larger by a relative `increase` and rounded up.
pub(super) fn increased(value: &Rational, increase: &str) -> Rational {
    match increase.parse::<Rational>() {
        Ok(increase) if increase.is_positive() => {
            (value * &(Rational::one() + increase)).round_to_digits(DIGITS, Rounding::Up)
        }
        _ => value.clone(),
    }
}

/// The certificate that draws exceed `bound` with this probability; none if bound is 0.
pub(super) fn exceeded(
    mut draws: Value,
    bound: impl TryInto<u64>,
    probability: &Rational,
) -> Vec<Certificate> {
    let Ok(bound @ 1..) = bound.try_into() else { return Vec::new() };
    draws["bound"] = bound.into();
    draws["probability"] = json!(probability);
    vec![Certificate::new(draws, Steering::default())]
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

/// The claim about the weight of a vector of bits after symmetric RAPPOR, `weight` before.
pub(super) fn weight_draws(epsilon0: &Epsilon, length: usize, weight: usize) -> Value {
    let mut draws = json!({"mechanism": "rappor", "epsilon0": epsilon0, "length": length});
    if weight > 0 {
        draws["weight"] = weight.into();
    }
    draws
}
