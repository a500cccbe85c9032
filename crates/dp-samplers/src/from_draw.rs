//! The integers that draws can be written to.

use num_bigint::{BigInt, BigUint};

/// An integer type that takes draws: all of the standard library's, `BigInt` and `BigUint`.
///
/// Implement it for a type of your own to have it filled without a detour. Each method returns
/// `None` where the draw does not fit; it never wraps.
pub trait FromDraw: Sized {
    /// From a draw that fits 64 bits; `None` if it does not fit this type.
    fn from_i64(draw: i64) -> Option<Self>;
    /// From a draw that fits 128 bits; `None` if it does not fit this type.
    fn from_i128(draw: i128) -> Option<Self>;
    /// From a draw of any size; `None` if it does not fit this type.
    fn from_big(draw: BigInt) -> Option<Self>;
}

/// Implements [`FromDraw`] by `TryFrom`: a number that does not fit gives `None`.
macro_rules! by_try_from {
    ($($integer:ty),*) => {$(
        impl FromDraw for $integer {
            #[inline]
            fn from_i64(draw: i64) -> Option<Self> {
                draw.try_into().ok()
            }

            #[inline]
            fn from_i128(draw: i128) -> Option<Self> {
                draw.try_into().ok()
            }

            fn from_big(draw: BigInt) -> Option<Self> {
                draw.try_into().ok()
            }
        }
    )*};
}

by_try_from!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, BigInt, BigUint);
