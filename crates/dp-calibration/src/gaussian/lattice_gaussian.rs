//! δ of a sum of discrete Gaussians against its translate.
//!
//! In the notation of section 2 of `docs/calibration.md`, with G(x) = Σ_{w ≥ x} g(w),
//!
//!   δ = [G(start) − e^ε·G(start + D)]/N,  start = ⌊ετ/D − D/2⌋ + 1,  g(w) = c_(w mod m)·e^(−w²/(2τ)).
//!
//! Either c = S, m = k, N = Z^k with Z = Σₓ e^(−x²/(2σ²)), **exactly**; or, where σ² is large
//! enough for it, c = 1, m = 1, N = √(2πτ), up to a factor within the **ripple** 1 ± η. Since D is
//! a multiple of k that factor is the same for both terms, so that δ is known up to that factor.

use dp_exact::directed::floor_to_count;
use dp_exact::{Dyadic, Interval, Rational, Shift, elementary, gaussian_sum, pi};
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::Signed;

use crate::WorstCaseDifference;
use crate::coset_sums::{MOST, coset_sums, ripple};
use dp_exact::euler_maclaurin::half_line_sum;

/// The most terms of a direct sum; one that needs more gives up.
const MAX_TERMS: u32 = 1 << 20;

/// The hockey-stick divergence at ε between the noise and its translate by a worst-case difference.
#[derive(Clone, Debug)]
pub(crate) struct Divergence<'a> {
    pub(crate) difference: &'a WorstCaseDifference,
    pub(crate) epsilon: &'a Rational,
    /// D = kΔ, the change of the signed total of all coordinates.
    pub(crate) change: Rational,
    /// k, the number of coordinates that change by Δ each.
    pub(crate) count: Rational,
}

impl<'a> Divergence<'a> {
    /// The divergence at `epsilon` of noise and its translate by `difference`.
    pub(crate) fn new(difference: &'a WorstCaseDifference, epsilon: &'a Rational) -> Self {
        let count = Rational::from(difference.coordinates());
        Self { difference, epsilon, change: &count * &difference.rational_step(), count }
    }

    /// The form of the weights at this variance: exact for one coordinate, for two unless the
    /// ripple is at most 2^−`precision`, and for three to twelve where the ripple is above 2^−7 or
    /// unknown; else smooth. `None` for more than twelve coordinates whose ripple is unknown, as it
    /// may be above 7/8.
    pub(crate) fn form(&self, variance: &Rational, precision: u32) -> Option<WeightForm> {
        let coordinates = self.difference.coordinates();
        let ripple = ripple(coordinates, variance);
        let negligible = Dyadic::new(1, -i64::from(precision));
        let is_smooth = ripple.as_ref().is_some_and(|ripple| *ripple.upper() <= negligible);
        // Where the ripple would cost 1 % of δ, the sums of few coordinates are added up.
        let is_large = ripple.as_ref().is_none_or(|ripple| *ripple.upper() > Dyadic::new(1, -7));
        match coordinates {
            1 => Some(WeightForm::Exact),
            2 if !is_smooth => Some(WeightForm::Exact),
            3..=MOST if is_large => Some(WeightForm::Exact),
            _ => ripple.map(|_| WeightForm::Smooth),
        }
    }
}

/// How the weights of the residue classes are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightForm {
    /// Every residue class has its coset sum as weight.
    Exact,
    /// Every residue class has the weight 1; the ripple bounds the relative error.
    Smooth,
}

/// The distribution of the noise's total w at one variance, not normalized.
#[derive(Clone, Debug)]
pub(crate) struct SummedNoise {
    /// τ = kσ² for k coordinates.
    pub(crate) tau: Rational,
    /// The weight c of each residue class: w has the probability c·e^(−w²/(2τ))/N.
    pub(crate) weights: Vec<Interval>,
    /// The normalizer N, the sum of g(w) over all w, up to the ripple.
    pub(crate) normalizer: Interval,
    /// 1 ± η, which encloses the factor that the weights leave out.
    pub(crate) ripple: Interval,
    /// How the weights of the residue classes are known: exactly, or as equal.
    pub(crate) form: WeightForm,
    /// Bits of the enclosures.
    precision: u32,
}

impl SummedNoise {
    /// The noise with weights in this form, in arithmetic of `precision` bits. `None` if exact
    /// weights are wanted for more than twelve coordinates, or smooth ones where the ripple may be
    /// above 7/8.
    pub(crate) fn new(
        divergence: &Divergence<'_>,
        variance: &Rational,
        form: WeightForm,
        precision: u32,
    ) -> Option<Self> {
        let tau = variance * &divergence.count;
        let one = Interval::integer(1, precision);
        let coordinates = divergence.difference.coordinates();
        let (weights, normalizer, ripple) = match form {
            WeightForm::Exact => {
                let normalizer = gaussian_sum(variance, Shift::Zero, precision)?;
                let count = u32::try_from(coordinates).ok()?;
                (coset_sums(coordinates, variance, precision)?, normalizer.powi(count), one)
            }
            WeightForm::Smooth => {
                let normalizer = pi(precision).shifted(1) * Interval::rational(&tau, precision);
                let eta = ripple(coordinates, variance)?;
                let spread = (&one - &eta).hull(&(&one + &eta));
                // Z^k has a factor (1 + 2e^(−2π²σ²) + …)^k between 1 and 1 + η, too.
                let factor = spread.checked_div(&one.hull(&(&one + &eta)))?;
                (vec![one], normalizer.sqrt()?, factor)
            }
        };
        Some(Self { tau, weights, normalizer, ripple, form, precision })
    }

