//! The error of a noisy answer: standard deviations, quantiles, and bounds that hold for all
//! coordinates at once.
//!
//! For noise X on one coordinate let T(m) = P(|X| > m), m an integer:
//!
//! - discrete Laplace: T(m) = 2q^(m+1)/(1+q), q = e^(−1/t), and Var X = 2q/(1−q)²;
//! - discrete Gaussian: T(m) = 2·Σ_{x > m} e^(−x²/(2σ²))/Z.
//!
//! The noise on d coordinates is independent, so the largest of d errors is at most m with
//! probability (1 − T(m))^d, **exactly**. The union bound d·T(m) is what lecture notes use; for
//! continuous Laplace noise it gives t·ln(d/β). Their example, 10 000 names at ε = 1 with
//! probability 95 %, is ln(200 000) = 12.2 **under add/remove**, where one person changes one count
//! by one. Prio3 replaces: two counts move, t = 2/ε, and the figure doubles.
//!
//! **Every aggregator adds such noise.** The error of a total is the sum S of A independent draws
//! ([`TotalNoise::from_each_of`]), and its tail is exact as well: for Laplace noise a polynomial
//! times q^m (`sums`), for Gaussian noise the distribution of a sum on a lattice
//! (docs/calibration.md, section 2).
//!
//! Quantiles are certified integers. Tails grow with the parameter of the noise, also tails of sums
//! (docs/calibration.md, section 9), so that halving finds the largest parameter for a target
//! accuracy.

mod accuracy;
mod intervals;
mod noisy_total;
mod rappor;
mod sums;
mod transform;

use dp_exact::search::{decimal_midpoint, integer_midpoint, try_bisect};
use dp_exact::{Interval, Rational, Rounding, elementary, refine};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;

use crate::lattice_gaussian::{Divergence, SummedNoise};
use crate::{Error, NoiseDistribution, WorstCaseDifference};

pub use accuracy::{Accuracy, Estimates, NoiseWithin};
pub use intervals::Intervals;
pub use noisy_total::{Answers, NoisyTotal};
pub use rappor::{DebiasedRappor, rappor_clients, rappor_epsilon0};

/// Significant digits of a parameter that is found by a search.
const DIGITS: usize = 12;

/// The noise on one coordinate of a total: the sum of one draw of each aggregator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TotalNoise {
    /// The distribution of each aggregator's draw.
    distribution: NoiseDistribution,
    /// How many aggregators add a draw.
    aggregators: u32,
}

impl TotalNoise {
    /// One draw from this distribution.
    ///
    /// # Errors
    /// If the scale or the variance is not from 1e-3 to 1e30, or has more than 2048 bits.
    pub fn new(distribution: NoiseDistribution) -> Result<Self, Error> {
        let (name, value) = match &distribution {
            NoiseDistribution::DiscreteLaplace { scale } => ("scale", scale),
            NoiseDistribution::DiscreteGaussian { variance } => ("variance", variance),
        };
        let is_in_range = value.bits() <= 2048
            && value * &Rational::integer(1000) >= 1
            && *value <= Rational::integer(10).pow(30);
        if !is_in_range {
            let accepted = "a number from 1e-3 to 1e30, of at most 2048 bits";
            return Err(Error::parameter(name, value, accepted));
        }
        Ok(Self { distribution, aggregators: 1 })
    }

    /// The sum of `aggregators` independent draws of this noise, one from each aggregator.
    ///
    /// ```
    /// use dp_calibration::NoiseDistribution;
    /// use dp_calibration::utility::TotalNoise;
    ///
    /// let noise = TotalNoise::new(NoiseDistribution::DiscreteGaussian { variance: "52".parse()? })?;
    /// let both = noise.clone().from_each_of(2)?;
    /// assert!((noise.standard_deviation() - 7.211).abs() < 1e-3);
    /// assert!((both.standard_deviation() - 10.198).abs() < 1e-3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `aggregators` is not from 1 to 64.
    pub fn from_each_of(self, aggregators: u32) -> Result<Self, Error> {
        if !(1..=64).contains(&aggregators) {
            let accepted = "an integer from 1 to 64";
            return Err(Error::parameter("aggregators", aggregators, accepted));
        }
        Ok(Self { aggregators, ..self })
    }

