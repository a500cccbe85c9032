//! What is claimed: the fields that the README of `dp-check` lists.

use dp_calibration::{Adjacency, NoiseDistribution, TrustModel};
use dp_exact::{Delta, Epsilon, Rational, Rho};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// That releases together are (ε, δ)-differentially private.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Claim {
    /// ε
    pub(crate) epsilon: Rational,
    /// δ
    pub(crate) delta: Rational,
    /// Which inputs are neighbours.
    pub(crate) adjacency: Adjacency,
    /// Who is honest beside the client: OC, OAOC or OAMC.
    pub(crate) trust_model: TrustModel,
    /// What is released.
    pub(crate) releases: Vec<Release>,
    /// Whether the same is claimed of every larger variance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) every_larger_variance: bool,
}

/// Something that is released so many times.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Release {
    /// What it is.
    #[serde(flatten)]
    pub(crate) mechanism: Mechanism,
    /// How many times, at least once.
    #[serde(skip_serializing_if = "is_one")]
    pub(crate) times: u32,
}

/// A mechanism that the checker knows.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Mechanism {
    /// Noise on the answer to a query, of each of so many honest aggregators.
    Noise {
        /// Its law.
        #[serde(flatten)]
        noise: Noise,
        /// `count`, `sum:MAX`, `average:MAX`, `sumvec:LENGTH:MAX`, `histogram`, `histogram:LENGTH`,
        /// `multihot:LENGTH:WEIGHT` or `l1boundsum:LENGTH:MAX`.
        query: String,
        /// How many aggregators.
        #[serde(skip_serializing_if = "is_one")]
        aggregators: u32,
    },
    /// Clients' one-hot reports under symmetric RAPPOR.
    Rappor(Rappor),
    /// Anything else that is known by a guarantee alone.
    Known(Known),
}

/// Clients' one-hot reports under symmetric RAPPOR, of which the sum is seen, with what honest
/// aggregators add to it.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mechanism", rename = "rappor")]
pub(crate) struct Rappor {
    query: &'static str,
    pub(super) epsilon0: Epsilon,
    pub(super) clients: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) noise: Option<Noise>,
}

/// What is known of a release.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mechanism", rename_all = "lowercase")]
pub(crate) enum Known {
    /// It is (ε, δ)-differentially private.
    Private {
        /// ε
        epsilon: Epsilon,
        /// δ
        delta: Delta,
    },
    /// It is ρ-zero-concentrated private.
    Concentrated {
        /// ρ
        rho: Rho,
    },
    /// Its Rényi divergences of order α are at most τ.
    Renyi {
        /// α
        alpha: Rational,
        /// τ
        tau: Rational,
    },
}

/// That draws exceed a bound with a probability of at most so much.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Exceeded {
    #[serde(flatten)]
    pub(super) draws: Draws,
    pub(super) bound: u64,
    pub(super) probability: Rational,
}

/// Draws of which the largest counts.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Draws {
    /// The noise of all aggregators on so many numbers.
    Noise {
        /// The law of the noise of one aggregator.
        #[serde(flatten)]
        noise: Noise,
        /// How many aggregators.
        aggregators: u32,
        /// How many numbers.
        numbers: u64,
    },
    /// The weight of a randomized vector.
    Weight(Weight),
}

/// The weight of a vector whose bits symmetric RAPPOR flips.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "mechanism", rename = "rappor")]
pub(crate) struct Weight {
    epsilon0: Epsilon,
    length: usize,
    #[serde(skip_serializing_if = "is_empty")]
    weight: usize,
}

/// Noise of one aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Noise(pub(crate) NoiseDistribution);

impl Serialize for Noise {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (mechanism, name, parameter) = match &self.0 {
            NoiseDistribution::DiscreteGaussian { variance } => ("gaussian", "variance", variance),
            NoiseDistribution::DiscreteLaplace { scale } => ("laplace", "scale", scale),
        };
        let mut fields = serializer.serialize_map(Some(2))?;
        fields.serialize_entry("mechanism", mechanism)?;
        fields.serialize_entry(name, parameter)?;
        fields.end()
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_one(times: &u32) -> bool {
    *times == 1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_empty(weight: &usize) -> bool {
    *weight == 0
}

impl Release {
    /// Released once.
    pub(crate) const fn once(mechanism: Mechanism) -> Self {
        Self { mechanism, times: 1 }
    }
}

impl Mechanism {
    /// Noise of one honest aggregator on the answer to a query, as [`Mechanism::Noise`] lists them.
    pub(crate) fn noise(law: NoiseDistribution, query: impl Into<String>) -> Self {
        Self::noises(law, query, 1)
    }

    /// Noise of so many honest aggregators, each of this law.
    pub(crate) fn noises(
        law: NoiseDistribution,
        query: impl Into<String>,
        aggregators: u32,
    ) -> Self {
        Self::Noise { noise: Noise(law), query: query.into(), aggregators }
    }

    /// The sum of so many honest clients' one-hot reports, with the noise of one honest aggregator on every count if
    /// there is any.
    pub(crate) fn rappor(
        epsilon0: Epsilon,
        clients: u64,
        noise: Option<NoiseDistribution>,
    ) -> Self {
        Self::Rappor(Rappor { query: "histogram", epsilon0, clients, noise: noise.map(Noise) })
    }

    /// Anything that is (ε, δ)-differentially private.
    pub(crate) const fn private(epsilon: Epsilon, delta: Delta) -> Self {
        Self::Known(Known::Private { epsilon, delta })
    }

    /// Anything that is ρ-zero-concentrated private.
    pub(crate) const fn concentrated(rho: Rho) -> Self {
        Self::Known(Known::Concentrated { rho })
    }

    /// Anything whose Rényi divergences of order α are at most τ.
    pub(crate) const fn renyi(alpha: Rational, tau: Rational) -> Self {
        Self::Known(Known::Renyi { alpha, tau })
    }
}

impl Draws {
    /// The weight of a vector of `length` bits of which `weight` were set, after symmetric RAPPOR.
    pub(crate) const fn weight(epsilon0: Epsilon, length: usize, weight: usize) -> Self {
        Self::Weight(Weight { epsilon0, length, weight })
    }
}
