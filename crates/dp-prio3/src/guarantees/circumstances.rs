//! The numbers that a guarantee depends on beside the trust model.

// DIFFERENCE from draft-wang §3.3.1: "most clients" is a number of honest reports in the released batch.

use dp_calibration::Adjacency;
use dp_exact::Delta;

/// The numbers that a guarantee depends on beside the trust model.
///
/// A trust model says which kinds of party are honest, and how many aggregators; this says how many
/// clients, and how often one person takes part. The protected client itself is always one of the
/// honest ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    honest_clients: u64,
    delta: Delta,
    releases: u32,
    reports_per_client: u32,
    adjacency: Adjacency,
}

impl Circumstances {
    /// At least `honest_clients` reports of honest clients in every released batch, the protected
    /// client's among them (0 counts as 1). `delta` is the δ at which ε is stated where the policy
    /// has none of its own. One release, one report of a person, neighbours by replacement.
    #[must_use]
    pub fn new(honest_clients: u64, delta: Delta) -> Self {
        Self {
            honest_clients: honest_clients.max(1),
            delta,
            releases: 1,
            reports_per_client: 1,
            adjacency: Adjacency::Replacement,
        }
    }

    /// For a person that takes part in `releases` releases (0 counts as 1): a guarantee is then about all of them
    /// together, with a δ for all of them.
    #[must_use]
    pub fn over(mut self, releases: u32) -> Self {
        self.releases = releases.max(1);
        self
    }

    /// For a person that has up to `reports` reports in one release (0 counts as 1).
    #[must_use]
    pub fn with_reports_per_client(mut self, reports: u32) -> Self {
        self.reports_per_client = reports.max(1);
        self
    }

    /// For other neighbours.
    #[must_use]
    pub fn with_adjacency(mut self, adjacency: Adjacency) -> Self {
        self.adjacency = adjacency;
        self
    }

    /// At another δ.
    #[must_use]
    pub fn at(mut self, delta: Delta) -> Self {
        self.delta = delta;
        self
    }

    /// The honest clients, at least 1.
    #[must_use]
    pub const fn honest_clients(&self) -> u64 {
        self.honest_clients
    }

    /// The δ of guarantees without one of their own.
    #[must_use]
    pub const fn delta(&self) -> &Delta {
        &self.delta
    }

    /// In how many releases one person takes part, at least 1.
    #[must_use]
    pub const fn releases(&self) -> u32 {
        self.releases
    }

    /// How many reports one person has in a release, at least 1.
    #[must_use]
    pub const fn reports_per_client(&self) -> u32 {
        self.reports_per_client
    }

    /// Which batches are neighbours.
    #[must_use]
    pub const fn adjacency(&self) -> Adjacency {
        self.adjacency
    }

    /// Whether this is one release with one report of a person, which is replaced: what a budget of a
    /// policy is about.
    pub(crate) fn is_one_report(&self) -> bool {
        let replaced = self.adjacency == Adjacency::Replacement;
        replaced && self.releases == 1 && self.reports_per_client == 1
    }

    /// All reports of one person.
    pub(crate) fn reports(&self) -> u64 {
        u64::from(self.releases) * u64::from(self.reports_per_client)
    }

    /// These numbers where a batch has at most `max_reports` reports, hence no more of honest
    /// clients: a guarantee that counts on more would be about no batch.
    pub(crate) fn within(&self, max_reports: u64) -> Self {
        self.with_honest_clients(self.honest_clients.min(max_reports))
    }

    /// These numbers with other honest clients.
    pub(crate) fn with_honest_clients(&self, honest_clients: u64) -> Self {
        let honest_clients = honest_clients.max(1);
        Self { honest_clients, ..self.clone() }
    }
}
