//! The least discrete Gaussian noise for (ε, δ), and a proof that more noise is safe as well.
//!
//! δ(σ²) is continuous but **not monotone**: within a cell j ≤ εσ² < j+1 the sum has a fixed set
//! of terms, and at large ε it rises and falls again in every cell. Bisection can end in a strip
//! where δ is small, below a region where it is too large. So calibration works downward and
//! proves as it goes:
//!
//! 1. For σ² ≥ V, zero-concentrated privacy gives (ε, δ): ρ = 1/σ², and the bound falls with ρ
//!    ([`crate::zcdp`]). V is at most a small factor above the answer.
//! 2. Given that every σ² ≥ h is safe, find l < h such that one certified upper bound for δ over
//!    the whole range l ≤ σ² ≤ h is at most the target
//!    ([`one_hot_between`](super::one_hot_between)). Then every σ² ≥ l is safe. The looseness of
//!    the bound is proportional to the length of the range, so ranges can shrink geometrically
//!    as the slack does, and some forty of them reach the last σ² that is not safe to ten
//!    digits. Nothing is assumed about the shape of δ.
//! 3. Where no range of relative length [`SMALLEST_STEP`] can be added, stop.

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, refine};

use super::{one_hot_between, one_hot_delta};
use crate::{Error, accepted, zcdp};

/// Digits of a variance.
const DIGITS: usize = 12;

/// Digits of the square root of a variance.
const SIGMA_DIGITS: usize = 25;

/// Shortest range that is tried, relative to its upper end. In the simplest landscape the answer
/// lies about twice as far above the last σ² that is not safe.
const SMALLEST_STEP: f64 = 1e-11;

/// Longest range that is tried, relative to its upper end.
const LARGEST_STEP: f64 = 0.5;

/// Bits of the arithmetic that certifies a range.
const PRECISION: u32 = 96;

/// The most ranges; a landscape that would need more is cut short, on the safe side.
const MAX_RANGES: usize = 1000;

/// Noise that meets (ε, δ), with the proof.
///
/// **What is proved**: discrete Gaussian noise with variance parameter `variance`, *or any
/// larger one*, on every coordinate of a histogram is (ε, δ)-differentially private under
/// replacement. `cover` is the proof: from its last entry on, zero-concentrated privacy
/// suffices; between each entry and the next a certified upper bound on δ is at most the target.
///
/// **What is not proved**: that no smaller variance has that property. `refuted` is the largest
/// smaller variance that was found to be certainly not enough, its δ above the target. It is
/// within 1e-8 of `variance`, relatively, unless δ nearly touches the target without crossing it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Calibration {
    /// The variance parameter σ², a decimal of at most twelve digits.
    pub variance: Rational,
    /// An enclosure of the exact δ at that variance; its upper end is at most the target.
    pub delta: Interval,
    /// Ascending variances, the first of them `variance`.
    pub cover: Vec<Rational>,
    /// A smaller variance that is certainly not enough.
    pub refuted: Option<Rational>,
}

impl Calibration {
    /// σ, the square root of the variance parameter, rounded up to 25 digits.
    ///
    /// # Errors
    /// None in practice: the type is that of every certified computation.
    pub fn sigma(&self) -> Result<Rational, Error> {
        let sigma = refine(|precision| {
            let root = Interval::rational(&self.variance, precision.max(128)).sqrt()?;
            let upper = root.upper().to_rational()?;
            Some(upper.round_to_digits(SIGMA_DIGITS, Rounding::Up))
        })?;
        Ok(sigma)
    }
}

/// The least discrete Gaussian noise that makes a histogram (ε, δ)-differentially private under
/// replacement, such that any more noise does as well.
///
/// ```
/// use dp_calibration::discrete_gaussian::calibrate_one_hot;
///
/// let noise = calibrate_one_hot(&"0.906".parse()?, &"1e-9".parse()?)?;
/// assert_eq!(noise.variance.to_string(), "72.8504305614");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 10 000, δ outside 1e-500 to 0.9 (Gaussian noise of any size has
/// δ > 0), or either has more than 2048 bits.
pub fn calibrate_one_hot(epsilon: &Epsilon, delta: &Delta) -> Result<Calibration, Error> {
    let rate = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let mut cover = vec![concentrated_variance(epsilon, delta)?];
    let refuted = descend(&mut cover, rate, target);
    cover.reverse();
    let variance = cover[0].clone();
    let delta = one_hot_delta(&variance, epsilon)?;
    Ok(Calibration {
        variance,
        delta,
        cover,
        refuted,
    })
}

