//! How far one client can move a vector of totals.

use num_bigint::BigUint;

/// The largest norms of x − y over two vectors x and y of cells that a client may send: exact
/// integers, in cells.
///
/// In cells, because noise is added to cells, and because a norm over coordinates in different real
/// units has no meaning. In real units a coordinate moves by at most its high − low.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Sensitivity {
    /// max ‖x − y‖₁
    pub l1: BigUint,
    /// max ‖x − y‖₂², the norm squared
    pub l2_squared: BigUint,
    /// max ‖x − y‖_∞
    pub linf: BigUint,
}
