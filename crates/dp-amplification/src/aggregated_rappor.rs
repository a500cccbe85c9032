//! Aggregated RAPPOR: randomized bits that hide in a sum, and noise of aggregators beside them.
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
//!
//! Hedging: every aggregator adds discrete Gaussian or discrete Laplace noise to each count as
//! well. One count is then the client's own bit plus M, the sum of the honest others' bits and of
//! the honest aggregators' noise. M is log-concave, so that the curve of one count has a closed
//! form; it is bounded for every dataset of the others too (`docs/hedging.md`).

// DIFFERENCE from draft-wang §6.1.1.1: ε is the certified divergence, below the ε of Rényi orders.

mod aggregator_noise;
mod dropped_reports;
mod joint_curve;
mod own_report;
#[cfg(test)]
mod tests;

use dp_calibration::for_amplification::DominatingPair;
use dp_calibration::{Adjacency, Error, NoiseDistribution, Refusal, Result};
use dp_exact::directed::count;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary};

pub use self::dropped_reports::{DroppingBounds, RemainingClients};
use self::joint_curve::JointBits;
use crate::accepted_ranges::{
    DIGITS, MAX_CLIENTS, MAX_COUNTS, changed_counts, check, check_noise, depth_for, float_below,
    unresolved,
};
use crate::attained_delta::{AttainedDelta, COMPOSED_DEPTH, COMPOSED_SHARE, attained_outcomes};
use crate::bit_odds::BitOdds;
use crate::dataset_envelope::RandomizedBits;
use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::{EpsilonBounds, certified_epsilon, largest_loss, refuted_epsilon};
use crate::hockey_stick::HockeyStick;
use crate::pair_product;

/// The most coordinates that may change between inputs of several ones.
const MAX_CHANGED: u64 = 1 << 20;

/// The largest length d of a vector.
const MAX_LENGTH: u64 = 1 << 20;

/// Noise of a variance below this share of the bits' variance is left out of a curve: ε is then at
/// most about 0.005 % larger.
const NEGLIGIBLE_NOISE: f64 = 1e-4;

/// The most honest aggregators whose noise is added up.
const MAX_AGGREGATORS: u64 = 64;

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

/// The sum of n honest clients' one-hot vectors under symmetric RAPPOR with parameter ε₀, and the
/// noise of honest aggregators, if there is any.
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
///
/// With the noise of one aggregator:
///
/// ```
/// use dp_calibration::NoiseDistribution;
/// use dp_amplification::aggregated_rappor::AggregatedRappor;
///
/// let variance = "547.167".parse()?; // 23.3916²
/// let noise = NoiseDistribution::DiscreteGaussian { variance };
/// let epsilon = |clients| {
///     let sum = AggregatedRappor::new("5".parse()?, clients)?.with_noise(Some((&noise, 1)))?;
///     sum.epsilon_of_counts(&"1e-9".parse()?, 2)
/// };
///
/// // Most clients and one aggregator are honest:
/// assert!(epsilon(100_000)?.expect("a bound").to_f64() < 0.2115);
/// // One aggregator is honest, all other clients may collude:
/// assert!(epsilon(1)?.expect("a bound").to_f64() < 0.317);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AggregatedRappor {
    epsilon0: Epsilon,
    clients: u64,
    pub(crate) flip: BitOdds,
    /// The noise of each honest aggregator on every count, and their number; `None` without noise.
    noise: Option<(NoiseDistribution, u32)>,
}

impl AggregatedRappor {
    /// The sum over `clients` honest clients, the protected one among them.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, or there are no clients or more than 10^10.
    pub fn new(epsilon0: Epsilon, clients: u64) -> Result<Self> {
        check("clients", clients, MAX_CLIENTS)?;
        let flip = BitOdds::new(&epsilon0)?;
        Ok(Self { epsilon0, clients, flip, noise: None })
    }

