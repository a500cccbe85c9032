//! A mechanism as an adversary sees it: a view of each run, as a vector of integers.

use crate::Error;

/// The generator that runs draw from, by the methods of [`rand_core::Rng`](rand_chacha::rand_core::Rng) or with what takes
/// a [`rand_core::CryptoRng`](rand_chacha::rand_core::CryptoRng). All that it yields follows from the seed of the audit.
pub type Generator = rand_chacha::ChaCha12Rng;

/// One of the two neighbouring inputs that an adversary tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The one.
    First,
    /// The other one.
    Second,
}

impl Input {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    pub(crate) const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// Runs of a mechanism on two neighbouring inputs, and what an adversary sees of each: everything, as a vector of
/// integers. What the adversary knows beforehand may be left out, or subtracted.
///
/// ```
/// use dp_audit::{Audit, Error, FromFn, Input};
/// use dp_samplers::DiscreteLaplace;
///
/// // A count of one person, with noise of scale 1.
/// let noise = DiscreteLaplace::new(&"1".parse()?)?;
/// let views = FromFn::new(1, |input, generator, view: &mut [i64]| {
///     noise.fill(generator, view)?;
///     view[0] += i64::from(input == Input::First);
///     Ok::<_, Error>(())
/// });
/// let bound = Audit::new(20_000, 1e-6, 1)?.lower_bound(&views, 0.0)?;
/// assert!(bound.epsilon > 0.8 && bound.epsilon < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Views: Sync {
    /// How many integers a view has.
    fn width(&self) -> usize;

    /// Runs the mechanism on this input and overwrites `view`, which has [`Self::width`] places, with what the
    /// adversary sees. Runs are independent of each other.
    ///
    /// # Errors
    /// If the mechanism does not run.
    fn observe(
        &self,
        input: Input,
        generator: &mut Generator,
        view: &mut [i64],
    ) -> Result<(), Error>;
}

/// Views that a closure gives.
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F> {
    width: usize,
    observe: F,
}

impl<F> FromFn<F>
where
    F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync,
{
    /// So many integers a view.
    pub const fn new(width: usize, observe: F) -> Self {
        Self { width, observe }
    }
}

impl<F> Views for FromFn<F>
where
    F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync,
{
    fn width(&self) -> usize {
        self.width
    }

    fn observe(
        &self,
        input: Input,
        generator: &mut Generator,
        view: &mut [i64],
    ) -> Result<(), Error> {
        (self.observe)(input, generator, view)
    }
}
