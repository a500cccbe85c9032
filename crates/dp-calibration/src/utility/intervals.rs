//! Intervals around estimates that hold the truth with probability at least 95 %, for every truth.
//!
//! **Noise of aggregators alone** has one distribution for all totals: the margin is the least
//! integer m with P(|S| ≤ m) ≥ 95 %, or the least multiple of 1/d for d totals with a known sum.
//!
//! **Answers of clients** make the distribution of the total Y depend on the true count c. A count
//! is plausible if neither P(Y or less) nor P(Y or more) is 2.5 % or less under it (Clopper,
//! Pearson 1934). Y grows with c in the usual stochastic order, so the plausible counts are those
//! from a least to a largest one, which are found by halving; each truth is plausible with
//! probability 95 % at least. The margin is the distance of the estimate from the farther of the
//! two.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use dp_exact::search::bisect;
use dp_exact::{Rational, directed};
use num_traits::ToPrimitive;

use super::noisy_total::{NoisyTotal, whole_midpoint};
use crate::Result;

/// The most probability outside on one side: 2.5 %, and a little less for rounding.
const EACH_SIDE: f64 = 0.025 * (1.0 - 1e-7);

/// The most margins that are kept in memory.
const MAX_KEPT: usize = 1 << 20;

/// The 95 % intervals of estimates of one noisy total.
///
/// ```
/// use dp_calibration::NoiseDistribution;
/// use dp_calibration::utility::{Intervals, NoisyTotal};
///
/// // Two aggregators that each add discrete Laplace noise of scale 1: a histogram at ε = 2.
/// let distribution = NoiseDistribution::DiscreteLaplace { scale: "1".parse()? };
/// let intervals = Intervals::new(NoisyTotal::of_aggregators(distribution, 2))?;
/// assert_eq!(intervals.margin(37), 4.0);
/// assert!(intervals.coverage(30) > 0.95);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Intervals {
    /// The distribution of the noisy total.
    total: NoisyTotal,
    /// The margin, and the probability that it holds the truth; `None` if they depend on the total.
    fixed: Option<(f64, f64)>,
    /// Computed margins by their noisy total.
    kept: Mutex<BTreeMap<i128, f64>>,
}

impl Intervals {
    /// The intervals of estimates from this total.
    ///
    /// # Errors
    /// If the noise is out of the range of [`NoisyTotal::margin`].
    pub fn new(total: NoisyTotal) -> Result<Self> {
        total.check_noise()?;
        let fixed = match total.answers() {
            None => {
                let margin = total.margin(0, &Rational::new(1, 20)?)?;
                Some((margin, 1.0 - total.tail(0, margin)))
            }
            Some(_) => None,
        };
        Ok(Self { total, fixed, kept: Mutex::new(BTreeMap::new()) })
    }

    /// Half the width of the interval around the estimate from this noisy total; of d totals with a
    /// known sum from d times the corrected one, an integer.
    pub fn margin(&self, total: i128) -> f64 {
        if let Some((margin, _)) = self.fixed {
            return margin;
        }
        // Every margin is kept whole: a thread that panicked left none half written.
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(margin) = kept().get(&total) {
            return *margin;
        }
        let margin = self.of_answers(total);
        let mut all = kept();
        if all.len() >= MAX_KEPT {
            all.clear();
        }
        all.insert(total, margin);
        margin
    }

    /// The probability that the interval holds the truth, with noise of aggregators alone; `None`
    /// with clients' answers, where it depends on the truth.
    #[must_use]
    pub fn coverage_of_all(&self) -> Option<f64> {
        self.fixed.map(|(_, coverage)| coverage)
    }

    /// The probability that the interval holds this truth. Totals whose interval holds it are taken
    /// for consecutive: narrow noise in many totals with a known sum leaves gaps of some 0.2 %.
    #[must_use]
    pub fn coverage(&self, truth: u64) -> f64 {
        if let Some(coverage) = self.coverage_of_all() {
            return coverage;
        }
        let place = directed::count(truth);
        let distribution = self.total.distribution(place);
        let mean = distribution.mean();
        let is_held = |total: f64| {
            let Some(whole) = total.to_i128() else {
                unreachable!("a total has some hundred bits at most")
            };
            let off = (self.total.estimate(total) - place).abs();
            off <= self.margin(whole)
        };
        // Of the totals nearest to the mean one is held at least.
        let (least, most) = (mean.floor(), mean.ceil());
        // Nothing lies farther out.
        let end = (40.0 * distribution.variance.sqrt() + 100.0).ceil();
        // The largest distance that is held, where every smaller one is.
        let farthest = |holds: &dyn Fn(f64) -> bool| {
            bisect(0.0, end, whole_midpoint(1.0), |distance| !holds(*distance)).0
        };
        let lowest = match is_held(least) {
            true => least - farthest(&|step| is_held(least - step)),
            false => most,
        };
        let highest = match is_held(most) {
            true => most + farthest(&|step| is_held(most + step)),
            false => least,
        };
        distribution.at_most(highest) - distribution.at_most(lowest - 1.0)
    }

    /// Where clients randomize: the distance, in clients, of the estimate from the farther end of
    /// its 95 % interval, rounded up. `total` is the noisy total.
    fn of_answers(&self, total: i128) -> f64 {
        let y = total.to_f64().expect("floats reach beyond 2^127");
        let answers = self.total.answers().expect("without answers all margins are equal");
        let most = directed::count(answers.reports);
        let estimate = self.total.estimate(y);
        let variance = self.total.variance(estimate.clamp(0.0, most));
        // Counts in steps of a thousandth of a standard deviation; the interval is rounded outward.
        let deviation = variance.sqrt() * self.total.slope();
        let step = (deviation / 1000.0).floor().max(1.0);
        let is_high = |count: f64| self.total.distribution(count).at_most(y) > EACH_SIDE;
        let is_low = |count: f64| self.total.distribution(count).at_least(y) > EACH_SIDE;
        let halves = || whole_midpoint(step);
        // The ends are about two standard deviations away, however many reports there are.
        let guesses =
            |side: f64| [1.9, 2.03].map(|times| (estimate + side * times * deviation).floor());
        let is_above = |count: f64| !is_high(count);
        let (low, high) = narrowed((0.0, most + 1.0), guesses(1.0), is_above);
        let (_, beyond) = bisect(low, high, halves(), |count| is_above(*count));
        let (low, high) = narrowed((-1.0, most), guesses(-1.0), is_low);
        let (before, _) = bisect(low, high, halves(), |count| is_low(*count));
        let (highest, lowest) = (beyond - 1.0, before + 1.0);
        // Above the rounding of estimates.
        let rounding = 8.0 * f64::EPSILON * (y.abs() / self.total.scale() + most);
        (highest - estimate).max(estimate - lowest) + rounding
    }
}

/// The part of the range from `low` to `high` in which `is_true` turns from false to true, as far
/// as the guesses within the range tell.
fn narrowed(
    (mut low, mut high): (f64, f64),
    guesses: [f64; 2],
    is_true: impl Fn(f64) -> bool,
) -> (f64, f64) {
    for guess in guesses {
        if low < guess && guess < high {
            if is_true(guess) {
                high = guess;
            } else {
                low = guess;
            }
        }
    }
    (low, high)
}
