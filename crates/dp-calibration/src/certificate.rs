//! Certificates of answers: a claim, and where to look for its proof, as `dp-check` reads them.
//!
//! The checker computes with coarser bounds than the answer. So every answer has several
//! candidates, with finer steering or a larger ε, the tightest first: the first that the checker
//! accepts is the certificate. The checker accepts no false claim, whatever steers it.

mod steering;

use dp_exact::{Delta, Epsilon, Rational, Rounding};
use num_bigint::BigInt;
use serde::Serialize;
use serde_json::{Value, json};

use self::steering::{CountedSum, Steering, best_order, rounded};
use crate::conversion::{Conversion, Currency};
use crate::strategy_matrix::{StrategyFamily, StrategyMatrix};
use crate::{Adjacency, Budget, NoiseDistribution, SensitivityBound, TrustModel};

/// The format of a certificate, as its field `format` says.
pub const FORMAT: &str = "dp-check certificate";

/// Significant digits of an ε or a δ that is claimed.
const DIGITS: usize = 20;

/// A claim and the steering of its proof, as the checker reads them.
#[derive(Clone, Debug, Serialize)]
pub struct Certificate {
    format: &'static str,
    version: u32,
    /// The question that was asked, in words, where the claim is about another one with the same
    /// answer. The checker does not read it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    claim: Value,
    steering: Steering,
    /// ε and δ of the claim; `None` for a claim about draws.
    #[serde(skip)]
    pub claimed: Option<[Rational; 2]>,
}

impl Certificate {
    /// The certificate of a claim, in version 1 of the format.
    const fn new(claim: Value, steering: Steering) -> Self {
        Self { format: FORMAT, version: 1, question: None, claim, steering, claimed: None }
    }
}

/// The claim that releases of mechanisms together are (ε, δ)-differentially private.
#[derive(Clone, Debug)]
pub struct PrivacyClaim {
    /// ε of all releases together.
    pub epsilon: Rational,
    /// δ of all releases together.
    pub delta: Rational,
    /// Which batches are neighbours; of one coordinate a replacement of all is claimed.
    pub adjacency: Adjacency,
    /// Each mechanism, and the number of times that it is released.
    pub releases: Vec<(CertifiedMechanism, u32)>,
}

/// A mechanism in a certificate.
#[derive(Clone, Debug)]
pub struct CertifiedMechanism {
    /// The mechanism as the checker reads it.
    fields: Value,
    /// Who must be honest for the guarantee of the mechanism.
    pub trust_model: TrustModel,
    /// The sum of bits or of several noises whose losses the checker bounds at nodes.
    sum: Option<CountedSum>,
}

impl CertifiedMechanism {
    /// A mechanism of one client, whose guarantee needs no other party.
    const fn of_one_client(fields: Value) -> Self {
        Self { fields, trust_model: TrustModel::OneClient, sum: None }
    }

    /// An (ε, δ)-differentially private answer of one client.
    #[must_use]
    pub fn private(epsilon: &Epsilon, delta: &Delta) -> Self {
        let fields = json!({"mechanism": "private", "epsilon": epsilon, "delta": delta});
        Self::of_one_client(fields)
    }

    /// One client's randomized bits of a measurement of `query`, as the checker names it.
    #[must_use]
    pub fn rappor(epsilon0: &Epsilon, query: &str) -> Self {
        let fields = json!({"mechanism": "rappor", "query": query, "epsilon0": epsilon0});
        Self::of_one_client(fields)
    }

    /// One client's randomized answer to a question with `answers` answers.
    #[must_use]
    pub fn randomized_response(epsilon0: &Epsilon, answers: u64) -> Self {
        let fields = json!({"mechanism": "k-ary", "answers": answers, "epsilon0": epsilon0});
        Self::of_one_client(fields)
    }

    /// Noise of each honest aggregator on the answer to `query`, as the checker names it, perhaps
    /// behind a strategy matrix.
    #[must_use]
    pub fn noise(
        distribution: &NoiseDistribution,
        query: &str,
        matrix: Option<&StrategyMatrix>,
        aggregators: u32,
    ) -> Self {
        let mut fields = noise(distribution);
        fields["query"] = query.into();
        fields["aggregators"] = aggregators.into();
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
        let noises = Some((distribution.clone(), aggregators));
        let sum = (aggregators > 1).then_some(CountedSum { bits: None, clients: 1, noises });
        // The checker refuses more than 64.
        let trust_model = match u8::try_from(aggregators).unwrap_or(u8::MAX) {
            0 | 1 => TrustModel::OneAggregatorOneClient,
            several => TrustModel::SeveralAggregatorsOneClient(several),
        };
        Self { fields, trust_model, sum }
    }

