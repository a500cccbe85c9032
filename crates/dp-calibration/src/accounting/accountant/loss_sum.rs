//! The distribution of the sum of all losses, on a lattice or by characteristic functions.
//!
//! A few kinds of loss, or kinds with a common lattice, are added up on lattices ([`together`]),
//! others by their characteristic functions ([`spectrum`]).

use crate::privacy_loss::{COMMON, TiltedLoss, Tilting, common_step, together};
use dp_exact::{Interval, Rational, directed};

use super::accounted_mechanism::LossPart;
use super::spectrum::{ReleaseKinds, Spectrum};

/// The most kinds for which lattices are used even if they have no common step.
const FEW: usize = 4;

/// The most randomized responses, all together, for which lattices are used.
const FEW_RESPONSES: u64 = 32;

/// Standard deviations of the summed loss that a common lattice has to cover.
const DEVIATIONS: f64 = 19.0;

/// The most lattice points of one kind of loss: with at most [`MANY`] kinds, and with more.
const CELLS: [u32; 2] = [4096, 192];

/// Above this number of kinds, the lattices are coarser.
const MANY: usize = 64;

/// Each distinct part with the number of its losses.
pub(super) type LossParts<'a> = [(&'a LossPart, u32)];

/// The method that adds up the losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SumMethod {
    /// Lattices, added up by convolution.
    Lattice,
    /// Characteristic functions.
    Spectrum,
    /// Characteristic functions with less work, and bounds that are farther apart.
    Quick,
}

/// Work limit of [`SumMethod::Spectrum`], in units of about a nanosecond.
const CLOSE: u64 = 250_000_000;

/// Work limit of [`SumMethod::Quick`], in units of about a nanosecond.
const QUICK: u64 = 30_000_000;

impl SumMethod {
    /// The method for these kinds. Lattices for at most four kinds, for at most 32 randomized
    /// responses and nothing else, or where one lattice of about 2^20 points holds all kinds; else
    /// characteristic functions, which Gaussian noise with σ² above 10^10 always takes.
    pub(super) fn of(kinds: &LossParts<'_>) -> Self {
        if kinds.iter().any(|(part, _)| part.is_wide()) {
            return Self::Spectrum;
        }
        let is_response = |(part, _): &(&LossPart, u32)| matches!(part, LossPart::Response(..));
        let releases: u64 = kinds.iter().map(|(_, times)| u64::from(*times)).sum();
        // The characteristic function of few responses comes back near 1, and tells little.
        let are_few_responses = releases <= FEW_RESPONSES && kinds.iter().all(is_response);
        if kinds.len() <= FEW || are_few_responses {
            return Self::Lattice;
        }
        let span: f64 = kinds.iter().map(|(part, times)| span(part, *times)).sum();
        let steps: Option<Vec<Rational>> = kinds.iter().map(|(part, _)| part.spacing()).collect();
        let least = span / directed::index(COMMON);
        match steps.and_then(|steps| common_step(steps, least)) {
            Some(_) => Self::Lattice,
            None => Self::Spectrum,
        }
    }
}

/// An estimate, in nats, of the range that a lattice of `times` losses has to cover: from the least
/// to the largest sum, but at most [`DEVIATIONS`] standard deviations.
fn span(part: &LossPart, times: u32) -> f64 {
    let times = f64::from(times);
    let spread = DEVIATIONS * part.deviation() * times.sqrt();
    part.largest().map_or(spread, |largest| spread.min(2.0 * largest.to_f64() * times))
}

/// The distribution of the summed losses under a tilt, bounded from one side.
#[derive(Debug)]
pub(super) enum LossSum {
    /// The probabilities on a lattice.
    Lattice(Box<TiltedLoss>),
    /// The characteristic function at the nodes of a period.
    Spectrum(Box<Spectrum>),
}

impl LossSum {
    /// The tilted distribution of the sum of all losses, added up by `method`, which bounds δ on
    /// the side of `tilting`. Without losses the sum is 0. `None` if a lattice would be too long,
    /// or a number too large.
    pub(super) fn new(kinds: &LossParts<'_>, tilting: &Tilting, method: SumMethod) -> Option<Self> {
        if kinds.is_empty() {
            return Some(Self::Lattice(Box::new(TiltedLoss::nothing(Rational::one()))));
        }
        match method {
            SumMethod::Lattice => {
                let laws = kinds.iter().map(|(part, times)| part.summed(*times, tilting));
                let laws = laws.collect::<Option<Vec<TiltedLoss>>>()?;
                Some(Self::Lattice(Box::new(together(laws, tilting)?)))
            }
            SumMethod::Spectrum | SumMethod::Quick => {
                let allowed = if method == SumMethod::Quick { QUICK } else { CLOSE };
                let cells = CELLS[usize::from(kinds.len() > MANY)];
                let mut all = ReleaseKinds::new(&tilting.tilt);
                for (part, times) in kinds {
                    part.add_to(&mut all, *times, cells, tilting)?;
                }
                Some(Self::Spectrum(Box::new(all.spectrum(allowed)?)))
            }
        }
    }

    /// Whether no loss was rounded to a grid.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Lattice(law) => law.exact,
            Self::Spectrum(spectrum) => spectrum.exact,
        }
    }

    /// Enclosure of the δ at ε of this distribution of finite losses; the caller adds infinite
    /// ones. `tilt` is its λ. `None` if a number is too large.
    pub(super) fn delta(&self, epsilon: &Rational, tilt: &Rational) -> Option<Interval> {
        match self {
            Self::Lattice(law) => law.delta(epsilon, tilt),
            Self::Spectrum(spectrum) => spectrum.delta(epsilon),
        }
    }

    /// ln δ at ε, rounded: no bound.
    pub(super) fn log_delta_about(&self, epsilon: f64, tilt: f64) -> f64 {
        match self {
            Self::Lattice(law) => law.log_delta_about(epsilon, tilt),
            Self::Spectrum(spectrum) => spectrum.log_delta_about(epsilon),
        }
    }
}
