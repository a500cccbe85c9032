//! The geometric distribution of scale t > 0, on k = 0, 1, 2, …:
//!
//! P(k) = (1 − e^(−1/t))·e^(−k/t),  P(K ≥ k) = e^(−k/t).

use alloc::sync::Arc;

use dp_exact::{Interval, Rational};
use num_bigint::{BigInt, BigUint};

use crate::enclosure::{bounded, exp_minus, one_minus_exp_minus};
use crate::engine::{BySize, Engine, sampler};
use crate::error::positive;
use crate::expansion::Expansion;
use crate::laws::OneSided;
use crate::scale::{ByScale, MAX_SCAN, MAX_TABLES, refused};
use crate::scan::Scan;
use crate::two_pass::TwoPass;
use crate::{Error, Variant, reference, scale};

/// The geometric distribution P(k) = (1 − e^(−1/t))·e^(−k/t) on the integers k ≥ 0, exactly.
///
/// ```
/// use dp_samplers::{Geometric, os_rng};
///
/// let geometric = Geometric::new(&"2/5".parse()?)?;
/// let mut counts = [0u64; 100];
/// geometric.fill(&mut os_rng()?, &mut counts)?;
/// assert!(counts.contains(&0)); // missing with probability below 1e-100
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
pub struct Geometric {
    scale: Rational,
    engine: Arc<Engines>,
}

impl Geometric {
    /// The distribution with this scale.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless scale > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(scale: &Rational) -> Result<Self, Error> {
        positive("scale", scale)?;
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
        positive("scale", scale)?;
        let engine = engine(scale, variant).ok_or_else(|| refused(scale, variant))?;
        Ok(Self::of(scale, engine))
    }

    fn of(scale: &Rational, engine: Engines) -> Self {
        Self {
            scale: scale.clone(),
            engine: Arc::new(engine),
        }
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
    pub fn probability(&self, outcome: impl Into<BigUint>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
        let Some(rate) = self.scale.reciprocal() else {
            unreachable!("the constructor refuses a scale of 0")
        };
        let outcome = Rational::integer(BigInt::from(outcome));
        one_minus_exp_minus(&rate, precision) * exp_minus(&(outcome * rate), precision)
    }
}

type Engines = ByScale<OneSided, OneSided, reference::Geometric>;

/// What draws this way, if it serves the scale.
fn engine(scale: &Rational, variant: Variant) -> Option<Engines> {
    let law = |limit: u32| {
        let rate = scale.reciprocal()?;
        (*scale <= Rational::integer(limit)).then_some(OneSided { rate })
    };
    Some(match variant {
        Variant::Scan => BySize::Small(Scan::new(law(MAX_SCAN)?)?),
        Variant::TwoPass => BySize::Large(BySize::Small(TwoPass::new(law(MAX_TABLES)?)?)),
        Variant::Digits => {
            BySize::Large(BySize::Large(BySize::Small(Expansion::geometric(scale)?)))
        }
        Variant::Reference => BySize::Large(BySize::Large(BySize::Large(
            reference::Geometric::new(scale).ok()?,
        ))),
        _ => return None,
    })
}

sampler!(Geometric of scale, BigUint);
