//! The least discrete Laplace noise for (ε, δ).
//!
//! δ falls as the scale grows, so bisection between a scale that is enough and one that is not ends
//! at the least scale of twelve digits. Every comparison is certified.

use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational, Rounding, directed, elementary};
use num_bigint::BigUint;

use crate::crossing::{crossing, log_excess};

use super::{Ends, bounded_delta, supported};
use crate::{Error, Result, SensitivityBound, WorstCaseDifference, accepted, analytic_gaussian};

/// Significant digits of a scale.
const DIGITS: usize = 12;

/// The relative width of an enclosure of δ up to which the last scale that is too small is refuted.
const CLOSE: f64 = 1e-9;

/// Discrete Laplace noise that meets (ε, δ), with the proof.
///
/// **What is proved**: noise of scale `scale`, *or any larger one*, on every coordinate is
/// (ε, δ)-differentially private for the differences it was calibrated for; noise of the `refuted`
/// scale is not. For one or two coordinates the two differ by one unit of the twelfth digit, for
/// more by about 1e-9, and by about 1e-4 where the sum has more than 65 536 losses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LaplaceCalibration {
    /// The scale t, of at most twelve digits; or the scale Δ₁/ε of pure privacy, exactly.
    pub scale: Rational,
    /// Enclosure of δ, or of its bound by the L1 norm, at most the target; 0 for pure privacy.
    pub delta: Interval,
    /// A smaller scale that is certainly not enough; `None` for pure privacy, where a bound on the
    /// differences is all that is known, or if none was found.
    pub refuted: Option<Rational>,
    /// Why the scale is enough.
    pub proof: LaplaceProof,
}

/// Why a scale of discrete Laplace noise is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaplaceProof {
    /// The scale is Δ₁/ε, and δ is 0.
    Pure,
    /// The distribution of the noise at the worst difference.
    WorstCase,
    /// The distribution of the noise at one number that changes by all of Δ₁, as one may.
    L1Norm,
    /// The distribution of the noise at one number that changes by all of Δ₁, which is worse than
    /// every difference that is possible: less noise may be enough.
    L1Bound,
}

impl LaplaceCalibration {
    /// Why the noise is enough, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        let at = match self.proof {
            LaplaceProof::Pure => {
                return "Moving the aggregate by the L1 sensitivity changes the probability of every \
                        outcome by at most e^epsilon, and of some by exactly that, so that no smaller \
                        scale will do. The scale is the L1 sensitivity divided by epsilon, exactly."
                    .to_owned();
            }
            LaplaceProof::WorstCase => "noise at the worst difference",
            LaplaceProof::L1Norm => {
                "noise at one number that changes by all of the L1 sensitivity, than which nothing is \
                 worse"
            }
            LaplaceProof::L1Bound => {
                "noise at one number that changes by all of the L1 sensitivity, which is worse than \
                 every possible change, so that less noise may be enough"
            }
        };
        let refuted = self
            .refuted
            .as_ref()
            .map_or_else(String::new, |low| format!(" The scale {low} is certainly not enough."));
        format!(
            "The exact distribution of the {at}, summed in interval arithmetic. Its delta falls as \
             the scale grows, so that every larger scale is safe as well.{refuted}"
        )
    }
}

/// The least scale of discrete Laplace noise that makes every aggregate within `sensitivity`
/// (ε, δ)-differentially private; Δ₁/ε for δ = 0. Every larger scale is safe as well.
///
/// `sensitivity` is a [`WorstCaseDifference`] or the [`SensitivityBound`] of a query. Where the
/// worst difference is not known: changes of several coordinates are no worse than their sum on
/// one, so the answer is the scale for one coordinate that changes by Δ₁, the least for all
/// aggregates of this L1 sensitivity together; for a bound on the L2 norm and behind a strategy
/// matrix, where no coordinate can, less noise may be enough.
///
/// ```
/// use dp_calibration::{WorstCaseDifference, discrete_laplace};
///
/// let difference = WorstCaseDifference::one_hot();
/// let noise = discrete_laplace::calibrate(&"1".parse()?, &"0.01".parse()?, difference)?;
/// assert!(noise.scale < 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ neither 0 nor from 1e-40 to 0.9, either has more than 2048 bits,
/// δ is not 0 and more than 2^24 coordinates change, or the sensitivity is 0 or has more than 200
/// bits.
pub fn calibrate(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: impl Into<SensitivityBound>,
) -> Result<LaplaceCalibration> {
    let sensitivity = sensitivity.into();
    accepted::positive("l1", sensitivity.l1())?;
    let too_many = || Error::parameter("coordinates", "more than 2^32", "at most 2^32 in all");
    let difference = sensitivity.laplace.as_ref().ok_or_else(too_many)?;
    accepted::epsilon(epsilon)?;
    let pure = pure_scale(epsilon, &difference.l1())?;
    if delta.value().is_zero() {
        let (delta, proof) = (Interval::integer(0, 64), LaplaceProof::Pure);
        return Ok(LaplaceCalibration { scale: pure, delta, refuted: None, proof });
    }
    let target = accepted::delta(delta)?;
    supported(difference)?;
    // The scale of one coordinate that changes by all of Δ₁ is enough.
    let single = WorstCaseDifference::new(1, difference.l1())?;
    let at = |scale: &Rational, _| super::delta(scale, epsilon, &single);
    let (highest, start) = match difference.coordinates() {
        1 | 2 => (pure.clone(), pure),
        _ => {
            let highest = least_scale(&pure, &pure, target, LaplaceProof::L1Norm, at)?.scale;
            // The loss of a small change d is about ±d/t, and the sum of many such losses is nearly
            // the loss of Gaussian noise with σ = t.
            let sigma = analytic_gaussian::sigma(epsilon, delta, &difference.l2_squared())?;
            let start = sigma.min(highest.clone());
            (highest, start)
        }
    };
    let proof = match sensitivity.is_norm && difference.coordinates() == 1 {
        true if sensitivity.worst_case_difference().is_some() => LaplaceProof::L1Norm,
        true => LaplaceProof::L1Bound,
        false => LaplaceProof::WorstCase,
    };
    let mut least = least_scale(&highest, &start, target, proof, |scale, ends| {
        bounded_delta(scale, epsilon, difference, ends)
    })?;
    if proof == LaplaceProof::L1Bound {
        // Too little for the bound may be enough for every difference.
        least.refuted = None;
    }
    Ok(least)
}

