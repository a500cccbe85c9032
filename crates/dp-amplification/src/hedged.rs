//! Hedging: clients randomize their bits **and** aggregators add noise.
//!
//! Every client flips each bit of its one-hot vector with probability p = 1/(e^ε₀ + 1), and every
//! aggregator adds discrete Gaussian or discrete Laplace noise to each count. One count is then the
//! client's own bit plus M, the sum of the honest others' bits and of the honest aggregators'
//! noise. M is log-concave, so that the curve of one count has a closed form. It is bounded for
//! **every** dataset of the others, and composed over the counts that change, with every float
//! rounded outward (`docs/hedging.md`).

mod aggregator_noise;
mod joint_curve;
#[cfg(test)]
mod tests;

use dp_calibration::for_amplification::DominatingPair;
use dp_calibration::{Adjacency, NoiseDistribution, Refusal, Result};
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding};

use self::joint_curve::JointBits;
use crate::accepted_ranges::{
    DIGITS, MAX_COUNTS, changed_counts, check, check_noise, depth_for, float_below,
};
use crate::aggregated_rappor::{AggregatedRappor, DroppingBounds};
use crate::attained_delta::{COMPOSED_DEPTH, attained_outcomes};
use crate::epsilon_search::largest_loss;
use crate::pair_product;

/// The most honest aggregators whose noise a [`Hedged`] adds up.
const MAX_AGGREGATORS: u64 = 64;

/// The noisy sum of n honest clients' randomized one-hot vectors.
///
/// ```
/// use dp_calibration::NoiseDistribution;
/// use dp_amplification::hedged::Hedged;
///
/// let variance = "547.167".parse()?; // 23.3916²
/// let noise = NoiseDistribution::DiscreteGaussian { variance };
/// let epsilon = |clients| {
///     let sum = Hedged::new("5".parse()?, clients, noise.clone(), 1)?;
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
pub struct Hedged {
    rappor: AggregatedRappor,
    noise: NoiseDistribution,
    honest_aggregators: u32,
}

impl Hedged {
    /// The sum over `clients` honest clients, the protected one among them, with the noise of
    /// `honest_aggregators`. Other noise does not count.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, there are no clients or more than 10^10, not from 1 to 64
    /// honest aggregators, or the noise is out of its range or of more than 2048 bits.
    pub fn new(
        epsilon0: Epsilon,
        clients: u64,
        noise: NoiseDistribution,
        honest_aggregators: u32,
    ) -> Result<Self> {
        check_noise(&noise)?;
        check("honest_aggregators", honest_aggregators.into(), MAX_AGGREGATORS)?;
        Ok(Self { rappor: AggregatedRappor::new(epsilon0, clients)?, noise, honest_aggregators })
    }

    /// Upper bound on the ε at δ of bits and noise together where `counts` counts change: two in a
    /// release under replacement, one under deletion. Several releases draw bits and noise anew.
    /// The bound holds for every dataset of the others in every release, which may depend on
    /// earlier results. `None` where the joint distribution takes too long, because bits and noise
    /// are both spread over thousands: then the guarantees of the bits and of the noise are left.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9, or `counts` is 0 or above 2^22.
    pub fn epsilon_of_counts(&self, delta: &Delta, counts: u64) -> Result<Option<Rational>> {
        check("counts", counts, MAX_COUNTS)?;
        let pure = self.pure(counts)?;
        if delta.value().is_zero() {
            return Ok(Some(pure));
        }
        let target = float_below(delta)?;
        let Some(curve) = self.joint(depth_for(target)).and_then(|joint| joint.curve()) else {
            return Ok(None);
        };
        Ok(Some(pair_product::epsilon(&curve, counts, target, &pure)))
    }

    /// Upper bound on the ε at δ of bits and noise together in one release, where reports of
    /// `length` bits with more than `max_weight` ones are visibly dropped. Inputs are one-hot
    /// vectors (zero if deleted). `None` where the joint distribution takes too long.
    ///
    /// # Errors
    /// If δ is not between 1e-60 and 0.9, or the length not from 1 to 2^20.
    pub fn epsilon_with_drops(
        &self,
        delta: &Delta,
        adjacency: Adjacency,
        length: u64,
        max_weight: u64,
    ) -> Result<Option<DroppingBounds>> {
        let local = self.rappor.local_epsilon(adjacency);
        let (rappor, noise) = (&self.rappor, (&self.noise, self.honest_aggregators));
        let depth = depth_for(float_below(delta)?);
        rappor.dropping(delta, adjacency, [length, max_weight], &local, |clients, own| {
            let joint = JointBits::new([&rappor.flip, own], clients - 1, noise, depth);
            Ok(joint.and_then(|joint| joint.curve()))
        })
    }

    /// The pair that an accountant composes, once for each changed count: two under replacement,
    /// one under deletion. Its upper side dominates every dataset of the others; its lower side is
    /// attained where all others hold the removed value.
    ///
    /// Where the joint distribution takes too long, the pair keeps that refusal. Compose the bits
    /// or the noise alone then: either guarantee holds.
    #[must_use]
    pub fn dominating_pair(&self, adjacency: Adjacency) -> DominatingPair {
        let counts = changed_counts(adjacency);
        // No loss is larger than the own bit's, which Laplace noise makes smaller.
        let too_long = || {
            let change = "take fewer clients, or compose the bits or the noise alone: either guarantee holds";
            Refusal::not_available("the distribution of bits and noise together", change)
        };
        let pairs = || {
            let joint = self.joint(COMPOSED_DEPTH).ok_or_else(too_long)?;
            let curve = joint.curve().ok_or_else(too_long)?;
            let attained = joint.count(0, joint.others).ok_or_else(too_long)?;
            Ok([curve.outcomes()?, attained_outcomes(&attained)?])
        };
        // ε₀ is an upper bound as well, where no precision encloses the logarithm.
        let largest = self.pure(1).unwrap_or_else(|_| self.rappor.epsilon0().value().clone());
        DominatingPair::new(counts, largest, pairs)
    }

    /// One count, others' bits and aggregators' noise, with tails to e^−`depth`, if floats hold it.
    fn joint(&self, depth: f64) -> Option<JointBits<'_>> {
        let (flip, others) = (&self.rappor.flip, self.rappor.clients() - 1);
        JointBits::new([flip, flip], others, (&self.noise, self.honest_aggregators), depth)
    }

    /// The ε at δ = 0: `counts` times the largest loss of a count, which is ε₀ with Gaussian noise.
    /// With Laplace noise of scale t it is ln((E + r)/(1 + E·r)), E = e^ε₀ and r = e^(−1/t), and
    /// the ε is rounded up to 12 digits, but at most `counts`·ε₀.
    fn pure(&self, counts: u64) -> Result<Rational> {
        let local = self.rappor.local_epsilon_of_counts(counts);
        let NoiseDistribution::DiscreteLaplace { scale } = &self.noise else {
            return Ok(local);
        };
        let loss = largest_loss(|precision| {
            let one = Interval::integer(1, precision);
            let e = Interval::rational(self.rappor.epsilon0().value(), precision).exp()?;
            let r = Interval::rational(&-scale.reciprocal()?, precision).exp()?;
            (&e + &r).checked_div(&(&one + &(&e * &r)))
        })?;
        let all = (loss * &Rational::from(counts)).round_to_digits(DIGITS, Rounding::Up);
        Ok(all.min(local))
    }
}
