//! The integers that draws can be written to.

use num_bigint::BigInt;

/// An integer type that takes draws of 64 bits, of 128 bits and of any size, or refuses those that
/// do not fit: all of the standard library's, `BigInt` and `BigUint`.
pub trait FromDraw: TryFrom<i64> + TryFrom<i128> + TryFrom<BigInt> {}

impl<T: TryFrom<i64> + TryFrom<i128> + TryFrom<BigInt>> FromDraw for T {}
