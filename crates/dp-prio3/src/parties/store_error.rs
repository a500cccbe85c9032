//! What a store says when it cannot keep its word.

/// Why a store could not keep or look up something.
#[derive(Debug, thiserror::Error)]
#[error("the store cannot be used: {0}")]
pub struct StoreError(#[source] Box<dyn std::error::Error + Send + Sync>);

impl StoreError {
    /// What went wrong underneath.
    pub fn new(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self(source.into())
    }
}
