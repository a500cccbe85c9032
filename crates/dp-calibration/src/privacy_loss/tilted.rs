//! Sums of privacy losses, with certified bounds.
//!
//! With M = E[e^(λℓ)] for the privacy loss ℓ under P, and the tilted distribution y = P·e^(λℓ)/M,
//! also a distribution of sums,
//!
//!   δ(ε) = M·e^(−λε)·Σ_{z = ℓ−ε > 0} y(ℓ)·w(z),   w(z) = e^(−λz)·(1 − e^(−z)) ≤ w*.
//!
//! Weights are lower bounds on y in units of 2^−62, rounded down at the start and after each
//! convolution, which is exact. The total of y is known, and each unit that is missing from it
//! weighs at most w* (`docs/composition.md`). A distribution that has become
//! long is put on a coarser grid (`regrid`), upward or downward, and bounds δ from that side only
//! from then on.

use dp_exact::{Dyadic, Interval, Rational, elementary};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::regrid::{self, Grid, GridWeights, PlacedOutcome};
use super::tilting::{BoundSide, PRECISION, Tilting, real};
use dp_exact::convolution::{BITS, convolve};
use dp_exact::fixed;

/// The most points of a distribution on its own lattice before it is put on a coarser grid.
pub(crate) const LONG: usize = 1 << 16;

/// The most points of a distribution on a grid before it is put on a coarser one.
const LONG_GRID: usize = LONG / 2;

/// The most grid points of a distribution most of whose weights are 0.
const SPARSE: usize = 1 << 20;

/// The tilted distribution y of a privacy loss on the lattice offset + i·step.
#[derive(Clone, Debug)]
pub(crate) struct TiltedLoss {
    /// The distance of neighbouring losses.
    pub(crate) step: Rational,
    /// The loss of the first weight.
    pub(crate) offset: Rational,
    /// Lower bounds on the tilted probabilities, in units of 2^−62.
    pub(crate) weights: Vec<u64>,
    /// Upper bound on the total of the true weights: 1, or a little more.
    pub(crate) total: Interval,
    /// Enclosure of ln M.
    pub(crate) log_moment: Interval,
    /// Whether no loss was moved: then it bounds δ on both sides, else on one.
    pub(crate) exact: bool,
}

impl TiltedLoss {
    /// The loss 0 of no release, on a lattice of this `step`.
    pub(super) fn nothing(step: Rational) -> Self {
        Self {
            step,
            offset: Rational::zero(),
            weights: vec![1 << BITS],
            total: Interval::integer(1, PRECISION),
            log_moment: Interval::integer(0, PRECISION),
            exact: true,
        }
    }

    /// The distribution of the losses `offset` + i·`step`, from the weights P·e^(λℓ) in `shares`,
    /// whose sum becomes M. `rest` bounds the sum of the weights left out. No loss counts as moved.
    /// `None` if a number does not fit.
    pub(crate) fn new(
        step: Rational,
        offset: Rational,
        shares: &[Interval],
        rest: &Interval,
    ) -> Option<Self> {
        let (weights, unit) = in_shares(shares)?;
        Some(Self {
            step,
            offset,
            weights,
            total: top(&(&unit + rest).checked_div(&unit)?),
            log_moment: unit.ln()?,
            exact: true,
        })
    }

    /// The distribution of the sum of two independent losses on lattices of the same step. `None`
    /// if the steps differ, the lattice would be too long, or no weight is left.
    pub(super) fn and(&self, other: &Self) -> Option<Self> {
        if self.step != other.step {
            return None;
        }
        let sum = Self {
            step: self.step.clone(),
            offset: &self.offset + &other.offset,
            weights: convolve(&self.weights, &other.weights)?,
            total: &self.total * &other.total,
            log_moment: &self.log_moment + &other.log_moment,
            exact: self.exact && other.exact,
        };
        sum.trimmed()
    }