    /// The sum of honest clients' one-hot reports under RAPPOR, and one aggregator's noise.
    #[must_use]
    pub fn aggregated_rappor(
        epsilon0: &Epsilon,
        clients: u64,
        distribution: Option<&NoiseDistribution>,
    ) -> Self {
        let mut fields = json!({
            "mechanism": "rappor", "query": "histogram", "epsilon0": epsilon0, "clients": clients,
        });
        if let Some(distribution) = distribution {
            fields["noise"] = noise(distribution);
        }
        let bits = Some(epsilon0.value().to_f64());
        let noises = distribution.map(|noise| (noise.clone(), 1));
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

/// Relative increases of ε to try for a sum of bits or of noises, whose bounds are looser.
const FOR_SUMS: [&str; 8] = ["0", "3e-5", "2e-4", "1e-3", "4e-3", "0.02", "0.1", "0.3"];

/// From this many clients on, blocks of datasets are so wide that small increases fail.
const MANY_CLIENTS: u64 = 1_000_000;

/// Relative increases of ε for one noise, whose tail the checker may bound by the claimed δ.
const FOR_ONE: [&str; 3] = ["0", "1e-9", "1e-6"];

/// Relative increase of ε for exact compositions, which the checker only rounds.
const FOR_ROUNDING: &str = "1e-9";

/// Relative increases of ε for compositions whose losses the checker rounds to a grid.
const FOR_GRIDS: [&str; 6] = ["1e-6", "3e-5", "1e-4", "1e-3", "0.01", "0.05"];

/// The numbers of steps per ε of grids to try.
const STEPS: [f64; 2] = [5e3, 2e4];

/// The numbers of parts into which a range of variances is divided.
const PARTS: [u32; 3] = [1, 2, 8];

/// Relative increases of an ε or a δ to try for a conversion: the checker rounds up.
const FOR_CONVERSIONS: [&str; 5] = ["1e-9", "1e-6", "1e-4", "1e-3", "0.01"];

impl PrivacyClaim {
    /// Certificates of this claim, the tightest first.
    #[must_use]
    pub fn candidates(&self) -> Vec<Certificate> {
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
                // At the probability of an infinite loss no rounded δ is small enough for any ε:
                // there the claimed δ is larger by as much as the claimed ε.
                let delta = self::increased(&self.delta, FOR_ROUNDING);
                let mut candidates = increased(&[FOR_ROUNDING], &steering);
                let epsilon = self::increased(&self.epsilon, FOR_ROUNDING);
                let more = Self { delta, ..self.clone() };
                let last = more.certificate(epsilon, false, steering.clone());
                for steps in STEPS {
                    let grid = rounded((self.epsilon.to_f64() / steps).clamp(1e-9, 0.5));
                    candidates
                        .extend(increased(&FOR_GRIDS, &Steering { grid, ..steering.clone() }));
                }
                candidates.push(last);
                candidates
            }
        }
    }

    /// Certificates of Gaussian noise for every larger variance, then for its variance alone.
    ///
    /// `cover` has the ends of the ranges for which that was proved, the variance itself first.
    #[must_use]
    pub fn for_larger_variances(
        &self,
        cover: &[Rational],
        sensitivity: &SensitivityBound,
    ) -> Vec<Certificate> {
        let l2_squared = Rational::integer(sensitivity.l2_squared().clone()).to_f64();
        let (epsilon, delta) = (self.epsilon.to_f64(), self.delta.to_f64());
        let steerings = PARTS
            .iter()
            .filter_map(|parts| Steering::larger(cover, *parts, l2_squared, epsilon, delta));
        let larger =
            steerings.map(|steering| self.certificate(self.epsilon.clone(), true, steering));
        let alone = self.certificate(self.epsilon.clone(), false, Steering::default());
        larger.chain([alone]).collect()
    }

    /// The certificate of this claim with `epsilon` in place of its own ε; if `larger`, claimed for
    /// every larger variance as well.
    fn certificate(&self, epsilon: Rational, larger: bool, steering: Steering) -> Certificate {
        let releases = self.releases.iter().map(|(mechanism, times)| {
            let mut fields = mechanism.fields.clone();
            fields["times"] = (*times).into();
            fields
        });
        // The checker refuses one coordinate: a claim is about a whole measurement.
        let adjacency = match self.adjacency {
            Adjacency::OneCoordinate => Adjacency::Replacement,
            whole => whole,
        };
        let models = self.releases.iter().map(|(mechanism, _)| mechanism.trust_model);
        let claim = json!({
            "epsilon": epsilon,
            "delta": self.delta,
            "adjacency": adjacency,
            "trust_model": models.fold(TrustModel::OneClient, TrustModel::and),
            "releases": releases.collect::<Vec<_>>(),
            "every_larger_variance": larger,
        });
        let claimed = Some([epsilon, self.delta.clone()]);
        Certificate { claimed, ..Certificate::new(claim, steering) }
    }
}

