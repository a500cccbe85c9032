//! From kinds of release to the spectrum of their sum: the period, the nodes and the error bounds.

use dp_exact::fixed;
use dp_exact::{Interval, Rational, Rounding, pi};
use num_bigint::BigInt;

use super::decay::Decay;
use super::factor::{Atoms, turns};
use super::nodes::{Gaussians, LAST, NodeProduct, Nodes};
use super::{Spectrum, Tails};
use crate::privacy_loss::{PRECISION, TiltedLoss, largest_weight, real};

/// The period is so long that Chernoff's bounds, and the far part of w, are about e^−42.
const NEGLIGIBLE: f64 = 42.0;

/// Candidates for Chernoff's θ, in units of one over the standard deviation of the sum.
const THETAS: [f64; 6] = [2.0, 4.0, 6.0, 8.0, 10.0, 13.0];

/// Gaussian noise on one integer that changes by d, n times: σ², d and n.
type GaussianTerm = (Rational, Rational, u32);

/// All kinds of release, before the period is chosen.
pub(crate) struct ReleaseKinds {
    /// Noise with σ² ≥ 16.
    noises: Vec<GaussianTerm>,
    /// The tilted distributions of all other kinds, and the number of losses of each.
    laws: Vec<(TiltedLoss, u32)>,
    /// Enclosure of Σ n·d²/σ² over the noises.
    spread: Interval,
    /// The tilt λ.
    tilt: Rational,
}

impl ReleaseKinds {
    /// No releases, under the tilt λ.
    pub(crate) fn new(tilt: &Rational) -> Self {
        let spread = Interval::integer(0, PRECISION);
        Self { noises: Vec::new(), laws: Vec::new(), spread, tilt: tilt.clone() }
    }

    /// Adds `times` draws of Gaussian noise, each on an integer that changes by `step`. The caller
    /// sees to `variance` ≥ 16. `None` if the variance is 0.
    pub(crate) fn add_gaussian(
        &mut self,
        variance: Rational,
        step: Rational,
        times: u32,
    ) -> Option<()> {
        let square = real(&(&step * &step)) * Interval::integer(times, PRECISION);
        self.spread = &self.spread + square.checked_div(&real(&variance))?;
        self.noises.push((variance, step, times));
        Some(())
    }

    /// Adds `times` losses with the tilted distribution `law`. `None` if it has no weight left.
    pub(crate) fn add_law(&mut self, law: TiltedLoss, times: u32) -> Option<()> {
        // Zeros at an end would stand before all else in a moment.
        self.laws.push((law.trimmed()?, times));
        Some(())
    }

    /// An interval around 0 that holds the error of Poisson's formula for the log-moment of the
    /// Gaussian part. The error is at most 2^−118 for each noise.
    fn slack(&self) -> Interval {
        let releases = self.noises.iter().map(|(_, _, times)| u64::from(*times));
        let slack = Interval::integer(releases.sum::<u64>(), PRECISION).shifted(-118);
        (Interval::integer(0, PRECISION) - &slack).hull(&slack)
    }

    /// Enclosure of ln E[e^(θℓ)] under the tilt λ, for the Gaussian part ℓ of the loss.
    fn gaussian_moment(&self, theta: &Rational) -> Option<Interval> {
        // θ²/2 + θ(λ + 1/2)
        let half = Rational::new(1, 2).ok()?;
        let factor = theta * &(theta * &half + &self.tilt + &half);
        Some(&self.spread * real(&factor) + self.slack())
    }

    /// The spectrum of the sum of all losses, its period and θ chosen here, with at most `allowed`
    /// work for nodes beyond the first 64, in units of about a nanosecond. `None` if a number is
    /// too large.
    pub(crate) fn spectrum(self, allowed: u64) -> Option<Spectrum> {
        // The phases depend on the period; its size on the moments, which do not.
        let one = Rational::one();
        let about = self.atoms(&one)?;
        let steering = Steering::new(&self, &about);
        let period = steering.period()?;
        let (above, below) = steering.thetas()?;
        drop(about);
        let atoms = self.atoms(&period)?;
        let log_moment_at = |theta: &Rational| {
            let gaussian = self.gaussian_moment(theta)?;
            atoms.iter().try_fold(gaussian, |sum, atoms| Some(sum + atoms.log_moment(theta)?))
        };
        let tails = Tails {
            most: self.most(&period)?,
            far: self.far(&period)?,
            above: (above.clone(), log_moment_at(&above)?),
            below: (below.clone(), log_moment_at(&-&below)?),
        };
        Some(Spectrum {
            nodes: self.nodes(&atoms, &period, allowed)?,
            scale: self.scale(&period)?,
            log_moment: self.log_moment(&atoms)?,
            missing: missing(&atoms)? * largest_weight(&self.tilt)?,
            exact: atoms.iter().all(|atoms| atoms.law.exact),
            tilt: self.tilt,
            tails,
            period,
        })
    }