    /// This distribution without zeros at its ends; `None` if all weights are 0.
    pub(crate) fn trimmed(mut self) -> Option<Self> {
        let start = self.weights.iter().position(|&weight| weight > 0)?;
        let end = self.weights.iter().rposition(|&weight| weight > 0)?;
        if start > 0 || end + 1 < self.weights.len() {
            self.weights = self.weights[start..=end].to_vec();
            self.offset = self.offset + &self.step * &Rational::from(start as u64);
        }
        Some(self)
    }

    /// The distribution of the summed loss of `times` independent releases, moved to the side of
    /// `tilting` where it becomes long; the loss 0 for no release. `None` if the lattice would be
    /// too long.
    pub(crate) fn times(&self, times: u32, tilting: &Tilting) -> Option<Self> {
        let mut power = self.clone();
        let mut product: Option<Self> = None;
        for bit in 0..u32::BITS - times.leading_zeros() {
            if bit > 0 {
                power = power.shortened(tilting)?;
                power = power.and(&power)?;
            }
            if times >> bit & 1 == 1 {
                product = Some(match product {
                    Some(product) => product.beside(&power, tilting)?,
                    None => power.clone(),
                });
            }
        }
        Some(product.unwrap_or_else(|| Self::nothing(self.step.clone())))
    }

    /// The distribution of the sum of two independent losses, the finer lattice moved onto the step
    /// of the coarser one; steps may differ by a power of two. `None` if the lattice would be too
    /// long.
    pub(super) fn beside(&self, other: &Self, tilting: &Tilting) -> Option<Self> {
        let (mut one, mut other) = (self.shortened(tilting)?, other.shortened(tilting)?);
        if one.step < other.step {
            one = one.on(&other.step, tilting)?;
        } else {
            other = other.on(&one.step, tilting)?;
        }
        one.and(&other)
    }

    /// The distribution on a grid of at most 2^15 points, its step doubled as often as it takes, if
    /// it has more than 2^16 points (2^15 once a loss was moved), and either more than 2^20 points
    /// or more than 2^14 weights above 0; else this distribution. `None` if a number does not fit.
    fn shortened(&self, tilting: &Tilting) -> Option<Self> {
        let filled = self.weights.iter().filter(|&&weight| weight > 0).count();
        let mut length = self.weights.len();
        let most = if self.exact { LONG } else { LONG_GRID };
        let dense = length > SPARSE || filled > LONG_GRID / 2;
        let mut step = self.step.clone();
        if dense && length > most {
            while length > LONG_GRID {
                step = &step + &step;
                length = length.div_ceil(2);
            }
        }
        self.on(&step, tilting)
    }

    /// The distribution on the grid of another `step`, counted from the least loss, with losses
    /// between grid points moved to the side of `tilting`. `None` if the grid would be too long.
    pub(super) fn on(&self, step: &Rational, tilting: &Tilting) -> Option<Self> {
        if self.step == *step {
            return Some(self.clone());
        }
        let ratio = self.step.checked_div(step)? * Rational::integer(fixed::ONE);
        let fits = ratio.is_integer();
        let ratio = match tilting.side {
            BoundSide::Upper => ratio.ceil(),
            BoundSide::Lower => ratio.floor(),
        };
        let ratio = u128::try_from(ratio).ok()?;
        let places = self.weights.iter().enumerate();
        let places = places.map(|(place, &weight)| {
            let place = ratio.checked_mul(u128::try_from(place).ok()?)?;
            Some((place, weight))
        });
        let mut law = Self::placed(
            &places.collect::<Option<Vec<_>>>()?,
            step,
            tilting,
            (&self.total, &self.log_moment),
        )?;
        law.offset = law.offset + &self.offset;
        law.exact &= self.exact;
        if fits {
            return Some(law);
        }
        // No place was changed by more than this many times 2^−64 of a step.
        let count = Rational::from(self.weights.len() as u64);
        let distance = Rational::new(1, BigInt::from(fixed::ONE)).ok()? * &count * step;
        Some(law.moved(&distance, tilting))
    }

