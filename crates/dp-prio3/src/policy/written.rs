//! What a policy is made of, as it is written: plain data, in which nothing is calibrated yet.

use dp_calibration::Budget;
use dp_exact::{Epsilon, Rational};
use prio::field::{Field64, Field128};
use serde::{Deserialize, Serialize};

use super::number::{digits, digits_or_none};
use crate::field::SignedField as _;
use crate::grid::Grid;

/// The longest encoded measurement that is accepted, in field elements: 2^24. A share of that
/// length takes 256 MiB.
pub const MAX_INPUT_LENGTH: usize = 1 << 24;

/// The most aggregators that Prio3 takes; the fewest are 2.
pub const MAX_AGGREGATORS: usize = 254;

/// A policy as it is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Parts {
    /// What is asked, and the number of aggregators.
    pub vdaf: Vdaf,
    /// What each client does, if it randomizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_noise: Option<ClientNoise>,
    /// What each aggregator adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregator_noise: Option<AggregatorNoise>,
    /// The number of reports in a batch.
    pub batch: BatchLimits,
}

/// A Prio3 type with its parameters, by the names in its specification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Vdaf {
    /// A bit.
    #[serde(rename = "Prio3Count")]
    Count {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
    },
    /// An integer.
    #[serde(rename = "Prio3Sum")]
    Sum {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// The accepted values of every number.
        range: MeasurementRange,
    },
    /// An integer whose mean is estimated.
    #[serde(rename = "Prio3Average")]
    Average {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// The accepted values of every number.
        range: MeasurementRange,
    },
    /// A vector of integers.
    #[serde(rename = "Prio3SumVec")]
    SumVec {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// Number of entries.
        length: usize,
        /// The accepted values of every number.
        range: MeasurementRange,
        /// Number of entries per gadget call of the proof. Default: the shortest proof.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
        chunk_length: Option<usize>,
    },
    /// A bucket.
    #[serde(rename = "Prio3Histogram")]
    Histogram {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// Number of buckets.
        length: usize,
        /// Number of entries per gadget call of the proof. Default: the shortest proof.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
        chunk_length: Option<usize>,
    },
    /// A vector of bits.
    #[serde(rename = "Prio3MultihotCountVec")]
    MultihotCountVec {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// Number of entries.
        length: usize,
        /// Largest number of ones in a shared vector; determined by RAPPOR if clients use it.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
        max_weight: Option<usize>,
        /// Number of entries per gadget call of the proof. Default: the shortest proof.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
        chunk_length: Option<usize>,
    },
    /// A vector of integers of bounded sum.
    #[serde(rename = "Prio3L1BoundSum")]
    L1BoundSum {
        /// Number of aggregators, 2 to 254.
        aggregators: usize,
        /// Number of entries.
        length: usize,
        /// The largest sum of a vector.
        #[serde(serialize_with = "digits")]
        max_measurement: u128,
        /// Number of entries per gadget call of the proof. Default: the shortest proof.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
        chunk_length: Option<usize>,
    },
}

/// The accepted values of a number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MeasurementRange {
    /// Integers from 0 to this one.
    #[serde(serialize_with = "digits")]
    MaxMeasurement(u128),
    /// Real numbers, rounded to the cells of a grid.
    Grid(Box<Grid>),
}

/// The noise that each client adds to its measurement, in the order of the codes in a task
/// extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClientNoise {
    /// Flips a bit with probability 1/(e^ε + 1).
    RandomizedResponse {
        /// ε of one report under replacement.
        epsilon: Epsilon,
    },
    /// Answers with the truth with probability 1/2, else yes or no with 1/4 each: ε = ln 3.
    CoinFlip {},
    /// Answers with the own of k buckets with probability e^ε/(e^ε + k − 1), with each other
    /// one with 1/(e^ε + k − 1).
    KaryRandomizedResponse {
        /// ε of one report under replacement.
        epsilon: Epsilon,
    },
    /// Flips every bit of a vector with probability 1/(e^ε₀ + 1).
    SymmetricRappor {
        /// The parameter of one bit.
        epsilon0: Epsilon,
        /// Largest number of ones in a measurement, before it is randomized.
        #[serde(serialize_with = "digits")]
        input_weight: usize,
        /// Fraction of honest reports that the bound on the randomized weight may drop.
        false_positive_rate: Rational,
    },
    /// Symmetric RAPPOR of vectors with exactly one bit set.
    OneHotRappor {
        /// The parameter of one bit.
        epsilon0: Epsilon,
        /// Fraction of honest reports that the bound on the randomized weight may drop.
        false_positive_rate: Rational,
    },
    /// One-hot RAPPOR with ε₀ = ε/2, so that one report is ε-private.
    BasicRappor {
        /// ε of one report under replacement.
        epsilon: Epsilon,
        /// Fraction of honest reports that the bound on the randomized weight may drop.
        false_positive_rate: Rational,
    },
}

