//! The distribution of a noisy total: randomized answers of clients, and noise of aggregators.
//!
//! Of n clients c hold a one. Their answers are one with probability `held`, others with `other`.
//! Aggregators add k zeros, each one with probability p, and A of them integer noise S each. The
//! total and the estimate of c are
//!
//! ```text
//! Y = Bin(c, held) + Bin(n − c, other) + Bin(k, p) + S₁ + … + S_A,
//! (Y − n·other − k·p)/(held − other),
//! ```
//!
//! without answers Y = c + S₁ + … + S_A itself. The error of the estimate is Y less its mean, times
//! the slope 1/(held − other).
//!
//! Where the sum of d such totals is known without the noise of aggregators, what the noisy totals
//! lack of it is spread equally over all (`docs/calibration.md`, section 9). The sum of k corrected
//! totals errs by ((d − k)·S − k·R)/d, S the noise in these k and R the noise in the d − k others.
//! With g the greatest common divisor of k and d, Y is d/g times that sum, an integer, and the
//! slope a (d/g)-th. As noise is symmetric, the errors of k and of d − k totals have one
//! distribution.

use dp_exact::search::bisect;
use dp_exact::{Rational, directed, elementary};
use num_integer::Integer;

use super::float_noise::FloatNoise;
use super::transform::{RandomBits, TotalDistribution};
use crate::{Error, Result, VectorNoise};

/// An upper bound on the relative rounding error of a tail.
const ROUNDING: f64 = 1e-8;

/// The clients' randomized answers: independent zeros and ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// How many answers the total has; among them zeros that aggregators add, if those are one as
    /// often as the answers of other clients.
    pub reports: u64,
    /// The probability that the answer of a client that holds a one is a one.
    pub held: f64,
    /// The probability that the answer of another client is a one; below `held`.
    pub other: f64,
}

/// A noisy total: the true count or clients' answers, and the noise of aggregators.
///
/// ```
/// use dp_calibration::utility::{Answers, NoisyTotal};
///
/// // A thousand clients, 300 of them with a yes. Every answer is flipped with probability 1/4.
/// let flips = NoisyTotal::of_clients(Answers { reports: 1000, held: 0.75, other: 0.25 });
/// assert!((flips.standard_deviation(300) - (0.75 * 0.25 * 1000.0_f64).sqrt() * 2.0).abs() < 1e-9);
/// let margin = flips.margin(300, &"0.05".parse()?)?;
/// assert!((margin / flips.standard_deviation(300) - 1.96).abs() < 0.04);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyTotal {
    /// Randomized answers; `None` if clients do not randomize.
    answers: Option<Answers>,
    /// How many zeros aggregators add, and the probability that one of them is a one.
    zeros: (u64, f64),
    /// The distribution of each aggregator's noise, and their number, if they add any.
    noise: Option<(VectorNoise, u32)>,
    /// d, the number of totals whose sum is known; 1 if the sum is not used.
    buckets: u64,
    /// k, at most d/2: the sum of k of these totals, or of d − k, is asked for. 0 if d is 1.
    summed: u64,
}

impl NoisyTotal {
    /// Unchanged measurements, to which each of the `aggregators` adds its `noise`.
    #[must_use]
    pub fn of_aggregators(noise: impl Into<VectorNoise>, aggregators: u32) -> Self {
        let noise = Some((noise.into(), aggregators));
        Self { answers: None, zeros: (0, 0.5), noise, buckets: 1, summed: 0 }
    }

    /// Answers of clients, without further noise.
    #[must_use]
    pub const fn of_clients(answers: Answers) -> Self {
        let answers = Some(answers);
        Self { answers, zeros: (0, 0.5), noise: None, buckets: 1, summed: 0 }
    }

    /// The clients' answers, with `zeros` zeros that aggregators add; each is a one with this
    /// probability.
    #[must_use]
    pub fn with_zeros(self, zeros: u64, probability: f64) -> Self {
        Self { zeros: (zeros, probability), ..self }
    }

    /// The clients' answers, to which each of the `aggregators` adds its `noise`.
    #[must_use]
    pub fn with_noise(self, noise: impl Into<VectorNoise>, aggregators: u32) -> Self {
        Self { noise: Some((noise.into(), aggregators)), ..self }
    }

    /// The total with its d-th of what `buckets` = d noisy totals lack of their known sum. All have
    /// independent noise of one distribution. A single total is not corrected.
    #[must_use]
    pub fn with_known_sum(self, buckets: u64) -> Self {
        let buckets = buckets.max(1);
        Self { buckets, summed: 1.min(buckets / 2), ..self }
    }

    /// The sum of `summed` of `buckets` such totals without clients' answers, each corrected by
    /// their known sum. That of all of them is known, and has no error.
    pub(crate) fn sum_with_known_sum(self, summed: u64, buckets: u64) -> Self {
        Self { buckets, summed: summed.min(buckets - summed), ..self }
    }

    /// The answers of clients, if they randomize.
    pub const fn answers(&self) -> Option<&Answers> {
        self.answers.as_ref()
    }

