//! The least noise, and the least ε, where several honest aggregators add their noises up.
//!
//! **Gaussian.** By comparison of the sum with one discrete Gaussian (`comparison`), or the noise that is
//! enough for one aggregator, which is enough for several; the answer is the smaller of the two, and says
//! which it is. From there, where σ is small, ranges on the law of the sum lead down to the last variance
//! that is not safe, or for three coordinates and more to a little above it ([`descend`]).
//!
//! **Laplace**: the sum for a larger scale is a randomization of the sum for a smaller one, part by
//! part ([`crate::discrete_laplace`]), so that a search by halves is sound.

use dp_exact::{Delta, Epsilon, Interval, PrecisionError, Rational, Rounding, work};

use super::comparison::of_sum;
use super::descent::{Descent, descend};
use super::many::Many;
use super::{MOST_RAGGED, SMOOTH, checked_honest, gaussian_delta, laplace_enclosure, quick_delta};
use crate::discrete_gaussian::{is_narrow, least_epsilon};
use crate::discrete_laplace::least_scale;
use crate::{
    Adjacency, Corner, Error, Query, accepted, discrete_gaussian, discrete_laplace, laplace, zcdp,
};

/// Digits of a variance.
const DIGITS: usize = 13;

/// What proves a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Route {
    /// The law of the sum of all honest aggregators' noises.
    Sum,
    /// The guarantee of one honest aggregator; what the others add is a function of the result and
    /// cannot hurt. Not tight.
    OneAlone,
}

/// Noise of each aggregator that meets (ε, δ) where `honest` of them add it.
///
/// **What is proved**: discrete Gaussian noise with variance parameter `variance`, *or any larger
/// one*, from each of `honest` aggregators is (ε, δ)-differentially private.
///
/// **What is not proved**: that no smaller variance is. `refuted` is one that certainly is not: within
/// 1e-8 of the variance for one or two coordinates, and for more where σ ≥ 1.8; for more coordinates
/// with less noise mostly within a percent; for dozens of honest aggregators and coordinates at a small ε
/// the least variance may be a third below, and `refuted` half.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GaussianCalibrationOfSeveral {
    /// The variance parameter σ² of each aggregator's noise, of at most thirteen digits.
    pub variance: Rational,
    /// An enclosure of δ at that variance; its upper end is at most the target.
    pub delta: Interval,
    /// How many aggregators are honest.
    pub honest: u32,
    /// What proves that the variance is enough.
    pub route: Route,
    /// A smaller variance that is certainly not enough.
    pub refuted: Option<Rational>,
    /// The worst difference.
    pub corner: Corner,
}

/// The scale of each of two aggregators' discrete Laplace noise that meets (ε, δ), or any larger
/// one; a `refuted` scale does not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaplaceCalibrationOfSeveral {
    /// The scale t of each aggregator's noise, of at most twelve digits, or Δ₁/ε for δ = 0.
    pub scale: Rational,
    /// An enclosure of δ at that scale; its upper end is at most the target.
    pub delta: Interval,
    /// What proves that the scale is enough.
    pub route: Route,
    /// A smaller scale that is certainly not enough; for one aggregator alone where it proves the
    /// result.
    pub refuted: Option<Rational>,
}

/// A least ε, and what proves it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeastEpsilon {
    /// Rounded up to twelve digits.
    pub epsilon: Rational,
    /// The law of the sum, or one aggregator alone.
    pub route: Route,
}