    /// This distribution with ln M widened by λ·`distance`, no longer exact. The caller has moved
    /// every loss by at most `distance` to the side of `tilting`; so δ is still bounded from that
    /// side.
    pub(super) fn moved(self, distance: &Rational, tilting: &Tilting) -> Self {
        let factor = Interval::rational(&(distance * &tilting.tilt), PRECISION);
        let factor = factor.hull(&Interval::integer(0, PRECISION));
        let log_moment = match tilting.side {
            BoundSide::Upper => self.log_moment + factor,
            BoundSide::Lower => self.log_moment - factor,
        };
        Self { log_moment, exact: false, ..self }
    }

    /// The distribution of ascending outcomes on a grid that starts at 0, moved to the side of
    /// `tilting` unless all lie on grid points. `total` bounds the sum of their true weights from
    /// above; `log_moment` is ln M, M = E[e^(λℓ)] for the loss ℓ. `None` if the grid would be too
    /// long.
    pub(super) fn placed(
        outcomes: &[PlacedOutcome],
        step: &Rational,
        tilting: &Tilting,
        (total, log_moment): (&Interval, &Interval),
    ) -> Option<Self> {
        let law = |gridded: GridWeights, exact| Self {
            step: step.clone(),
            offset: step * &Rational::integer(gridded.first),
            weights: gridded.weights,
            total: total.clone(),
            log_moment: log_moment.clone(),
            exact,
        };
        if let Some(unmoved) = regrid::unmoved(outcomes) {
            return law(unmoved, true).trimmed();
        }
        let grid = Grid::new(step, &tilting.tilt)?;
        let gridded = grid.place(outcomes, tilting.side)?;
        let lost = gridded.lost;
        let mut law = law(gridded, false);
        if tilting.side == BoundSide::Upper {
            // What was missing before may have been raised by a step.
            let before = outcomes.iter().map(|&(_, weight)| u128::from(weight)).sum();
            let missing = (total - in_units(before)) * &grid.largest_raise;
            let kept = in_units(law.kept() + u128::from(lost));
            law.scaled_to(&top(&(kept + missing)))?;
        }
        law.trimmed()
    }

    /// The sum of the weights, in units of 2^−62.
    fn kept(&self) -> u128 {
        self.weights.iter().map(|&weight| u128::from(weight)).sum()
    }

    /// Divides the weights by `total`, so that their total becomes 1, rounded down, and adds ln
    /// `total` to ln M. `None` if a number does not fit.
    fn scaled_to(&mut self, total: &Interval) -> Option<()> {
        let inverse = Interval::integer(1, PRECISION).checked_div(total)?;
        // At most 2, as the total is at least what was kept of 1.
        let inverse = fixed::floor(&inverse, 64)?;
        for weight in &mut self.weights {
            *weight = u64::try_from((u128::from(*weight) * inverse) >> 64).ok()?;
        }
        self.total = Interval::integer(1, PRECISION);
        self.log_moment = &self.log_moment + total.ln()?;
        Some(())
    }

    /// Enclosure of δ at ε, or of a bound on it from the side on which losses were moved. `tilt` is
    /// the λ of this distribution. Infinite losses are not counted. `None` if a number is too
    /// large.
    pub(crate) fn delta(&self, epsilon: &Rational, tilt: &Rational) -> Option<Interval> {
        // The first place with a loss above ε.
        let from_first = (epsilon - &self.offset).checked_div(&self.step)?;
        let start: BigInt = from_first.floor() + 1;
        // Beyond the last place there is no loss above ε.
        let start = usize::try_from(start.max(BigInt::ZERO)).unwrap_or(usize::MAX);
        let mut sum = Interval::integer(0, PRECISION);
        if let Some(weights) = self.weights.get(start..) {
            let z = &self.offset + &Rational::from(start as u64) * &self.step - epsilon;
            let tilted = polynomial(weights, &real(&-(&self.step * tilt)).exp()?)?;
            let above = tilt + &Rational::one();
            let fallen = polynomial(weights, &real(&-(&self.step * &above)).exp()?)?;
            sum = tilted * real(&-(&z * tilt)).exp()? - fallen * real(&-(&z * &above)).exp()?;
            let zero = Dyadic::new(0, 0);
            sum = Interval::hull_of(
                sum.lower().clone().max(zero.clone()),
                sum.upper().clone().max(zero),
                PRECISION,
            );
        }
        let missing = &self.total - in_units(self.kept());
        let upper = &sum + missing * largest_weight(tilt)?;
        let scale = (&self.log_moment - real(&(tilt * epsilon))).exp()?;
        Some(sum.hull(&upper) * scale)
    }

