//! What all samplers do, whatever their law: a draw, a slice of draws, and what they cost.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt::{self, Debug, Formatter};

use num_bigint::BigInt;
use rand_core::Rng;

use crate::rounds::Rounds;
use crate::scan::Scan;
use crate::{Error, FromDraw, bulk};

/// The engine that draws.
///
/// [`Self::Scan`] and [`Self::Rounds`] touch no address and take no branch that depends on a draw, beside an
/// exceptional path. `new` of a law takes the first that serves its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variant {
    /// Every threshold of the law is compared with every random word.
    Scan,
    /// A bucket by a scan, a uniform place in it, and acceptance, in rounds whose number does not depend on what is
    /// accepted.
    Rounds,
    /// The algorithms of [`reference`](crate::reference), whose time depends on the outcome.
    Reference,
}

/// One of the two passes by which a scan draws slices. Its thresholds give the number of the 2^w words that yield each outcome; the other words lead
/// to the next pass, or from the last one to a draw from what is left of the law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pass {
    /// w
    pub word_bits: u32,
    /// Outcomes, each once, and how many words yield it, counted in the thresholds.
    pub words: Vec<(i64, u64)>,
}

/// A draw by an algorithm on big integers.
type Reference = Box<dyn Fn(&mut dyn Rng) -> BigInt + Send + Sync>;

/// Something that draws from one law.
pub(crate) enum Engine {
    /// Always this.
    Certain(u64),
    Scan(Scan),
    Rounds(Box<Rounds>),
    Reference(Reference),
}

impl Engine {
    /// The first of a scan, rounds and the reference that there is.
    pub(crate) fn first(
        scan: Option<Scan>,
        rounds: impl FnOnce() -> Option<Rounds>,
        reference: impl FnOnce() -> Result<Reference, Error>,
    ) -> Result<Self, Error> {
        if let Some(scan) = scan {
            return Ok(Self::Scan(scan));
        }
        match rounds() {
            Some(rounds) => Ok(Self::Rounds(Box::new(rounds))),
            None => Ok(Self::Reference(reference()?)),
        }
    }

    /// A draw straight from the generator; `None` if it does not fit.
    #[inline]
    pub(crate) fn single<T: FromDraw, R: Rng + ?Sized>(&self, mut rng: &mut R) -> Option<T> {
        match self {
            Self::Certain(draw) => T::from_i128((*draw).into()),
            Self::Scan(scan) => T::from_i64(scan.draw(rng)),
            Self::Rounds(rounds) => rounds.draw(rng),
            Self::Reference(reference) => T::from_big(reference(&mut rng)),
        }
    }

    /// A draw of a type that holds every outcome of the law.
    ///
    /// Every draw fits, so there is one. A draw that did not fit would be made again, and never replaced by a number:
    /// noise of 0 protects nobody.
    pub(crate) fn whole<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> T {
        loop {
            if let Some(draw) = self.single(rng) {
                return draw;
            }
        }
    }

    /// Fills `out` with independent draws. Fails if a draw does not fit into `T`.
    pub(crate) fn fill<T: FromDraw, R: Rng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        match self {
            Self::Scan(scan) => scan.fill(rng, out),
            Self::Rounds(rounds) => rounds.fill(rng, out),
            _ => bulk::complete::<T>(bulk::one_by_one(out, || self.single(rng))),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Scan(scan) => scan.bytes(),
            Self::Rounds(rounds) => rounds.bytes(),
            _ => 0,
        }
    }

    pub(crate) fn undecided(&self) -> Option<u64> {
        match self {
            Self::Certain(_) => Some(0),
            Self::Scan(scan) => Some(scan.undecided()),
            Self::Rounds(rounds) => Some(rounds.undecided()),
            Self::Reference(_) => None,
        }
    }

    pub(crate) fn variant(&self) -> Variant {
        match self {
            Self::Certain(_) | Self::Scan(_) => Variant::Scan,
            Self::Rounds(_) => Variant::Rounds,
            Self::Reference(_) => Variant::Reference,
        }
    }

    pub(crate) fn passes(&self) -> Vec<Pass> {
        match self {
            Self::Scan(scan) => scan.passes(),
            _ => Vec::new(),
        }
    }
}

impl Debug for Engine {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        self.variant().fmt(formatter)
    }
}