/// The least discrete Gaussian noise of each aggregator that makes the aggregate of a query
/// (ε, δ)-differentially private if `honest` aggregators add it.
///
/// With fewer honest aggregators this noise promises less: for one, see
/// [`discrete_gaussian::epsilon`].
///
/// ```
/// use dp_calibration::{Adjacency, Query, discrete_gaussian, honest};
///
/// let (query, adjacency) = (Query::Histogram { length: 24 }, Adjacency::Replacement);
/// let (epsilon, delta) = ("0.906".parse()?, "1e-9".parse()?);
/// let one = discrete_gaussian::calibrate_query(&query, adjacency, &epsilon, &delta)?;
/// let two = honest::calibrate_gaussian(&query, adjacency, 2, &epsilon, &delta)?;
/// assert!((two.variance.to_f64() / one.variance.to_f64() - 0.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`discrete_gaussian::calibrate_query`] and [`Query::corner`]; if `honest` is not from 1
/// to 64.
pub fn calibrate_gaussian(
    query: &Query,
    adjacency: Adjacency,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<GaussianCalibrationOfSeveral, Error> {
    query.positive_sensitivity(adjacency)?;
    let corner = query.corner(adjacency)?;
    let corner = corner.ok_or_else(|| Error::parameter("query", "constant", "one that moves"))?;
    calibrate_gaussian_corner(&corner, honest, epsilon, delta)
}

/// [`calibrate_gaussian`] for a worst difference.
///
/// # Errors
/// Those of [`discrete_gaussian::calibrate`]; if `honest` is not from 1 to 64.
pub fn calibrate_gaussian_corner(
    corner: &Corner,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<GaussianCalibrationOfSeveral, Error> {
    let refusal = || {
        work::refusal(
            "the discrete Gaussian noise of several aggregators",
            &[
                ("honest aggregators", &honest),
                ("epsilon", epsilon),
                ("delta", delta),
            ],
            "take fewer honest aggregators, or a larger delta",
        )
    };
    work::bounded(refusal, || {
        checked_honest(honest)?;
        let alone = discrete_gaussian::calibrate(epsilon, delta, corner)?;
        let (mut variance, mut route) = (alone.variance.clone(), Route::OneAlone);
        if honest == 1 {
            route = Route::Sum;
        } else if let Some(less) = of_sum(&alone.variance, corner, honest, epsilon, delta)?
            && less < variance
        {
            (variance, route) = (less, Route::Sum);
        }
        let at = |variance: &Rational| gaussian_delta(variance, epsilon, corner, honest);
        let above = |found: Interval| found.lower().cmp_rational(delta.value()).is_gt();
        let refutes = |less: &Rational| at(less).is_ok_and(above);
        // Where the sum is unlike one discrete Gaussian, its own law leads farther down.
        let mut nearest = None;
        if honest > 1
            && is_ragged(&variance, &alone.variance, corner, honest)
            && let Some((less, unsafe_at)) = of_law(&variance, corner, honest, epsilon, delta)
            && less < variance
        {
            (variance, route) = (less, Route::Sum);
            nearest = unsafe_at.filter(|unsafe_at| refutes(unsafe_at));
        }
        let refuted = match honest {
            1 => alone.refuted,
            _ if nearest.is_some() => nearest,
            _ => {
                let below = |part: &f64| {
                    let factor = Rational::from_f64(1.0 - part).ok()?;
                    Some((&variance * &factor).round_to_digits(DIGITS, Rounding::Up))
                };
                let quick =
                    |less: &Rational| quick_delta(less, epsilon, corner, honest).is_ok_and(above);
                let near = [1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 0.01, 0.1, 0.5];
                let found = near.iter().filter_map(below).find(quick);
                found.or_else(|| {
                    [0.002, 0.01, 0.1, 0.5]
                        .iter()
                        .filter_map(below)
                        .find(refutes)
                })
            }
        };
        Ok(GaussianCalibrationOfSeveral {
            delta: certain(at(&variance)?, &alone.delta, delta.value()),
            variance,
            honest,
            route,
            refuted,
            corner: corner.clone(),
        })
    })
}

/// Whether the law of the sum may lead farther down. On three coordinates and more, which take longer,
/// not where the comparison cost next to nothing against one draw of the whole variance.
fn is_ragged(variance: &Rational, alone: &Rational, corner: &Corner, honest: u32) -> bool {
    if corner.coordinates() <= 2 {
        return *variance <= MOST_RAGGED;
    }
    let thousand = Rational::integer(1000);
    let whole = variance * &Rational::from(u64::from(honest));
    *variance <= SMOOTH && whole * &thousand > alone * &(thousand.clone() + Rational::one())
}

/// A smaller min-safe variance by the law of the sum, and one below it that seems not to be safe.
fn of_law(
    safe: &Rational,
    corner: &Corner,
    honest: u32,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Option<(Rational, Option<Rational>)> {
    let (rate, target) = (epsilon.value(), delta.value());
    if corner.coordinates() <= 2 {
        return descend(safe, &Descent::new(safe, corner, honest, rate, target)?);
    }
    let log_target = Interval::rational(target, 64).ln()?.midpoint();
    let many = Many::new(safe, corner, honest, rate, target, log_target)?;
    descend(safe, &many)
}

/// The enclosure of δ at the answer. Where it is too wide to show that the target is met, which is
/// proved otherwise, it is cut off there.
fn certain(found: Interval, alone: &Interval, target: &Rational) -> Interval {
    if found.upper().cmp_rational(target).is_le() {
        return found;
    }
    let target = Interval::rational(target, alone.precision().max(256));
    let lower = found.lower().clone().min(target.lower().clone());
    Interval::hull_of(lower, target.lower().clone(), target.precision())
}

/// The least ε, in twelve digits, at which discrete Gaussian noise with variance parameter σ² =
/// `variance` from each of `honest` aggregators is (ε, δ)-differentially private.
///
/// # Errors
/// Those of [`discrete_gaussian::epsilon`]; if `honest` is not from 1 to 64.
pub fn gaussian_epsilon(
    variance: &Rational,
    slack: &Delta,
    corner: &Corner,
    honest: u32,
) -> Result<LeastEpsilon, Error> {
    let refusal = || {
        work::refusal(
            "the epsilon of several discrete Gaussian noises",
            &[
                ("variance", variance),
                ("delta", slack),
                ("honest aggregators", &honest),
            ],
            "take fewer honest aggregators, or a larger delta",
        )
    };
    work::bounded(refusal, || {
        checked_honest(honest)?;
        let target = accepted::delta(slack)?;
        let rho = zcdp::rho(variance, &corner.l2_squared())?;
        let highest = zcdp::epsilon(&rho, slack)?;
        let epsilon = least_epsilon(highest, |epsilon| {
            let delta = quick_delta(variance, epsilon, corner, honest)?;
            Ok(delta.upper().cmp_rational(target).is_le())
        })?;
        let route = match Epsilon::new(epsilon.clone()) {
            Ok(found) if honest > 1 && accepted::epsilon(&found).is_ok() => {
                let delta = quick_delta(variance, &found, corner, honest)?;
                let alone = discrete_gaussian::delta(variance, &found, corner)?;
                if is_narrow(&delta) || delta.upper() < alone.upper() {
                    Route::Sum
                } else {
                    Route::OneAlone
                }
            }
            _ if honest > 1 => Route::OneAlone,
            _ => Route::Sum,
        };
        Ok(LeastEpsilon { epsilon, route })
    })
}

/// The least ε, in twelve digits, at which discrete Laplace noise of scale t = `scale` from each of
/// **two** honest aggregators is (ε, δ)-differentially private: by the law of the sum for one
/// coordinate, and for two at a scale of at most 133; else by that of one alone. For δ = 0 the sum
/// promises no more than one: the loss comes as near to Δ₁/t as one likes, far out.
///
/// # Errors
/// Those of [`discrete_laplace::epsilon`].
pub fn laplace_epsilon(
    scale: &Rational,
    slack: &Delta,
    corner: &Corner,
) -> Result<LeastEpsilon, Error> {
    let refusal = || {
        work::refusal(
            "the epsilon of two discrete Laplace noises",
            &[("scale", scale), ("delta", slack)],
            "take a larger delta, or numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        let alone = discrete_laplace::epsilon(scale, slack, corner)?;
        let route = match super::affordable(scale, corner) {
            Ok(()) => Route::Sum,
            Err(_) => Route::OneAlone,
        };
        if slack.value().is_zero() || route == Route::OneAlone {
            return Ok(LeastEpsilon {
                epsilon: alone,
                route,
            });
        }
        let target = slack.value();
        let found = least_epsilon(alone.clone(), |epsilon| {
            let delta = decisive(scale, epsilon.value(), corner, target)?;
            Ok(delta.upper().cmp_rational(target).is_le())
        });
        Ok(match found {
            Ok(epsilon) => LeastEpsilon { epsilon, route },
            Err(_) => LeastEpsilon {
                epsilon: alone,
                route: Route::OneAlone,
            },
        })
    })
}

/// The least scale of discrete Laplace noise from each of **two** honest aggregators that is
/// (ε, δ)-differentially private for a worst difference; where the law of the sum is too long to
/// add up (see [`laplace_epsilon`]), that of one alone.
///
/// # Errors
/// Those of [`discrete_laplace::calibrate`]; δ = 0 is accepted and takes Δ₁/ε.
pub fn calibrate_laplace(
    corner: &Corner,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<LaplaceCalibrationOfSeveral, Error> {
    let refusal = || {
        work::refusal(
            "the discrete Laplace noise of two aggregators",
            &[("epsilon", epsilon), ("delta", delta)],
            "take a larger delta, or numbers of fewer digits",
        )
    };
    work::bounded(refusal, || {
        if delta.value().is_zero() {
            accepted::epsilon(epsilon)?;
            return Ok(LaplaceCalibrationOfSeveral {
                scale: laplace::scale(epsilon, &corner.l1())?,
                delta: Interval::integer(0, 64),
                route: Route::Sum,
                refuted: None,
            });
        }
        let alone = discrete_laplace::calibrate(epsilon, delta, corner)?;
        let target = accepted::delta(delta)?;
        let sum = super::affordable(&alone.scale, corner).and_then(|()| {
            least_scale(&alone.scale, target, |scale| {
                decisive(scale, epsilon.value(), corner, target)
            })
        });
        Ok(match sum {
            Ok(least) if least.delta.upper().cmp_rational(target).is_le() => {
                LaplaceCalibrationOfSeveral {
                    scale: least.enough,
                    delta: least.delta,
                    route: Route::Sum,
                    refuted: least.refuted,
                }
            }
            _ => LaplaceCalibrationOfSeveral {
                scale: alone.scale,
                delta: alone.delta,
                route: Route::OneAlone,
                refuted: alone.refuted,
            },
        })
    })
}

/// An enclosure of δ for two discrete Laplace draws that is on one side of the target.
fn decisive(
    scale: &Rational,
    epsilon: &Rational,
    corner: &Corner,
    target: &Rational,
) -> Result<Interval, Error> {
    accepted::scale(scale, corner)?;
    let decides = |delta: &Interval| delta.compare_rational(target).is_some();
    let found = laplace_enclosure(scale, epsilon, corner, &decides);
    Ok(found.filter(decides).ok_or(PrecisionError)?)
}
