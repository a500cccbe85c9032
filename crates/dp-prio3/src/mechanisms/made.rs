//! A sampler that is made when something is drawn.

use std::sync::{Arc, OnceLock};

/// A sampler, made once and when it is first asked for: who describes a policy, or plans with it, draws
/// nothing. Clones share it.
#[derive(Clone, Debug)]
pub(super) struct Made<S>(Arc<OnceLock<S>>);

impl<S> Made<S> {
    pub(super) fn later() -> Self {
        Self(Arc::new(OnceLock::new()))
    }

    /// What `make` gives, or gave another time.
    pub(super) fn get<E>(&self, make: impl FnOnce() -> Result<S, E>) -> Result<&S, E> {
        if let Some(made) = self.0.get() {
            return Ok(made);
        }
        let made = make()?;
        Ok(self.0.get_or_init(|| made))
    }
}
