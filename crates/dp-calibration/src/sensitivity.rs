//! How far one client can move an aggregate.

use num_bigint::BigUint;

/// The largest norms of x − y over the contributions x and y of one client in neighbouring
/// batches. Exact integers, in the unit of the aggregate.
///
/// The L2 norm is kept squared, so that √2 stays exact. The three maxima need not be reached by
/// the same pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sensitivity {
    /// max ‖x − y‖₁
    pub l1: BigUint,
    /// max ‖x − y‖₂²
    pub l2_squared: BigUint,
    /// max ‖x − y‖_∞
    pub linf: BigUint,
}
