//! The least scale where δ is known between two bounds.
//!
//! δ falls as the scale grows, so that a scale whose upper bound is at most the target is enough, with
//! every larger one, and one whose lower bound is above the target is not. Both are looked for by
//! Newton's method on the logarithms of scale and δ; floating point proposes, and the bounds decide.

use dp_exact::search::narrow;
use dp_exact::{Interval, PrecisionError, Rational, Rounding, elementary};

use super::composed::{About, Plan};
use super::scale_search::{DIGITS, Least, logarithm};
use crate::{Corner, Error};

/// The most scales that are tried from either side.
const MOST_TRIED: u32 = 24;

/// The relative distance of a scale from the least one at which the search ends.
const CLOSE: f64 = 2e-11;

/// The least scale for ε, `highest` at most, which is enough.
pub(super) fn least(
    epsilon: &Rational,
    target: &Rational,
    corner: &Corner,
    highest: &Least,
) -> Result<Least, Error> {
    let mut search = Search::new(epsilon, target, corner, highest.enough.to_f64());
    let Some(enough) = search.upper_end()? else {
        return Ok(highest.clone());
    };
    let (delta, refuted) = search.lower_end(&enough)?;
    Ok(Least {
        enough,
        delta,
        refuted,
    })
}

struct Search<'a> {
    epsilon: &'a Rational,
    target: &'a Rational,
    log_target: f64,
    corner: &'a Corner,
    /// What is enough for another reason.
    top: f64,
    /// About the least scale, and d ln δ/d ln t there, which is negative.
    guess: f64,
    slope: f64,
}

impl<'a> Search<'a> {
    /// Starts where the bound by Rényi divergence is the target.
    fn new(epsilon: &'a Rational, target: &'a Rational, corner: &'a Corner, top: f64) -> Self {
        let log_target = logarithm(&Interval::rational(target, 64));
        let rate = epsilon.to_f64();
        let mut rounds = 0..60;
        let root = |low: &f64, high: &f64| rounds.next().map(|_| (low * high).sqrt());
        let misses = |scale: f64| About::new(corner, scale.recip()).tilt_at(rate).1 > log_target;
        let (_, high) = narrow(top * 1e-6, top, root, |&scale| !misses(scale));
        let slope = About::new(corner, high.recip()).slope(rate);
        Self {
            epsilon,
            target,
            log_target,
            corner,
            top,
            guess: high,
            slope: if slope < 0.0 { slope } else { -1.0 },
        }
    }

    /// What serves at about the guess.
    fn plan(&self) -> Result<Plan<'a>, Error> {
        let rate = self.guess.recip();
        let (tilt, _) = About::new(self.corner, rate).tilt_at(self.epsilon.to_f64());
        Ok(Plan::new(self.corner, rate, tilt).ok_or(PrecisionError)?)
    }

    /// The guess as a scale, and δ there.
    fn at(&self, plan: &Plan<'_>, lower: bool) -> Result<(Rational, Interval), Error> {
        let scale = Rational::from_f64(self.guess)?.round_to_digits(DIGITS, Rounding::Up);
        let sums = plan.sums(&scale, lower).ok_or(PrecisionError)?;
        let delta = sums.delta(self.epsilon).ok_or(PrecisionError)?;
        Ok((scale, delta))
    }

    /// ln of a bound over the target.
    fn excess(&self, bound: &dp_exact::Dyadic) -> f64 {
        let point = Interval::hull_of(bound.clone(), bound.clone(), 64);
        logarithm(&point) - self.log_target
    }

    /// The least scale whose upper bound on δ is at most the target, or nearly so.
    fn upper_end(&mut self) -> Result<Option<Rational>, Error> {
        let mut plan = self.plan()?;
        let (mut low, mut enough) = (0.0f64, None);
        let mut last: Option<(f64, f64)> = None;
        for tried in 0..MOST_TRIED {
            let (scale, delta) = self.at(&plan, false)?;
            let holds = delta.upper().cmp_rational(self.target).is_le();
            let excess = self.excess(delta.upper());
            let here = elementary::ln(self.guess);
            if holds {
                enough = Some(scale);
                self.top = self.top.min(self.guess);
            } else {
                low = low.max(self.guess);
            }
            let close = CLOSE * self.slope.abs();
            if holds && excess >= -2.0 * close || self.top - low < 4e-12 * self.top {
                break;
            }
            if let Some((before, there)) = last {
                let chord = (excess - there) / (here - before);
                if chord < self.slope / 8.0 && chord > self.slope * 8.0 {
                    self.slope = chord;
                }
            }
            last = Some((here, excess));
            let next = elementary::exp(here - (excess + close) / self.slope);
            let inside = next > low && next < self.top;
            self.guess = if inside {
                next
            } else if low > 0.0 {
                f64::midpoint(low, self.top)
            } else {
                f64::midpoint(self.guess, self.top)
            };
            if tried == 0 {
                plan = self.plan()?;
                last = None;
            }
        }
        Ok(enough)
    }

    /// δ at the scale that is enough, and a scale whose lower bound on δ is above the target.
    fn lower_end(&mut self, enough: &Rational) -> Result<(Interval, Option<Rational>), Error> {
        self.guess = enough.to_f64();
        let plan = self.plan()?;
        let sums = plan.sums(enough, true).ok_or(PrecisionError)?;
        let delta = sums.delta(self.epsilon).ok_or(PrecisionError)?;
        let mut margin = CLOSE * self.slope.abs();
        let mut excess = self.excess(delta.lower());
        for _ in 0..MOST_TRIED {
            self.guess *= elementary::exp((excess - margin) / -self.slope);
            let (scale, found) = self.at(&plan, true)?;
            if found.lower().cmp_rational(self.target).is_gt() {
                return Ok((delta, Some(scale)));
            }
            excess = self.excess(found.lower()).min(0.0);
            margin *= 2.0;
        }
        Ok((delta, None))
    }
}
