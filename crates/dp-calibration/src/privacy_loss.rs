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
//! **Otherwise** losses go on a grid. Upward: an outcome of loss ℓ between the grid points g and
//! g + h is split between them, with the share u = (1 − e^(g−ℓ))/(1 − e^(−h)) for the upper one,
//! which keeps its probability under P and under Q. The original outcome is what one sees who
//! cannot tell the two apart, so that the split pair dominates (Doroshenko, Ghazi, Kamath, Kumar,
//! Manurangsi 2022, "Connect the dots"). Downward: ℓ is replaced by g, which makes δ smaller.
//!
//! What is composed may be chosen adaptively, as long as the sequence of mechanisms is fixed.

mod convolution;
mod grid;
mod release;
mod tilted;

use dp_exact::{Delta, Epsilon, Interval, Rational, Rounding};
use num_integer::Integer;

use self::grid::{Side, single};
use self::release::Part;
pub use self::release::Release;
use self::tilted::{Composed, PRECISION, TiltedLaw};
use crate::{Error, accepted};

/// Digits of an ε.
const DIGITS: usize = 15;

/// The most releases, all together.
const MAX_RELEASES: u64 = 1 << 20;

/// Grid points that a composed law may have.
const MAX_POINTS: f64 = 1_000_000.0;

