//! The document as it is written: every field by its name, none of them checked yet.
//!
//! The schema is in this crate's README. A field that does not occur is `None`; which fields a task
//! must have, and which it may not, depends on its VDAF and its noise, and is checked when the
//! document becomes a [`Task`](crate::Task).

use dp_exact::{Delta, Epsilon, Rational, Rho};
use dp_prio3::TrustModel;
use serde::{Deserialize, Serialize};

use crate::exact;

/// The version of the schema that is read and written.
pub const VERSION: u64 = 1;

/// A task, as a document.
///
/// ```
/// use dp_task::{Document, VdafType};
///
/// let mut document = Document::default();
/// document.vdaf.r#type = Some(VdafType::Count);
/// document.vdaf.aggregators = Some(2);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Document {
    /// [`VERSION`].
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// What the parties call the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is aggregated.
    pub vdaf: Vdaf,
    /// The grid of the measurements, if they are real numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grid: Option<GridSection>,
    /// The noise of the clients, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_noise: Option<ClientNoise>,
    /// The noise of each aggregator, if they add some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator_noise: Option<AggregatorNoise>,
    /// Who is relied upon.
    pub trust: Trust,
    /// How many reports are aggregated together.
    pub batch: Batch,
}

/// What is aggregated: the VDAF and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Vdaf {
    /// The VDAF.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r#type: Option<VdafType>,
    /// How many aggregators there are.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub aggregators: Option<usize>,
    /// How many entries a measurement has.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub length: Option<usize>,
    /// The largest number that is measured; of Prio3L1BoundSum, the largest sum of a vector.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub max_measurement: Option<u128>,
    /// The most ones in a vector that is shared.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub max_weight: Option<usize>,
    /// How many entries the proof takes at a time.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub chunk_length: Option<usize>,
}

/// The grid that maps real numbers to integers: a [`dp_grid::Grid`], of vectors in every coordinate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GridSection {
    /// The lowest number; what lies below counts as this.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub low: Option<Rational>,
    /// The highest number; what lies above counts as this.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub high: Option<Rational>,
    /// The distance of neighbouring points.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub granularity: Option<Rational>,
}

/// The noise of the clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClientNoise {
    /// The randomizer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<Randomizer>,
    /// The promise of one report under replacement, of those randomizers that go by it.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Epsilon>,
    /// The parameter of RAPPOR.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub epsilon0: Option<Epsilon>,
    /// The most ones in a measurement, before it is randomized.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub input_weight: Option<usize>,
    /// The fraction of honest reports that may be lost to the bound on the randomized weight.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub false_positive_rate: Option<Rational>,
}

/// The noise that each aggregator adds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AggregatorNoise {
    /// The law.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<Mechanism>,
    /// The kind of budget that the noise keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<BudgetKind>,
    /// ε, of a pure or an approximate budget.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Epsilon>,
    /// δ, of an approximate budget.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// ρ, of a zero-concentrated budget.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub rho: Option<Rho>,
    /// How many honest clients a batch is made up to, by compensation.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub wanted_honest_clients: Option<u64>,
    /// How many clients of a batch may be malicious, of which compensation makes nothing.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub assumed_malicious_clients: Option<u64>,
}

/// Who is relied upon.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Trust {
    /// The trust model in which the task needs a guarantee.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub model: Option<TrustModel>,
    /// How many clients of a batch are honest.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub honest_clients: Option<u64>,
    /// The δ at which the promise of clients that hide each other is stated.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// Whether the parties accept a promise that protects nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accept_weak_promise: Option<bool>,
}

/// How many reports are aggregated together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    /// The fewest.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub min_reports: Option<u64>,
    /// The most.
    #[serde(with = "exact", skip_serializing_if = "Option::is_none")]
    pub max_reports: Option<u64>,
}

/// An enumeration whose variants a document names.
macro_rules! names {
    ($(#[$documentation:meta])* $type:ident {
        $($(#[$variant_documentation:meta])* $variant:ident = $name:literal,)+
    }) => {
        $(#[$documentation])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[non_exhaustive]
        pub enum $type {
            $($(#[$variant_documentation])* #[serde(rename = $name)] $variant,)+
        }

        impl $type {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)+];

            /// The name in a document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }

            /// All names, as what a message says is accepted.
            pub(crate) const ACCEPTED: &str = concat!("one of" $(, " ", $name)+);
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
}

names! {
    /// The VDAFs, by the names in their specifications.
    VdafType {
        /// A bit.
        Count = "Prio3Count",
        /// An integer.
        Sum = "Prio3Sum",
        /// An integer, of which the mean is estimated.
        Average = "Prio3Average",
        /// A vector of integers.
        SumVec = "Prio3SumVec",
        /// A bucket.
        Histogram = "Prio3Histogram",
        /// A vector of bits.
        MultihotCountVec = "Prio3MultihotCountVec",
        /// A vector of integers of bounded sum.
        L1BoundSum = "Prio3L1BoundSum",
    }
}

names! {
    /// What clients may do to their measurement before they share it.
    Randomizer {
        /// Flips a bit with probability 1/(e^ε + 1).
        RandomizedResponse = "randomized-response",
        /// The truth with probability 1/2, else yes or no with 1/4 each.
        CoinFlip = "coin-flip",
        /// The own bucket with probability e^ε/(e^ε + k − 1), each other with 1/(e^ε + k − 1).
        KaryRandomizedResponse = "kary-randomized-response",
        /// Flips every bit of a vector with probability 1/(e^ε₀ + 1).
        SymmetricRappor = "symmetric-rappor",
        /// The same, of vectors of which exactly one bit is set.
        OneHotRappor = "one-hot-rappor",
        /// The same with ε₀ = ε/2, so that one report promises ε.
        BasicRappor = "basic-rappor",
    }
}

names! {
    /// What aggregators may add to their share of every total.
    Mechanism {
        /// P(x) ∝ e^(−|x|/t).
        DiscreteLaplace = "discrete-laplace",
        /// P(x) ∝ e^(−x²/(2σ²)).
        DiscreteGaussian = "discrete-gaussian",
        /// The randomized bits of the clients that a batch lacks.
        Compensation = "compensation",
    }
}

names! {
    /// The kinds of budget.
    BudgetKind {
        /// ε.
        Pure = "pure",
        /// ε and δ.
        Approximate = "approximate",
        /// ρ.
        ZeroConcentrated = "zero-concentrated",
    }
}
