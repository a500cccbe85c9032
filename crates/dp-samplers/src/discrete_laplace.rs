//! The discrete Laplace distribution of scale t > 0, on the integers:
//!
//! P(x) = (1 − q)/(1 + q)·q^|x| with q = e^(−1/t).
//!
//! (Ghosh, Roughgarden, Sundararajan 2009, where it is called the two-sided geometric
//! distribution.)

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::BigInt;
use num_traits::Signed;

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus, unit};
use crate::engine::{BySize, Engine, sampler};
use crate::error::positive;
use crate::expansion::Expansion;
use crate::laws::{Magnitude, TwoSided};
use crate::scale::{ByScale, MAX_SCAN, MAX_TABLES, refused};
use crate::scan::Scan;
use crate::two_pass::TwoPass;
use crate::{Error, Variant, reference, scale};

/// The discrete Laplace distribution P(x) ∝ e^(−|x|/t) on the integers, exactly.
///
/// ```
/// use dp_samplers::{DiscreteLaplace, os_rng};
///
/// let laplace = DiscreteLaplace::new(&"20".parse()?)?;
/// let mut noise = [0i64; 100];
/// laplace.fill(&mut os_rng()?, &mut noise)?;
///
/// // (1 − q)/(1 + q) with q = e^(−1/20)
/// let at_zero = laplace.probability(0, 64);
/// assert!((at_zero.midpoint() - 0.024994793).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// Up to a scale of 7 every threshold of the law is compared with every random word, and no address
/// depends on a secret. Up to a scale of 24 a draw reads a cell of each of two tables at most, and up to
/// 2^103 one of a table for each digit; at most [`Self::undecided`] of 2^64 draws deviate from that.
/// Beyond, the running time depends on the outcome: see [`reference`](crate::reference).
///
/// Tables take at most 6 KiB up to a scale of 7, 40 KiB up to 24, and 400 KiB above.
#[derive(Clone)]
pub struct DiscreteLaplace {
    scale: Rational,
    engine: Arc<Engines>,
}

impl DiscreteLaplace {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        Self::check(scale)?;
        let engine = scale::best(|variant| engine(scale, variant));
        let engine = engine.ok_or_else(|| refused(scale, Variant::Reference))?;
        Ok(Self::of(scale, engine))
    }

    /// The distribution with this scale, drawn this way. The law is the same.
    ///
    /// # Errors
    /// Those of [`Self::new`], and [`Error::Parameter`] for a scale that the variant does not serve:
    /// [`Variant::Scan`] serves all up to 7, [`Variant::TwoPass`] up to 24, [`Variant::Digits`]
    /// up to 2^103, [`Variant::Reference`] all.
    pub fn with_variant(scale: &Rational, variant: Variant) -> Result<Self, Error> {
        Self::check(scale)?;
        let engine = engine(scale, variant).ok_or_else(|| refused(scale, variant))?;
        Ok(Self::of(scale, engine))
    }

    fn of(scale: &Rational, engine: Engines) -> Self {
        Self {
            scale: scale.clone(),
            engine: Arc::new(engine),
        }
    }

    /// Whether there is a distribution with this scale, without making its tables.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn check(scale: &Rational) -> Result<(), Error> {
        positive("scale", scale)
    }

    /// The scale t, in units of the outcome.
    #[must_use]
    pub fn scale(&self) -> &Rational {
        &self.scale
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; a probability below
    /// 2^(−2^40) is enclosed between 0 and that number.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits.
    #[must_use]
    pub fn probability(&self, outcome: impl Into<BigInt>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
        let Some(rate) = self.scale.reciprocal() else {
            unreachable!("the constructor refuses a scale of 0")
        };
        let magnitude = Rational::integer(outcome.abs());
        let power = exp_minus(&(magnitude * &rate), precision);
        let one_plus_q = Interval::integer(1, precision) + exp_minus(&rate, precision);
        one_minus_exp_minus(&rate, precision)
            .checked_div(&one_plus_q)
            .map_or_else(|| unit(precision), |centre| centre * power)
    }
}

type Engines = ByScale<Magnitude<TwoSided>, TwoSided, reference::DiscreteLaplace>;

/// What draws this way, if it serves the scale.
fn engine(scale: &Rational, variant: Variant) -> Option<Engines> {
    let law = |limit: u32| {
        let rate = scale.reciprocal()?;
        (*scale <= Rational::integer(limit)).then(|| TwoSided {
            sign_rate: rate.clone(),
            rate,
        })
    };
    Some(match variant {
        Variant::Scan => BySize::Small(Scan::symmetric(law(MAX_SCAN)?)?),
        Variant::TwoPass => BySize::Large(BySize::Small(TwoPass::symmetric(law(MAX_TABLES)?)?)),
        Variant::Digits => BySize::Large(BySize::Large(BySize::Small(Expansion::laplace(scale)?))),
        Variant::Reference => BySize::Large(BySize::Large(BySize::Large(
            reference::DiscreteLaplace::new(scale).ok()?,
        ))),
        _ => return None,
    })
}

sampler!(DiscreteLaplace of scale, BigInt);
