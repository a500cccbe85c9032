//! Aggregated k-ary randomized response: randomized answers that hide in a histogram.
//!
//! Every one of n honest clients answers with its own one of k values with probability
//! E/(E + k − 1), E = e^ε₀, and with each other one with 1/(E + k − 1). Only the histogram of the
//! answers is seen, which at least one honest aggregator ensures; one client's value is replaced.
//!
//! **From above, for every dataset of the others**: an adversary that knows which of the others
//! answered truthfully is left with uniform answers that hide the client (Balle, Bell, Gascón,
//! Nissim 2019, *The Privacy Blanket of the Shuffle Model*). **From below**, by the dataset in
//! which all others hold one third value. Both are mixtures of fair binomials, with every float
//! rounded outward (`docs/aggregated-responses.md`).

mod expected_excess;
mod gaussian_noise;
mod mixture;
mod other_answers;
mod own_answer;

use dp_calibration::{Adjacency, Error, NoiseDistribution, Result};
use dp_exact::directed::{Bounds, add_down, add_up, count, div_down, div_up};
use dp_exact::search::bisect_floats;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary};

use self::expected_excess::BoundSide;
use self::mixture::AnswerMixture;
use self::own_answer::OwnAnswer;
use crate::accepted_ranges::{
    BELOW_DELTA, DIGITS, MAX_CLIENTS, MAX_COUNTS, check, check_noise, depth_for, float_below,
    unresolved,
};
use crate::aggregated_rappor::AggregatedRappor;
use crate::bit_odds::BitOdds;
use crate::dominating_curve::DominatingCurve;
use crate::epsilon_search::{EpsilonBounds, certified_epsilon, largest_loss, refuted_epsilon};
use crate::pair_product::{self, negligible};

/// The number of pieces of the curve of one release; each end takes a sum over all blocks.
const CURVE: u64 = 160;

/// The largest number k of answers to choose from.
const MAX_ANSWERS: u64 = u32::MAX as u64;

/// The histogram of n honest clients' answers under k-ary randomized response with parameter ε₀.
///
/// Two batches are neighbours if one client's value is replaced.
///
/// ```
/// use dp_amplification::aggregated_response::AggregatedResponse;
///
/// let histogram = AggregatedResponse::new("3".parse()?, 5, 10_000)?;
/// let epsilon = histogram.epsilon(&"1e-6".parse()?)?;
/// assert!(epsilon.upper.to_f64() < 0.21027 && epsilon.lower.to_f64() > 0.21025);
/// // Nobody else is honest:
/// assert_eq!(*histogram.local_epsilon(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct AggregatedResponse {
    epsilon0: Epsilon,
    answers: u64,
    clients: u64,
    /// Enclosure of e^ε₀.
    e: Bounds,
}

/// The parameters of a histogram of answers.
#[derive(Clone, Copy, Debug)]
struct ResponseParameters {
    /// E, a bound on e^ε₀: from above for an upper bound on δ, from below for a lower one.
    e: f64,
    /// k, the number of answers to choose from, at least 3.
    answers: u64,
    /// n, the number of honest clients.
    clients: u64,
}

impl ResponseParameters {
    /// Enclosure of the odds `numerator`/(E + `plus`), of probability `numerator`/(E + `plus` +
    /// `numerator`), with E the field `e`; 0 for a `numerator` of 0.
    fn odds(&self, numerator: u64, plus: f64) -> Bounds {
        let numerator = count(numerator);
        if numerator <= 0.0 {
            return Bounds { lower: 0.0, upper: 0.0 };
        }
        Bounds {
            lower: div_down(numerator, add_up(self.e, plus)),
            upper: div_up(numerator, add_down(self.e, plus)),
        }
    }

    /// Enclosure of 2/(E + k − 3), the odds that a client with a third value answers one of the
    /// two.
    fn of_the_two(&self) -> Bounds {
        self.odds(2, count(self.answers) - 3.0)
    }
}

