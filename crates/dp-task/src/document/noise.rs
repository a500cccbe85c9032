//! Who adds which noise.

use dp_calibration::Budget;
use dp_exact::{Epsilon, Rational};
use serde::Serialize;

section! {
    /// The noise of the clients.
    ClientNoise
    /// What clients may do to their measurement before they share it.
    ClientNoiseType {
        /// Flips a bit with probability 1/(e^ε + 1).
        RandomizedResponse = "randomized-response" {
            /// The guarantee of one report under replacement.
            epsilon: Epsilon,
        },
        /// The truth with probability 1/2, else yes or no with 1/4 each: ε is ln 3.
        CoinFlip = "coin-flip" {},
        /// The own bucket with probability e^ε/(e^ε + k − 1), each other with 1/(e^ε + k − 1).
        KaryRandomizedResponse = "kary-randomized-response" {
            /// The guarantee of one report under replacement.
            epsilon: Epsilon,
        },
        /// Flips every bit of a vector with probability 1/(e^ε₀ + 1).
        SymmetricRappor = "symmetric-rappor" {
            /// The parameter of one bit.
            epsilon0: Epsilon,
            /// The most ones in a measurement, before it is randomized.
            input_weight: usize,
            /// The fraction of honest reports that may be lost to the bound on the randomized weight.
            false_positive_rate: Rational,
        },
        /// Symmetric RAPPOR of vectors of which exactly one bit is set.
        OneHotRappor = "one-hot-rappor" {
            /// The parameter of one bit.
            epsilon0: Epsilon,
            /// The fraction of honest reports that may be lost to the bound on the randomized weight.
            false_positive_rate: Rational,
        },
        /// One-hot RAPPOR with ε₀ = ε/2, so that one report guarantees ε.
        BasicRappor = "basic-rappor" {
            /// The guarantee of one report under replacement.
            epsilon: Epsilon,
            /// The fraction of honest reports that may be lost to the bound on the randomized weight.
            false_positive_rate: Rational,
        },
    }
}

section! {
    /// What each aggregator adds.
    AggregatorNoise
    /// What aggregators may add to their share of every total.
    AggregatorNoiseType {
        /// P(x) ∝ e^(−|x|/t), calibrated to a pure or an approximate budget.
        DiscreteLaplace = "discrete-laplace" {
            /// What the noise of one aggregator keeps.
            budget: Budget,
        },
        /// P(x) ∝ e^(−x²/(2σ²)), calibrated to an approximate or a zero-concentrated budget.
        DiscreteGaussian = "discrete-gaussian" {
            /// What the noise of one aggregator keeps.
            budget: Budget,
        },
        /// The randomized bits of the clients that a batch lacks: with n reports, f of them assumed
        /// malicious, and H honest ones wanted, max(0, H − (n − f)) reports of clients that hold
        /// nothing are added.
        Compensation = "compensation" {
            /// H: how many honest clients a batch is made up to, 1 to 10^10.
            #[serde(serialize_with = "super::integer")]
            wanted_honest_clients: u64,
            /// f: how many clients of a batch may be malicious.
            #[serde(serialize_with = "super::integer")]
            assumed_malicious_clients: u64,
        },
    }
}

impl AggregatorNoise {
    /// The budget that the noise is calibrated to, if it is.
    #[must_use]
    pub const fn budget(&self) -> Option<&Budget> {
        match self {
            Self::DiscreteLaplace { budget } | Self::DiscreteGaussian { budget } => Some(budget),
            Self::Compensation { .. } => None,
        }
    }

    /// How many clients of a batch are assumed to be malicious.
    #[must_use]
    pub const fn assumed_malicious_clients(&self) -> u64 {
        match self {
            Self::DiscreteLaplace { .. } | Self::DiscreteGaussian { .. } => 0,
            Self::Compensation { wanted_honest_clients: _, assumed_malicious_clients } => {
                *assumed_malicious_clients
            }
        }
    }
}
