//! The types of the sections of a policy, without their fields, in the order of their codes in a
//! task extension.

use dp_calibration::Budget;
use dp_calibration::strategy_matrix::StrategyFamily;

use super::{AggregatorNoise, ClientNoise, MeasurementRange, Vdaf};
use crate::grid::Grid;
use crate::mechanisms::NoiseKind;

macro_rules! kinds {
    ($($(#[$doc:meta])* $section:ident $kind:ident { $($variant:ident = $name:literal,)+ })+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $kind {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        impl $kind {
            /// All types.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The code of the type in canonical bytes and in a task extension, from 1.
            #[must_use]
            pub const fn code(self) -> u8 {
                self as u8 + 1
            }

            /// The name of the type in a document.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }

        impl $section {
            /// The type of the section.
            #[must_use]
            pub const fn kind(&self) -> $kind {
                match self { $(Self::$variant { .. } => $kind::$variant,)+ }
            }
        }
    )+};
}

kinds! {
    /// The VDAFs.
    Vdaf VdafType {
        Count = "Prio3Count",
        Sum = "Prio3Sum",
        Average = "Prio3Average",
        SumVec = "Prio3SumVec",
        Histogram = "Prio3Histogram",
        MultihotCountVec = "Prio3MultihotCountVec",
        L1BoundSum = "Prio3L1BoundSum",
    }
    /// What clients do.
    ClientNoise ClientNoiseType {
        RandomizedResponse = "randomized-response",
        CoinFlip = "coin-flip",
        KaryRandomizedResponse = "kary-randomized-response",
        SymmetricRappor = "symmetric-rappor",
        OneHotRappor = "one-hot-rappor",
        BasicRappor = "basic-rappor",
    }
    /// What aggregators add.
    AggregatorNoise AggregatorNoiseType {
        DiscreteLaplace = "discrete-laplace",
        DiscreteGaussian = "discrete-gaussian",
        Compensation = "compensation",
        PercentilesGaussian = "percentiles-gaussian",
        RangesGaussian = "ranges-gaussian",
        RangesLaplace = "ranges-laplace",
        DiscreteKNorm = "discrete-k-norm",
    }
}

impl AggregatorNoiseType {
    /// Noise of this type for a budget; `None` for compensation, which has none.
    #[must_use]
    pub fn of(self, budget: Budget) -> Option<AggregatorNoise> {
        Some(match self {
            Self::DiscreteLaplace => AggregatorNoise::DiscreteLaplace { budget },
            Self::DiscreteGaussian => AggregatorNoise::DiscreteGaussian { budget },
            Self::PercentilesGaussian => AggregatorNoise::PercentilesGaussian { budget },
            Self::RangesGaussian => AggregatorNoise::RangesGaussian { budget },
            Self::RangesLaplace => AggregatorNoise::RangesLaplace { budget },
            Self::DiscreteKNorm => AggregatorNoise::DiscreteKNorm { budget },
            Self::Compensation => return None,
        })
    }

    /// The distribution of the noise; `None` for compensation.
    #[must_use]
    pub const fn noise_kind(self) -> Option<NoiseKind> {
        match self {
            Self::DiscreteLaplace | Self::RangesLaplace => Some(NoiseKind::DiscreteLaplace),
            Self::DiscreteGaussian | Self::PercentilesGaussian | Self::RangesGaussian => {
                Some(NoiseKind::DiscreteGaussian)
            }
            Self::DiscreteKNorm => Some(NoiseKind::DiscreteKNorm),
            Self::Compensation => None,
        }
    }

    /// The strategy matrix that aggregators multiply their share by, if there is one.
    #[must_use]
    pub const fn strategy(self) -> Option<StrategyFamily> {
        match self {
            Self::PercentilesGaussian => Some(StrategyFamily::Toeplitz),
            Self::RangesGaussian => Some(StrategyFamily::Circulant),
            Self::RangesLaplace => Some(StrategyFamily::FoldedTree),
            Self::DiscreteLaplace
            | Self::DiscreteGaussian
            | Self::DiscreteKNorm
            | Self::Compensation => None,
        }
    }
}

impl ClientNoiseType {
    /// Whether the noise takes only vectors with exactly one bit set.
    #[must_use]
    pub const fn is_one_hot(self) -> bool {
        matches!(self, Self::OneHotRappor | Self::BasicRappor)
    }

    /// Noise of this type with its parameter ε or ε₀. Measurements have at most `input_weight`
    /// ones, and `rate` is the fraction of honest reports that RAPPOR with this parameter and this
    /// weight may drop.
    ///
    /// # Errors
    /// An error of `rate`.
    pub fn with<E>(
        self,
        parameter: dp_exact::Epsilon,
        input_weight: usize,
        rate: impl FnOnce(&dp_exact::Epsilon, usize) -> Result<dp_exact::Rational, E>,
    ) -> Result<ClientNoise, E> {
        Ok(match self {
            Self::RandomizedResponse => ClientNoise::RandomizedResponse { epsilon: parameter },
            Self::CoinFlip => ClientNoise::CoinFlip {},
            Self::KaryRandomizedResponse => {
                ClientNoise::KaryRandomizedResponse { epsilon: parameter }
            }
            Self::SymmetricRappor => ClientNoise::SymmetricRappor {
                input_weight,
                false_positive_rate: rate(&parameter, input_weight)?,
                epsilon0: parameter,
            },
            Self::OneHotRappor => ClientNoise::OneHotRappor {
                false_positive_rate: rate(&parameter, 1)?,
                epsilon0: parameter,
            },
            Self::BasicRappor => ClientNoise::BasicRappor {
                false_positive_rate: rate(&parameter, 1)?,
                epsilon: parameter,
            },
        })
    }
}

/// The dimensions of a measurement. Each VDAF uses the fields that it has.
#[derive(Clone, Debug, PartialEq)]
pub struct VdafSize {
    /// Number of entries of a vector or of buckets; 1 for a single number.
    pub length: usize,
    /// Largest integer of a measurement; for Prio3L1BoundSum the largest sum of a vector.
    pub max_measurement: u128,
    /// Largest number of ones in a vector of bits; `None` if a randomizer determines it.
    pub max_weight: Option<usize>,
    /// Grid of real measurements, which replaces `max_measurement`.
    pub grid: Option<Grid>,
}

impl VdafType {
    /// The VDAF of this type and size, with the chunk length that makes the proof shortest.
    #[must_use]
    pub fn of_size(self, aggregators: usize, size: &VdafSize) -> Vdaf {
        let VdafSize { length, max_measurement, max_weight, .. } = *size;
        let range = match &size.grid {
            Some(grid) => MeasurementRange::Grid(Box::new(grid.clone())),
            None => MeasurementRange::MaxMeasurement(max_measurement),
        };
        let chunk_length = None;
        match self {
            Self::Count => Vdaf::Count { aggregators },
            Self::Sum => Vdaf::Sum { aggregators, range },
            Self::Average => Vdaf::Average { aggregators, range },
            Self::SumVec => Vdaf::SumVec { aggregators, length, range, chunk_length },
            Self::Histogram => Vdaf::Histogram { aggregators, length, chunk_length },
            Self::MultihotCountVec => {
                Vdaf::MultihotCountVec { aggregators, length, max_weight, chunk_length }
            }
            Self::L1BoundSum => {
                Vdaf::L1BoundSum { aggregators, length, max_measurement, chunk_length }
            }
        }
    }
}