    /// The standard deviation. For the Gaussian it is a little below σ where σ < 1.
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        f64::from(self.aggregators).sqrt() * deviation(&self.distribution)
    }

    /// P(|X| > `bound`), enclosed.
    ///
    /// # Errors
    /// None in practice; certified computations share one error type.
    pub fn tail(&self, bound: &BigUint) -> Result<Interval, Error> {
        Ok(refine(|precision| self.tail_at(bound, precision.max(128)))?)
    }

    /// P(|X| > `bound`), enclosed with `precision` bits, for the sum X of all draws. `None` if the
    /// precision is too low.
    fn tail_at(&self, bound: &BigUint, precision: u32) -> Option<Interval> {
        let next = BigInt::from(bound.clone()) + 1;
        match &self.distribution {
            NoiseDistribution::DiscreteLaplace { scale } => {
                let tail = sums::laplace_tail(scale, self.aggregators, &next, precision)?;
                Some(tail.shifted(1))
            }
            NoiseDistribution::DiscreteGaussian { variance } => {
                let difference =
                    WorstCaseDifference::new(u64::from(self.aggregators), 1u32).ok()?;
                let epsilon = Rational::one();
                let divergence = Divergence::new(&difference, &epsilon);
                let form = divergence.form(variance, precision)?;
                let distribution = SummedNoise::new(&divergence, variance, form, precision)?;
                distribution.normalized(&distribution.tail(&next)?.shifted(1))
            }
        }
    }

    /// The least m with |X| ≤ m with probability at least 1 − `beta`. Exact.
    ///
    /// # Errors
    /// If `beta` is outside 1e-30 to 0.999.
    pub fn quantile(&self, beta: &Rational) -> Result<BigUint, Error> {
        self.simultaneous(1, beta)
    }

    /// The least m such that all of `coordinates` independent errors are at most m in absolute
    /// value, with probability at least 1 − `beta`. Exact.
    ///
    /// ```
    /// use dp_calibration::NoiseDistribution;
    /// use dp_calibration::utility::TotalNoise;
    ///
    /// // A histogram of 10 000 names at ε = 1: scale 2 under replacement.
    /// let noise = TotalNoise::new(NoiseDistribution::DiscreteLaplace { scale: "2".parse()? })?;
    /// assert_eq!(noise.simultaneous(10_000, &"0.05".parse()?)?, 24u32.into());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If `coordinates` is 0 or `beta` outside 1e-30 to 0.999.
    pub fn simultaneous(&self, coordinates: u64, beta: &Rational) -> Result<BigUint, Error> {
        check(coordinates, beta)?;
        least(|bound| self.holds(bound, coordinates, beta))
    }

    /// The least m with `coordinates`·T(m) ≤ `beta`, the union bound: never below [`simultaneous`].
    ///
    /// # Errors
    /// As [`TotalNoise::simultaneous`].
    ///
    /// [`simultaneous`]: TotalNoise::simultaneous
    pub fn union_bound(&self, coordinates: u64, beta: &Rational) -> Result<BigUint, Error> {
        check(coordinates, beta)?;
        let each = beta.checked_div(&Rational::from(coordinates));
        let each = each.unwrap_or_else(Rational::zero);
        least(|bound| {
            let order = refine(|precision| {
                let tail = self.tail_at(bound, precision.max(128))?;
                tail.compare_rational(&each)
            })?;
            Ok(order.is_le())
        })
    }

    /// Whether all of d = `coordinates` errors are at most m = `bound` with probability at least 1
    /// − β: (1 − T(m))^d ≥ 1 − β. T(m) is the probability that one error exceeds m.
    fn holds(&self, bound: &BigUint, coordinates: u64, beta: &Rational) -> Result<bool, Error> {
        let rest = Rational::one() - beta;
        let order = refine(|precision| {
            let precision = precision.max(256);
            let one = Interval::integer(1, precision);
            let tail = self.tail_at(bound, precision)?;
            if coordinates == 1 {
                return tail.compare_rational(beta);
            }
            let all = (one - tail).ln()? * Interval::integer(coordinates, precision);
            let limit = Interval::rational(&rest, precision).ln()?;
            limit.compare(&all)
        })?;
        Ok(order.is_le())
    }
}

/// The standard deviation of one draw, by floats.
fn deviation(distribution: &NoiseDistribution) -> f64 {
    match distribution {
        NoiseDistribution::DiscreteLaplace { scale } => {
            let rate = scale.to_f64().recip();
            // √(2q)/(1−q) = 1/(√2·sinh(1/(2t)))
            (std::f64::consts::SQRT_2 * elementary::sinh(rate / 2.0)).recip()
        }
        NoiseDistribution::DiscreteGaussian { variance } => {
            let variance = variance.to_f64();
            if variance > 10.0 {
                // The discrete sum differs by less than e^(−190).
                return variance.sqrt();
            }
            let bell = |x: f64| elementary::exp(-x * x / (2.0 * variance));
            let outcomes = || (1..200).map(f64::from);
            let total = 1.0 + 2.0 * outcomes().map(bell).sum::<f64>();
            let square: f64 = outcomes().map(|x| 2.0 * x * x * bell(x)).sum();
            (square / total).sqrt()
        }
    }
}

