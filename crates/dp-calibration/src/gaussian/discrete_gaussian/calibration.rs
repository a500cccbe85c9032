//! The least discrete Gaussian noise for (ε, δ), and a proof that more noise is safe as well.
//!
//! δ(σ²) is **not monotone**, so that calibration works downward and proves as it goes
//! (`docs/calibration.md`, section 2): zero-concentrated privacy covers σ² ≥ V; given that every σ²
//! ≥ h is safe, a certified upper bound on δ over a whole range l ≤ σ² ≤ h
//! ([`range`](super::range)) adds that range. The slack that is left is squared by each range, and
//! a handful of them reach the last σ² that is not safe to eleven digits. Where no range of
//! relative length [`SMALLEST_STEP`] can be added, the search ends.

// DIFFERENCE from draft-wang §6.1.2: the noise is calibrated for the discrete Gaussian itself.

use dp_exact::search::bisect_floats;
use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding, elementary, square_root_up};

use num_bigint::BigUint;

use super::range::{DeltaPoint, certify};
use crate::lattice_gaussian::Divergence;
use crate::{Result, SensitivityBound, WorstCaseDifference, accepted, norm_gaussian, zcdp};

/// Significant digits of a variance.
const DIGITS: usize = 13;

/// Shortest range that is tried, relative to its upper end.
const SMALLEST_STEP: f64 = 3e-12;

/// Longest range that is tried, relative to its upper end.
const LARGEST_STEP: f64 = 0.4;

/// The search ends at this relative distance from a variance that is certainly not enough.
const CLOSE: f64 = 2e-11;

/// The most certified ranges of variances; where more are needed, the answer is above the least.
const MAX_RANGES: usize = 1000;

/// What is said of a variance that may be more than 5 % of σ above the least one.
const LOOSE: &str = " Less noise may be enough: for so little noise on many numbers only a bound on delta is \
    known.";

/// Noise that meets (ε, δ), with the proof.
///
/// **What is proved**: discrete Gaussian noise with variance parameter `variance`, *or any larger
/// one*, is (ε, δ)-differentially private for the differences that it was calibrated for.
///
/// **What is not proved**: that no smaller variance has that property. `refuted` is the largest
/// smaller variance that was found to be certainly not enough, its δ above the target. By the exact
/// distribution of one aggregator's noise it is within 1e-8 of `variance`, relatively, unless δ
/// nearly touches the target without crossing it, or ε is large: of three to twelve coordinates by
/// the ripple, below 2^−7, and of more coordinates `variance` may be a third above the least.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct GaussianCalibration {
    /// The variance parameter σ², a decimal of at most thirteen digits.
    pub variance: Rational,
    /// An enclosure of the exact δ at that variance, or of an upper bound on it; its upper end is
    /// at most the target, except by rounding for [`GaussianProof::Concentrated`].
    pub delta: Interval,
    /// Ascending variances, the first of them `variance`. From the last one on, zero-concentrated
    /// privacy suffices; between each entry and the next a certified upper bound on δ is at most
    /// the target. A single entry for every proof but [`GaussianProof::Ranges`].
    pub cover: Vec<Rational>,
    /// A smaller variance that is certainly not enough.
    pub refuted: Option<Rational>,
    /// Why the variance is enough.
    pub proof: GaussianProof,
}

/// Why a variance of discrete Gaussian noise is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GaussianProof {
    /// The exact distribution of the noise at the worst difference, over ranges of variances.
    Ranges,
    /// The bound on every difference of a norm (`norm_gaussian.rs`).
    Norm,
    /// Zero-concentrated privacy (Canonne, Kamath, Steinke 2020, Corollary 13).
    Concentrated,
    /// The distribution of the sum of all honest aggregators' noises.
    Sum,
    /// The guarantee of one honest aggregator, an upper bound for several.
    OneAlone,
}

impl GaussianCalibration {
    /// A calibration whose proof is no chain of ranges: its `cover` is `variance` alone, and
    /// `refuted` is `None`.
    pub(crate) fn proved(variance: Rational, delta: Interval, proof: GaussianProof) -> Self {
        Self { cover: vec![variance.clone()], variance, delta, refuted: None, proof }
    }

    /// σ, the square root of the variance parameter, rounded up to 25 digits.
    ///
    /// # Panics
    /// Never: a calibrated variance is positive.
    #[must_use]
    pub fn sigma(&self) -> Rational {
        square_root_up(&self.variance, 25)
            .expect("a calibrated variance is positive, and within the range of roots")
    }

