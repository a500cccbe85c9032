//! A mechanism as an adversary sees it: the view of each run, a vector of integers.

use rand_chacha::rand_core::SeedableRng as _;

use crate::Error;

/// The random generator of a run, a [`rand_core::CryptoRng`](rand_chacha::rand_core::CryptoRng).
/// The seed of the audit determines its output.
pub type Generator = rand_chacha::ChaCha12Rng;

/// The random generator whose seed these four words determine.
pub(crate) fn generator(words: [u64; 4]) -> Generator {
    let mut key = [0; 32];
    for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    Generator::from_seed(key)
}

/// One of the two neighbouring inputs that an adversary tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Input {
    /// The first input.
    First,
    /// The second input.
    Second,
}

impl Input {
    /// Both inputs.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// 1 for the first input, −1 for the second.
    pub(crate) fn sign(self) -> f64 {
        if self == Self::First { 1.0 } else { -1.0 }
    }

    /// The other input.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// Runs of a mechanism on two neighbouring inputs, and the adversary's view of each run as a vector
/// of integers. Values that the adversary knows beforehand may be left out or subtracted.
pub trait Views: Sync {
    /// Number of integers of a view.
    fn width(&self) -> usize;

    /// Runs the mechanism on this input and overwrites `view`, whose length is [`Self::width`].
    /// Runs are independent of each other.
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

/// Views that a function computes. The README has an example.
#[derive(Clone, Copy, Debug)]
pub struct FromFn<F> {
    width: usize,
    observe: F,
}

impl<F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync> FromFn<F> {
    /// Views of `width` integers that `observe` overwrites.
    pub const fn new(width: usize, observe: F) -> Self {
        Self { width, observe }
    }
}

impl<F: Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync> Views for FromFn<F> {
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