/// The noise that each aggregator adds to its share of every total, in the order of the codes
/// in a task extension.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum AggregatorNoise {
    /// P(x) ∝ e^(−|x|/t).
    DiscreteLaplace {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
    /// P(x) ∝ e^(−x²/(2σ²)).
    DiscreteGaussian {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
    /// The randomized bits of the clients that a batch lacks. With n reports, f assumed
    /// malicious clients and a target of H honest ones, max(0, H − (n − f)) reports without any
    /// bit set are added.
    Compensation {
        /// H: the number of honest clients up to which a batch is filled, 1 to 10^10.
        #[serde(serialize_with = "digits")]
        target_honest_clients: u64,
        /// f: the number of clients of a batch that may be malicious.
        #[serde(serialize_with = "digits")]
        assumed_malicious_clients: u64,
    },
    /// Discrete Gaussian noise behind the Toeplitz strategy matrix: percentiles of a histogram.
    PercentilesGaussian {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
    /// Discrete Gaussian noise behind the circulant strategy matrix: ranges of a histogram.
    RangesGaussian {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
    /// Discrete Laplace noise behind the folded tree: percentiles and ranges of a histogram.
    RangesLaplace {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
    /// One draw for all totals of a vector, P(z) ∝ e^(−‖z‖∞/t).
    DiscreteKNorm {
        /// What the noise keeps in one release for one replaced report.
        budget: Budget,
    },
}

/// The number of reports in a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BatchLimits {
    /// The smallest number, at least 1.
    #[serde(serialize_with = "digits")]
    pub min_reports: u64,
    /// The largest number. Default: 2^32, or fewer if totals of more wrap around the field.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "digits_or_none")]
    pub max_reports: Option<u64>,
}

/// The numbers of a [`Vdaf`], with 1 or 0 where it has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub(crate) aggregators: usize,
    pub(crate) length: usize,
    pub(crate) max_measurement: u128,
    pub(crate) chunk_length: Option<usize>,
}

impl Vdaf {
    /// The sizes of the VDAF: a length of 1 for a single number, a largest entry of 1 for bits and
    /// buckets, and a chunk length only where the parts state one.
    pub(crate) fn size(&self) -> Sizes {
        let (aggregators, length, max_measurement, chunk_length) = match self {
            Self::Count { aggregators } => (*aggregators, 1, 1, None),
            Self::Sum { aggregators, range } | Self::Average { aggregators, range } => {
                (*aggregators, 1, range.max_measurement(), None)
            }
            Self::SumVec { aggregators, length, range, chunk_length } => {
                (*aggregators, *length, range.max_measurement(), *chunk_length)
            }
            Self::Histogram { aggregators, length, chunk_length }
            | Self::MultihotCountVec { aggregators, length, chunk_length, .. } => {
                (*aggregators, *length, 1, *chunk_length)
            }
            Self::L1BoundSum { aggregators, length, max_measurement, chunk_length } => {
                (*aggregators, *length, *max_measurement, *chunk_length)
            }
        };
        Sizes { aggregators, length, max_measurement, chunk_length }
    }

    /// Number of aggregators.
    #[must_use]
    pub fn aggregators(&self) -> usize {
        self.size().aggregators
    }

    /// The prime p: Prio3 computes totals modulo p, and signed ones are in (−p/2, p/2).
    #[must_use]
    pub const fn modulus(&self) -> u128 {
        match self {
            Self::Count { .. } | Self::Sum { .. } => Field64::MODULUS,
            _ => Field128::MODULUS,
        }
    }

    /// Number of entries of a vector, or of buckets; 1 for single numbers.
    #[must_use]
    pub fn length(&self) -> usize {
        self.size().length
    }

    /// The accepted values of every number; `None` for the VDAFs without a range.
    #[must_use]
    pub const fn range(&self) -> Option<&MeasurementRange> {
        match self {
            Self::Sum { range, .. } | Self::Average { range, .. } | Self::SumVec { range, .. } => {
                Some(range)
            }
            _ => None,
        }
    }

    /// The grid of real numbers; `None` for integers.
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        match self.range()? {
            MeasurementRange::Grid(grid) => Some(grid),
            MeasurementRange::MaxMeasurement(_) => None,
        }
    }
}

impl MeasurementRange {
    /// The largest integer that a client shares.
    #[must_use]
    pub fn max_measurement(&self) -> u128 {
        match self {
            Self::MaxMeasurement(max) => *max,
            Self::Grid(grid) => grid.max_measurement(),
        }
    }
}

impl AggregatorNoise {
    /// What the noise keeps in one release for one replaced report; `None` for compensation.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::DiscreteLaplace { budget }
            | Self::DiscreteGaussian { budget }
            | Self::PercentilesGaussian { budget }
            | Self::RangesGaussian { budget }
            | Self::RangesLaplace { budget }
            | Self::DiscreteKNorm { budget } => Some(budget),
            Self::Compensation { .. } => None,
        }
    }
}
