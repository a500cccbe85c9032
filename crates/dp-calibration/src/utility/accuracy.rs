//! The accuracy under given noise, and the largest noise for a target accuracy.

use dp_exact::search::try_bisect;
use dp_exact::{PrecisionError, Rational};
use num_bigint::BigUint;
use num_traits::FromPrimitive;

use super::NoisyTotal;
use crate::discrete_gaussian::wide_midpoint;
use crate::{Error, NoiseDistribution, Result, VectorNoise};

/// Significant digits of a parameter that is found by a search.
const DIGITS: usize = 12;

/// Estimates whose errors are bounded all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Estimates {
    /// The number of estimates.
    pub coordinates: u64,
    /// The probability that an error exceeds its bound.
    pub beta: Rational,
    /// Aggregators that each add noise, from 1 to 64.
    pub aggregators: u32,
}

/// The errors of estimates.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Accuracy {
    /// The standard deviation of one estimate, with the noise of all aggregators.
    pub standard_deviation: f64,
    /// The bound that no error exceeds, but for probability β.
    pub bound: BigUint,
    /// The least bound for one estimate alone.
    pub bound_of_one: BigUint,
}

impl Accuracy {
    /// Why the bounds hold, in words.
    pub const CERTIFICATE: &'static str = "Every aggregator adds its own noise, and the error of an \
         estimate is their sum. The probability that it exceeds m is a tail of the distribution of \
         that sum, in floating point; the errors are independent, so that all are within m with the \
         power of its complement. The bound is the least such integer.";
}

impl Estimates {
    /// The accuracy of these estimates where each aggregator adds noise of this distribution.
    ///
    /// # Errors
    /// If a parameter is out of the range of [`NoisyTotal::margin`].
    pub fn accuracy(&self, distribution: &NoiseDistribution) -> Result<Accuracy> {
        let Self { coordinates, beta, aggregators } = self;
        let total = NoisyTotal::of_aggregators(distribution.clone(), *aggregators);
        let whole = |margin: f64| BigUint::from_f64(margin).ok_or(PrecisionError);
        Ok(Accuracy {
            bound: whole(total.margin_of_all(0, *coordinates, beta)?)?,
            bound_of_one: whole(total.margin(0, beta)?)?,
            standard_deviation: total.standard_deviation(0),
        })
    }
}

/// The largest parameter, in twelve digits, for which with `noise` of it at each aggregator all
/// errors of `estimates` are at most `bound` with probability at least 1 − β. The estimates are of
/// `buckets` totals with a known sum ([`NoisyTotal::with_known_sum`]), 1 if no sum is known.
///
/// # Errors
/// If a field of `estimates` is out of the range of [`NoisyTotal::margin_of_all`], `bound` is not
/// from 0 to below 1.2e27, or the parameter would be below 1e-3 or above 1e30.
pub fn largest_noise(
    estimates: &Estimates,
    buckets: u64,
    bound: f64,
    noise: impl Fn(Rational) -> VectorNoise,
) -> Result<Rational> {
    let Estimates { coordinates, beta, aggregators } = estimates;
    let is_in_range = (0.0..1.2e27).contains(&bound);
    Error::check(is_in_range, "bound", bound, "a number from 0 to below 1.2e27")?;
    let is_too_large = |value: &Rational| -> Result<bool> {
        let total = NoisyTotal::of_aggregators(noise(value.clone()), *aggregators);
        Ok(!total.with_known_sum(buckets).is_within(bound, *coordinates, beta)?)
    };
    let (least, most) = (Rational::new(1, 1000)?, Rational::integer(10).pow(30));
    let is_between = !is_too_large(&least)? && is_too_large(&most)?;
    let accepted = "a bound that noise with a parameter from 1e-3 to 1e30 just keeps";
    Error::check(is_between, "bound", bound, accepted)?;
    Ok(try_bisect(least, most, wide_midpoint(DIGITS), is_too_large)?.0)
}
