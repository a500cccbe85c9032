//! Aggregated RAPPOR: randomized bits that hide in a sum.
//!
//! Every one of n honest clients flips each bit of a one-hot vector with probability
//! p = 1/(e^ε₀ + 1), and only the sum over the clients is seen, which at least one honest
//! aggregator ensures (the trust model "one aggregator, most clients" of the Internet-Draft
//! draft-wang-ppm-differential-privacy, section 3.3). The bits of dishonest clients are known and
//! can be subtracted. Replacing one client's value changes two of the counts, deleting it changes
//! one; each is hidden by the n − 1 other honest clients' randomized bits. For the pair of laws
//! that this gives,
//!
//!   δ(ε) = sup over the others' data of the hockey-stick divergence sup_S P(S) − e^ε·Q(S).
//!
//! The computation bounds it from above for **every** dataset of the others
//! (`cover`, `curve`) and from below by one that it names (`attained`). The derivation is in
//! `docs/aggregated-rappor.md`. Floating point numbers are rounded outward at every step that
//! decides (`directed`).

mod about;
pub(crate) mod attained;
mod certificate;
pub(crate) mod composed;
pub(crate) mod count_law;
pub(crate) mod cover;
pub(crate) mod curve;
pub(crate) mod dropping;
pub(crate) mod flip;
pub(crate) mod hockey_stick;
mod inverse;
pub(crate) mod limits;
pub(crate) mod multi_hot;
pub(crate) mod outcomes;
pub(crate) mod pairs;
mod refined;
mod releases;
pub(crate) mod search;
mod smooth;
#[cfg(test)]
pub(crate) mod tests;

use dp_exact::{Delta, Epsilon, Rational, Refusal, Rounding, elementary};

use self::attained::Attained;
use self::cover::{Resolution, cover, slack};
use self::curve::Curve;
pub use self::dropping::{DroppingBounds, Hiding, Verdicts, WeightLimit};
use self::flip::Flip;
pub use self::inverse::{Inverse, largest_epsilon0, least_clients};
pub(crate) use self::limits::{
    BELOW_DELTA, DIGITS, MAX_CLIENTS, MAX_DEPTH, depth_for, rounded_up, target,
};
pub use self::multi_hot::MultiHot;
use self::search::{refuted, solve};
pub(crate) use crate::bounds::{DeltaBounds, EpsilonBounds, OthersHold};
use dp_calibration::{Adjacency, Error};
use dp_exact::directed::Bounds;

/// The sum of n honest clients' one-hot vectors under symmetric RAPPOR with parameter ε₀.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_amplification::aggregated_rappor::AggregatedRappor;
///
/// let sum = AggregatedRappor::new("5".parse()?, 100_000)?;
/// let epsilon = sum.epsilon(&"1e-9".parse()?, Adjacency::Replacement)?;
/// assert!(epsilon.upper.to_f64() < 0.2975 && epsilon.lower.to_f64() >= 0.297408);
/// // Nearly the worst for the client: all others hold the value that it may hold.
/// assert_eq!(epsilon.attained_by.removed, 99_999);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AggregatedRappor {
    epsilon0: Epsilon,
    clients: u64,
    flip: Flip,
}

impl AggregatedRappor {
    /// The sum over `clients` honest clients, the protected one among them.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, or there are no clients or more than 10^10.
    pub fn new(epsilon0: Epsilon, clients: u64) -> Result<Self, Error> {
        if clients == 0 || clients > MAX_CLIENTS {
            let accepted = "an integer from 1 to 10000000000";
            return Err(Error::parameter("clients", clients, accepted));
        }
        let flip = Flip::new(&epsilon0)?;
        Ok(Self {
            epsilon0,
            clients,
            flip,
        })
    }

    /// ε₀
    #[must_use]
    pub fn epsilon0(&self) -> &Epsilon {
        &self.epsilon0
    }

    /// The number of honest clients.
    #[must_use]
    pub fn clients(&self) -> u64 {
        self.clients
    }

    /// The same sum after `missing` of the honest clients dropped out, or turned out dishonest.
    ///
    /// # Errors
    /// If none would be left.
    pub fn without(&self, missing: u64) -> Result<Self, Error> {
        let clients = self.clients.saturating_sub(missing);
        Self::new(self.epsilon0.clone(), clients)
    }

    /// The guarantee of the client alone, which holds whatever the others do: 2ε₀ under
    /// replacement, ε₀ under deletion, with δ = 0. Exact.
    #[must_use]
    pub fn local_epsilon(&self, adjacency: Adjacency) -> Rational {
        let coordinates: i64 = match adjacency {
            Adjacency::Replacement => 2,
            Adjacency::Deletion => 1,
        };
        self.epsilon0.value() * &Rational::from(coordinates)
    }

    /// The ε at δ: an upper bound for every dataset of the others, and a lower bound attained by
    /// one.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9.
    pub fn epsilon(&self, delta: &Delta, adjacency: Adjacency) -> Result<EpsilonBounds, Error> {
        let (lower, attained_by) = self.attained_epsilon(delta, adjacency)?;
        let local = self.local_epsilon(adjacency);
        let mut bounds = EpsilonBounds {
            upper: local.clone(),
            lower,
            attained_by,
        };
        if !delta.value().is_zero() {
            let target = target(delta)?;
            let curve = self.curve(depth_for(target))?;
            bounds.upper = solve(target, &local, |alpha| curve.at(adjacency, alpha))?;
            bounds = self.refined(bounds, target, adjacency);
        }
        Ok(bounds)
    }

