//! The scales of Laplace noise with the least weighted error, in floating point.
//!
//! Let K_i(t) be what the releases of a line spend at the scale t: the logarithm of the moment
//! E[e^(λℓ)] of all their losses, or their ρ. The bound
//!
//!   ln δ ≤ Σ K_i(t_i) − λε − λ·ln(1 + 1/λ) − ln(1 + λ)
//!
//! at the best λ stands for the δ of all releases together. Under a given bound Σ w_i·V(t_i) is least where
//! w_i·t_i·V′(t_i) and −t_i·K_i′(t_i) are in proportion (the best λ does not change to the first order). That is solved by
//! going from scales to better ones. A line of one coordinate may be best where it spends nearly its largest loss,
//! and one of many coordinates where its losses are nearly normal, so that no one power of nΔ fits all lines.

use dp_calibration::discrete_laplace::log_moment_about;
use dp_exact::{elementary, search::minimize};

/// Steps to better scales.
const STEPS: u32 = 48;

/// Rounds of the search for λ, each of two moments.
const ROUNDS: u32 = 20;

/// ln λ, all of it and around the last one.
const RANGE: (f64, f64) = (-14.0, 18.0);
const AROUND: f64 = 1.5;

/// The change of ln t in a difference quotient.
const MOVE: f64 = 0.02;

/// One line with Laplace noise.
pub(super) struct LaplaceQuery {
    /// The change of one integer.
    pub(super) step: f64,
    /// Number of changed integers, in all releases of the line.
    pub(super) parts: f64,
    pub(super) weight: f64,
}

/// The budget of all lines.
#[derive(Clone, Copy)]
pub(super) enum SpendingLimit {
    Losses { epsilon: f64, log_delta: f64 },
    Rho(f64),
}

/// Scales from which no small change makes the weighted error less, the best of those that `starts` lead
/// to; `None` if they lead nowhere.
pub(super) fn scales(
    spenders: &[LaplaceQuery],
    limit: SpendingLimit,
    starts: &[Vec<f64>],
) -> Option<Vec<f64>> {
    let mut best: Option<(f64, Vec<f64>)> = None;
    for start in starts {
        let found = balanced(spenders, limit, start.clone());
        let error = error(spenders, &found);
        let is_better = best.as_ref().is_none_or(|(least, _)| error < *least);
        if error.is_finite() && error > 0.0 && is_better {
            best = Some((error, found));
        }
    }
    best.map(|(_, scales)| scales)
}

/// Σ weight·variance
fn error(spenders: &[LaplaceQuery], scales: &[f64]) -> f64 {
    let pairs = spenders.iter().zip(scales);
    pairs.map(|(one, scale)| one.weight * elementary::exp(log_variance(*scale))).sum()
}

/// ln of the variance of discrete Laplace noise, 1/(2·sinh²(1/(2t))).
pub(super) fn log_variance(scale: f64) -> f64 {
    let half = 0.5 / scale;
    let log_sinh = half + elementary::ln(-elementary::exp_m1(-2.0 * half)) - elementary::ln(2f64);
    -2.0 * log_sinh - elementary::ln(2f64)
}

fn balanced(spenders: &[LaplaceQuery], limit: SpendingLimit, mut scales: Vec<f64>) -> Vec<f64> {
    let mut log_tilt: Option<f64> = None;
    for _ in 0..STEPS {
        let tilt = best_tilt(spenders, limit, &scales, log_tilt);
        log_tilt = Some(elementary::ln(tilt));
        let spent = |one: &LaplaceQuery, scale: f64| one.spent(limit, scale, tilt);
        let mut all = 0.0;
        let mut falls = Vec::with_capacity(scales.len());
        for (one, &scale) in spenders.iter().zip(&scales) {
            all += spent(one, scale);
            let (more, less) = (scale * elementary::exp(MOVE), scale * elementary::exp(-MOVE));
            let fall = (spent(one, less) - spent(one, more)) / (2.0 * MOVE);
            falls.push(fall.max(f64::MIN_POSITIVE));
        }
        // All together, so that the limit is met.
        let excess = excess(limit, all, tilt);
        let common = (excess / falls.iter().sum::<f64>()).clamp(-1.0, 1.0);
        // In relation to each other.
        let wanted = |(place, &fall): (usize, &f64)| {
            let (one, scale) = (&spenders[place], scales[place]);
            let rise = elementary::tanh(0.5 / scale).recip() / scale;
            let wanted = elementary::ln(fall)
                - elementary::ln(one.weight)
                - elementary::ln(rise)
                - log_variance(scale);
            // `fall` itself falls about as a square.
            (wanted, rise + 2.0)
        };
        let wanted: Vec<(f64, f64)> = falls.iter().enumerate().map(wanted).collect();
        let (weighted, total) = wanted.iter().fold((0.0, 0.0), |(sum, all), (want, power)| {
            (sum + want / power, all + power.recip())
        });
        let mean = weighted / total;
        for (scale, (want, power)) in scales.iter_mut().zip(&wanted) {
            *scale *= elementary::exp(common + ((want - mean) / power).clamp(-1.0, 1.0));
        }
    }
    scales
}

/// λ at which the bound is least.
fn best_tilt(
    spenders: &[LaplaceQuery],
    limit: SpendingLimit,
    scales: &[f64],
    last: Option<f64>,
) -> f64 {
    if let SpendingLimit::Rho(_) = limit {
        return 1.0;
    }
    let bound = |tilt: f64| {
        let pairs = spenders.iter().zip(scales);
        let all = pairs.map(|(one, scale)| one.spent(limit, *scale, tilt));
        excess(limit, all.sum(), tilt)
    };
    match last {
        None => minimize(RANGE, 2 * ROUNDS, bound),
        Some(log) => {
            minimize(((log - AROUND).max(RANGE.0), (log + AROUND).min(RANGE.1)), ROUNDS, bound)
        }
    }
}

/// How much `spent` exceeds the limit.
fn excess(limit: SpendingLimit, spent: f64, tilt: f64) -> f64 {
    match limit {
        SpendingLimit::Losses { epsilon, log_delta } => {
            spent
                - tilt * epsilon
                - tilt * elementary::ln_1p(tilt.recip())
                - elementary::ln_1p(tilt)
                - log_delta
        }
        SpendingLimit::Rho(rho) => spent - rho,
    }
}

impl LaplaceQuery {
    /// K(t)
    fn spent(&self, limit: SpendingLimit, scale: f64, tilt: f64) -> f64 {
        self.parts
            * match limit {
                SpendingLimit::Losses { .. } => log_moment_about(self.step, scale.recip(), tilt),
                SpendingLimit::Rho(_) => {
                    let largest = self.step / scale;
                    largest * elementary::tanh(largest / 2.0)
                }
            }
    }
}
