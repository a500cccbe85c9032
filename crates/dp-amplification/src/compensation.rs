//! Compensation: aggregators add the bits that a batch of aggregated RAPPOR lacks.
//!
//! A policy that is calibrated for H honest clients meets a batch of n verified reports, f of which
//! may be malicious. The bits that are missing, M = max(0, H − (n − f)), follow from public counts.
//! Each of A aggregators adds Binomial(M, p), p = 1/(e^ε₀ + 1), to every count, drawn afresh and
//! then forgotten: exactly the randomized vectors of M clients that hold no value at all.
//!
//! **Debiasing.** A count with c true ones has the mean c·(q − p) + (n + A·M)·p, so that
//!
//!   (count·(e^ε₀ + 1) − N)/(e^ε₀ − 1) is c on average for N = n + A·M, and c + (n + A·M − N)/(e^ε₀ − 1)
//!
//! for any other N (the Internet-Draft draft-wang-ppm-differential-privacy, section 3.5, asks for
//! compensation of this kind).
//!
//! **The guarantee** needs one aggregator that is honest and adds; what other aggregators add is
//! known to the adversary. The others are then n − f − 1 honest clients that may hold anything and
//! M that certainly hold zeros: the count of `hedged` without noise, with the supremum over the data
//! of the former only. If all other clients are known as well, nothing is left to a supremum.

use dp_exact::{Delta, Epsilon, Rational, elementary};

use crate::aggregated_rappor::flip::Flip;
use crate::aggregated_rappor::{
    AggregatedRappor, DeltaBounds, EpsilonBounds, MAX_CLIENTS, OthersHold,
};
use crate::hedged::joint::Joint;
use crate::hedged::target;
use dp_calibration::{Adjacency, Error, accepted};
use dp_exact::directed::count;

/// The most aggregators.
const MAX_AGGREGATORS: u32 = 254;

/// The distance of the bounds, relative to the lower one, at which they are near.
const NEAR: f64 = 2e-4;

/// What all parties know of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// n, the number of verified reports.
    pub reports: u64,
    /// f, how many of them are assumed malicious: their bits are known to the adversary.
    pub malicious: u64,
}

