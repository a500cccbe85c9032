//! Randomizers that flip bits: of a vector, or of one answer.

mod block;
mod coin_flip;
mod deposit;
mod probability;
mod symmetric_rappor;
mod unary_encoding;

pub use coin_flip::CoinFlip;
pub(crate) use probability::FlipProbability;
pub use symmetric_rappor::SymmetricRappor;
pub use unary_encoding::UnaryEncoding;