/// The value, larger by the relative `increase`, one of the above, and rounded up to twenty digits;
/// the value itself if `increase` is 0.
fn increased(value: &Rational, increase: &str) -> Rational {
    let increase: Rational = increase.parse().expect("the increases above are numbers");
    if increase.is_zero() {
        return value.clone();
    }
    (value * &(Rational::one() + increase)).round_to_digits(DIGITS, Rounding::Up)
}

impl Conversion {
    /// Certificates that a guarantee by zero-concentrated privacy or one Rényi order has the ε, or
    /// the δ, that [`Self::bound`] found as `value`; none for other conversions.
    #[must_use]
    pub fn certificates(&self, value: &Rational) -> Vec<Certificate> {
        let certificates = FOR_CONVERSIONS.iter().filter_map(|increase| {
            let bound = increased(value, increase);
            // The claimed (ε, δ): the given parameter and the bound on the other one.
            let (epsilon, delta) = match &self.to {
                Currency::EpsilonAt(delta) => (bound, delta.value().clone()),
                Currency::DeltaAt(epsilon) => (epsilon.value().clone(), bound),
                Currency::Rho | Currency::RhoOfAnswers(_) | Currency::TauAt(_) => return None,
            };
            // The mechanism as the checker reads it, and the order that proves the bound.
            let (fields, order) = match &self.from {
                Budget::Renyi { alpha, tau } => {
                    (json!({"mechanism": "renyi", "alpha": alpha, "tau": tau}), alpha.clone())
                }
                Budget::ZeroConcentrated { rho } => {
                    let order = rounded(best_order(rho.value().to_f64(), epsilon.to_f64()))?;
                    (json!({"mechanism": "concentrated", "rho": rho}), order)
                }
                Budget::Pure { .. } | Budget::Approximate { .. } => return None,
            };
            let releases = vec![(CertifiedMechanism::of_one_client(fields), 1)];
            let adjacency = Adjacency::Replacement;
            let claim = PrivacyClaim { epsilon: epsilon.clone(), delta, adjacency, releases };
            let steering = Steering { order: Some(order), ..Steering::default() };
            Some(claim.certificate(epsilon, false, steering))
        });
        certificates.collect()
    }
}

/// Certificates that the largest noise of all `aggregators` together on `numbers` numbers exceeds
/// `bound` with at most this probability; none if the bound is 0 or above 2^64.
#[must_use]
pub fn noise_exceeds(
    distribution: &NoiseDistribution,
    (aggregators, numbers): (u32, u64),
    bound: impl TryInto<u64>,
    probability: &Rational,
) -> Vec<Certificate> {
    let mut draws = noise(distribution);
    draws["aggregators"] = aggregators.into();
    draws["numbers"] = numbers.into();
    exceeds(draws, bound, probability)
}

/// Certificates that a vector of `length` bits with `weight` ones has more than `bound` ones after
/// symmetric RAPPOR with at most this probability; none if the bound is 0.
#[must_use]
pub fn weight_exceeds(
    epsilon0: &Epsilon,
    (length, weight): (usize, usize),
    bound: impl TryInto<u64>,
    probability: &Rational,
) -> Vec<Certificate> {
    let mut draws = json!({"mechanism": "rappor", "epsilon0": epsilon0, "length": length});
    if weight > 0 {
        draws["weight"] = weight.into();
    }
    exceeds(draws, bound, probability)
}

/// The certificate that the passes of a sampler, and a fair sign, draw `distribution` exactly. Each
/// pass has the number w of bits of its words, and pairs of a magnitude and the number of the 2^w
/// words that yield it, at most 2^w in all.
#[must_use]
pub fn drawn_exactly(
    distribution: &NoiseDistribution,
    passes: &[(u32, Vec<(i64, u64)>)],
) -> Certificate {
    let mut claim = noise(distribution);
    claim["signed"] = true.into();
    // Words of all passes that no pass decides, of 2^bits.
    let (mut undecided, mut bits) = (BigInt::from(1_u8), 0);
    let written = passes.iter().map(|(word_bits, cells)| {
        let decided: BigInt = cells.iter().map(|(_, words)| BigInt::from(*words)).sum();
        undecided *= (BigInt::from(1_u8) << *word_bits) - decided;
        bits += word_bits;
        json!({"bits": word_bits, "cells": cells})
    });
    claim["passes"] = written.collect();
    let Ok(part) = Rational::new(undecided, BigInt::from(1_u8) << bits) else {
        unreachable!("a power of two is not 0")
    };
    claim["undecided"] = json!(part);
    Certificate::new(claim, Steering::default())
}

/// The certificate that `draws` exceed `bound` with this probability at most; none if the bound is
/// 0 or has more than 64 bits.
fn exceeds(mut draws: Value, bound: impl TryInto<u64>, probability: &Rational) -> Vec<Certificate> {
    let Ok(bound @ 1..) = bound.try_into() else { return Vec::new() };
    draws["bound"] = bound.into();
    draws["probability"] = json!(probability);
    vec![Certificate::new(draws, Steering::default())]
}
