//! Many coordinates that move by more than one: δ from the tilted law of the sum of their losses.
//!
//! The losses of the k coordinates are independent and equally distributed, so that their sum is a
//! composition, as in [`crate::privacy_loss`]: k-fold convolution by repeated squaring, exact in
//! integers, with the mass that roundings lose accounted for. Where the lattice of one loss is too
//! fine, it is made coarser before ([`super::lattice`]), which changes the variance of one loss ℓ by
//! at most (2s/t)²/4: some millionth of it, unless k is above a hundred thousand.

use dp_exact::{Dyadic, Interval, Rational, Rounding, elementary};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::lattice::{self, Lattice};
use super::loss;
use crate::WorstCaseDifference;
use crate::privacy_loss::{BoundSide, PRECISION, TiltedLoss, Tilting};

/// Points of a sum whose lattice is not made coarser.
const LONG: f64 = 65_536.0;

/// Points of a sum on a coarser lattice.
const COARSE: f64 = 16_384.0;

/// The most cells of one coordinate on a coarser lattice.
const MOST_CELLS: f64 = 4_096.0;

/// Standard deviations of the sum between which its tilted law is kept.
const DEVIATIONS: f64 = 19.0;

/// A tilt and a lattice that serve at some scale, and at those near it.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    difference: &'a WorstCaseDifference,
    lattice: Lattice,
}

/// Coordinates, move and scale as numbers that only steer.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    coordinates: f64,
    step: f64,
    rate: f64,
}

impl About {
    pub(super) fn new(difference: &WorstCaseDifference, rate: f64) -> Self {
        Self {
            coordinates: difference.coordinates().to_f64().unwrap_or(f64::MAX),
            step: difference.step().to_f64().unwrap_or(f64::MAX),
            rate,
        }
    }

    /// About ln E[e^(λ·Σℓ)], from the geometric sums.
    fn log_moment(&self, tilt: f64) -> f64 {
        self.coordinates * loss::log_moment_about(self.step, self.rate, tilt)
    }

    /// About ln of the bound on δ by Rényi divergence of the order 1 + λ, at ε = 0.
    fn log_bound(&self, tilt: f64) -> f64 {
        self.log_moment(tilt) - tilt * elementary::ln_1p(tilt.recip()) - elementary::ln_1p(tilt)
    }

    /// λ for δ at ε, and about ln δ.
    pub(super) fn tilt_at(&self, epsilon: f64) -> (f64, f64) {
        minimum(|tilt| self.log_bound(tilt) - tilt * epsilon)
    }

    /// λ for the ε at δ.
    pub(super) fn tilt_for(&self, log_delta: f64) -> f64 {
        minimum(|tilt| (self.log_bound(tilt) - log_delta) / tilt).0
    }
}

impl<'a> Plan<'a> {
    pub(super) fn new(difference: &'a WorstCaseDifference, rate: f64, tilt: f64) -> Option<Self> {
        let About { coordinates, step, .. } = About::new(difference, rate);
        // Under the tilt j is a geometric variable of this rate, cut off at Δ.
        let steep = (1.0 + 2.0 * tilt) * rate;
        let reach = lattice::reach(step, steep);
        let deviation = (step / 2.0).min(1.5 / steep);
        let span = (DEVIATIONS * coordinates.sqrt() * deviation + reach).min(coordinates * reach);
        let spacing = if span <= LONG { 1.0 } else { (span / COARSE).max(reach / MOST_CELLS) };
        let tilt = Rational::from_f64(tilt).ok()?;
        let tilt = tilt.round_to_digits(6, Rounding::Nearest);
        Some(Self { difference, lattice: Lattice::new(difference.step(), spacing, steep, tilt)? })
    }

    /// The law of the sum at a scale, from above or from below.
    fn law(&self, rate: &Rational, side: BoundSide) -> Option<TiltedLoss> {
        let times = u32::try_from(self.difference.coordinates()).ok()?;
        let tilting = Tilting { tilt: self.lattice.tilt.clone(), side };
        lattice::law(&self.difference.rational_step(), rate, &self.lattice, side)?
            .times(times, &tilting)
    }

    /// The sums from above and from below; one is both where nothing was moved.
    pub(super) fn sums(&self, scale: &Rational, lower: bool) -> Option<Sums<'_>> {
        let rate = scale.reciprocal()?;
        let above = self.law(&rate, BoundSide::Upper)?;
        let exact =
            above.exact && self.lattice.cells == BigInt::from(self.difference.step().clone());
        let below = if exact || !lower { None } else { Some(self.law(&rate, BoundSide::Lower)?) };
        Some(Sums { tilt: &self.lattice.tilt, above, below, exact })
    }
}

