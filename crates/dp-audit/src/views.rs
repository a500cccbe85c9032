//! A mechanism as an adversary sees it: the view of each run, a vector of integers.

use std::fmt;

use rand_chacha::rand_core::SeedableRng as _;

use crate::Error;

/// The random generator of a run, to be used by the methods of
/// [`rand_core::Rng`](rand_chacha::rand_core::Rng) or as a
/// [`rand_core::CryptoRng`](rand_chacha::rand_core::CryptoRng). The seed of the audit determines
/// its output.
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

    /// The other input.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// The index of the input in pairs: 0 for the first input, 1 for the second.
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::First => 0,
            Self::Second => 1,
        }
    }
}

/// A function that runs a mechanism on an input and overwrites the view.
type Observe<'a> = dyn Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync + 'a;

/// Runs of a mechanism on two neighbouring inputs, and the adversary's view of each run: all that
/// the adversary sees, as a vector of integers. Values that the adversary knows beforehand may be
/// left out or subtracted. The README has an example.
pub struct Views<'a> {
    width: usize,
    observe: Box<Observe<'a>>,
}

impl<'a> Views<'a> {
    /// Views of `width` integers. `observe` runs the mechanism on an input and overwrites the view;
    /// runs are independent of each other.
    pub fn new(
        width: usize,
        observe: impl Fn(Input, &mut Generator, &mut [i64]) -> Result<(), Error> + Sync + 'a,
    ) -> Self {
        Self { width, observe: Box::new(observe) }
    }

    /// Number of integers of a view.
    pub(crate) const fn width(&self) -> usize {
        self.width
    }

    /// Runs the mechanism on this input and overwrites `view`.
    pub(crate) fn observe(
        &self,
        input: Input,
        generator: &mut Generator,
        view: &mut [i64],
    ) -> Result<(), Error> {
        (self.observe)(input, generator, view)
    }
}

impl fmt::Debug for Views<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Views({})", self.width)
    }
}
