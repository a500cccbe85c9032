//! The law of the sum of all losses, on a lattice or by characteristic functions.
//!
//! A few kinds, or kinds with a common lattice, are added up on lattices ([`together`]), others by their
//! characteristic functions ([`spectrum`]).

use dp_calibration::privacy_loss::{COMMON, TiltedLoss, Tilting, common_step, together};
use dp_exact::{Interval, Rational, directed};

use super::release::Part;
use super::spectrum::{Factor, Spectrum, spectrum};

/// Kinds that are added up on lattices, whatever these are.
const FEW: usize = 4;

/// Standard deviations of a kind that its lattice covers.
const DEVIATIONS: f64 = 19.0;

/// Losses of one kind on its lattice, with few kinds and with many.
const CELLS: [u32; 2] = [4096, 192];

/// Kinds of which the lattices are coarser.
const MANY: usize = 64;

/// Equal parts, and how many of them.
pub(super) type Kinds<'a> = [(&'a Part, u32)];

/// How the losses are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Lattice,
    Spectrum,
    /// The same with less work, and bounds that are farther apart.
    Quick,
}

/// Units of work that make the bounds of a spectrum close.
const CLOSE: u64 = 250_000_000;

/// Units of work of a quick one.
const QUICK: u64 = 30_000_000;

impl Route {
    /// The one that is exact, or else fast.
    pub(super) fn of(kinds: &Kinds<'_>) -> Self {
        if kinds.iter().any(|(part, _)| part.is_wide()) {
            return Self::Spectrum;
        }
        if kinds.len() <= FEW {
            return Self::Lattice;
        }
        let each = |(part, times): &(&Part, u32)| part.deviation() * f64::from(*times).sqrt();
        let span = DEVIATIONS * kinds.iter().map(each).sum::<f64>();
        let steps: Option<Vec<Rational>> = kinds.iter().map(|(part, _)| part.spacing()).collect();
        let least = span / directed::index(COMMON);
        match steps.and_then(|steps| common_step(steps, least)) {
            Some(_) => Self::Lattice,
            None => Self::Spectrum,
        }
    }
}

/// The law of a sum.
#[derive(Debug)]
pub(super) enum Sum {
    Lattice(Box<TiltedLoss>),
    Spectrum(Box<Spectrum>),
}

impl Sum {
    /// Of all losses, given about its variance.
    pub(super) fn new(
        kinds: &Kinds<'_>,
        variance: f64,
        tilting: &Tilting,
        route: Route,
    ) -> Option<Self> {
        if kinds.is_empty() {
            return Some(Self::Lattice(Box::new(TiltedLoss::nothing(Rational::one()))));
        }
        match route {
            Route::Lattice => {
                let laws = kinds.iter().map(|(part, times)| part.law(*times, tilting));
                let laws = laws.collect::<Option<Vec<TiltedLoss>>>()?;
                Some(Self::Lattice(Box::new(together(laws, variance, tilting)?)))
            }
            Route::Spectrum | Route::Quick => {
                let allowed = if route == Route::Quick { QUICK } else { CLOSE };
                let cells = CELLS[usize::from(kinds.len() > MANY)];
                let factors = kinds.iter().map(|(part, times)| part.factor(*times, cells, tilting));
                let factors = factors.collect::<Option<Vec<Factor>>>()?;
                Some(Self::Spectrum(Box::new(spectrum(factors, &tilting.tilt, allowed)?)))
            }
        }
    }

    /// Whether no loss was moved.
    pub(super) fn is_exact(&self) -> bool {
        match self {
            Self::Lattice(law) => law.exact,
            Self::Spectrum(spectrum) => spectrum.exact,
        }
    }

    /// δ at ε between bounds, for what the law describes.
    pub(super) fn delta(&self, epsilon: &Rational, tilt: &Rational) -> Option<Interval> {
        match self {
            Self::Lattice(law) => law.delta(epsilon, tilt),
            Self::Spectrum(spectrum) => spectrum.delta(epsilon),
        }
    }

    /// About ln δ at ε, to steer.
    pub(super) fn log_delta_about(&self, epsilon: f64, tilt: f64) -> f64 {
        match self {
            Self::Lattice(law) => law.log_delta_about(epsilon, tilt),
            Self::Spectrum(spectrum) => spectrum.log_delta_about(epsilon),
        }
    }
}