    /// Whether one aggregator's exact distribution at the worst difference proves the result.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.proof == GaussianProof::Ranges
    }

    /// The looser answer of zero-concentrated privacy alone, from which the search set out.
    #[must_use]
    pub fn concentrated_variance(&self) -> &Rational {
        // What its owner left of the cover; the variance is its first entry.
        self.cover.last().unwrap_or(&self.variance)
    }

    /// Why the noise is enough for the δ for which it was calibrated, `target`, in words.
    #[must_use]
    pub fn certificate(&self, target: &Delta) -> String {
        let chain;
        let text = match self.proof {
            GaussianProof::Ranges => {
                let top = self.concentrated_variance().to_decimal(8, Rounding::Up);
                let ranges = self.cover.len() - 1;
                chain = format!(
                    "From variance {top} on, zero-concentrated privacy suffices. Below it, a chain of ranges of \
                     variances, {ranges} in all, leads down to the answer, each with a certified upper bound \
                     on the exact delta of at most {target}. So this variance and every larger one is safe."
                );
                &chain
            }
            GaussianProof::Norm => {
                "The noise is continuous Gaussian noise but for a slack that is proved, whatever the \
                 difference of integers of this norm. So this variance and every larger one is safe."
            }
            GaussianProof::Concentrated => {
                "Zero-concentrated privacy with this rho implies epsilon and delta (Canonne, Kamath, Steinke \
                 2020, Theorem 14 and Corollary 13), whatever the difference of this norm; more noise has a \
                 smaller rho. Where one or two counts change by 1, the queries one and pair are tighter."
            }
            GaussianProof::Sum => {
                "The distribution of the sum of their noises, by comparison with one discrete Gaussian of \
                 the whole variance, by a ratio that falls as the variance grows. This variance \
                 and every larger one is safe."
            }
            GaussianProof::OneAlone => {
                "An upper bound: noise that is enough for one honest aggregator is enough for several. This \
                 variance and every larger one is safe."
            }
        };
        let refuted = match &self.refuted {
            Some(refuted) => format!(" The variance {refuted} is certainly not enough."),
            None => String::new(),
        };
        // More than 5 % of σ above what is known to be too little.
        let is_near = |refuted: &Rational| {
            refuted * &Rational::from(11u64) > &self.variance * &Rational::from(10u64)
        };
        let is_loose = self.is_exact() && !self.refuted.as_ref().is_some_and(is_near);
        let loose = if is_loose { LOOSE } else { "" };
        [text, &refuted, loose].concat()
    }
}

/// Discrete Gaussian noise that makes every aggregate within `sensitivity` (ε, δ)-differentially
/// private, as does any more noise.
///
/// `sensitivity` is a [`WorstCaseDifference`] or the [`SensitivityBound`] of a query. The variance
/// is the least one by the exact distribution of the noise where the worst difference is known.
/// Where only a norm is known, as behind a strategy matrix, it is found by a bound for integers of
/// this norm, or by zero-concentrated privacy (Canonne, Kamath, Steinke 2020, Corollary 13).
///
/// ```
/// use dp_calibration::{WorstCaseDifference, discrete_gaussian};
/// use dp_exact::Rounding;
///
/// // A histogram, one client's bucket replaced.
/// let difference = WorstCaseDifference::one_hot();
/// let noise = discrete_gaussian::calibrate(&"0.906".parse()?, &"1e-9".parse()?, difference)?;
/// assert_eq!(noise.sigma().to_decimal(10, Rounding::Up), "8.535246368");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If ε is outside 1e-9 to 100, δ outside 1e-40 to 0.9 (Gaussian noise of any size has δ > 0), or
/// either has more than 2048 bits; if the sensitivity is 0.
pub fn calibrate(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: impl Into<SensitivityBound>,
) -> Result<GaussianCalibration> {
    let sensitivity = &sensitivity.into();
    if let Some(difference) = sensitivity.worst_case_difference() {
        return at_worst_case(epsilon, delta, difference);
    }
    let concentrated = concentrated_variance(epsilon, delta, sensitivity.l2_squared())?;
    let narrower = norm_gaussian::variance(epsilon, delta, &sensitivity.norm(), &concentrated)?;
    let variance = narrower.min(concentrated);
    let (delta, proof) = bound_of_norm(&variance, epsilon, delta.value(), sensitivity)?;
    Ok(GaussianCalibration::proved(variance, delta, proof))
}

/// Upper bound on the δ at ε of noise with this `variance` against every difference of a norm, and
/// its proof: the smaller one of the bound for integers of this norm and of zero-concentrated
/// privacy. `about` is about the δ that is asked for.
pub(super) fn bound_of_norm(
    variance: &Rational,
    epsilon: &Epsilon,
    about: &Rational,
    sensitivity: &SensitivityBound,
) -> Result<(Interval, GaussianProof)> {
    let concentrated = zcdp::delta(&zcdp::rho(variance, sensitivity.l2_squared())?, epsilon)?;
    let narrower = norm_gaussian::delta(variance, epsilon.value(), about, &sensitivity.norm())?;
    Ok(match concentrated.upper().cmp_rational(&narrower).is_le() {
        true => (concentrated, GaussianProof::Concentrated),
        false => (Interval::rational(&narrower, 128), GaussianProof::Norm),
    })
}

