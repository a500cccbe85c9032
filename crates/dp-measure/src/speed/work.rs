//! What is measured: the lines of the table.

use serde::Serialize;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// A draw of the discrete Gaussian; the parameter is its standard deviation σ.
    DiscreteGaussian,
    /// A draw of the discrete Laplace; the parameter is its scale t.
    DiscreteLaplace,
    /// Noise on one coordinate of a `Prio3Histogram` share at ε = 1; the parameter is its length.
    HistogramShare,
    /// A randomized bit, in packed vectors of 1000; the parameter is ε₀.
    RapporBit,
    /// A randomized bit, in slices of 1000; the parameter is ε₀.
    RapporSlice,
    /// A draw of the binomial distribution; the parameter is its n and its p.
    Binomial,
}

impl Work {
    /// The name in documents.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::DiscreteGaussian => "discrete_gaussian",
            Self::DiscreteLaplace => "discrete_laplace",
            Self::HistogramShare => "histogram_share",
            Self::RapporBit => "rappor_bit",
            Self::RapporSlice => "rappor_slice",
            Self::Binomial => "binomial",
        }
    }

    /// The parameters that are measured.
    #[must_use]
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::DiscreteGaussian => &["0.5", "5.1904", "10", "23.3903", "1000", "10^6", "2^40"],
            Self::DiscreteLaplace => &["2/5", "2", "20", "65535000"],
            Self::HistogramShare => &["100000"],
            Self::RapporBit => &["1", "2.5", "5", "8"],
            Self::RapporSlice => &["1", "5"],
            Self::Binomial => &["10^9, 1/(e^5+1)", "10^12, 1/(e+1)"],
        }
    }
}

/// Some work with some parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// What is done.
    pub work: Work,
    /// With which parameter, one of [`Work::parameters`].
    pub parameter: &'static str,
}

impl Workload {
    /// All workloads, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        use Work::{
            Binomial, DiscreteGaussian, DiscreteLaplace, HistogramShare, RapporBit, RapporSlice,
        };
        let works = [
            DiscreteGaussian,
            DiscreteLaplace,
            HistogramShare,
            RapporBit,
            RapporSlice,
            Binomial,
        ];
        works.into_iter().flat_map(|work| {
            let with = move |parameter: &&'static str| Self { work, parameter };
            work.parameters().iter().map(with)
        })
    }
}