/// A variance from which on zero-concentrated privacy suffices: ρ = Δ₂²/(2σ²) = 1/σ².
fn concentrated_variance(epsilon: &Epsilon, delta: &Delta) -> Result<Rational, Error> {
    let rho = zcdp::largest_rho(epsilon, delta)?;
    let variance = rho.value().reciprocal().unwrap_or_else(Rational::zero);
    Ok(variance.round_to_digits(DIGITS, Rounding::Up))
}

/// Adds ranges below the last entry of `cover`, each certified, until none can be added.
/// Returns the largest variance that was found to be unsafe.
///
/// The floating point numbers in here choose which ranges are tried, and decide nothing.
fn descend(cover: &mut Vec<Rational>, epsilon: &Rational, target: &Rational) -> Option<Rational> {
    let mut refuted = None;
    let mut step = LARGEST_STEP / 2.0;
    let mut boldness = 0.45;
    while step >= SMALLEST_STEP && cover.len() < MAX_RANGES {
        let high = cover.last()?;
        let Some(low) = below(high, step) else { break };
        if let Some(slack) = slack(&low, high, epsilon, target) {
            // The bound exceeds δ at its lower end by about e^(growth·step). What is left of
            // the slack there is for the next range, which itself climbs while δ does.
            let growth = 1.0 + epsilon.to_f64().powi(2) * high.to_f64() / 4.0;
            let best = boldness * (slack / growth + step);
            let room = refuted
                .as_ref()
                .map_or(1.0, |unsafe_at| gap(unsafe_at, &low));
            step = best.clamp(step / 4.0, LARGEST_STEP).min(room / 2.0);
            boldness = (boldness * 1.05f64).min(0.6);
            cover.push(low);
        } else {
            step /= 2.0;
            boldness = (boldness * 0.8f64).max(0.1);
            if is_refuted(&low, epsilon, target) {
                step = step.min(gap(&low, high) / 2.0);
                refuted = Some(low);
            }
        }
    }
    let lowest = cover.last()?;
    let probes = [1e-10, 1e-9, 1e-8].into_iter();
    let nearer = probes.filter_map(|step| below(lowest, step)).find(|probe| {
        let is_nearer = refuted.as_ref().is_none_or(|known| probe > known);
        is_nearer && is_refuted(probe, epsilon, target)
    });
    nearer.or(refuted)
}

/// About 1 − `low`/`high`.
fn gap(low: &Rational, high: &Rational) -> f64 {
    let gap = (high - low).checked_div(high);
    gap.map_or(0.0, |gap| gap.to_f64())
}

/// Whether δ at `variance` is certainly above the target.
fn is_refuted(variance: &Rational, epsilon: &Rational, target: &Rational) -> bool {
    one_hot_between(variance, variance, epsilon, PRECISION)
        .is_some_and(|delta| delta.lower().cmp_rational(target).is_gt())
}

/// `high`·(1 − `step`), rounded up to few digits; `None` if that is not below `high`.
fn below(high: &Rational, step: f64) -> Option<Rational> {
    let factor = Rational::from_f64(1.0 - step).ok()?;
    let low = (high * &factor).round_to_digits(DIGITS, Rounding::Up);
    (low < *high).then_some(low)
}

/// The logarithm of target over bound on a range, if the bound is certainly at most the target.
/// The size of the logarithm only steers.
fn slack(low: &Rational, high: &Rational, epsilon: &Rational, target: &Rational) -> Option<f64> {
    let bound = one_hot_between(low, high, epsilon, PRECISION)?;
    if bound.upper().cmp_rational(target).is_gt() {
        return None;
    }
    let ratio = Interval::rational(target, PRECISION).checked_div(&bound);
    let slack = ratio.map_or(0.0, |ratio| ratio.midpoint().ln());
    Some(if slack.is_finite() { slack } else { f64::MAX })
}
