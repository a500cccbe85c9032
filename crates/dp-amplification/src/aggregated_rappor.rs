//! Aggregated RAPPOR: randomized bits that hide in a sum.
//!
//! Every one of n honest clients flips each bit of a one-hot vector with probability p = 1/(e^ε₀ +
//! 1), and only the sum over the clients is seen, which at least one honest aggregator ensures (the
//! trust model "one aggregator, most clients" of the Internet-Draft
//! draft-wang-ppm-differential-privacy, section 3.3). Replacing one client's value changes two of
//! the counts, deleting it changes one; each is hidden by the n − 1 other honest clients'
//! randomized bits. For the pair of distributions that this gives,
//!
//!   δ(ε) = sup over the others' data of the hockey-stick divergence sup_S P(S) − e^ε·Q(S).
//!
//! It is bounded from above for **every** dataset of the others, and from below by the dataset in
//! which all others hold the client's value, with every float rounded outward
//! (`docs/aggregated-rappor.md`).

// DIFFERENCE from draft-wang §6.1.1.1: ε is the certified divergence, below the ε of Rényi orders.

mod dropped_reports;
mod own_report;
mod searches;

use dp_calibration::for_amplification::DominatingPair;
use dp_calibration::{Adjacency, Error, Result};
use dp_exact::{Delta, Epsilon, Rational};

pub use self::dropped_reports::{DroppingBounds, RemainingClients};
pub use self::searches::{largest_epsilon0, least_clients};
use crate::accepted_ranges::{
    MAX_CLIENTS, MAX_COUNTS, changed_counts, check, depth_for, float_below, unresolved,
};
use crate::attained_delta::{AttainedDelta, COMPOSED_DEPTH, COMPOSED_SHARE, attained_outcomes};
use crate::bit_odds::BitOdds;
use crate::dataset_envelope::RandomizedBits;
use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::{EpsilonBounds, certified_epsilon, refuted_epsilon};
use crate::hockey_stick::HockeyStick;
use crate::pair_product;

/// The most coordinates that may change between inputs of several ones.
const MAX_CHANGED: u64 = 1 << 20;

/// The largest length d of a vector.
const MAX_LENGTH: u64 = 1 << 20;

/// Vectors with several ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultiHot {
    /// The length d of the vectors.
    pub length: u64,
    /// The most ones w that a vector has before it is randomized.
    pub ones: u64,
}

impl MultiHot {
    /// In how many coordinates vectors, or one and zero, may differ: min(d, 2w) or min(d, w); 1
    /// where one coordinate changes.
    #[must_use]
    pub fn changed(self, adjacency: Adjacency) -> u64 {
        match adjacency {
            Adjacency::OneCoordinate => 1,
            Adjacency::Replacement | Adjacency::Deletion => self.spanned(adjacency),
        }
    }

    /// The least D for which D coordinates hold all ones of any two neighbours: min(d, 2w) under
    /// replacement, else min(d, w), as one of two neighbours then has the ones of both.
    fn spanned(self, adjacency: Adjacency) -> u64 {
        self.ones.saturating_mul(changed_counts(adjacency).into()).min(self.length)
    }

    /// How many coordinates hold all ones of two neighbours ([`Self::spanned`]). Refuses a length
    /// or a number of coordinates outside 1 to 2^20.
    pub(crate) fn accepted(self, adjacency: Adjacency) -> Result<u64> {
        let accepted = "an integer from 1 to 2^20";
        Error::check((1..=MAX_LENGTH).contains(&self.length), "length", self.length, accepted)?;
        let spanned = self.spanned(adjacency);
        let accepted = "a number of ones with which 1 to 2^20 coordinates may change";
        Error::check((1..=MAX_CHANGED).contains(&spanned), "ones", self.ones, accepted)?;
        Ok(spanned)
    }
}

/// The sum of n honest clients' one-hot vectors under symmetric RAPPOR with parameter ε₀.
///
/// ```
/// use dp_calibration::Adjacency;
/// use dp_amplification::aggregated_rappor::AggregatedRappor;
///
/// let sum = AggregatedRappor::new("5".parse()?, 100_000)?;
/// let epsilon = sum.epsilon(&"1e-9".parse()?, Adjacency::Replacement)?;
/// assert!(epsilon.upper.to_f64() < 0.2975 && epsilon.lower.to_f64() >= 0.297408);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AggregatedRappor {
    epsilon0: Epsilon,
    clients: u64,
    pub(crate) flip: BitOdds,
}

impl AggregatedRappor {
    /// The sum over `clients` honest clients, the protected one among them.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, or there are no clients or more than 10^10.
    pub fn new(epsilon0: Epsilon, clients: u64) -> Result<Self> {
        check("clients", clients, MAX_CLIENTS)?;
        let flip = BitOdds::new(&epsilon0)?;
        Ok(Self { epsilon0, clients, flip })
    }