    /// The lattice distributions with their phases for the period L = `period`.
    fn atoms(&self, period: &Rational) -> Option<Vec<Atoms>> {
        let laws = self.laws.iter();
        laws.map(|(law, times)| Atoms::new(law.clone(), *times, period)).collect()
    }

    /// Enclosure of ln M, with M = E[e^(λℓ)] for the sum ℓ of all losses before the tilt by λ.
    fn log_moment(&self, atoms: &[Atoms]) -> Option<Interval> {
        // λ(λ+1)/2·Σ n·d²/σ²
        let half = Rational::new(1, 2).ok()?;
        let factor = &self.tilt * &(&self.tilt + &Rational::one()) * half;
        let sum = &self.spread * real(&factor) + self.slack();
        Some(atoms.iter().fold(sum, |sum, atoms| {
            sum + &atoms.law.log_moment * Interval::integer(atoms.times, PRECISION)
        }))
    }

    /// Enclosure of the scale 1/(Lλ(1+λ)) of the sum over nodes, for the period L and the tilt λ.
    fn scale(&self, period: &Rational) -> Option<Interval> {
        let all = period * &self.tilt * (&self.tilt + &Rational::one());
        Interval::integer(1, PRECISION).checked_div(&real(&all))
    }

    /// Enclosure of w* + 1/(Lλ(1+λ)), which is at least Σ_k w(z + kL) for every z. w(z) = e^(−λz)(1
    /// − e^(−z)) rises once and falls once: the sum exceeds 1/L times its integral by w* at most.
    fn most(&self, period: &Rational) -> Option<Interval> {
        Some(largest_weight(&self.tilt)? + self.scale(period)?)
    }

    /// Enclosure of e^(−λL/2)/(1 − e^(−λL)), an upper bound on Σ_(k≥1) w(z + kL) for z > −L/2.
    fn far(&self, period: &Rational) -> Option<Interval> {
        let half = Rational::new(1, 2).ok()?;
        let fall = real(&-(&self.tilt * period)).exp()?;
        let first = real(&-(&self.tilt * period * half)).exp()?;
        first.checked_div(&(Interval::integer(1, PRECISION) - fall))
    }

    /// The nodes of the sum over the characteristic function in Poisson's formula. Nodes beyond the
    /// first 64 may cost `allowed` work, in units of about a nanosecond. `None` if a number is too
    /// large.
    fn nodes(&self, atoms: &[Atoms], period: &Rational, allowed: u64) -> Option<Nodes> {
        let (mut decay, mut until) = (Decay::default(), LAST);
        let mut wide = Interval::integer(0, PRECISION);
        let two = Rational::integer(2);
        for (variance, step, times) in &self.noises {
            // As long as the angle is at most half a turn.
            let reach = (period * variance).checked_div(&(&two * step))?.floor();
            if reach >= BigInt::from(LAST) {
                let square = real(&(step * step)) * Interval::integer(*times, PRECISION);
                wide = wide + square.checked_div(&real(variance))?;
            } else {
                until = until.min(u32::try_from(&reach).ok()?);
                decay.add_gaussian(variance, step, *times, period)?;
            }
        }
        for atoms in atoms {
            decay.add_atoms(atoms, period)?;
        }
        // 2π²/L²
        let angle = pi(PRECISION).square().shifted(1).checked_div(&real(&(period * period)))?;
        let gaussians = Gaussians {
            exponent: &angle * &self.spread,
            wide_exponent: fixed::floor(&(angle * wide), 64)?,
            until,
            are_any: !self.noises.is_empty(),
        };
        let (phase, phase_error) = self.phase(atoms, period)?;
        let product = NodeProduct {
            atoms,
            gaussians: &gaussians,
            decay: &decay,
            phase,
            phase_error,
            period,
            tilt: &self.tilt,
            allowed,
        };
        product.nodes()
    }

