//! The noise of clients and of aggregators.

use dp_calibration::Budget;
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_exact::{Epsilon, Rational};
use dp_prio3::mechanisms::NoiseKind;
use serde::Serialize;

section! {
    /// The noise that each client adds to its measurement.
    ClientNoise
    /// The types of client noise, in the order of their codes in a
    /// [`DpExtension`](crate::DpExtension).
    ClientNoiseType {
        /// Flips a bit with probability 1/(e^ε + 1).
        RandomizedResponse = "randomized-response" {
            /// ε of one report under replacement.
            epsilon: Epsilon,
        },
        /// Answers with the truth with probability 1/2, else yes or no with 1/4 each: ε = ln 3.
        CoinFlip = "coin-flip" {},
        /// Answers with the own of k buckets with probability e^ε/(e^ε + k − 1), with each other
        /// one with 1/(e^ε + k − 1).
        KaryRandomizedResponse = "kary-randomized-response" {
            /// ε of one report under replacement.
            epsilon: Epsilon,
        },
        /// Flips every bit of a vector with probability 1/(e^ε₀ + 1).
        SymmetricRappor = "symmetric-rappor" {
            /// The parameter of one bit.
            epsilon0: Epsilon,
            /// Largest number of ones in a measurement, before it is randomized.
            input_weight: usize,
            /// Fraction of honest reports that the bound on the randomized weight may drop.
            false_positive_rate: Rational,
        },
        /// Symmetric RAPPOR of vectors with exactly one bit set.
        OneHotRappor = "one-hot-rappor" {
            /// The parameter of one bit.
            epsilon0: Epsilon,
            /// Fraction of honest reports that the bound on the randomized weight may drop.
            false_positive_rate: Rational,
        },
        /// One-hot RAPPOR with ε₀ = ε/2, so that one report is ε-private.
        BasicRappor = "basic-rappor" {
            /// ε of one report under replacement.
            epsilon: Epsilon,
            /// Fraction of honest reports that the bound on the randomized weight may drop.
            false_positive_rate: Rational,
        },
    }
}

section! {
    /// The noise that each aggregator adds to its share of every total.
    AggregatorNoise
    /// The types of aggregator noise, in the order of their codes in a
    /// [`DpExtension`](crate::DpExtension).
    AggregatorNoiseType {
        /// P(x) ∝ e^(−|x|/t), calibrated to a pure or an approximate budget.
        DiscreteLaplace = "discrete-laplace" {
            /// The budget that the noise of one aggregator keeps.
            budget: Budget,
        },
        /// P(x) ∝ e^(−x²/(2σ²)), calibrated to an approximate or a zero-concentrated budget.
        DiscreteGaussian = "discrete-gaussian" {
            /// The budget that the noise of one aggregator keeps.
            budget: Budget,
        },
        /// The randomized bits of the clients that a batch lacks. With n reports, f assumed
        /// malicious clients and a target of H honest ones, max(0, H − (n − f)) reports without any
        /// bit set are added.
        Compensation = "compensation" {
            /// H: the number of honest clients up to which a batch is filled, 1 to 10^10.
            #[serde(serialize_with = "super::integer")]
            target_honest_clients: u64,
            /// f: the number of clients of a batch that may be malicious.
            #[serde(serialize_with = "super::integer")]
            assumed_malicious_clients: u64,
        },
        /// Discrete Gaussian noise behind the Toeplitz strategy matrix: percentiles of a histogram.
        PercentilesGaussian = "percentiles-gaussian" {
            /// The budget that the noise of one aggregator keeps.
            budget: Budget,
        },
        /// Discrete Gaussian noise behind the circulant strategy matrix: ranges of a histogram.
        RangesGaussian = "ranges-gaussian" {
            /// The budget that the noise of one aggregator keeps.
            budget: Budget,
        },
        /// Discrete Laplace noise behind the folded tree: percentiles and ranges of a histogram.
        RangesLaplace = "ranges-laplace" {
            /// The budget that the noise of one aggregator keeps.
            budget: Budget,
        },
    }
}

impl ClientNoiseType {
    /// Noise of this type with its parameter ε or ε₀. Measurements have at most `input_weight`
    /// ones, and `rate` is the fraction of honest reports that RAPPOR with this parameter and this
    /// weight may drop.
    ///
    /// # Errors
    /// An error of `rate`.
    pub fn with<E>(
        self,
        parameter: Epsilon,
        input_weight: usize,
        rate: impl FnOnce(&Epsilon, usize) -> Result<Rational, E>,
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

    /// Whether the noise takes only vectors with exactly one bit set.
    #[must_use]
    pub const fn is_one_hot(self) -> bool {
        matches!(self, Self::OneHotRappor | Self::BasicRappor)
    }
}

impl AggregatorNoiseType {
    /// The strategy matrix that aggregators multiply their share by, if there is one.
    #[must_use]
    pub const fn strategy(self) -> Option<StrategyFamily> {
        match self {
            Self::PercentilesGaussian => Some(StrategyFamily::Toeplitz),
            Self::RangesGaussian => Some(StrategyFamily::Circulant),
            Self::RangesLaplace => Some(StrategyFamily::FoldedTree),
            Self::DiscreteLaplace | Self::DiscreteGaussian | Self::Compensation => None,
        }
    }

    /// Noise of this type with a budget; `None` for compensation, which has none.
    #[must_use]
    pub fn with_budget(self) -> Option<fn(Budget) -> AggregatorNoise> {
        Some(match self {
            Self::DiscreteLaplace => |budget| AggregatorNoise::DiscreteLaplace { budget },
            Self::DiscreteGaussian => |budget| AggregatorNoise::DiscreteGaussian { budget },
            Self::PercentilesGaussian => |budget| AggregatorNoise::PercentilesGaussian { budget },
            Self::RangesGaussian => |budget| AggregatorNoise::RangesGaussian { budget },
            Self::RangesLaplace => |budget| AggregatorNoise::RangesLaplace { budget },
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
            Self::Compensation => None,
        }
    }
}

impl AggregatorNoise {
    /// The budget that the noise is calibrated to; `None` for compensation.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::DiscreteLaplace { budget }
            | Self::DiscreteGaussian { budget }
            | Self::PercentilesGaussian { budget }
            | Self::RangesGaussian { budget }
            | Self::RangesLaplace { budget } => Some(budget),
            Self::Compensation { .. } => None,
        }
    }

    /// Number of clients of a batch that are assumed to be malicious; 0 without compensation.
    #[must_use]
    pub const fn assumed_malicious_clients(&self) -> u64 {
        match self {
            Self::Compensation { assumed_malicious_clients, .. } => *assumed_malicious_clients,
            _ => 0,
        }
    }
}
