//! How many bits a computation may take.

/// The most bits that [`refine`](crate::refine) tries.
pub const MAX_PRECISION: u32 = 1 << 16;