    /// ε₀
    pub fn epsilon0(&self) -> &Epsilon {
        &self.epsilon0
    }

    /// The number of honest clients.
    pub fn clients(&self) -> u64 {
        self.clients
    }

    /// The guarantee of the client alone at δ = 0: 2ε₀ under replacement, else ε₀.
    #[must_use]
    pub fn local_epsilon(&self, adjacency: Adjacency) -> Rational {
        self.local_epsilon_of_counts(changed_counts(adjacency).into())
    }

    /// `counts`·ε₀, the ε at δ = 0 of one client's own bits where `counts` counts change.
    pub(crate) fn local_epsilon_of_counts(&self, counts: u64) -> Rational {
        self.epsilon0.value() * &Rational::from(counts)
    }

    /// The ε at δ: an upper bound for every dataset of the others, a lower one attained by one.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9.
    pub fn epsilon(&self, delta: &Delta, adjacency: Adjacency) -> Result<EpsilonBounds> {
        let local = self.local_epsilon(adjacency);
        if delta.value().is_zero() {
            // The outcome in which no bit is flipped has the ratio e^ε of the client alone.
            return Ok(EpsilonBounds { upper: local.clone(), lower: local });
        }
        let target = float_below(delta)?;
        let attained = self.attained(depth_for(target), adjacency)?;
        let curve = self.curve(depth_for(target))?;
        Ok(EpsilonBounds {
            upper: certified_epsilon(target, &local, |alpha| curve.at(adjacency, alpha)),
            lower: refuted_epsilon(target, &local, |alpha| attained.delta(alpha)),
        })
    }

    /// Upper bound on the ε at δ where `counts` counts change, in one release or in several. Each
    /// release is the sum of these clients' bits, randomized anew. It holds for every dataset of
    /// the others in every release, which may depend on earlier releases.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9, or the number of counts is 0 or above 2^22.
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Rational> {
        check("counts", counts, MAX_COUNTS)?;
        let local = self.local_epsilon_of_counts(counts);
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = float_below(delta)?;
        let curve = self.curve(depth_for(target))?;
        Ok(pair_product::epsilon(&curve, counts, target, &local))
    }

    /// The pair that an accountant composes, once for each changed count: two under replacement,
    /// one under deletion.
    #[must_use]
    pub fn dominating_pair(&self, adjacency: Adjacency) -> DominatingPair {
        let counts = changed_counts(adjacency);
        // The others' bits do not depend on the client's own, whose loss is the largest.
        let largest = self.epsilon0().value().clone();
        let pairs = || {
            let depth = COMPOSED_DEPTH;
            let curve = self.bits(depth, &self.flip, COMPOSED_SHARE).curve();
            let (flip, others) = (&self.flip, self.clients - 1);
            let attained = HockeyStick::new(flip, flip, 0, others, depth);
            let (Some(curve), Some(attained)) = (curve, attained) else {
                return Err(unresolved(&self.epsilon0));
            };
            Ok([curve.outcomes()?, attained_outcomes(&attained)?])
        };
        DominatingPair::new(counts, largest, pairs)
    }

    /// Why the bounds that [`Self::epsilon`] gives at δ hold.
    #[must_use]
    pub fn certificate(&self, delta: &Delta) -> String {
        format!(
            "The counts of the other clients are bounded by one pair of laws that dominates those of \
             every dataset, with every rounding outward: epsilon_upper is enough. Where all other \
             clients hold the client's value, delta exceeds {delta} at every epsilon below \
             epsilon_lower."
        )
    }

    /// One count among the other clients' randomized bits, with a protected bit of odds `own` and
    /// tails to e^−`depth`. `share` is a factor on the usual looseness of the envelope.
    pub(crate) fn bits<'a>(
        &'a self,
        depth: f64,
        own: &'a BitOdds,
        share: f64,
    ) -> RandomizedBits<'a> {
        RandomizedBits { flip: &self.flip, own, others: self.clients - 1, depth, share }
    }

    /// Upper bound on the curve of one changed count, for every dataset of the other clients. `Err`
    /// if floats do not hold tails to e^−`depth`.
    pub(crate) fn curve(&self, depth: f64) -> Result<DominatingCurve> {
        let curve = self.bits(depth, &self.flip, 1.0).curve();
        curve.ok_or_else(|| unresolved(&self.epsilon0))
    }

    /// Lower bound on δ, attained where all other clients hold the removed value. `Err` if floats
    /// do not hold tails to e^−`depth`.
    fn attained(&self, depth: f64, adjacency: Adjacency) -> Result<AttainedDelta<'_>> {
        let attained = AttainedDelta::new(&self.flip, self.clients - 1, adjacency, depth);
        attained.ok_or_else(|| unresolved(&self.epsilon0))
    }
}
