//! The discrete Gaussian distribution of variance parameter σ² > 0, on the integers:
//!
//! P(x) = e^(−x²/2σ²) / Σ_{y∈ℤ} e^(−y²/2σ²)
//!
//! (Canonne, Kamath, Steinke 2020, Definition 1, arXiv 2004.00010). Its true variance is at most
//! σ², and very close to it once σ exceeds 1.

use alloc::sync::Arc;

use dp_exact::{Interval, Rational, Shift, gaussian_sum};
use num_bigint::BigInt;

use crate::enclosure::{bounded, exp_minus, unit};
use crate::engine::{BySize, Engine, first, sampler};
use crate::error::positive;
use crate::gaussian_buckets::Buckets;
use crate::laws::{self, Magnitude};
use crate::scan::Scan;
use crate::two_pass::TwoPass;
use crate::{Error, ParameterError, Variant, reference};

/// The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²) on the integers, exactly.
///
/// The parameter is the **variance** σ², a rational number; σ itself may be irrational.
///
/// ```
/// use dp_samplers::{DiscreteGaussian, os_rng};
///
/// let gaussian = DiscreteGaussian::new(&"1/4".parse()?)?; // σ = 1/2
/// let mut noise = [0i64; 100];
/// gaussian.fill(&mut os_rng()?, &mut noise)?;
///
/// // 1/(1 + 2e^(−2) + 2e^(−8) + …)
/// let at_zero = gaussian.probability(0, 64);
/// assert!((at_zero.midpoint() - 0.786570707).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Timing
/// Up to σ² = 270 no address depends on a secret ([`Variant::Scan`]); up to σ = 1024 every draw reads one
/// cell of a table, and a second table serves all draws of a block equally often
/// ([`Variant::TwoPass`]). Up to σ = 2^107 ([`Variant::Rounds`]) a draw takes rounds of equal work,
/// without any secret address, whose number does not depend on the outcome. At most [`Self::undecided`] of 2^64 draws deviate from that. Beyond, the running time
/// depends on the outcome: see [`reference`](crate::reference).
///
/// Tables take a few KiB up to σ² = 270, 272 KiB up to σ = 1024, and 4 KiB above.
#[derive(Clone)]
pub struct DiscreteGaussian {
    variance: Rational,
    /// A table, buckets up to σ = 2^107, and the reference.
    engine: Arc<Engines>,
}

type Engines = BySize<
    Scan<Magnitude<laws::Gaussian>>,
    BySize<TwoPass<Magnitude<laws::Gaussian>>, BySize<Buckets, reference::DiscreteGaussian>>,
>;

/// σ = 16.4: beyond, two tables are faster by half.
const MAX_SCAN_VARIANCE: u32 = 270;

/// σ = 1024: tables of 272 KiB.
const MAX_TABLE_VARIANCE: u32 = 1 << 20;

impl DiscreteGaussian {
    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        Self::check(variance)?;
        let ways = [Variant::Scan, Variant::TwoPass, Variant::Rounds];
        match first(&ways, |way| engine(variance, way)) {
            Some(engine) => Ok(Self::of(variance, engine)),
            None => Self::with_variant(variance, Variant::Reference),
        }
    }

    /// The distribution with this variance parameter σ², drawn this way. The law is the same.
    ///
    /// # Errors
    /// Those of [`Self::new`], and [`Error::Parameter`] for a variance that the variant does not
    /// serve. [`Variant::Scan`] serves all up to 270, [`Variant::TwoPass`] up to 2^20,
    /// [`Variant::Rounds`] from 243 to 2^215, [`Variant::Reference`] all.
    pub fn with_variant(variance: &Rational, variant: Variant) -> Result<Self, Error> {
        Self::check(variance)?;
        let engine = engine(variance, variant).ok_or_else(|| {
            let accepted = match variant {
                Variant::Scan => "a number of at most 270 for the variant Scan",
                Variant::TwoPass => "a number of at most 1048576 for the variant TwoPass",
                Variant::Rounds => "a number above 243 and at most 2^215 for the variant Rounds",
                _ => "a variant that discrete Gaussians have: Scan, TwoPass, Rounds or Reference",
            };
            ParameterError::new("variance", variance, accepted)
        })?;
        Ok(Self::of(variance, engine))
    }

    fn of(variance: &Rational, engine: Engines) -> Self {
        Self {
            variance: variance.clone(),
            engine: Arc::new(engine),
        }
    }

    /// Whether there is a distribution with this variance parameter σ², without making its tables.
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits. A
    /// variance of 0 is an error, not a distribution without noise.
    pub fn check(variance: &Rational) -> Result<(), Error> {
        positive("variance", variance)
    }

    /// The variance parameter σ², in squared units of the outcome.
    #[must_use]
    pub fn variance(&self) -> &Rational {
        &self.variance
    }

    /// P(`outcome`), enclosed with a relative width of about 2^−`precision`; a probability below
    /// 2^(−2^40) is enclosed between 0 and that number.
    ///
    /// The precision is taken as at least 16 and at most [`MAX_PRECISION`](dp_exact::MAX_PRECISION)
    /// bits. Each call sums the normalizer anew, a handful of exponentials.
    #[must_use]
    pub fn probability(&self, outcome: impl Into<BigInt>, precision: u32) -> Interval {
        let (outcome, precision) = (outcome.into(), bounded(precision));
        let Some(rate) = (&self.variance + &self.variance).reciprocal() else {
            unreachable!("the constructor refuses a variance of 0")
        };
        let square = Rational::integer(outcome).pow(2);
        let weight = exp_minus(&(square * rate), precision);
        gaussian_sum(&self.variance, Shift::Zero, precision.saturating_add(8))
            .and_then(|total| weight.checked_div(&total))
            .unwrap_or_else(|| unit(precision))
    }
}

/// What draws this way, if it serves the variance.
fn engine(variance: &Rational, variant: Variant) -> Option<Engines> {
    let law = |limit: u32| {
        let small = *variance <= Rational::integer(limit);
        laws::Gaussian::new(variance).filter(|_| small)
    };
    Some(match variant {
        Variant::Scan => BySize::Small(Scan::symmetric(law(MAX_SCAN_VARIANCE)?)?),
        Variant::TwoPass => {
            BySize::Large(BySize::Small(TwoPass::symmetric(law(MAX_TABLE_VARIANCE)?)?))
        }
        Variant::Rounds => BySize::Large(BySize::Large(BySize::Small(Buckets::new(variance)?))),
        Variant::Reference => BySize::Large(BySize::Large(BySize::Large(
            reference::DiscreteGaussian::new(variance).ok()?,
        ))),
        _ => return None,
    })
}

sampler!(DiscreteGaussian of variance, BigInt);
