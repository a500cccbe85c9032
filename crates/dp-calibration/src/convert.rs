//! What a guarantee means in another currency, and what one randomized answer guarantees.

pub mod conversion;
pub mod local;