/// The largest scale, in twelve digits, of discrete Laplace noise from each of `aggregators` for
/// which all of `coordinates` errors are at most `bound` with probability at least 1 − `beta`. With
/// ε = Δ₁/t it is the least ε for a wanted accuracy.
///
/// # Errors
/// If `aggregators` is not from 1 to 64, `coordinates` is 0, `bound` has more than 90 bits, `beta`
/// is outside 1e-30 to 0.999, or the scale would be below 1e-3.
pub fn laplace_scale(
    aggregators: u32,
    bound: &BigUint,
    coordinates: u64,
    beta: &Rational,
) -> Result<Rational, Error> {
    let noise = |scale| NoiseDistribution::DiscreteLaplace { scale };
    largest(aggregators, bound, coordinates, beta, noise)
}

/// The largest variance parameter, in twelve digits, of discrete Gaussian noise from each of
/// `aggregators` for which all of `coordinates` errors are at most `bound` with probability at
/// least 1 − `beta`. [`crate::discrete_gaussian::epsilon`] computes its guarantee.
///
/// # Errors
/// As [`laplace_scale`].
pub fn gaussian_variance(
    aggregators: u32,
    bound: &BigUint,
    coordinates: u64,
    beta: &Rational,
) -> Result<Rational, Error> {
    let noise = |variance| NoiseDistribution::DiscreteGaussian { variance };
    largest(aggregators, bound, coordinates, beta, noise)
}

/// The union bound for **continuous** Laplace noise, t·ln(d/β), as lecture notes state it.
#[must_use]
pub fn continuous_laplace_bound(scale: f64, coordinates: u64, beta: f64) -> f64 {
    scale * elementary::ln(coordinates.to_f64().unwrap_or(f64::INFINITY) / beta)
}

/// The largest parameter, in twelve digits, of `noise` from each of `aggregators` for which all
/// errors are at most `bound` with probability at least 1 − `beta`.
fn largest(
    aggregators: u32,
    bound: &BigUint,
    coordinates: u64,
    beta: &Rational,
    noise: impl Fn(Rational) -> NoiseDistribution,
) -> Result<Rational, Error> {
    check(coordinates, beta)?;
    if bound.bits() > 90 {
        let accepted = "an integer of at most 90 bits";
        return Err(Error::parameter("bound", bound, accepted));
    }
    let fits = |value: &Rational| {
        let noise = TotalNoise::new(noise(value.clone()))?.from_each_of(aggregators)?;
        noise.holds(bound, coordinates, beta)
    };
    let (half, two) = (Rational::new(1, 2)?, Rational::integer(2));
    let mut low = Rational::one();
    while !fits(&low)? {
        low = &low * &half;
    }
    let mut high = &low * &two;
    while fits(&high)? {
        low = high;
        high = &low * &two;
    }
    let proposals = decimal_midpoint(DIGITS, Rounding::Down);
    let (largest, _) = try_bisect(low, high, proposals, |value| Ok::<_, Error>(!fits(value)?))?;
    Ok(largest)
}

/// The least integer that `accepts`, given that it accepts every larger one.
fn least(accepts: impl Fn(&BigUint) -> Result<bool, Error>) -> Result<BigUint, Error> {
    if accepts(&BigUint::ZERO)? {
        return Ok(BigUint::ZERO);
    }
    let (mut low, mut high) = (BigUint::ZERO, BigUint::from(1u32));
    while !accepts(&high)? {
        low = high.clone();
        high *= 2u32;
    }
    let (_, least) = try_bisect(low, high, integer_midpoint, accepts)?;
    Ok(least)
}

/// `Err` unless `coordinates` is at least 1 and `beta` from 1e-30 to 0.999.
fn check(coordinates: u64, beta: &Rational) -> Result<(), Error> {
    if coordinates == 0 {
        return Err(Error::parameter("coordinates", 0, "an integer of at least 1"));
    }
    let thousand = Rational::integer(1000);
    let in_range =
        beta.bits() <= 2048 && Rational::integer(10).pow(30) * beta >= 1 && beta * &thousand <= 999;
    if !in_range {
        let accepted = "a number from 1e-30 to 0.999, of at most 2048 bits";
        return Err(Error::parameter("beta", beta, accepted));
    }
    Ok(())
}