/// Noise for (ε, δ) at a worst difference: from the variance that zero-concentrated privacy gives,
/// down while ranges can be certified. `refuted` is a smaller variance that is certainly not
/// private, if found. `Err` if a parameter is out of range.
fn at_worst_case(
    epsilon: &Epsilon,
    delta: &Delta,
    difference: &WorstCaseDifference,
) -> Result<GaussianCalibration> {
    let rate = accepted::epsilon(epsilon)?;
    let target = accepted::delta(delta)?;
    let mut cover = vec![concentrated_variance(epsilon, delta, &difference.l2_squared())?];
    let divergence = Divergence::new(difference, rate);
    let refuted = descend(&mut cover, &divergence, target);
    cover.reverse();
    let variance = cover[0].clone();
    let delta = super::exact_delta(&variance, epsilon, difference)?;
    Ok(GaussianCalibration { variance, delta, cover, refuted, proof: GaussianProof::Ranges })
}

/// A variance from which on zero-concentrated privacy gives (ε, δ): Δ₂²/(2ρ), rounded up to
/// thirteen digits, for the largest ρ that implies (ε, δ).
fn concentrated_variance(
    epsilon: &Epsilon,
    delta: &Delta,
    l2_squared: &BigUint,
) -> Result<Rational> {
    let rho = zcdp::largest_rho(epsilon, delta)?;
    let variance = zcdp::variance(&rho, l2_squared)?;
    Ok(variance.round_to_digits(DIGITS, Rounding::Up))
}

/// Appends ever smaller variances to `cover`, until none can be added. Between each of them and the
/// one before, δ is certified to be at most the target. Returns the largest variance found at which
/// δ is certainly above the target; `None` if none was found. The caller
/// puts a first variance into `cover`. Floats choose the ranges that are tried, and decide nothing.
fn descend(
    cover: &mut Vec<Rational>,
    divergence: &Divergence<'_>,
    target: &Rational,
) -> Option<Rational> {
    let is_unsafe = |point: &DeltaPoint| point.delta.lower().cmp_rational(target).is_gt();
    let mut high = DeltaPoint::new(divergence, cover.last()?)?;
    let mut refuted: Option<Rational> = None;
    let mut step = LARGEST_STEP;
    while step >= SMALLEST_STEP && cover.len() < MAX_RANGES {
        let tried = below(&high.variance, step).and_then(|low| {
            let point = DeltaPoint::new(divergence, &low)?;
            let (holds, excess) = certify(divergence, &point, &high, target)?;
            let length = gap(&low, &high.variance);
            let growth = (point.delta.ln()? - high.delta.ln()?).midpoint() / length;
            Some((point, holds, growth, excess / (length * length)))
        });
        // A variance that was found to be too small stays so where a bound takes too long.
        let Some((point, holds, growth, excess)) = tried else {
            break;
        };
        if holds {
            cover.push(point.variance.clone());
            high = point;
        } else if is_unsafe(&point) {
            refuted = Some(point.variance);
        }
        let level = high.delta.checked_div(&Interval::rational(target, 64));
        let level = level.expect("a target is positive").midpoint();
        let next = longest_step(level, growth, excess);
        step = if holds { next } else { next.clamp(step / 16.0, step / 2.0) };
        if let Some(unsafe_at) = &refuted {
            let room = gap(unsafe_at, &high.variance);
            if room <= CLOSE {
                return refuted;
            }
            step = step.min(room * 0.99);
        }
    }
    let probes = [1e-11, 1e-10, 1e-9, 1e-8].into_iter();
    let nearer = probes.filter_map(|step| below(&high.variance, step)).find(|probe| {
        let is_nearer = refuted.as_ref().is_none_or(|known| probe > known);
        is_nearer && DeltaPoint::new(divergence, probe).is_some_and(|point| is_unsafe(&point))
    });
    nearer.or(refuted)
}

/// An estimate of the longest range that can be certified, as a fraction x of its upper end; at
/// most 0.4, and just below [`SMALLEST_STEP`] if none can. The model: δ is `level` times the target
/// at the upper end, grows like e^(`growth`·x) downward, and its bound exceeds it by `excess`·x²
/// times the target.
fn longest_step(level: f64, growth: f64, excess: f64) -> f64 {
    let is_too_long = |log: f64| {
        let x = elementary::exp(log);
        level * elementary::exp(growth.max(0.0) * x) + excess * x * x > 1.0
    };
    let logarithms = (elementary::ln(SMALLEST_STEP / 2.0), elementary::ln(LARGEST_STEP));
    // Short of it by a hair, for the errors of this model.
    0.98 * elementary::exp(bisect_floats(logarithms, 30, is_too_long).0)
}

/// An estimate of the relative distance 1 − `low`/`high` of two variances.
fn gap(low: &Rational, high: &Rational) -> f64 {
    (high - low).checked_div(high).expect("a variance is above 0").to_f64()
}

/// The variance that is smaller than `high` by the fraction `step`: `high`·(1 − `step`), rounded up
/// to thirteen significant digits. `None` if the result is not below `high`, or `step` is not
/// finite.
pub(crate) fn below(high: &Rational, step: f64) -> Option<Rational> {
    let factor = Rational::from_f64(1.0 - step).ok()?;
    let low = (high * &factor).round_to_digits(DIGITS, Rounding::Up);
    (low < *high).then_some(low)
}
