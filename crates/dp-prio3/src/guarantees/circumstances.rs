//! The numbers that a guarantee depends on beside the trust model.

use dp_exact::Delta;

/// The numbers that a guarantee depends on beside the trust model.
///
/// A trust model says which kinds of party are honest, and how many aggregators; this says how many
/// clients. The protected client itself is always one of the honest ones.
///
/// ```
/// use dp_prio3::Circumstances;
///
/// let circumstances = Circumstances::new(100_000, "1e-9".parse()?);
/// assert_eq!(circumstances.honest_clients(), 100_000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    honest_clients: u64,
    delta: Delta,
}

impl Circumstances {
    /// At least `honest_clients` reports of honest clients in every released batch, that of the
    /// protected one among them (0 counts as 1). `delta` is the δ at which ε is stated where the
    /// policy has none of its own.
    #[must_use]
    pub fn new(honest_clients: u64, delta: Delta) -> Self {
        Self {
            honest_clients: honest_clients.max(1),
            delta,
        }
    }

    /// The honest clients, at least 1.
    #[must_use]
    pub const fn honest_clients(&self) -> u64 {
        self.honest_clients
    }

    /// The δ for promises without one of their own.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }

    /// The same where a batch has at most so many reports, hence no more of honest clients: a promise
    /// that counts on more would be about no batch.
    pub(crate) fn within(&self, max_reports: u64) -> Self {
        self.with_honest_clients(self.honest_clients.min(max_reports))
    }

    /// The same with other honest clients.
    pub(crate) fn with_honest_clients(&self, honest_clients: u64) -> Self {
        Self::new(honest_clients, self.delta.clone())
    }
}
