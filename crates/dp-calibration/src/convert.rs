//! What a guarantee means in another currency, and what one randomized answer promises.

pub mod conversion;
pub mod local;
