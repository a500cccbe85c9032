//! Chooses the range that a calibration tries next. It only steers: certified bounds decide.

use dp_exact::search::bisect_floats;
use dp_exact::{Interval, Rational, elementary};

use super::range::{DeltaPoint, RangeCheck, logarithm};
use crate::lattice_gaussian::Divergence;

/// Shortest range of variances that is tried, relative to its upper end.
pub(super) const SMALLEST_STEP: f64 = 3e-12;

/// Longest range of variances that is tried, relative to its upper end.
const LARGEST_STEP: f64 = 0.4;

/// A model of δ below the last certified variance, to choose the next range.
pub(super) struct Guide {
    /// ln of the target δ.
    log_target: f64,
    /// ln of δ over the target at the last certified variance; not above 0.
    level: f64,
    /// The estimated rise of ln δ as the variance falls, for each unit of relative step.
    growth: f64,
    /// The ratio of a certified bound's excess over its chord to the estimate of that excess.
    correction: f64,
    /// The relative distance from the normalizer down to the line that bounds it, over the square
    /// of the step.
    missing: f64,
    /// The relative part by which a proposed step is shortened.
    caution: f64,
}

impl Guide {
    pub(super) fn new(divergence: &Divergence<'_>, high: &DeltaPoint, target: &Rational) -> Self {
        let epsilon = divergence.epsilon.to_f64();
        let spread = divergence.tau(&high.variance).to_f64()
            / elementary::powi(divergence.change.to_f64(), 2);
        let log_target = logarithm(&Interval::rational(target, 64));
        Self {
            log_target,
            level: logarithm(&high.delta) - log_target,
            growth: 0.5 + elementary::powi(epsilon, 2) * spread / 2.0,
            correction: 1.0,
            missing: 0.0,
            caution: 0.02,
        }
    }

    /// Fits the model to a range that was checked, of relative length `step` from `high` down to
    /// `point`.
    pub(super) fn learn(
        &mut self,
        divergence: &Divergence<'_>,
        high: &DeltaPoint,
        point: &DeltaPoint,
        step: f64,
        certified: &RangeCheck,
    ) {
        let growth = (logarithm(&point.delta) - self.log_target - self.level) / step;
        self.growth = if growth.is_finite() { growth } else { 0.0 };
        let correction = certified.curvature / high.estimate(divergence, step, self.log_target);
        if correction.is_finite() && correction > 0.0 {
            self.correction = correction;
        }
        self.missing = certified.missing / elementary::powi(step, 2);
        self.caution = (5.0 * step * self.growth).clamp(1e-4, 0.02);
    }

    /// The step at which δ, taken as linear from the last certified variance to `point`, is nearly
    /// the target.
    pub(super) fn linear_step(&self, point: &DeltaPoint, step: f64) -> f64 {
        let here = elementary::exp(self.level);
        let there = elementary::exp(logarithm(&point.delta) - self.log_target);
        step * 0.95 * (1.0 - here) / (there - here).max(1.0)
    }

    /// Makes `point` the last certified variance.
    pub(super) fn advance(&mut self, point: &DeltaPoint) {
        self.level = logarithm(&point.delta) - self.log_target;
    }

    /// The longest step that the model expects to be certified, relative to the upper end of the
    /// range.
    pub(super) fn step(&self, divergence: &Divergence<'_>, high: &DeltaPoint) -> f64 {
        let is_safe = |x: f64| {
            let higher = elementary::exp(self.level + self.growth.max(0.0) * x);
            let excess = self.correction * high.estimate(divergence, x, self.log_target);
            higher + excess + self.missing * x * x <= 1.0
        };
        // Where the sum has few terms it behaves differently past the next threshold.
        let threshold = high.to_threshold(divergence);
        let longest =
            if threshold > SMALLEST_STEP && is_safe(threshold) && !is_safe(threshold * 1.5) {
                threshold
            } else {
                LARGEST_STEP
            };
        if is_safe(longest) {
            return longest;
        }
        let logarithms = (elementary::ln(SMALLEST_STEP), elementary::ln(longest));
        let (low, _) = bisect_floats(logarithms, 20, |log| !is_safe(elementary::exp(log)));
        // Short of it by a hair, for the errors of this model.
        elementary::exp(low) * (1.0 - self.caution)
    }
}