/// The scale t = Δ₁/ε of the discrete Laplace distribution P(x) ∝ e^(−|x|/t) that makes an
/// aggregate of L1 sensitivity `l1` ε-differentially private. Exact.
///
/// Noise on every coordinate, independently, changes its probability by at most e^(‖d‖₁/t) when the
/// aggregate changes by d, in any dimension, also after reduction modulo the field (Dwork,
/// McSherry, Nissim, Smith 2006; Ghosh, Roughgarden, Sundararajan 2009 for the integers; Cook 2024
/// for Prio3).
///
/// ```
/// use dp_calibration::{Adjacency, Query, discrete_laplace};
///
/// let sensitivity = Query::Histogram { length: 8 }.sensitivity(Adjacency::Replacement)?;
/// let scale = discrete_laplace::pure_scale(&"0.4".parse()?, &sensitivity.l1)?;
/// assert_eq!(scale.to_string(), "5");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the sensitivity is 0: nothing depends on a client then, and there is no noise to calibrate.
pub fn pure_scale(epsilon: &Epsilon, l1: &BigUint) -> Result<Rational> {
    let scale = accepted::positive("l1", l1)?.checked_div(epsilon.value());
    scale.ok_or_else(|| Error::parameter("epsilon", epsilon, "a number greater than 0"))
}

/// The least scale of twelve digits, at most `highest`, at which δ is at most `target`, and a
/// smaller one that is certainly not enough, if found. The search begins at `start`. `at` encloses
/// δ, which falls as the scale grows and is at most the target at `highest`. `proof` is copied into
/// the answer.
fn least_scale(
    highest: &Rational,
    start: &Rational,
    target: &Rational,
    proof: LaplaceProof,
    at: impl Fn(&Rational, Ends) -> Result<Interval>,
) -> Result<LaplaceCalibration> {
    let above = |delta: &Dyadic| log_excess(&Interval::point(delta, 192), target);
    let (missed, high, slope) = crossing(start, (&Rational::new(1, 4096)?, DIGITS), |scale| {
        Ok(above(at(scale, Ends::Upper)?.upper()))
    })?;
    let scale = high.min(highest.clone());
    // The upper bound on δ is above the target at `missed`; the lower one may be so farther down.
    let lower = |scale: &Rational| Ok::<_, Error>(above(at(scale, Ends::Both)?.lower()));
    let probe = |place: u32| -> Result<Rational> {
        let shorter = Rational::one() - Rational::new(1, 10u64.pow(place))?;
        Ok((&missed * &shorter).round_to_digits(DIGITS, Rounding::Up))
    };
    let delta = at(&scale, Ends::Both)?;
    let [least, most] = [delta.lower(), delta.upper()].map(Dyadic::to_f64);
    let is_close = most - least <= CLOSE * most;
    let is_refuted = |low: &Rational| lower(low).is_ok_and(|above| above > 0.0);
    let mut refuted = Some(missed.clone()).filter(|low| is_close && is_refuted(low));
    // Of the digits from the tenth on the last one that is enough; the slope tells about where.
    let about = -elementary::log10(-above(delta.lower()) / slope);
    let mut place = u32::try_from(directed::floor_to_count(about, 10)).expect("at most 10");
    while refuted.is_none() && place > 0 {
        refuted = Some(probe(place)?).filter(is_refuted);
        place -= 1;
    }
    Ok(LaplaceCalibration { delta, refuted, proof, scale })
}
