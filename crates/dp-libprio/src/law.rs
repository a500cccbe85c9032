//! The laws of noise by their names, and the budgets that each is calibrated to.

/// A law whose parameter is yet to be calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Law {
    DiscreteLaplace,
    DiscreteGaussian,
}

impl Law {
    /// The names of all.
    pub(crate) const NAMES: &str = "discrete_laplace or discrete_gaussian";

    /// The name in the written form.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "discrete_laplace",
            Self::DiscreteGaussian => "discrete_gaussian",
        }
    }

    /// The kinds of budget that the law is calibrated to, in the written form.
    pub(crate) const fn kinds(self) -> &'static str {
        match self {
            Self::DiscreteLaplace => "{pure: {epsilon}} or {approximate: {epsilon, delta}}",
            Self::DiscreteGaussian => {
                "{approximate: {epsilon, delta}} or {zero_concentrated: {rho}}"
            }
        }
    }
}