/// The bits that aggregators add to a batch, and what that gives.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_amplification::compensation::{Batch, Compensation};
///
/// // 60 000 reports, 10 000 of them perhaps malicious; the policy wants 100 000 honest ones.
/// let batch = Batch { reports: 60_000, malicious: 10_000 };
/// let plan = Compensation::new("5".parse()?, batch, 100_000, 2)?;
/// assert_eq!((plan.added_zeros(), plan.debias_count()), (50_000, 160_000));
///
/// let (delta, replacement) = ("1e-9".parse()?, Adjacency::Replacement);
/// let before = plan.before()?.epsilon(&delta, replacement)?;
/// let after = plan.epsilon(&delta, replacement)?;
/// assert!(before.upper.to_f64() > 0.42 && after.upper.to_f64() < 0.2976);
///
/// // Even if all other clients collude, the added bits hide the client.
/// let alone = plan.one_client()?.epsilon(&delta, replacement)?;
/// assert!(alone.upper.to_f64() < 0.45);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Compensation {
    epsilon0: Epsilon,
    flip: Flip,
    batch: Batch,
    zeros: u64,
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
        batch: Batch,
        calibrated_for: u64,
        aggregators: u32,
    ) -> Result<Self, Error> {
        if !(1..=MAX_CLIENTS).contains(&calibrated_for) {
            let accepted = "an integer from 1 to 10000000000";
            return Err(Error::parameter("calibrated_for", calibrated_for, accepted));
        }
        let honest = batch.reports.saturating_sub(batch.malicious);
        Self::with(
            epsilon0,
            batch,
            calibrated_for.saturating_sub(honest),
            aggregators,
        )
    }

    fn with(epsilon0: Epsilon, batch: Batch, zeros: u64, aggregators: u32) -> Result<Self, Error> {
        if !(1..=MAX_CLIENTS).contains(&batch.reports) {
            let accepted = "an integer from 1 to 10000000000";
            return Err(Error::parameter("reports", batch.reports, accepted));
        }
        if batch.malicious >= batch.reports {
            let accepted = "an integer below the number of reports";
            return Err(Error::parameter("malicious", batch.malicious, accepted));
        }
        if !(1..=MAX_AGGREGATORS).contains(&aggregators) {
            let accepted = "an integer from 1 to 254";
            return Err(Error::parameter("aggregators", aggregators, accepted));
        }
        let flip = Flip::new(&epsilon0)?;
        Ok(Self {
            epsilon0,
            flip,
            batch,
            zeros,
            aggregators,
        })
    }

    /// M, the number of zeros whose randomized bits each aggregator adds to every count.
    #[must_use]
    pub fn added_zeros(&self) -> u64 {
        self.zeros
    }

    /// n + A·M, the number of randomized bits in every count, with which it is debiased.
    #[must_use]
    pub fn debias_count(&self) -> u64 {
        self.batch.reports + u64::from(self.aggregators) * self.zeros
    }

    /// The same batch and the same added bits where all other clients are malicious.
    ///
    /// # Errors
    /// None: one client is accepted.
    pub fn one_client(&self) -> Result<Self, Error> {
        self.with_honest(1)
    }

    /// The same batch and the same added bits where only so many clients hide each other, the
    /// protected one among them; all others are known.
    ///
    /// # Errors
    /// If that is none, or more than the reports.
    pub fn with_honest(&self, honest: u64) -> Result<Self, Error> {
        let reports = self.batch.reports;
        let malicious = reports.checked_sub(honest).ok_or_else(|| {
            let accepted = "at most the number of reports";
            Error::parameter("honest", honest, accepted)
        })?;
        let batch = Batch { reports, malicious };
        Self::with(self.epsilon0.clone(), batch, self.zeros, self.aggregators)
    }

    /// The sum as it is without compensation: n − f honest clients.
    ///
    /// # Errors
    /// None: the plan holds an accepted number of clients.
    pub fn before(&self) -> Result<AggregatedRappor, Error> {
        AggregatedRappor::new(self.epsilon0.clone(), self.honest())
    }

    /// The ε at δ with compensation, where at least one aggregator that adds is honest: an upper
    /// bound for every dataset of the n − f − 1 other honest clients, and a lower bound that one
    /// attains.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-240 and 0.9.
    pub fn epsilon(&self, delta: &Delta, adjacency: Adjacency) -> Result<EpsilonBounds, Error> {
        let datasets = self.datasets();
        let local = self.local_epsilon(adjacency);
        if delta.value().is_zero() {
            return Ok(EpsilonBounds {
                upper: local.clone(),
                lower: local,
                attained_by: datasets[0],
            });
        }
        let target = target(delta)?;
        let answer = self.joint().epsilon(target, adjacency, &local, &datasets)?;
        let mut bounds = EpsilonBounds {
            upper: answer.upper.unwrap_or(local),
            lower: answer.lower,
            attained_by: answer.attained_by,
        };
        if !is_near(&bounds.lower, &bounds.upper) {
            // For any data of as many clients, so also for these; and for few the two counts of a
            // dataset are bounded together.
            let any = self.all_unknown()?.epsilon(delta, adjacency)?;
            bounds.upper = bounds.upper.min(any.upper);
            if self.zeros == 0 && any.lower > bounds.lower {
                (bounds.lower, bounds.attained_by) = (any.lower, any.attained_by);
            }
        }
        Ok(bounds)
    }

    /// An ε at δ where `counts` counts change, in one release or in several that each have at least
    /// the honest reports and the added zeros of this plan: for every dataset of the others. The
    /// added zeros count as clients that may hold anything, which is no less.
    ///
    /// # Errors
    /// As [`AggregatedRappor::epsilon_of_counts`].
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Rational, Error> {
        self.all_unknown()?.epsilon_of_counts(delta, counts)
    }

    /// The δ at ε with compensation, bounded likewise.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000.
    pub fn delta(&self, epsilon: &Epsilon, adjacency: Adjacency) -> Result<DeltaBounds, Error> {
        let value = accepted::answered_epsilon(epsilon)?;
        let datasets = self.datasets();
        if *value >= self.local_epsilon(adjacency) {
            return Ok(DeltaBounds {
                upper: Rational::zero(),
                lower: Rational::zero(),
                attained_by: datasets[0],
            });
        }
        let answer = self.joint().delta(value, adjacency, &datasets)?;
        let mut bounds = DeltaBounds {
            upper: answer.upper.unwrap_or_else(Rational::one),
            lower: answer.lower,
            attained_by: answer.attained_by,
        };
        if !is_near(&bounds.lower, &bounds.upper) {
            let any = self.all_unknown()?.delta(epsilon, adjacency)?;
            bounds.upper = bounds.upper.min(any.upper);
            if self.zeros == 0 && any.lower > bounds.lower {
                (bounds.lower, bounds.attained_by) = (any.lower, any.attained_by);
            }
        }
        Ok(bounds)
    }

    /// How far from the truth a count is on average if `added_by` aggregators added their bits and
    /// it is debiased with `debiased_with`: (n + B·M − N)/(e^ε₀ − 1). A utility figure.
    ///
    /// It is 0 if all add and [`Self::debias_count`] is used; −M/(e^ε₀ − 1) for each aggregator
    /// that omits; and M·(A − 1)/(e^ε₀ − 1) with n + M in place of n + A·M.
    #[must_use]
    pub fn bias(&self, added_by: u32, debiased_with: u64) -> f64 {
        let bits = u128::from(self.batch.reports) + u128::from(added_by) * u128::from(self.zeros);
        let used = u128::from(debiased_with);
        let distance = number(bits.abs_diff(used)) / elementary::exp_m1(self.flip.epsilon0);
        if bits < used { -distance } else { distance }
    }

    /// The standard deviation of a debiased count, √(n + A·M)/(2·sinh(ε₀/2)), if all reports are
    /// honest. A utility figure.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        count(self.debias_count()).sqrt() / (2.0 * elementary::sinh(self.flip.epsilon0 / 2.0))
    }

    fn honest(&self) -> u64 {
        self.batch.reports - self.batch.malicious
    }

    fn local_epsilon(&self, adjacency: Adjacency) -> Rational {
        let coordinates: u64 = match adjacency {
            Adjacency::Replacement => 2,
            Adjacency::Deletion => 1,
        };
        self.epsilon0.value() * &Rational::from(coordinates)
    }

    fn joint(&self) -> Joint<'_> {
        let unknown = self.honest() - 1;
        Joint {
            flip: &self.flip,
            noise: None,
            others: unknown + self.zeros,
            ones: 0..=unknown,
        }
    }

    fn all_unknown(&self) -> Result<AggregatedRappor, Error> {
        let clients = self.honest().saturating_add(self.zeros).min(MAX_CLIENTS);
        AggregatedRappor::new(self.epsilon0.clone(), clients)
    }

    /// Data of the other clients that are nearly the worst: all hold the removed value, the added
    /// one, or neither.
    fn datasets(&self) -> Vec<OthersHold> {
        let others = self.honest() - 1;
        let hold = |removed, added, neither| OthersHold {
            removed,
            added,
            neither,
        };
        let mut datasets = vec![hold(others, 0, 0)];
        if others > 0 {
            datasets.extend([hold(0, others, 0), hold(0, 0, others)]);
        }
        datasets
    }
}

/// Whether two bounds differ by so little that no other is worth its time.
fn is_near(lower: &Rational, upper: &Rational) -> bool {
    upper.to_f64() <= lower.to_f64() * (1.0 + NEAR)
}

/// A utility figure of a whole number.
#[expect(clippy::cast_precision_loss, reason = "a utility figure")]
fn number(value: u128) -> f64 {
    value as f64
}
