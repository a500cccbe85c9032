//! The two distributions of the weight of a randomized vector.

/// How the weight of a randomized vector is distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightLaw {
    /// What the mechanism does: Bin(w, 1 − p) + Bin(d − w, p).
    #[default]
    Exact,
    /// The Internet-Draft's simplification, in which no true bit is flipped away:
    /// w + Bin(d − w, p). An upper bound.
    Draft,
}