    /// The smallest integer w > θ = ετ/D − D/2: the terms of δ are positive from it on. `None` if D
    /// is 0.
    pub(crate) fn start(&self, divergence: &Divergence<'_>) -> Option<BigInt> {
        let spread = (divergence.epsilon * &self.tau).checked_div(&divergence.change)?;
        Some((spread - half(&divergence.change)).floor() + 1)
    }

    /// N·δ up to the ripple: the sum of all positive terms. `None` if these are too many.
    pub(crate) fn positive_part(&self, divergence: &Divergence<'_>) -> Option<Interval> {
        let (precision, start) = (self.precision, self.start(divergence)?);
        let change = divergence.change.numerator();
        let growth = Interval::rational(divergence.epsilon, precision).exp()?;
        let beyond = growth * self.tail(&(&start + change))?;
        let first = if start.is_positive() {
            self.tail(&start)?
        } else {
            let total = match self.form {
                WeightForm::Exact => self.normalizer.clone(),
                WeightForm::Smooth => gaussian_sum(&self.tau, Shift::Zero, precision)?,
            };
            total - self.tail(&(1 - start))?
        };
        Some(first - beyond)
    }

    /// δ, enclosed, from `positive_part` = N·δ; `None` if the enclosure of N reaches 0.
    pub(crate) fn normalized(&self, positive_part: &Interval) -> Option<Interval> {
        (positive_part * &self.ripple).checked_div(&self.normalizer)
    }

    /// G(start) = Σ g(w) over w ≥ `start`, for start ≥ 1; `None` if the sum takes too many terms.
    pub(crate) fn tail(&self, start: &BigInt) -> Option<Interval> {
        let first = Rational::integer(start.clone());
        let terms = self.terms(&first);
        // Either way takes time in proportion to the precision.
        let short = terms <= f64::from(self.precision.max(64)) / 2.0;
        if !short
            && let [weight] = &self.weights[..]
            && let Some(sum) = half_line_sum(&first, &self.tau, self.precision)
        {
            return Some(sum * weight);
        }
        (terms < f64::from(MAX_TERMS)).then(|| self.direct_tail(start))?
    }

    /// An estimate of how many terms of the sum over w ≥ `start` are above 2^−precision of the
    /// first.
    fn terms(&self, start: &Rational) -> f64 {
        let (start, tau) = (start.to_f64(), self.tau.to_f64());
        let reach = 2.0 * tau * f64::from(self.precision) * std::f64::consts::LN_2;
        reach / (start + (start * start + reach).sqrt())
    }

    /// G(start) = Σ g(w) over w ≥ `start`, term by term; `None` after [`MAX_TERMS`]. Past the last
    /// computed term, terms fall faster than a geometric series of the ratio reached there.
    pub(crate) fn direct_tail(&self, start: &BigInt) -> Option<Interval> {
        let precision = self.precision;
        let exp = |value: &Rational| Interval::rational(value, precision).exp();
        let w = Rational::integer(start.clone());
        let rate = half(&self.tau.reciprocal()?);
        let mut bell = exp(&-(w.pow(2) * &rate))?;
        let mut ratio = exp(&-((&w + &w + Rational::one()) * &rate))?;
        let step = exp(&-(&rate + &rate))?;

        let one = Interval::integer(1, precision);
        let period = self.weights.len();
        let heaviest = self.weights.iter().cloned().reduce(|one, other| one.hull(&other))?;
        let mut class = usize::try_from(start.mod_floor(&BigInt::from(period)))
            .expect("a remainder is below the period");
        let mut sum = Interval::integer(0, precision);
        for count in 0..MAX_TERMS {
            sum = sum + &self.weights[class] * &bell;
            bell = bell * &ratio;
            ratio = ratio * &step;
            class = if class + 1 == period { 0 } else { class + 1 };
            if count % 4 == 3 && bell.upper() < sum.upper() {
                let rest = (&heaviest * &bell).checked_div(&(&one - &ratio))?;
                let negligible = sum.shifted(-i64::from(precision));
                if *rest.upper() <= *negligible.upper() {
                    return Some(sum + rest.hull(&Interval::integer(0, precision)));
                }
            }
        }
        None
    }
}

/// An estimate of the bits that the differences in [`SummedNoise::positive_part`] lose.
pub(crate) fn lost_bits(divergence: &Divergence<'_>, variance: &Rational) -> u32 {
    let change = divergence.change.to_f64();
    // τ/D², the squared ratio of noise and move.
    let spread = (variance * &divergence.count).to_f64() / elementary::powi(change, 2);
    let epsilon = divergence.epsilon.to_f64();
    let lost = epsilon * spread + spread.sqrt();
    let bits = floor_to_count(elementary::log2(lost + 2.0).ceil(), 1 << 12);
    u32::try_from(bits).expect("at most 2^12") + 8
}

/// x/2
pub(crate) fn half(value: &Rational) -> Rational {
    let two = Rational::integer(2);
    value.checked_div(&two).expect("2 is not 0")
}

#[cfg(test)]
mod tests;