    /// How many zeros aggregators add, and the probability that one of them is a one.
    pub const fn zeros(&self) -> (u64, f64) {
        self.zeros
    }

    /// The standard deviation of the estimate where the true total is `truth`, by all noise.
    #[must_use]
    pub fn standard_deviation(&self, truth: u64) -> f64 {
        self.variance(directed::count(truth)).sqrt() * self.slope()
    }

    /// The least m that the estimate's distance from `truth` exceeds with probability at most
    /// `beta`, to about eight digits. With aggregators' noise alone it is an integer, or of d
    /// totals with a known sum a multiple of 1/d.
    ///
    /// # Errors
    /// If `beta` is outside 1e-30 to 0.999, there are no or more than 2^32 aggregators, or the
    /// scale or the variance of their noise is outside 1e-3 to 1e30 or has more than 2048 bits.
    pub fn margin(&self, truth: u64, beta: &Rational) -> Result<f64> {
        self.margin_of_all(truth, 1, beta)
    }

    /// The least m for which all of `estimates` independent estimates, each where `truth` is the
    /// true total, differ from it by at most m with probability at least 1 − `beta`. For estimates
    /// with a known sum (by the union bound) and for K-norm noise m is large enough, and not the
    /// least: given the half sides of all aggregators the d errors of K-norm noise are independent,
    /// and E[F(m)^d] ≥ (E[F(m)])^d for their distribution function F.
    ///
    /// # Errors
    /// As [`margin`](Self::margin); if `estimates` is 0.
    pub fn margin_of_all(&self, truth: u64, estimates: u64, beta: &Rational) -> Result<f64> {
        let each = self.share(estimates, beta)?;
        Ok(self.quantile(truth, each))
    }

    /// Whether the estimates of `estimates` independent totals, each truly 0, are all within
    /// `bound` of 0 with probability at least 1 − `beta`. `Err` as for
    /// [`margin_of_all`](Self::margin_of_all).
    pub(super) fn is_within(&self, bound: f64, estimates: u64, beta: &Rational) -> Result<bool> {
        let each = self.share(estimates, beta)?;
        Ok(self.tail(0, bound) * (1.0 + ROUNDING) <= each)
    }

    /// How often each of d = `estimates` errors may exceed a bound that all keep with probability 1
    /// − β: 1 − (1 − β)^(1/d) if they are independent, β/d with a known sum. `Err` if a parameter
    /// is out of range.
    fn share(&self, estimates: u64, beta: &Rational) -> Result<f64> {
        Error::check(estimates != 0, "coordinates", 0, "an integer of at least 1")?;
        let scaled = Rational::integer(10).pow(30) * beta;
        Error::check(
            beta.bits() <= 2048 && scaled >= 1 && beta * &Rational::integer(1000) <= 999,
            "beta",
            beta,
            "a number from 1e-30 to 0.999, of at most 2048 bits",
        )?;
        self.check_noise()?;
        let estimates = directed::count(estimates);
        if self.buckets > 1 {
            return Ok(beta.to_f64() / estimates);
        }
        Ok(-elementary::exp_m1(elementary::ln_1p(-beta.to_f64()) / estimates))
    }

    /// `Err` if noise is added by no aggregator, or its scale or variance is not from 1e-3 to 1e30
    /// or has more than 2048 bits. A total without noise passes.
    pub(crate) fn check_noise(&self) -> Result<()> {
        let Some((distribution, aggregators)) = &self.noise else {
            return Ok(());
        };
        Error::check(*aggregators != 0, "aggregators", 0, "an integer of at least 1")?;
        let (name, value) = distribution.parameter();
        let is_in_range = value.bits() <= 2048
            && value * &Rational::integer(1000) >= 1
            && *value <= Rational::integer(10).pow(30);
        Error::check(is_in_range, name, value, "a number from 1e-3 to 1e30, of at most 2048 bits")
    }

    /// The change of the estimate for each one in Y: 1/(held − other), the difference of the
    /// probabilities of a one, or 1 without clients' answers; a (d/g)-th of it with a known sum.
    pub(super) fn slope(&self) -> f64 {
        let share = self.answers.map_or(1.0, |answers| answers.held - answers.other);
        (share * self.scale()).recip()
    }

    /// d/g, by which a corrected total is multiplied to be an integer; 1 if no sum is known.
    pub(super) fn scale(&self) -> f64 {
        directed::count(self.buckets / self.summed.gcd(&self.buckets))
    }

    /// The weights (d − k)/g and k/g of the noise of aggregators in the k totals and in the others,
    /// each with its number of draws; 1 and 0 if no sum is known.
    fn weighted_draws(&self) -> [(f64, f64); 2] {
        let aggregators = self.noise.as_ref().map_or(0, |(_, aggregators)| u64::from(*aggregators));
        if self.summed == 0 {
            return [(1.0, directed::count(aggregators)), (0.0, 0.0)];
        }
        let (inside, outside) = (self.summed, self.buckets - self.summed);
        let divisor = inside.gcd(&outside);
        let draws = |totals: u64| directed::count(totals) * directed::count(aggregators);
        let weight = |totals: u64| directed::count(totals / divisor);
        [(weight(outside), draws(inside)), (weight(inside), draws(outside))]
    }

