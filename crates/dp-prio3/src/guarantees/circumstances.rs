//! How many clients are honest, and how often one person takes part.

// DIFFERENCE from draft-wang §3.3.1: "most clients" is a number of honest reports in the released
// batch.

use dp_calibration::Adjacency;
use dp_exact::Delta;

/// The numbers that a guarantee depends on beside the trust model: how many clients are honest, the
/// protected one among them, and how often one person takes part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circumstances {
    /// The least number of honest clients' reports in a released batch, the protected client's
    /// included: at least 1.
    pub honest_clients: u64,
    /// The δ at which ε is reported where the policy has none of its own.
    pub delta: Delta,
    /// The number of releases in which one person takes part, at least 1.
    pub releases: u32,
    /// The most reports of one person in a release, at least 1.
    pub reports_per_client: u32,
    /// The neighbouring relation between batches.
    pub adjacency: Adjacency,
}

impl Circumstances {
    /// At least `honest_clients` reports of honest clients in every released batch (0 counts as 1);
    /// one release, one report of a person, neighbours by replacement.
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

    /// A person who takes part in `releases` releases (0 counts as 1). A guarantee is then about
    /// all of them together, with one δ for all.
    #[must_use]
    pub fn over(self, releases: u32) -> Self {
        Self { releases: releases.max(1), ..self }
    }

    /// A person who has up to `reports` reports in one release (0 counts as 1).
    #[must_use]
    pub fn with_reports_per_client(self, reports: u32) -> Self {
        Self { reports_per_client: reports.max(1), ..self }
    }

    /// Another neighbouring relation.
    #[must_use]
    pub fn with_adjacency(self, adjacency: Adjacency) -> Self {
        Self { adjacency, ..self }
    }

    /// Another δ.
    #[must_use]
    pub fn at(self, delta: Delta) -> Self {
        Self { delta, ..self }
    }

    /// Whether one person has a single report in a single release, under replacement. The budget of
    /// a policy holds in this case.
    pub(crate) fn is_one_report(&self) -> bool {
        self.adjacency == Adjacency::Replacement && self.reports() == 1
    }

    /// The number of reports of one person in all releases together.
    pub(crate) fn reports(&self) -> u64 {
        u64::from(self.releases) * u64::from(self.reports_per_client)
    }

    /// These circumstances with `honest_clients` honest clients, where 0 counts as 1.
    pub(crate) fn with_honest_clients(&self, honest_clients: u64) -> Self {
        Self { honest_clients: honest_clients.max(1), ..self.clone() }
    }
}