/// Bounds on the least ε for a δ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossBounds {
    /// (`upper`, δ) holds.
    pub upper: Rational,
    /// (ε, δ) holds for no ε < `lower`. For aggregated RAPPOR, whose guarantee is itself a bound
    /// over all datasets, this counts only the other releases.
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
    infinite: Rational,
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
        let (upward, downward) = self.both(tilt)?;
        let upper = solve(&upward, &target, log_target, Side::Upward)?;
        let lower = match &downward {
            Some(downward) => solve(downward, &target, log_target, Side::Downward)?,
            None => solve(&upward, &target, log_target, Side::Downward)?,
        };
        Ok(LossBounds { upper, lower })
    }

    /// The δ at ε of all releases together: an enclosure, or for aggregated RAPPOR and on a grid
    /// an upper and a lower bound.
    ///
    /// # Errors
    /// If ε is outside 1e-9 to 10 000, or the lattice would be too long.
    pub fn delta(&self, epsilon: &Epsilon) -> Result<Interval, Error> {
        let epsilon = accepted::epsilon(epsilon)?;
        let rate = epsilon.to_f64();
        let tilt = minimum(|tilt| self.log_bound(tilt) - tilt * rate);
        let (upward, downward) = self.both(tilt)?;
        let too_long = || too_long(&upward.step);
        let upper = upward.delta(epsilon).ok_or_else(too_long)?;
        let lower = match &downward {
            Some(downward) => downward.delta(epsilon).ok_or_else(too_long)?,
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
            let kept = Rational::one() - &entry.infinite;
            finite = finite * Interval::rational(&kept, PRECISION).powi(entry.times);
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

    /// The law from above, and from below where that is another.
    fn both(&self, tilt: f64) -> Result<(Composed, Option<Composed>), Error> {
        let tilt = Rational::from_f64(tilt)?.round_to_digits(6, Rounding::Nearest);
        let (step, exact) = self.step()?;
        let compose = |side| {
            self.compose(side, &step, &tilt, exact)
                .ok_or_else(|| too_long(&step))
        };
        let upward = compose(Side::Upward)?;
        let downward = if exact {
            None
        } else {
            Some(compose(Side::Downward)?)
        };
        Ok((upward, downward))
    }

    /// The step of the lattice, and whether all losses lie on it.
    fn step(&self) -> Result<(Rational, bool), Error> {
        let deviation = |entry: &Entry| entry.part.deviation();
        let square = |entry: &Entry| f64::from(entry.times) * deviation(entry).powi(2);
        let all = self.entries.iter().map(square).sum::<f64>().sqrt();
        let finest = 24.0 * all / MAX_POINTS;
        let mut common = None;
        let mut exact = true;
        for entry in &self.entries {
            match (entry.part.step(), common.take()) {
                (Some(step), None) => common = Some(step),
                (Some(step), Some(other)) => common = Some(gcd(&step, &other)),
                (None, other) => {
                    exact = false;
                    common = other;
                }
            }
        }
        if let Some(step) = &common
            && exact
            && step.to_f64() >= finest
        {
            return Ok((step.clone(), true));
        }
        let smallest = self.entries.iter().map(deviation).fold(f64::MAX, f64::min);
        let wanted = release::grid(smallest, 400).max(finest).clamp(1e-15, 1.0);
        let step = Rational::from_f64(wanted)?.round_to_digits(4, Rounding::Up);
        Ok((step, self.entries.is_empty()))
    }

    fn compose(
        &self,
        side: Side,
        step: &Rational,
        tilt: &Rational,
        exact: bool,
    ) -> Option<Composed> {
        let mut law = TiltedLaw::nothing();
        for entry in &self.entries {
            if side == Side::Downward && matches!(entry.part, Part::Outcomes(_)) {
                continue;
            }
            let one = single(&entry.part, side, step, tilt, exact)?;
            law = law.and(&one.times(entry.times)?)?;
        }
        Some(Composed {
            law,
            step: step.clone(),
            tilt: tilt.clone(),
        })
    }
}

/// The ε at which δ is about the target: on the upper side certainly not above it, on the lower
/// side certainly not below.
fn solve(
    composed: &Composed,
    target: &Interval,
    log_target: f64,
    side: Side,
) -> Result<Rational, Error> {
    let unsolved = || too_long(&composed.step);
    let meets = |epsilon: &Rational| -> Option<bool> {
        let delta = composed.delta(epsilon)?;
        Some(match side {
            Side::Upward => delta.upper() <= target.lower(),
            Side::Downward => delta.lower() < target.upper(),
        })
    };
    let at_zero = composed.log_delta_about(0.0);
    if at_zero < log_target + 1e-6 && meets(&Rational::zero()).ok_or_else(unsolved)? {
        return Ok(Rational::zero());
    }
    let (mut low, mut high) = (0.0f64, 1.0f64);
    while composed.log_delta_about(high) > log_target && high < 1e7 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..64 {
        let middle = if low > 0.0 {
            (low + high) / 2.0
        } else {
            high / 8.0
        };
        if composed.log_delta_about(middle) > log_target {
            low = middle;
        } else {
            high = middle;
        }
        if high - low < 1e-14 * high {
            break;
        }
    }
    let mut margin = 1e-13;
    for _ in 0..24 {
        let (guess, rounding) = match side {
            Side::Upward => (high * (1.0 + margin), Rounding::Up),
            Side::Downward => (low * (1.0 - margin), Rounding::Down),
        };
        let epsilon = Rational::from_f64(guess)?.round_to_digits(DIGITS, rounding);
        if meets(&epsilon).ok_or_else(unsolved)? == (side == Side::Upward) {
            return Ok(epsilon);
        }
        margin *= 4.0;
    }
    match side {
        Side::Upward => Err(unsolved()),
        Side::Downward => Ok(Rational::zero()),
    }
}

fn too_long(step: &Rational) -> Error {
    let accepted = "releases whose losses fit on a lattice of 2^22 points";
    Error::parameter("step of the losses", step, accepted)
}

/// The largest rational of which both are multiples.
fn gcd(a: &Rational, b: &Rational) -> Rational {
    let numerator = (a.numerator() * b.denominator()).gcd(&(b.numerator() * a.denominator()));
    let denominator = Rational::integer(a.denominator() * b.denominator());
    let quotient = Rational::integer(numerator).checked_div(&denominator);
    quotient.unwrap_or_else(Rational::zero)
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
