//! The inverse of composition: noise for a total budget over many releases.
//!
//! A schedule has lines, such as 365 histograms and 12 sums about one set of clients, and one total
//! budget. All lines take noise of one family. The proportions between the lines are chosen for the
//! least weighted error (`docs/composition.md`). Then one common factor, found by bisection, scales
//! all noise to the least that keeps the budget, by the exact distribution of all privacy losses
//! ([`Accountant`](crate::accounting::Accountant)); the answer is certified.

mod common_factor;
mod proportions;

use crate::Refusal;
use crate::{
    Budget, Error, NoiseDistribution, NoiseKind, Result, WorstCaseDifference, discrete_gaussian,
    discrete_laplace,
};
use dp_exact::{Delta, Epsilon, Interval, Rational, elementary};

use self::common_factor::ScaledSchedule;
use self::proportions::proportions;

/// The most lines of a schedule.
const MAX_LINES: usize = 1000;

/// Releases of one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScheduledQuery {
    /// The worst-case difference of one client.
    pub difference: WorstCaseDifference,
    /// How often it is released.
    pub times: u32,
}

/// Noise for a schedule, with what is proved of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NoiseSchedule {
    /// The noise of each line.
    pub noises: Vec<NoiseDistribution>,
    /// An enclosure of the δ of all releases together at the budget's ε, if it has one.
    pub delta: Option<Interval>,
    /// The proof that the budget is kept, in words.
    proof: &'static str,
}

/// Proof: the largest losses add up to ε.
const PURE: &str = "The largest privacy losses of all releases add up to epsilon, exactly. They are attained, so \
    that no smaller common factor will do.";

/// Proof: the largest losses add up to ε, although a δ was given.
const PURE_TOO: &str = "The largest privacy losses of all releases add up to epsilon, exactly, so that no delta is \
    spent.";

/// Proof: the ρ of all releases add up to the budget.
const CONCENTRATED: &str = "Zero-concentrated privacy adds up (Bun, Steinke 2016, Lemma 1.7), and the sum is at most \
    rho.";

/// Proof: the releases are one release on more coordinates.
const ONE_RELEASE: &str = "Equal releases are one release with as many more changed coordinates. Its noise was \
    calibrated by its exact distribution: this parameter and every larger one is safe.";

/// Proof: the distribution of the sum of all losses.
const LOSSES: &str = "The distribution of the sum of all privacy losses at these parameters, with every rounding counted, \
    keeps the budget.";

/// The noise with the least Σ weight·variance that keeps a total `budget` over all lines, about one
/// set of clients. There is one weight for each line; without weights each is 1.
///
/// ```
/// use dp_calibration::accounting::schedule::{ScheduledQuery, schedule};
/// use dp_calibration::{Budget, NoiseDistribution, NoiseKind, WorstCaseDifference};
///
/// // A daily histogram and a monthly sum from 0 to 80, for a year.
/// let lines = [
///     ScheduledQuery { difference: WorstCaseDifference::one_hot(), times: 365 },
///     ScheduledQuery { difference: WorstCaseDifference::new(1, 80u32)?, times: 12 },
/// ];
/// let budget = Budget::ZeroConcentrated { rho: "1/2".parse()? };
/// let year = schedule(&lines, NoiseKind::DiscreteGaussian, &[], &budget)?;
/// let variances = year.noises.iter().map(|noise| noise.parameter().1.to_f64());
/// // 365·2/σ² + 12·80²/σ² = 1, each σ² in proportion to the root of its numerator.
/// let roots = [730f64, 76_800.0].map(f64::sqrt);
/// assert!(variances.zip(roots).all(|(variance, root)| (variance / (root * (roots[0] + roots[1])) - 1.0).abs() < 1e-9));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If there are no lines or more than 1000; a line is released less than once, or all of them more
/// than 2^20 times; weights are not one for each line, or not from 1e-12 to 1e12; or the budget is
/// of a kind that this noise cannot keep ([`NoiseKind::check_kind`]), or out of the accountant's
/// range.
pub fn schedule(
    lines: &[ScheduledQuery],
    mechanism: NoiseKind,
    weights: &[Rational],
    budget: &Budget,
) -> Result<NoiseSchedule> {
    let weights = check(lines, weights)?;
    mechanism.check_kind(budget)?;
    if let ([line], Budget::Approximate { epsilon, delta }) = (lines, budget)
        && let Some(found) = single(line, mechanism, epsilon, delta)?
    {
        return Ok(found);
    }
    let mut best: Option<(f64, NoiseSchedule)> = None;
    for relative in proportions(lines, mechanism, &weights, budget)? {
        let scaled = ScaledSchedule { lines, mechanism, relative };
        let least = best.as_ref().map(|(least, _)| *least);
        if least.is_some_and(|least| scaled.may_undercut(least, &weights, budget) == Ok(false)) {
            continue;
        }
        let found = scaled.solve(budget)?;
        let error = weighted(&found.noises, &weights);
        if least.is_none_or(|least| error < least) {
            best = Some((error, found));
        }
    }
    let Some((_, scheduled)) = best else { unreachable!("there is at least one candidate") };
    Ok(scheduled)
}