    /// The sum with this noise of each of several honest aggregators on every count, or as it is
    /// for `None`. The noise of other aggregators does not count.
    ///
    /// # Errors
    /// If there are not from 1 to 64 honest aggregators, or the noise is out of its range or of
    /// more than 2048 bits.
    pub fn with_noise(self, noise: Option<(&NoiseDistribution, u32)>) -> Result<Self> {
        if let Some((noise, honest_aggregators)) = noise {
            check_noise(noise)?;
            check("honest_aggregators", honest_aggregators.into(), MAX_AGGREGATORS)?;
        }
        Ok(Self { noise: noise.map(|(noise, aggregators)| (noise.clone(), aggregators)), ..self })
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
    fn local_epsilon_of_counts(&self, counts: u64) -> Rational {
        self.epsilon0.value() * &Rational::from(counts)
    }

    /// The ε at δ = 0 of bits and noise together: `counts` times the largest loss of a count, which
    /// is ε₀ without noise and with Gaussian noise. With Laplace noise of scale t it is ln((E +
    /// r)/(1 + E·r)), E = e^ε₀ and r = e^(−1/t), and the ε is rounded up to 12 digits, but at most
    /// `counts`·ε₀.
    fn pure(&self, counts: u64) -> Result<Rational> {
        let local = self.local_epsilon_of_counts(counts);
        let Some((NoiseDistribution::DiscreteLaplace { scale }, _)) = &self.noise else {
            return Ok(local);
        };
        let loss = largest_loss(|precision| {
            let one = Interval::integer(1, precision);
            let e = Interval::rational(self.epsilon0.value(), precision).exp()?;
            let r = Interval::rational(&-scale.reciprocal()?, precision).exp()?;
            (&e + &r).checked_div(&(&one + &(&e * &r)))
        })?;
        let all = (loss * &Rational::from(counts)).round_to_digits(DIGITS, Rounding::Up);
        Ok(all.min(local))
    }

    /// The ε at δ of the bits, whatever aggregators add: an upper bound for every dataset of the
    /// others, a lower one attained by one where there is no noise.
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
        let curve = self.bits(depth_for(target), 1.0).curve();
        let curve = curve.ok_or_else(|| unresolved(&self.epsilon0))?;
        Ok(EpsilonBounds {
            upper: certified_epsilon(target, &local, |alpha| curve.at(adjacency, alpha)),
            lower: refuted_epsilon(target, &local, |alpha| attained.delta(alpha)),
        })
    }

    /// Upper bound on the ε at δ of bits and noise together where `counts` counts change: two in a
    /// release under replacement, one under deletion. Several releases draw bits and noise anew.
    /// The bound holds for every dataset of the others in every release, which may depend on
    /// earlier releases. Noise of next to no variance beside the bits is left out. `None` where
    /// bits and noise together take too long, because both are spread over thousands: then the
    /// guarantees of the bits and of the noise are left. Without noise there is a bound.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9, or the number of counts is 0 or above 2^22.
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Option<Rational>> {
        check("counts", counts, MAX_COUNTS)?;
        let pure = self.pure(counts)?;
        if delta.value().is_zero() {
            return Ok(Some(pure));
        }
        let target = float_below(delta)?;
        let curve = self.curve(self.clients, &self.flip, depth_for(target))?;
        Ok(curve.map(|curve| pair_product::epsilon(&curve, counts, target, &pure)))
    }

    /// [`Self::epsilon_of_counts`] of a sum without noise.
    pub(crate) fn epsilon_without_noise(&self, delta: &Delta, counts: u64) -> Result<Rational> {
        let bound = self.epsilon_of_counts(delta, counts)?;
        Ok(bound.expect("there is a bound without noise"))
    }