    /// The sum of all lattice offsets and Gaussian means over the period L, modulo 1, in units of
    /// 2^−128 turns, and an upper bound on its error in the same units. `None` if the error is 2^96
    /// units or more.
    fn phase(&self, atoms: &[Atoms], period: &Rational) -> Option<(u128, u128)> {
        let half = Rational::new(1, 2).ok()?;
        let mean = &self.spread * real(&(&self.tilt + &half));
        let (low, high) = (mean.lower().to_rational()?, mean.upper().to_rational()?);
        let mut phase = turns(&low, period)?;
        let width = (high - low).checked_div(period)?;
        let units = (width * Rational::integer(BigInt::from(1) << 128u32)).ceil();
        let mut error = u128::try_from(units).ok()? + 1;
        for atoms in atoms {
            let each = turns(&atoms.law.offset, period)?;
            phase = phase.wrapping_add(each.wrapping_mul(u128::from(atoms.times)));
            error = error.checked_add(u128::from(atoms.times))?;
        }
        (error >> 96 == 0).then_some((phase, error))
    }
}

/// Enclosure of the tilted probability that all lattice distributions together lost as weights were
/// rounded down: the product of their true totals less the product of their kept totals.
fn missing(atoms: &[Atoms]) -> Option<Interval> {
    let one = || Interval::integer(1, PRECISION);
    let (total, kept) = atoms.iter().fold((one(), one()), |(total, kept), atoms| {
        let all = atoms.law.total.powi(atoms.times);
        (total * all, kept * atoms.kept())
    });
    Some(total - kept)
}

/// Approximate moments of the sum under the tilt, which choose the period and θ: no bounds.
struct Steering<'a> {
    atoms: &'a [Atoms],
    /// The sum of n·d²/σ² over the Gaussian noises.
    spread: f64,
    /// The tilt λ.
    tilt: f64,
    /// The mean of the summed loss under the tilt, in nats.
    mean: f64,
    /// The standard deviation of the summed loss under the tilt, in nats.
    deviation: f64,
}

impl<'a> Steering<'a> {
    /// Estimates of mean and deviation of the summed loss, from all kinds and the lattice
    /// distributions `atoms` among them.
    fn new(kinds: &ReleaseKinds, atoms: &'a [Atoms]) -> Self {
        let (spread, tilt) = (kinds.spread.midpoint(), kinds.tilt.to_f64());
        let start = ((tilt + 0.5) * spread, spread);
        let (mean, variance) = atoms.iter().fold(start, |(mean, variance), atoms| {
            let (each_mean, each_variance) = atoms.moments_about();
            (mean + each_mean, variance + each_variance)
        });
        Self { atoms, spread, tilt, mean, deviation: variance.sqrt() }
    }

    /// ln E[e^(θℓ)] of the sum ℓ under the tilt, rounded: no bound.
    fn log_moment(&self, theta: f64) -> f64 {
        let gaussian = self.spread * theta * (theta / 2.0 + self.tilt + 0.5);
        let atoms = self.atoms.iter().map(|atoms| atoms.log_moment_about(theta));
        gaussian + atoms.sum::<f64>()
    }

    /// About the distance from the mean, in nats, at which Chernoff's bound by θ is e^−42: above
    /// the mean for θ > 0, below it for θ < 0.
    fn reach(&self, theta: f64) -> f64 {
        (self.log_moment(theta) - theta * self.mean + NEGLIGIBLE) / theta.abs()
    }

    /// The candidate θ > 0 whose [`Self::reach`] at θ·`sign` is least, and that reach.
    fn best(&self, sign: f64) -> (f64, f64) {
        let candidates = THETAS.iter().map(|units| units / self.deviation);
        let reached = candidates.map(|theta| (theta, self.reach(sign * theta)));
        let best = reached.min_by(|one, other| one.1.total_cmp(&other.1));
        best.expect("there are six candidates")
    }

    /// θ > 0 for Chernoff's bound on the upper tail, and θ > 0 for the bound on the lower tail, to
    /// four digits. `None` if floats do not hold them.
    fn thetas(&self) -> Option<(Rational, Rational)> {
        let short = |theta: f64| {
            let theta = Rational::from_f64(theta).ok()?;
            let theta = theta.round_to_digits(4, Rounding::Nearest);
            theta.is_positive().then_some(theta)
        };
        Some((short(self.best(1.0).0)?, short(self.best(-1.0).0)?))
    }

    /// The period L, in nats: so long that the terms k ≠ 0 of Poisson's formula are about e^−42 for
    /// an ε up to three standard deviations from the mean. `None` if floats do not hold it.
    fn period(&self) -> Option<Rational> {
        let slack = 3.0 * self.deviation;
        let above = self.best(1.0).1 + slack;
        let below = 2.0 * (self.best(-1.0).1 + slack);
        let far = 2.0 * NEGLIGIBLE / self.tilt;
        let period = Rational::from_f64(above.max(below).max(far)).ok()?;
        let period = period.round_to_digits(4, Rounding::Up);
        period.is_positive().then_some(period)
    }
}
