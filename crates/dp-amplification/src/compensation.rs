//! Compensation: aggregators add the bits that a batch of aggregated RAPPOR lacks.
//!
//! A policy that is calibrated for H honest clients meets a batch of n verified reports, f of them
//! perhaps malicious. Each of A aggregators adds Binomial(M, p), p = 1/(e^ε₀ + 1), to every count,
//! for the bits M = max(0, H − (n − f)) that are missing: exactly the randomized vectors of M
//! clients that hold no value. One honest aggregator that adds is enough: the client is hidden by n
//! − f − 1 honest clients with any data and by M that hold zeros (`docs/hedging.md`).

use dp_calibration::{Adjacency, Error, Result};
use dp_exact::{Delta, Epsilon, Rational};

use crate::accepted_ranges::{MAX_CLIENTS, check, depth_for, float_below, unresolved};
use crate::aggregated_rappor::AggregatedRappor;
use crate::dataset_envelope::RandomizedBits;
use crate::dominating_curve::{DominatingCurve, product};
use crate::epsilon_search::certified_epsilon;

/// The largest number of aggregators that add zeros.
const MAX_AGGREGATORS: u64 = 254;

/// What all parties know of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchCounts {
    /// n, the number of verified reports.
    pub reports: u64,
    /// f, how many of them are assumed malicious: their bits are known to the adversary.
    pub malicious: u64,
}

/// The randomized zeros that aggregators add to a batch, and the guarantee of the batch with them.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_amplification::compensation::{BatchCounts, Compensation};
///
/// // 60 000 reports, 10 000 of them perhaps malicious; the policy wants 100 000 honest ones.
/// let batch = BatchCounts { reports: 60_000, malicious: 10_000 };
/// let plan = Compensation::new("5".parse()?, batch, 100_000, 2)?;
/// assert_eq!((plan.added_zeros(), plan.debias_count()), (50_000, 160_000));
///
/// let (delta, replacement) = ("1e-9".parse()?, Adjacency::Replacement);
/// let after = plan.epsilon(&delta, replacement)?;
/// assert!(after.to_f64() < 0.2976);
///
/// // Even if all other clients collude, the added bits hide the client.
/// let alone = plan.with_honest(1)?.epsilon(&delta, replacement)?;
/// assert!(alone.to_f64() < 0.45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compensation {
    /// The sum of the n − f honest reports without compensation.
    honest: AggregatedRappor,
    /// n, the number of verified reports.
    reports: u64,
    /// The number M of zeros that each aggregator adds.
    zeros: u64,
    /// The number A of aggregators that add zeros.
    aggregators: u32,
}

impl Compensation {
    /// The plan for a `batch`, with a policy that is calibrated for `calibrated_for` honest
    /// clients and `aggregators` that each add what is missing.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, no report is left that is not malicious, there are more
    /// than 10^10 reports or honest clients, or not from 1 to 254 aggregators.
    pub fn new(
        epsilon0: Epsilon,
        BatchCounts { reports, malicious }: BatchCounts,
        calibrated_for: u64,
        aggregators: u32,
    ) -> Result<Self> {
        check("calibrated_for", calibrated_for, MAX_CLIENTS)?;
        check("reports", reports, MAX_CLIENTS)?;
        let accepted = "an integer below the number of reports";
        Error::check(malicious < reports, "malicious", malicious, accepted)?;
        check("aggregators", aggregators.into(), MAX_AGGREGATORS)?;
        let honest = AggregatedRappor::new(epsilon0, reports - malicious)?;
        let zeros = calibrated_for.saturating_sub(honest.clients());
        Ok(Self { honest, reports, zeros, aggregators })
    }

    /// M, the number of zeros whose randomized bits each aggregator adds to every count.
    pub fn added_zeros(&self) -> u64 {
        self.zeros
    }

    /// n + A·M, the number of randomized bits in every count, with which it is debiased.
    #[must_use]
    pub fn debias_count(&self) -> u64 {
        self.reports + u64::from(self.aggregators) * self.zeros
    }

    /// This plan if only `honest` clients hide each other, the protected one included.
    ///
    /// # Errors
    /// If that is none, or more than the reports.
    pub fn with_honest(&self, honest: u64) -> Result<Self> {
        check("honest", honest, self.reports)?;
        let honest = AggregatedRappor::new(self.honest.epsilon0().clone(), honest)?;
        Ok(Self { honest, ..self.clone() })
    }

    /// The ε at δ if one aggregator that adds is honest, for every dataset of other honest clients.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9.
    pub fn epsilon(&self, delta: &Delta, adjacency: Adjacency) -> Result<Rational> {
        let local = self.honest.local_epsilon(adjacency);
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = float_below(delta)?;
        let curves =
            self.curves(depth_for(target)).ok_or_else(|| unresolved(self.honest.epsilon0()))?;
        let [left, joined] = &curves;
        Ok(certified_epsilon(target, &local, |alpha| match adjacency {
            Adjacency::Replacement => product([left, joined], [joined, left], alpha, 0.0),
            Adjacency::Deletion | Adjacency::OneCoordinate => {
                left.one_count(alpha).max(joined.one_count(alpha))
            }
        }))
    }

    /// Upper bound on the ε at δ where `counts` counts change, for every dataset of the others, in
    /// one release or several. Each release has at least the honest reports and added zeros of this
    /// plan. The added zeros count as clients with arbitrary data, which can only raise the bound.
    ///
    /// # Errors
    /// As [`AggregatedRappor::epsilon_of_counts`].
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Rational> {
        let clients = self.honest.clients().saturating_add(self.zeros).min(MAX_CLIENTS);
        AggregatedRappor::new(self.honest.epsilon0().clone(), clients)?
            .epsilon_without_noise(delta, counts)
    }

    /// Curves that dominate the count that the client leaves, with at most n − f − 1 ones among the
    /// others, and the count that it joins, with at least M after exchanging zeros and ones: n − f
    /// honest reports, M added zeros. `None` if floats do not hold tails to e^−`depth`.
    fn curves(&self, depth: f64) -> Option<[DominatingCurve; 2]> {
        let (unknown, flip) = (self.honest.clients() - 1, &self.honest.flip);
        let others = unknown + self.zeros;
        let bits = RandomizedBits { flip, own: flip, others, depth, share: 1.0 };
        let nodes = bits.nodes(&[unknown, others])?;
        let up = bits.envelope(&nodes, 0..=unknown)?;
        if self.zeros == 0 {
            return DominatingCurve::directions(&nodes, &up, &up);
        }
        let down = bits.envelope(&nodes, self.zeros..=others)?;
        DominatingCurve::directions(&nodes, &up, &down)
    }
}
