//! An accountant over privacy losses: what a sequence of releases promises together.
//!
//! The privacy loss of independent releases adds up. The accountant keeps the law of the sum, on
//! a lattice, and answers both ways with bounds from above and from below:
//! [`Accountant::epsilon`], [`Accountant::delta`].
//!
//! **Exact lattices.** The losses of discrete Gaussian noise are (2x+1)/(2σ²), those of discrete
//! Laplace noise and of randomized response ±ε: lattices of rational step, and any two such
//! lattices have a common one. Where that is not too fine, nothing is discretized, and the bounds
//! differ by what rounding in units of 2^−62 loses (`tilted`).
//!
//! **Otherwise** losses go on a grid, once upward and once downward (`regrid`). Both change the
//! variance of the sum by the square of the step only, so that the bounds meet to about 1e-7 of ε:
//! equal releases are added up by doubling, on a grid that becomes coarser as their sum becomes
//! wider, and different ones after that (`together`).
//!
//! What is composed may be chosen adaptively, as long as the sequence of mechanisms is fixed.

mod convolution;
mod fixed;
mod gaussian;
mod outcomes;
mod regrid;
mod release;
#[cfg(test)]
mod tests;
mod tilted;
mod together;

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding};

pub(crate) use self::outcomes::law as of_outcomes;
pub(crate) use self::regrid::Side;
pub use self::release::Release;
use self::release::{Infinite, Part};
pub(crate) use self::tilted::{PRECISION, TiltedLaw, View};
use self::together::together;
use crate::{Error, accepted};

/// Digits of an ε.
const DIGITS: usize = 15;

/// The most releases, all together.
const MAX_RELEASES: u64 = 1 << 20;

/// The largest λ, in units of one over the standard deviation of the sum, where losses may have to
/// be moved.
const STEEPEST: f64 = 250.0;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossBounds {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// (ε, δ) holds for no ε < `lower`. With aggregated RAPPOR, whose guarantee is for every
    /// dataset: not if all other clients hold the value that is removed.
    pub lower: Rational,
}

/// A sequence of releases about the same clients.
///
/// ```
/// use dp_calibration::privacy_loss::{Accountant, Release};
///
/// let mut spent = Accountant::new();
/// spent.add(Release::GaussianPair { variance: "900".parse()? }, 100)?;
/// let epsilon = spent.epsilon(&"1e-6".parse()?)?;
/// assert!((epsilon.upper.to_f64() - 2.113005350102303).abs() < 1e-11);
/// assert!(epsilon.lower <= epsilon.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Accountant {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    part: Part,
    times: u32,
    /// The probability of an infinite loss, in each release.
    infinite: Infinite,
}

impl Accountant {
    /// Nothing released.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `times` releases.
    ///
    /// # Errors
    /// If a parameter of the release is out of its range, or there would be more than 2^20
    /// releases.
    pub fn add(&mut self, release: Release, times: u32) -> Result<(), Error> {
        let (part, parts, infinite) = release.part()?;
        let before: u64 = self
            .entries
            .iter()
            .map(|entry| u64::from(entry.times))
            .sum();
        let more = u64::from(times) * u64::from(parts);
        let times = match u32::try_from(more) {
            Ok(count) if before + more <= MAX_RELEASES => count,
            _ => {
                let accepted = "a number that makes at most 2^20 releases together";
                return Err(Error::parameter("times", times, accepted));
            }
        };
        if times > 0 {
            self.entries.push(Entry {
                part,
                times,
                infinite,
            });
        }
        Ok(())
    }