impl AggregatedResponse {
    /// The answers of `clients` honest clients, the protected one included, of `answers` values.
    ///
    /// # Errors
    /// If ε₀ is not between 1e-6 and 100, there are fewer than 2 answers or more than 2^32 − 1, or
    /// there are no clients or more than 10^10.
    pub fn new(epsilon0: Epsilon, answers: u64, clients: u64) -> Result<Self> {
        let accepted = "an integer from 2 to 4294967295";
        Error::check((2..=MAX_ANSWERS).contains(&answers), "answers", answers, accepted)?;
        check("clients", clients, MAX_CLIENTS)?;
        let e = BitOdds::new(&epsilon0)?.e;
        Ok(Self { epsilon0, answers, clients, e })
    }

    /// The guarantee of the client alone, which holds whatever the others do: ε₀, with δ = 0.
    #[must_use]
    pub fn local_epsilon(&self) -> &Rational {
        self.epsilon0.value()
    }

    /// The ε at δ: an upper bound for every dataset of the others, a lower one attained by one.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9.
    pub fn epsilon(&self, delta: &Delta) -> Result<EpsilonBounds> {
        if let Some(bit) = self.bit()? {
            return bit.epsilon(delta, Adjacency::Deletion);
        }
        let local = self.local_epsilon();
        if delta.value().is_zero() {
            // If everybody answers with the client's value, the likelihood ratio is e^ε₀.
            return Ok(EpsilonBounds { upper: local.clone(), lower: local.clone() });
        }
        let target = float_below(delta)?;
        let third = self.mixture(BoundSide::Lower, depth_for(target))?;
        let upper = self.mixture(BoundSide::Upper, depth_for(target))?;
        Ok(EpsilonBounds {
            upper: certified_epsilon(target, local, |alpha| upper.delta(alpha)),
            lower: refuted_epsilon(target, local, |alpha| third.delta(alpha)),
        })
    }

    /// Upper bound on the ε at δ for every dataset of the others, where one honest aggregator adds
    /// `noise` to every count: answers and noise together. At δ = 0 with discrete Laplace noise it
    /// is exact, for one client.
    ///
    /// The own answer and the noise hide the client alone, whatever the others do. With discrete
    /// Gaussian noise up to a σ² of some 10⁵ the others' answers count as well, for three answers
    /// or more. `None` where no joint bound is computed: wider Gaussian noise, and Gaussian noise
    /// at δ =
    /// 0. Where noise is little next to an aggregation of more than some 10⁴ answers of two values,
    /// fewer clients are counted on, and the bound may be more than [`Self::epsilon`].
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9, or the noise is out of its range or of more
    /// than 2048 bits.
    pub fn epsilon_with_noise(
        &self,
        delta: &Delta,
        noise: &NoiseDistribution,
    ) -> Result<Option<Rational>> {
        check_noise(noise)?;
        let local = match noise {
            NoiseDistribution::DiscreteLaplace { scale } => self.largest_noisy_loss(scale)?,
            NoiseDistribution::DiscreteGaussian { .. } if delta.value().is_zero() => {
                return Ok(None);
            }
            NoiseDistribution::DiscreteGaussian { .. } => self.local_epsilon().clone(),
        };
        if delta.value().is_zero() {
            return Ok(Some(local));
        }
        let (target, parameters) = (float_below(delta)?, self.parameters(self.e.upper));
        let depth = depth_for(target);
        let own = OwnAnswer::new(parameters, noise, depth)
            .map(|own| certified_epsilon(target, &local, |alpha| own.delta(alpha)));
        let NoiseDistribution::DiscreteGaussian { variance } = noise else {
            return Ok(Some(own.unwrap_or(local)));
        };
        let among = self.answers > 2 && (self.clients > 1 || own.is_none());
        let among = among.then(|| gaussian_noise::mixture(parameters, variance, depth)).flatten();
        let among =
            among.map(|mixture| certified_epsilon(target, &local, |alpha| mixture.delta(alpha)));
        Ok(own.into_iter().chain(among).min())
    }

    /// ln[(E/r + (k − 1)·r)/(1/r + E·r + (k − 2)·r)], r = e^(−1/t), rounded up to 12 digits, at
    /// most ε₀: the largest privacy loss of one client's answer and discrete Laplace noise of this
    /// `scale` t on every count.
    fn largest_noisy_loss(&self, scale: &Rational) -> Result<Rational> {
        let loss = largest_loss(|precision| {
            let others = Interval::integer(self.answers - 2, precision);
            let exp = |exponent: Rational| Interval::rational(&exponent, precision).exp();
            // Both sides times r: with r² = e^(−2/t).
            let (e, rate) = (exp(self.epsilon0.value().clone())?, scale.reciprocal()?);
            let square = exp(-(&rate + &rate))?;
            let one = Interval::integer(1, precision);
            let more = &e + &((&others + &one) * &square);
            more.checked_div(&(&one + &((&e + &others) * &square)))
        })?;
        Ok(loss.round_to_digits(DIGITS, Rounding::Up).min(self.local_epsilon().clone()))
    }