    /// The variance of Y where `truth` clients hold a one.
    pub(super) fn variance(&self, truth: f64) -> f64 {
        let of_bits: f64 = self.split(truth).iter().map(RandomBits::variance).sum();
        let of_draw = self.noise.as_ref().map_or(0.0, |(distribution, _)| {
            elementary::powi(distribution.standard_deviation(), 2)
        });
        let draws: f64 =
            self.weighted_draws().iter().map(|(weight, draws)| weight * weight * draws).sum();
        elementary::powi(self.scale(), 2) * of_bits + draws * of_draw
    }

    /// The estimate of the true count from Y: with y = Y·g/d it is (y − n·`other` − zeros·p)/(held
    /// − other), or y without answers.
    pub(super) fn estimate(&self, total: f64) -> f64 {
        match self.answers {
            Some(answers) => {
                let of_zeros = directed::count(self.zeros.0) * self.zeros.1;
                let mean = directed::count(answers.reports) * answers.other + of_zeros;
                (total - mean * self.scale()) * self.slope()
            }
            None => total / self.scale(),
        }
    }

    /// The bits of `truth` clients that hold a one, of the other clients, and the zeros that
    /// aggregators add; `truth` is clamped to the number of reports. No bits where clients do not
    /// randomize.
    fn split(&self, truth: f64) -> [RandomBits; 3] {
        let bits = |count, probability| RandomBits { count, probability };
        let zeros = bits(directed::count(self.zeros.0), self.zeros.1);
        match self.answers {
            Some(Answers { reports, held, other }) => {
                let reports = directed::count(reports);
                let truth = truth.clamp(0.0, reports);
                [bits(truth, held), bits(reports - truth, other), zeros]
            }
            None => [bits(0.0, 0.5), bits(0.0, 0.5), zeros],
        }
    }

    /// The distribution of Y where `truth` clients hold a one. Without clients' answers, it is the
    /// distribution of Y less d times `truth`, the aggregators' noise alone.
    pub(super) fn distribution(&self, truth: f64) -> TotalDistribution {
        let noise = self.noise.as_ref().map(|(distribution, _)| FloatNoise::of(distribution));
        let (bits, draws) = (self.split(truth), self.weighted_draws());
        TotalDistribution::new(bits, noise, draws, self.variance(truth))
    }

    /// The probability that the estimate differs from `truth` by more than `bound`, by floats.
    pub(super) fn tail(&self, truth: u64, bound: f64) -> f64 {
        let distribution = self.distribution(directed::count(truth));
        beyond(&distribution, bound / self.slope() * (1.0 + 1e-12))
    }

    /// The least distance from `truth` that the estimate exceeds with probability at most `beta`,
    /// by floats; it is not below 0.
    pub(crate) fn quantile(&self, truth: u64, beta: f64) -> f64 {
        let distribution = self.distribution(directed::count(truth));
        let mean = distribution.mean();
        let deviation = distribution.variance.sqrt();
        let is_enough =
            |reach: f64| beyond(&distribution, reach * (1.0 + 1e-12)) * (1.0 + ROUNDING) <= beta;
        // Distances that Y has: upward and downward from the mean.
        let (up, down) = (mean.ceil() - mean, mean - mean.floor());
        let least = |first: f64| {
            let (low, mut high) = (-1.0, deviation.floor() + 1.0);
            while !is_enough(first + high) {
                high *= 2.0;
            }
            first + bisect(low, high, whole_midpoint(1.0), |reach| is_enough(first + reach)).1
        };
        let upward = least(up);
        let either = if up == down { upward } else { upward.min(least(down)) };
        either.max(0.0) * self.slope()
    }
}

impl RandomBits {
    /// The variance of the number of ones.
    fn variance(&self) -> f64 {
        self.count * self.probability * (1.0 - self.probability)
    }
}

/// P(|Y − E(Y)| > `reach`) for a total Y of this distribution.
fn beyond(distribution: &TotalDistribution, reach: f64) -> f64 {
    if reach < 0.0 {
        return 1.0;
    }
    let mean = distribution.mean();
    let above = distribution.tail((mean + reach).floor() + 1.0, 1.0);
    let below = distribution.tail((mean - reach).ceil() - 1.0, -1.0);
    (above + below).min(1.0)
}

/// Makes a function for bisection: the integer half way between two floats, rounded down; `None` if
/// they are at most `apart` from each other, or that integer is not strictly between them.
pub(super) fn whole_midpoint(apart: f64) -> impl Fn(&f64, &f64) -> Option<f64> {
    move |low, high| {
        let middle = f64::midpoint(*low, *high).floor();
        (high - low > apart && *low < middle && middle < *high).then_some(middle)
    }
}
