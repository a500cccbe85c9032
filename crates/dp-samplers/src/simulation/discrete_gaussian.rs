//! The discrete Gaussian distribution in simulation mode.

use dp_exact::Rational;

use super::lanes::{Sixteen, ThirtyTwo};
use crate::engine::{BySize, Engine, debug, draws};
use crate::error::positive;
use crate::gaussian_buckets::Buckets;
use crate::{Error, laws, reference};

/// The discrete Gaussian distribution P(x) ∝ e^(−x²/2σ²) on the integers, exactly, for
/// simulations only.
///
/// [`crate::DiscreteGaussian`] is the one that may protect somebody.
///
/// ```
/// use dp_samplers::{Seed, simulation};
///
/// let gaussian = simulation::DiscreteGaussian::new(&"27".parse()?)?;
/// let mut noise = [0i64; 1000];
/// gaussian.fill(&mut Seed::from_u64(1).rng(), &mut noise)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct DiscreteGaussian {
    variance: Rational,
    engine: BySize<Tables, BySize<Buckets, reference::DiscreteGaussian>>,
}

/// Words of 16 bits and at most 1024 cells, or of 32 bits.
type Tables = BySize<Sixteen<laws::Gaussian>, ThirtyTwo<laws::Gaussian>>;

/// σ = 40
const MAX_SIXTEEN: u32 = 1600;

/// σ = 1024
const MAX_THIRTY_TWO: u32 = 1 << 20;

impl DiscreteGaussian {
    /// The distribution with this variance parameter σ².
    ///
    /// # Errors
    /// [`Error::Parameter`] unless variance > 0 with at most [`Rational::MAX_BITS`] bits.
    pub fn new(variance: &Rational) -> Result<Self, Error> {
        positive("variance", variance)?;
        let law = |limit: u32| {
            let small = *variance <= Rational::integer(limit);
            laws::Gaussian::new(variance).filter(|_| small)
        };
        let sixteen = law(MAX_SIXTEEN).and_then(Sixteen::new);
        let thirty_two = || law(MAX_THIRTY_TWO).and_then(ThirtyTwo::new).ok_or(());
        let engine = BySize::new(BySize::new(sixteen, thirty_two).ok(), || {
            BySize::new(Buckets::new(variance), || {
                reference::DiscreteGaussian::new(variance)
            })
        })?;
        Ok(Self {
            variance: variance.clone(),
            engine,
        })
    }
}

draws!(DiscreteGaussian, Rng, ", several from a word");
debug!(DiscreteGaussian, variance);