    /// The pair that an accountant composes, once for each changed count: two under replacement,
    /// one under deletion. Its upper side dominates every dataset of the others; its lower side is
    /// attained where all others hold the removed value.
    ///
    /// Where bits and noise together take too long, the pair keeps that refusal. Compose the bits
    /// or the noise alone then: either guarantee holds.
    #[must_use]
    pub fn dominating_pair(&self, adjacency: Adjacency) -> DominatingPair {
        let counts = changed_counts(adjacency);
        let too_long = || {
            let change = "take fewer clients, or compose the bits or the noise alone: either guarantee holds";
            Refusal::not_available("the distribution of bits and noise together", change)
        };
        let pairs = || {
            let depth = COMPOSED_DEPTH;
            let (curve, attained) = if self.noise.is_some() {
                let joint = self.joint(self.clients, &self.flip, depth).ok_or_else(too_long)?;
                let attained = joint.count(0, self.clients - 1);
                joint.curve().zip(attained).ok_or_else(too_long)?
            } else {
                let (flip, others) = (&self.flip, self.clients - 1);
                let attained = HockeyStick::new(flip, flip, 0, others, depth);
                let pair = self.bits(depth, COMPOSED_SHARE).curve().zip(attained);
                pair.ok_or_else(|| unresolved(&self.epsilon0))?
            };
            Ok([curve.outcomes()?, attained_outcomes(&attained)?])
        };
        // No loss is larger than the own bit's, which Laplace noise makes smaller. ε₀ is an upper
        // bound as well, where no precision encloses the logarithm.
        let largest = self.pure(1).unwrap_or_else(|_| self.epsilon0.value().clone());
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

    /// One count among the other clients' randomized bits, with tails to e^−`depth`. `share` is a
    /// factor on the usual looseness of the envelope.
    pub(crate) fn bits(&self, depth: f64, share: f64) -> RandomizedBits<'_> {
        let (flip, others) = (&self.flip, self.clients - 1);
        RandomizedBits { flip, own: flip, others, depth, share }
    }

    /// One count with noise among `clients` clients, of a protected bit with the odds `own`, with
    /// tails to e^−`depth`. `None` without noise, or if floats do not hold it.
    fn joint<'a>(&'a self, clients: u64, own: &'a BitOdds, depth: f64) -> Option<JointBits<'a>> {
        let (noise, honest_aggregators) = self.noise.as_ref()?;
        JointBits::new([&self.flip, own], clients - 1, (noise, *honest_aggregators), depth)
    }

    /// Upper bound on the curve of one changed count among `clients` clients, for every dataset, of
    /// a protected bit with the odds `own`. `None` where bits and noise together take too long.
    /// `Err` if floats do not hold tails of the bits to e^−`depth`.
    pub(crate) fn curve(
        &self,
        clients: u64,
        own: &BitOdds,
        depth: f64,
    ) -> Result<Option<DominatingCurve>> {
        if self.noise.as_ref().is_some_and(|noise| self.is_noise_relevant(noise, clients)) {
            return Ok(self.joint(clients, own, depth).and_then(|joint| joint.curve()));
        }
        // The bits alone: noise that is added to a count hides no less.
        let bits = RandomizedBits { own, others: clients - 1, ..self.bits(depth, 1.0) };
        bits.curve().ok_or_else(|| unresolved(&self.epsilon0)).map(Some)
    }

    /// Whether this noise of each of several aggregators together has more than
    /// [`NEGLIGIBLE_NOISE`] of the variance of the randomized bits of `clients` clients. Floats may
    /// decide it: both answers are followed by a bound.
    fn is_noise_relevant(
        &self,
        (noise, aggregators): &(NoiseDistribution, u32),
        clients: u64,
    ) -> bool {
        let bits = count(clients) * self.flip.p * (1.0 - self.flip.p);
        let noise = f64::from(*aggregators) * elementary::powi(noise.standard_deviation(), 2);
        noise > NEGLIGIBLE_NOISE * bits
    }

    /// Lower bound on δ of the bits, attained where all other clients hold the removed value. `Err`
    /// if floats do not hold tails to e^−`depth`.
    fn attained(&self, depth: f64, adjacency: Adjacency) -> Result<AttainedDelta<'_>> {
        let attained = AttainedDelta::new(&self.flip, self.clients - 1, adjacency, depth);
        attained.ok_or_else(|| unresolved(&self.epsilon0))
    }
}