/// All that a law has beside its constructor and its probabilities, through its field `engine`.
macro_rules! sampler {
    ($law:ident $(<$parameter:ident>)?, $outcome:ty) => {
        impl$(<$parameter>)? $law$(<$parameter>)? {
            /// Draws an integer of a type that holds every outcome.
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> $outcome {
                self.engine.whole(rng)
            }

            /// Draws an integer of type `T`; `None` if the draw does not fit.
            #[inline]
            pub fn sample_as<T, R>(&self, rng: &mut R) -> Option<T>
            where
                T: $crate::FromDraw,
                R: rand_core::CryptoRng + ?Sized,
            {
                self.engine.single(rng)
            }

            /// Fills a slice with independent draws. Generator and length determine them; they need not be those that
            /// repeated `sample` would give.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw does not fit `T`. The slice is then partly filled
            /// and must not be used.
            pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw,
                R: rand_core::CryptoRng + ?Sized,
            {
                self.engine.fill(rng, out)
            }

            /// Adds an independent draw to each value: those that [`Self::fill`] would give for one part of 256 values
            /// after the other.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw or a sum does not fit `T`. The slice is then
            /// partly changed and must not be used.
            pub fn add_to<T, R>(&self, rng: &mut R, values: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw + $crate::CheckedAdd + Clone,
                R: rand_core::CryptoRng + ?Sized,
            {
                $crate::bulk::add(values, |noise| self.engine.fill(rng, noise))
            }

            /// The size of the thresholds in bytes. Clones share them.
            #[must_use]
            pub fn table_bytes(&self) -> usize {
                self.engine.bytes()
            }

            /// Which engine serves these parameters.
            #[must_use]
            pub fn variant(&self) -> $crate::Variant {
                self.engine.variant()
            }

            /// How many of 2^64 rounds of single draws, and of blocks of 256 draws or batches of 256 proposals of a
            /// slice, take the exceptional path, at most. `None` where the reference serves, whose time depends on
            /// every outcome.
            #[must_use]
            pub fn undecided(&self) -> Option<u64> {
                self.engine.undecided()
            }

            /// The two passes by which a scan draws slices; none for other engines. Outcomes are magnitudes where the
            /// law is symmetric about 0; a fair sign is drawn beside.
            ///
            /// With m(x) words of the first pass and m′(x) of the second yielding x, U of the 2^w words of the first
            /// none, and w′ bits of a word of the second, (m(x) + m′(x)·U/2^w′)/2^w is at most the probability of x.
            /// What it lacks is drawn where no pass decides: `dp-check` verifies that.
            #[must_use]
            pub fn passes(&self) -> alloc::vec::Vec<$crate::Pass> {
                self.engine.passes()
            }
        }
    };
}

/// The constructor, name and text of a law of one rational parameter.
macro_rules! of_parameter {
    ($law:ident, $parameter:ident) => {
        impl core::fmt::Debug for $law {
            /// The parameter, not the thresholds.
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter
                    .debug_struct(stringify!($law))
                    .field(stringify!($parameter), &format_args!("{}", self.$parameter))
                    .finish_non_exhaustive()
            }
        }

        impl PartialEq for $law {
            fn eq(&self, other: &Self) -> bool {
                self.$parameter == other.$parameter
            }
        }

        impl Eq for $law {}

        $crate::engine::stream!($law, |law: &Self| $crate::seed::fraction(
            stringify!($parameter),
            &law.$parameter
        ));
    };
}

/// What a stream of noise is named by, and the noise itself.
macro_rules! stream {
    ($law:ty, $parameters:expr) => {
        impl $law {
            /// The parameters as exact text, one text for each law of the algorithm: names, and numbers as reduced
            /// fractions, `variance=269/10`. Whatever text a number was parsed from, the same number gives the same
            /// text; two numbers, however close, give two.
            #[must_use]
            pub fn parameters(&self) -> alloc::string::String {
                $parameters(self)
            }

            /// Fills a slice with the noise that the seed determines for this law: always the same for a version of
            /// [`Self::ALGORITHM`], the same [`Self::parameters`] and a slice of the same length, and as good as
            /// independent of the noise that it determines for other parameters. A longer slice need not begin with
            /// the values of a shorter one.
            ///
            /// Draws as [`Self::fill`] does, from a ChaCha20 generator whose key is HMAC-SHA-256(seed,
            /// message), and the message is `dp-samplers noise`, followed by algorithm and parameters, each with its
            /// length in bytes before it as 8 bytes, the least significant first.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw does not fit `T`.
            pub fn expand<T: $crate::FromDraw>(
                &self,
                seed: &$crate::Seed,
                out: &mut [T],
            ) -> Result<(), $crate::Error> {
                let key = seed.derive(Self::ALGORITHM, &self.parameters());
                self.fill(&mut key.rng(), out)
            }
        }
    };
}

/// `sample` and `fill` of a coin, through its method `draw`.
macro_rules! coin {
    ($coin:ident $(<$parameter:ident>)?) => {
        impl$(<$parameter: dp_exact::Real>)? $coin$(<$parameter>)? {
            /// Draws: true with exactly the given probability.
            #[inline]
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> bool {
                self.draw(rng)
            }

            /// Fills a slice with independent draws: the values that repeated [`Self::sample`]
            /// would give.
            pub fn fill<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R, out: &mut [bool]) {
                out.fill_with(|| self.draw(rng));
            }
        }
    };
}

/// `sample` of a law on big integers, through its method `draw`.
macro_rules! whole {
    ($law:ident, $outcome:ty) => {
        impl $law {
            /// Draws an integer.
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> $outcome {
                self.draw(rng)
            }
        }
    };
}

pub(crate) use {coin, of_parameter, sampler, stream, whole};