    /// An estimate of ln δ at ε, to steer.
    pub(crate) fn log_delta_about(&self, epsilon: f64, tilt: f64) -> f64 {
        let (step, offset) = (self.step.to_f64(), self.offset.to_f64());
        let start = ((epsilon - offset) / step).floor() + 1.0;
        let start =
            dp_exact::directed::to_index(dp_exact::directed::floor_to_count(start, 1 << 30));
        let z = offset + dp_exact::directed::index(start) * step - epsilon;
        // Relative to the nearest loss, so that nothing is too small.
        let (shrink, fall, loss) =
            (elementary::exp(-tilt * step), elementary::exp(-step), -elementary::exp_m1(-step));
        let (mut share, mut gain) = (1.0f64, -elementary::exp_m1(-z));
        let mut sum = 0.0f64;
        // Beyond the last place there is nothing to add up.
        let weights = self.weights.get(start..).unwrap_or_default();
        for &weight in weights {
            sum += weight.to_f64().expect("floats reach beyond 2^64") * share * gain;
            share *= shrink;
            gain = gain * fall + loss;
        }
        elementary::ln(sum) - f64::from(BITS) * std::f64::consts::LN_2 + self.log_moment.midpoint()
            - tilt * (epsilon + z)
    }
}

/// `shares` over the upper end of their sum, in units of 2^−62, rounded down; and that upper end.
/// `None` if it is 0.
pub(super) fn in_shares(shares: &[Interval]) -> Option<(Vec<u64>, Interval)> {
    let unit = top(&shares.iter().fold(Interval::integer(0, PRECISION), |sum, share| sum + share));
    let inverse = Interval::integer(1, PRECISION).checked_div(&unit)?;
    let weights = shares.iter().map(|share| {
        let weight = fixed::floor(&(share * &inverse), BITS)?;
        u64::try_from(weight).ok()
    });
    Some((weights.collect::<Option<_>>()?, unit))
}

/// Σ weight_i·r^i for weights in units of 2^−62 and 0 ≤ r < 1, enclosed.
fn polynomial(weights: &[u64], ratio: &Interval) -> Option<Interval> {
    let (low, high) = (fixed::floor(ratio, 128)?, fixed::ceil(ratio, 128)?);
    let (mut lower, mut upper) = (0u128, 0u128);
    for &weight in weights.iter().rev() {
        let weight = u128::from(weight) << 64;
        lower = fixed::product(lower, low) + weight;
        upper = fixed::product(upper, high) + weight + 1;
    }
    let ends = Interval::integer(lower, PRECISION).hull(&Interval::integer(upper, PRECISION));
    Some(ends.shifted(-64 - i64::from(BITS)))
}

/// Enclosure of (λ/(1+λ))^λ/(1+λ), the largest value of the weight w(z) = e^(−λz)·(1 − e^(−z)) of a
/// loss ε + z in δ, for λ = `tilt`. `None` if λ is 0.
fn largest_weight(tilt: &Rational) -> Option<Interval> {
    let one = Interval::integer(1, PRECISION);
    let tilt = Interval::rational(tilt, PRECISION);
    let above = &one + &tilt;
    let power = (tilt.checked_div(&above)?.ln()? * &tilt).exp()?;
    power.checked_div(&above)
}

/// `count` units of 2^−62, as a number.
pub(super) fn in_units(count: u128) -> Interval {
    Interval::integer(count, PRECISION).shifted(-i64::from(BITS))
}

/// The upper end of an enclosure, as a number.
pub(super) fn top(number: &Interval) -> Interval {
    Interval::point(number.upper(), PRECISION)
}
