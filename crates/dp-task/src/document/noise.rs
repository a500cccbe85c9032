//! The noise of clients and of aggregators.

use dp_calibration::Budget;
use dp_calibration::strategy_matrix::StrategyFamily;
use dp_exact::{Epsilon, ParameterError, Rational};
use dp_prio3::mechanisms::NoiseKind;
use serde::Serialize;

use crate::read::{DocumentField, Field};

section! {
    /// The noise that each client adds to its measurement.
    ClientNoise
    /// The types of client noise, in the order of their codes in a
    /// [`DpExtension`](crate::DpExtension).
    ClientNoiseType {
        /// Flips a bit with probability 1/(e^ε + 1).
        RandomizedResponse = "randomized-response" { epsilon },
        /// Answers with the truth with probability 1/2, else yes or no with 1/4 each: ε = ln 3.
        CoinFlip = "coin-flip" {},
        /// Answers with the own of k buckets with probability e^ε/(e^ε + k − 1), with each other
        /// one with 1/(e^ε + k − 1).
        KaryRandomizedResponse = "kary-randomized-response" { epsilon },
        /// Flips every bit of a vector with probability 1/(e^ε₀ + 1).
        SymmetricRappor =
            "symmetric-rappor" { epsilon0, input_weight, false_positive_rate },
        /// Symmetric RAPPOR of vectors with exactly one bit set.
        OneHotRappor = "one-hot-rappor" { epsilon0, false_positive_rate },
        /// One-hot RAPPOR with ε₀ = ε/2, so that one report is ε-private.
        BasicRappor = "basic-rappor" { epsilon, false_positive_rate },
    }
}

section! {
    /// The noise that each aggregator adds to its share of every total.
    AggregatorNoise
    /// The types of aggregator noise, in the order of their codes in a
    /// [`DpExtension`](crate::DpExtension).
    AggregatorNoiseType {
        /// P(x) ∝ e^(−|x|/t), calibrated to a pure or an approximate budget.
        DiscreteLaplace = "discrete-laplace" { budget },
        /// P(x) ∝ e^(−x²/(2σ²)), calibrated to an approximate or a zero-concentrated budget.
        DiscreteGaussian = "discrete-gaussian" { budget },
        /// The randomized bits of the clients that a batch lacks. With n reports, f assumed
        /// malicious clients and a target of H honest ones, max(0, H − (n − f)) reports without any
        /// bit set are added.
        Compensation = "compensation" { target_honest_clients, assumed_malicious_clients },
        /// Discrete Gaussian noise behind the Toeplitz strategy matrix: percentiles of a histogram.
        PercentilesGaussian = "percentiles-gaussian" { budget },
        /// Discrete Gaussian noise behind the circulant strategy matrix: ranges of a histogram.
        RangesGaussian = "ranges-gaussian" { budget },
        /// Discrete Laplace noise behind the folded tree: percentiles and ranges of a histogram.
        RangesLaplace = "ranges-laplace" { budget },
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
    /// The distribution of the noise and the strategy matrix before it; `None` for compensation.
    const fn law(self) -> Option<(NoiseKind, Option<StrategyFamily>)> {
        use NoiseKind::{DiscreteGaussian, DiscreteLaplace};
        Some(match self {
            Self::DiscreteLaplace => (DiscreteLaplace, None),
            Self::DiscreteGaussian => (DiscreteGaussian, None),
            Self::PercentilesGaussian => (DiscreteGaussian, Some(StrategyFamily::Toeplitz)),
            Self::RangesGaussian => (DiscreteGaussian, Some(StrategyFamily::Circulant)),
            Self::RangesLaplace => (DiscreteLaplace, Some(StrategyFamily::FoldedTree)),
            Self::Compensation => return None,
        })
    }

    /// The strategy matrix that aggregators multiply their share by, if there is one.
    #[must_use]
    pub fn strategy(self) -> Option<StrategyFamily> {
        self.law()?.1
    }

    /// The distribution of the noise; `None` for compensation.
    #[must_use]
    pub fn noise_kind(self) -> Option<NoiseKind> {
        Some(self.law()?.0)
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
}