/// The law of the sum of all losses between two bounds.
#[derive(Debug)]
pub(super) struct Sums<'a> {
    tilt: &'a Rational,
    above: TiltedLoss,
    below: Option<TiltedLoss>,
    exact: bool,
}

impl Sums<'_> {
    /// δ at ε; its lower end is 0 where no lower bound was asked for and the lattice is coarse.
    pub(super) fn delta(&self, epsilon: &Rational) -> Option<Interval> {
        let above = self.above.delta(epsilon, self.tilt)?;
        if self.exact {
            return Some(above);
        }
        let lower = match &self.below {
            Some(below) => below.delta(epsilon, self.tilt)?.lower().clone(),
            None => Dyadic::new(0, 0),
        };
        let upper = above.upper().clone();
        Some(Interval::hull_of(lower.min(upper.clone()), upper, PRECISION))
    }
}

/// About where a function of λ > 0 with one minimum has it, and its value there.
fn minimum(function: impl Fn(f64) -> f64) -> (f64, f64) {
    let place = dp_exact::search::minimize((-14.0, 24.0), 90, &function);
    (place, function(place))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discrete_laplace::delta_at;

    fn number(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    fn plan(difference: &WorstCaseDifference, cells: u32) -> Plan<'_> {
        Plan {
            difference,
            lattice: Lattice {
                cells: cells.into(),
                kept: usize::try_from(cells).expect("small"),
                tilt: number("1.5"),
            },
        }
    }

    /// The sum of all terms.
    fn exact(difference: &WorstCaseDifference, scale: &Rational, epsilon: &Rational) -> Interval {
        let terms = super::super::terms(scale, epsilon, difference);
        delta_at(scale, epsilon, difference, &terms, 256).expect("a short sum")
    }

    #[test]
    fn every_coarser_lattice_encloses_delta_and_its_own_is_exact() {
        for (coordinates, step, scale, epsilon) in [
            (3u64, 11u32, "15", "0.5"),
            (3, 11, "2.25", "4"),
            (5, 24, "40", "1"),
            (20, 9, "60", "0.7"),
        ] {
            let difference = WorstCaseDifference::new(coordinates, step).expect("in range");
            let (scale, epsilon) = (number(scale), number(epsilon));
            let exact = exact(&difference, &scale, &epsilon);
            let mut widths = Vec::new();
            for cells in 1..=step {
                let plan = plan(&difference, cells);
                let sums = plan.sums(&scale, true).expect("short");
                let found = sums.delta(&epsilon).expect("an enclosure");
                assert!(found.lower() <= exact.lower(), "{difference:?} {cells}");
                assert!(found.upper() >= exact.upper(), "{difference:?} {cells}");
                widths.push((&found - &exact).upper().to_f64() / exact.midpoint());
            }
            let last = *widths.last().expect("a lattice");
            assert!(last < 1e-9, "{difference:?} {last}");
            // Of second order in the step of the lattice.
            let half = widths[usize::try_from(step / 2).expect("small")];
            assert!(half < widths[0] / 4.0 && half < 0.02, "{widths:?}");
        }
    }

    #[test]
    fn a_lower_bound_is_computed_only_where_it_is_asked_for_and_another_law() {
        let (difference, scale) =
            (WorstCaseDifference::new(3, 11u32).expect("in range"), number("15"));
        for (cells, lower, expected) in [(11, true, false), (5, true, true), (5, false, false)] {
            let plan = plan(&difference, cells);
            let sums = plan.sums(&scale, lower).expect("short");
            assert!(sums.exact == (cells == 11) && sums.below.is_some() == expected);
        }
    }

    #[test]
    fn dropping_the_far_cells_is_accounted_for() {
        let difference = WorstCaseDifference::new(4, 60u32).expect("in range");
        let (scale, epsilon) = (number("2"), number("50"));
        let exact = exact(&difference, &scale, &epsilon);
        for kept in [4, 12, 40] {
            let mut plan = plan(&difference, 60);
            plan.lattice.kept = kept;
            let sums = plan.sums(&scale, true).expect("short");
            let found = sums.delta(&epsilon).expect("an enclosure");
            assert!(found.lower() <= exact.lower() && found.upper() >= exact.upper());
        }
    }

    #[test]
    fn a_move_to_the_nearest_place_is_caught() {
        // Planted fault: instead of a bound from above, the loss is merged and lowered.
        let difference = WorstCaseDifference::new(5, 24u32).expect("in range");
        let (scale, epsilon) = (number("40"), number("1"));
        let plan = plan(&difference, 4);
        let law = plan.law(&scale.reciprocal().expect("positive"), BoundSide::Lower);
        let planted = law.expect("short").delta(&epsilon, &number("1.5"));
        let exact = exact(&difference, &scale, &epsilon);
        assert!(planted.expect("an enclosure").upper() < exact.lower());
    }
}