/// The schedule of one line: n equal releases are one release on n times the coordinates,
/// calibrated by its exact distribution. `None` if the calibration does not accept the number of
/// coordinates.
fn single(
    line: &ScheduledQuery,
    mechanism: NoiseKind,
    epsilon: &Epsilon,
    delta: &Delta,
) -> Result<Option<NoiseSchedule>> {
    let coordinates = line.difference.coordinates().checked_mul(u64::from(line.times));
    let together = coordinates
        .and_then(|all| WorstCaseDifference::new(all, line.difference.step().clone()).ok());
    let Some(together) = together else {
        return Ok(None);
    };
    let (parameter, delta) = match mechanism {
        NoiseKind::DiscreteGaussian => {
            let noise = discrete_gaussian::calibrate(epsilon, delta, &together)?;
            (noise.variance, noise.delta)
        }
        NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm
            if together.coordinates() > discrete_laplace::MAX_COORDINATES =>
        {
            return Ok(None);
        }
        NoiseKind::DiscreteLaplace | NoiseKind::DiscreteKNorm => {
            let noise = discrete_laplace::calibrate(epsilon, delta, &together)?;
            (noise.scale, noise.delta)
        }
    };
    let noises = vec![mechanism.distribution(parameter)];
    Ok(Some(NoiseSchedule { noises, delta: Some(delta), proof: ONE_RELEASE }))
}

/// About Σ weight·variance of the noise over the lines, by which candidates are compared.
fn weighted(noises: &[NoiseDistribution], weights: &[f64]) -> f64 {
    let variance = |law: &NoiseDistribution| elementary::powi(law.standard_deviation(), 2);
    noises.iter().zip(weights).map(|(law, weight)| weight * variance(law)).sum()
}

/// Refuses no lines or more than 1000, a line of no releases, and more than 2^20 releases in all.
/// Refuses weights that are not one for each line or not from 1e-12 to 1e12. Returns the weight of
/// each line, 1 where none is given.
fn check(lines: &[ScheduledQuery], weights: &[Rational]) -> Result<Vec<f64>> {
    if lines.is_empty() {
        return Err(Refusal::missing("lines", "at least one line").into());
    }
    Error::check(lines.len() <= MAX_LINES, "lines", lines.len(), "at most 1000 lines")?;
    if let Some(line) = lines.iter().find(|line| line.times == 0) {
        let accepted = "an integer of at least 1";
        return Err(Error::parameter("times", line.times, accepted));
    }
    super::Accountant::check_times(lines.iter().map(|line| u64::from(line.times)).sum())?;
    if weights.is_empty() {
        return Ok(vec![1.0; lines.len()]);
    }
    let (is_one_each, given) = (weights.len() == lines.len(), weights.len());
    Error::check(is_one_each, "weights", format!("{given} of them"), "one for each line")?;
    let most = Rational::integer(10).pow(12);
    for weight in weights {
        let is_in_range = *weight <= most && weight * &most >= 1 && weight.bits() <= 512;
        Error::check(is_in_range, "weights", weight, "numbers from 1e-12 to 1e12")?;
    }
    Ok(weights.iter().map(Rational::to_f64).collect())
}

impl NoiseSchedule {
    /// Why the budget is kept, in words.
    #[must_use]
    pub fn certificate(&self) -> String {
        format!(
            "{} The data and each mechanism may be chosen after seeing the earlier releases, as \
             long as the schedule is fixed beforehand.",
            self.proof
        )
    }
}