    /// The ε at δ of all releases together.
    ///
    /// # Errors
    /// If δ is outside 1e-500 to 0.9 or not above the probability of an infinite loss, or the
    /// lattice would be too long.
    pub fn epsilon(&self, delta: &Delta) -> Result<LossBounds, Error> {
        let aim = accepted::delta(delta)?;
        let infinite = self.infinite()?;
        let one = Interval::integer(1, PRECISION);
        let target = (Interval::rational(aim, PRECISION) - &infinite)
            .checked_div(&(one - &infinite))
            .filter(Interval::is_positive)
            .ok_or_else(|| {
                let accepted = "a number above the probability of an infinite loss";
                Error::parameter("delta", delta, accepted)
            })?;
        let log_target = target.ln().map_or(f64::MIN, |log| log.midpoint());
        let tilt = minimum(|tilt| (self.log_bound(tilt) - log_target) / tilt);
        let (tilt, upward, downward) = self.both(tilt)?;
        let upper = solve(&upward, &tilt, &target, log_target, Side::Upward)?;
        let downward = downward.unwrap_or(upward);
        let lower = solve(&downward, &tilt, &target, log_target, Side::Downward)?;
        Ok(LossBounds { upper, lower })
    }

    /// The δ at ε of all releases together, enclosed; with aggregated RAPPOR an upper bound for every
    /// dataset, and a lower one if all other clients hold the value that is removed.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000, or the lattice would be too long.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Interval, Error> {
        let epsilon = accepted::epsilon(epsilon)?;
        let rate = epsilon.to_f64();
        let tilt = minimum(|tilt| self.log_bound(tilt) - tilt * rate);
        let (tilt, upward, downward) = self.both(tilt)?;
        let upper = upward.delta(epsilon, &tilt).ok_or_else(too_long)?;
        let lower = match &downward {
            Some(downward) => downward.delta(epsilon, &tilt).ok_or_else(too_long)?,
            None => upper.clone(),
        };
        let finite = Interval::hull_of(lower.lower().clone(), upper.upper().clone(), PRECISION);
        let infinite = self.infinite()?;
        let one = Interval::integer(1, PRECISION);
        Ok(&infinite + (one - &infinite) * finite)
    }

    /// The probability that some loss is infinite.
    fn infinite(&self) -> Result<Interval, Error> {
        let mut finite = Interval::integer(1, PRECISION);
        for entry in &self.entries {
            let kept =
                |infinite: &Rational| Interval::rational(&(Rational::one() - infinite), PRECISION);
            let (least, most) = (kept(&entry.infinite.least), kept(&entry.infinite.most));
            finite = finite * least.hull(&most).powi(entry.times);
        }
        Ok(Interval::integer(1, PRECISION) - finite)
    }

    /// About the logarithm of the bound by Rényi divergence, at ε = 0.
    fn log_bound(&self, tilt: f64) -> f64 {
        let moments = self
            .entries
            .iter()
            .map(|entry| f64::from(entry.times) * entry.part.log_moment(tilt));
        moments.sum::<f64>() - tilt * tilt.recip().ln_1p() - tilt.ln_1p()
    }

    /// The tilt; the law from above, and from below where that is another.
    fn both(&self, tilt: f64) -> Result<(Rational, TiltedLaw, Option<TiltedLaw>), Error> {
        let square = |entry: &Entry| f64::from(entry.times) * entry.part.deviation().powi(2);
        let variance: f64 = self.entries.iter().map(square).sum();
        let parts = self.parts();
        let moved = parts.len() > 1 || matches!(parts.first(), Some((Part::Outcomes { .. }, _)));
        let steepest = if moved {
            STEEPEST / variance.sqrt()
        } else {
            f64::MAX
        };
        let tilt = Rational::from_f64(tilt.min(steepest))?.round_to_digits(6, Rounding::Nearest);
        let compose = |side| {
            let view = View {
                tilt: tilt.clone(),
                side,
            };
            let law = |(part, times): &(&Part, u32)| part.law(*times, &view);
            let laws: Option<Vec<TiltedLaw>> = parts.iter().map(law).collect();
            let laws = laws.ok_or_else(too_long)?;
            if laws.is_empty() {
                return Ok(TiltedLaw::nothing(Rational::one()));
            }
            together(laws, variance, &view).ok_or_else(too_long)
        };
        let upward = compose(Side::Upward)?;
        let downward = if upward.exact {
            None
        } else {
            Some(compose(Side::Downward)?)
        };
        Ok((tilt, upward, downward))
    }

    /// Equal parts together: the order does not matter.
    fn parts(&self) -> Vec<(&Part, u32)> {
        let mut parts: Vec<(&Part, u32)> = Vec::new();
        for entry in &self.entries {
            match parts.iter_mut().find(|(part, _)| *part == &entry.part) {
                Some((_, times)) => *times += entry.times,
                None => parts.push((&entry.part, entry.times)),
            }
        }
        parts
    }
}