    /// The δ at ε, bounded likewise.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000.
    pub fn delta(&self, epsilon: &Epsilon, adjacency: Adjacency) -> Result<DeltaBounds, Error> {
        let value = dp_calibration::accepted::answered_epsilon(epsilon)?;
        let attained_by = self.candidates()[0];
        if *value >= self.local_epsilon(adjacency) {
            return Ok(DeltaBounds {
                upper: Rational::zero(),
                lower: Rational::zero(),
                attained_by,
            });
        }
        let alpha = Bounds::exp(value).ok_or_else(|| Self::unresolved(epsilon))?;
        let mut depth = self.depth_at(&alpha, attained_by, adjacency);
        loop {
            let upper = self.curve(depth)?.at(adjacency, alpha.lower);
            if elementary::ln(upper) < BELOW_DELTA - depth && depth < MAX_DEPTH {
                depth = (2.0 * depth).min(MAX_DEPTH);
                continue;
            }
            let mut best = (0.0, attained_by);
            for others in self.candidates() {
                let attained = Attained::new(&self.flip, others, adjacency, depth)
                    .ok_or_else(|| Self::unresolved(epsilon))?;
                let lower = attained.delta(alpha.upper);
                if lower > best.0 {
                    best = (lower, others);
                }
            }
            let upper = match adjacency {
                Adjacency::Replacement => self.refined_delta(upper, best.0, alpha.lower, depth),
                Adjacency::Deletion => upper,
            };
            return Ok(DeltaBounds {
                upper: rounded_up(upper)?,
                lower: Rational::from_f64(best.0)?.round_to_digits(DIGITS, Rounding::Down),
                attained_by: best.1,
            });
        }
    }

    /// How far to follow tails for δ at α, by one dataset alone, which is fast.
    fn depth_at(&self, alpha: &Bounds, others: OthersHold, adjacency: Adjacency) -> f64 {
        let mut depth = 36.0f64;
        while depth < MAX_DEPTH {
            let attained = Attained::new(&self.flip, others, adjacency, depth);
            let delta = attained.map_or(0.0, |attained| attained.delta(alpha.upper));
            if elementary::ln(delta) >= BELOW_DELTA - depth {
                break;
            }
            depth = (2.0 * depth).min(MAX_DEPTH);
        }
        depth
    }

    /// A lower bound on the ε at δ, and a dataset of the others that attains it. Much faster than
    /// [`Self::epsilon`], and **not** a guarantee.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-300 and 0.9.
    pub fn attained_epsilon(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
    ) -> Result<(Rational, OthersHold), Error> {
        let candidates = self.candidates();
        if delta.value().is_zero() {
            // The outcome in which no bit is flipped has the ratio e^ε of the client alone.
            return Ok((self.local_epsilon(adjacency), candidates[0]));
        }
        let target = target(delta)?;
        let mut best = (Rational::zero(), candidates[0]);
        for others in candidates {
            let attained = Attained::new(&self.flip, others, adjacency, depth_for(target))
                .ok_or_else(|| Self::unresolved(delta))?;
            let local = self.local_epsilon(adjacency);
            let lower = refuted(target, &local, |alpha| attained.delta(alpha));
            if lower > best.0 {
                best = (lower, others);
            }
        }
        Ok(best)
    }

    /// A curve that dominates the count of every dataset.
    fn curve(&self, depth: f64) -> Result<Curve, Error> {
        self.curve_within(depth, 1.0)
    }

    /// The same with this share of the usual looseness.
    fn curve_within(&self, depth: f64, share: f64) -> Result<Curve, Error> {
        let resolution = self.resolution(depth, share);
        cover(&self.flip, self.clients, resolution).ok_or_else(|| Self::unresolved(&self.epsilon0))
    }

    fn resolution(&self, depth: f64, share: f64) -> Resolution {
        // Deep tails of many clients take long, and a little more looseness.
        let deep = match self.is_settled() {
            true => (depth / 100.0).clamp(1.0, 2.5),
            false => 1.0,
        };
        Resolution {
            depth,
            slack: share * deep * slack(&self.flip, self.clients),
        }
    }

    fn unresolved(value: impl std::fmt::Display) -> Error {
        let change = "take a value whose tail probabilities fit into floating point numbers";
        Refusal::not_available(format!("a bound at {value}"), change).into()
    }

    /// Datasets that are nearly the worst. Counts are integers, and where they lie relative to the
    /// threshold depends on the data, which matters for few clients.
    pub(crate) fn candidates(&self) -> Vec<OthersHold> {
        let others = self.clients - 1;
        let hold = |neither: u64| OthersHold {
            removed: others - neither,
            added: 0,
            neither,
        };
        let mut candidates = vec![hold(0)];
        if self.clients <= 20_000 {
            let spread = (1..=16).map(|part| others * part / 16);
            let nearby = [1, 2].into_iter().filter(|&neither| neither <= others);
            candidates.extend(nearby.chain(spread).map(hold));
        }
        candidates
    }
}