    /// An ε at δ of `releases` histograms of these clients, who randomize their answers anew for
    /// each: for every dataset of the others in every release.
    ///
    /// Whatever was released before, the histogram of the next release is dominated by one pair for
    /// every dataset of the others: at α ≥ 1 the bound of this module holds for both directions of
    /// a replacement, and the supremum over datasets is convex in α. Products dominate.
    ///
    /// # Errors
    /// If δ is neither 0 nor between 1e-60 and 0.9, or `releases` is 0 or above 2^22.
    pub fn epsilon_of_releases(&self, delta: &Delta, releases: u32) -> Result<Rational> {
        let times = u64::from(releases);
        check("releases", times, MAX_COUNTS)?;
        if let Some(bit) = self.bit()? {
            return bit.epsilon_without_noise(delta, times);
        }
        let local = self.local_epsilon() * &Rational::from(times);
        if delta.value().is_zero() {
            return Ok(local);
        }
        let target = float_below(delta)?;
        let negligible = negligible(target, times);
        // Tails lie far below what is negligible, which ends the curve.
        let mixture = self.mixture(BoundSide::Upper, BELOW_DELTA - elementary::ln(negligible))?;
        let at = |loss: f64| mixture.delta(elementary::exp(loss));
        let most = elementary::ln(self.e.upper);
        let (_, high) = bisect_floats((0.0, most), 14, |loss| at(loss) <= negligible);
        Ok(match DominatingCurve::sampled(high, CURVE, at) {
            Some(curve) => pair_product::epsilon(&curve, times, target, &local),
            None => local,
        })
    }

    /// The standard deviation of the debiased count of a bucket that nobody holds, by floats.
    ///
    /// An empty bucket gets Bin(n, 1/c) answers, c = e^ε₀ + k − 1, times c/(e^ε₀ − 1).
    #[must_use]
    pub fn standard_deviation_of_empty_bucket(&self) -> f64 {
        let gain = elementary::exp_m1(self.epsilon0.value().to_f64());
        (count(self.clients) * (gain + count(self.answers) - 1.0)).sqrt() / gain
    }

    /// Why the bounds that [`Self::epsilon`] gives at δ hold.
    #[must_use]
    pub fn certificate(&self, delta: &Delta) -> String {
        let third = if self.answers == 2 { "the client's value" } else { "one third value" };
        format!(
            "An adversary that knows which of the others answered truthfully is left with uniform \
             answers that hide the client, whatever the data: epsilon_upper is enough. Where all other \
             clients hold {third}, delta exceeds {delta} at every epsilon below epsilon_lower. Every \
             rounding is outward."
        )
    }

    /// The sum of randomized bits that a histogram of two answers is; `None` with more answers.
    fn bit(&self) -> Result<Option<AggregatedRappor>> {
        let bit = || AggregatedRappor::new(self.epsilon0.clone(), self.clients);
        (self.answers == 2).then(bit).transpose()
    }

    /// A bound on δ as a function of ε on one `side`. An answer at a smaller ε₀ is one at a larger
    /// ε₀ that is replaced by a uniform one with some probability, so that δ grows with E. `Err` if
    /// floats do not hold tails to e^−`depth`.
    fn mixture(&self, side: BoundSide, depth: f64) -> Result<AnswerMixture> {
        let e = match side {
            BoundSide::Lower => self.e.lower,
            BoundSide::Upper => self.e.upper,
        };
        AnswerMixture::new(self.parameters(e), side, depth)
            .ok_or_else(|| unresolved(&self.epsilon0))
    }

    /// The parameters with `e` as the bound on e^ε₀.
    fn parameters(&self, e: f64) -> ResponseParameters {
        ResponseParameters { e, answers: self.answers, clients: self.clients }
    }
}