/// The ε at which δ is about the target: on the upper side certainly not above it, on the lower
/// side certainly not below.
fn solve(
    law: &TiltedLaw,
    tilt: &Rational,
    target: &Interval,
    log_target: f64,
    side: Side,
) -> Result<Rational, Error> {
    let meets = |epsilon: &Rational| -> Result<bool, Error> {
        let delta = law.delta(epsilon, tilt).ok_or_else(too_long)?;
        Ok(match side {
            Side::Upward => delta.upper() <= target.lower(),
            Side::Downward => delta.lower() < target.upper(),
        })
    };
    let rate = tilt.to_f64();
    let excess = |epsilon: f64| law.log_delta_about(epsilon, rate) - log_target;
    if excess(0.0) < 1e-6 && meets(&Rational::zero())? {
        return Ok(Rational::zero());
    }
    let (low, high) = crossing(excess);
    let mut margin = 1e-13;
    for _ in 0..24 {
        let (guess, rounding) = match side {
            Side::Upward => (high * (1.0 + margin), Rounding::Up),
            Side::Downward => (low * (1.0 - margin), Rounding::Down),
        };
        let epsilon = Rational::from_f64(guess)?.round_to_digits(DIGITS, rounding);
        if meets(&epsilon)? == (side == Side::Upward) {
            return Ok(epsilon);
        }
        margin *= 4.0;
    }
    match side {
        Side::Upward => Err(too_long()),
        Side::Downward => Ok(Rational::zero()),
    }
}

/// About where a falling function of ε > 0 crosses 0, between two numbers close to each other.
fn crossing(excess: impl Fn(f64) -> f64) -> (f64, f64) {
    let (mut low, mut high) = (0.0f64, 1.0f64);
    let (mut at_low, mut at_high) = (excess(low), excess(high));
    while at_high > 0.0 && high < 1e7 {
        (low, at_low) = (high, at_high);
        high *= 2.0;
        at_high = excess(high);
    }
    for round in 0..64 {
        if high - low < 1e-14 * high {
            break;
        }
        // Regula falsi, with the older end halved (Illinois), and bisection now and then.
        let chord = low + (high - low) * at_low / (at_low - at_high);
        let inside = chord > low && chord < high && round % 4 != 3;
        let middle = if inside {
            chord
        } else if low > 0.0 {
            f64::midpoint(low, high)
        } else {
            high / 8.0
        };
        let value = excess(middle);
        if value > 0.0 {
            (low, at_low) = (middle, value);
            at_high /= 2.0;
        } else {
            (high, at_high) = (middle, value);
            at_low /= 2.0;
        }
    }
    (low, high)
}

fn too_long() -> Error {
    let accepted = "releases whose losses fit on a grid of 2^22 points";
    Error::parameter("releases", "these", accepted)
}

/// About where a function of λ > 0 with one minimum has it.
fn minimum(function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (-14.0f64, 16.0f64);
    for _ in 0..80 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let (a, b) = (function(left.exp()), function(right.exp()));
        // Where the function overflows, the minimum is to the left.
        if a <= b || b.is_nan() {
            high = right;
        } else {
            low = left;
        }
    }
    low.exp()
}
