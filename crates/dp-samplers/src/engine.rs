//! What all samplers do, whatever their law: a draw, a slice of draws, and what they cost.
//!
//! Something that draws is an [`Engine`]. The file of a law says which engines serve which of its
//! parameters; the macros here give its type the methods that all types have.

use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::Rng;

use crate::{Error, FromDraw, Pass, Touch, Variant};

/// Something that draws from one law.
pub(crate) trait Engine {
    /// A draw straight from the generator; `None` if it does not fit.
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T>;

    /// Independent draws, from words that are taken in blocks.
    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error>;

    /// The size of its tables in bytes.
    fn bytes(&self) -> usize {
        0
    }

    /// How many of 2^64 draws take more time than the others, at most; `None` if every outcome
    /// takes its own.
    fn undecided(&self) -> Option<u64> {
        None
    }

    /// Which of the ways to draw it is; unless it says so, one whose time depends on the outcome.
    fn variant(&self) -> Variant {
        Variant::Reference
    }

    /// The passes of a slice's draws, of magnitudes where a sign is drawn beside.
    fn passes(&self) -> Vec<Pass> {
        Vec::new()
    }

    /// The lines of its tables that each outcome makes it read.
    fn touches(&self) -> Vec<Touch> {
        Vec::new()
    }
}

/// An engine for small parameters, or the one for those beyond.
#[derive(Clone, Debug)]
pub(crate) enum BySize<S, L> {
    Small(S),
    Large(L),
}

impl<S, L> BySize<S, L> {
    /// The engine for small parameters where there is one.
    pub(crate) fn new<E>(
        small: Option<S>,
        large: impl FnOnce() -> Result<L, E>,
    ) -> Result<Self, E> {
        Ok(match small {
            Some(small) => Self::Small(small),
            None => Self::Large(large()?),
        })
    }
}

impl<S: Engine, L: Engine> Engine for BySize<S, L> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        match self {
            Self::Small(engine) => engine.single(rng),
            Self::Large(engine) => engine.single(rng),
        }
    }

    #[inline]
    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        match self {
            Self::Small(engine) => engine.fill(rng, out),
            Self::Large(engine) => engine.fill(rng, out),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Small(engine) => engine.bytes(),
            Self::Large(engine) => engine.bytes(),
        }
    }

    fn undecided(&self) -> Option<u64> {
        match self {
            Self::Small(engine) => engine.undecided(),
            Self::Large(engine) => engine.undecided(),
        }
    }

    fn variant(&self) -> Variant {
        match self {
            Self::Small(engine) => engine.variant(),
            Self::Large(engine) => engine.variant(),
        }
    }

    fn passes(&self) -> Vec<Pass> {
        match self {
            Self::Small(engine) => engine.passes(),
            Self::Large(engine) => engine.passes(),
        }
    }

    fn touches(&self) -> Vec<Touch> {
        match self {
            Self::Small(engine) => engine.touches(),
            Self::Large(engine) => engine.touches(),
        }
    }
}

impl<E: Engine> Engine for Arc<E> {
    #[inline]
    fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        (**self).single(rng)
    }

    #[inline]
    fn fill<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R, out: &mut [T]) -> Result<(), Error> {
        (**self).fill(rng, out)
    }

    fn bytes(&self) -> usize {
        (**self).bytes()
    }

    fn undecided(&self) -> Option<u64> {
        (**self).undecided()
    }

    fn variant(&self) -> Variant {
        (**self).variant()
    }

    fn passes(&self) -> Vec<Pass> {
        (**self).passes()
    }

    fn touches(&self) -> Vec<Touch> {
        (**self).touches()
    }
}

/// The first of these ways to draw that serves.
pub(crate) fn first<E>(ways: &[Variant], engine: impl Fn(Variant) -> Option<E>) -> Option<E> {
    ways.iter().find_map(|way| engine(*way))
}

/// A draw of a type that holds every outcome of the law.
///
/// Every draw fits, so there is one. A draw that did not fit would be made again, and never
/// replaced by a number: noise of 0 protects nobody.
pub(crate) fn whole<T: FromDraw, R: Rng + ?Sized>(engine: &impl Engine, rng: &mut R) -> T {
    loop {
        if let Some(draw) = engine.single(rng) {
            return draw;
        }
    }
}

/// `sample_as`, `fill`, `add_to` and `table_bytes` through the field `engine`, for generators of this trait.
macro_rules! draws {
    ($law:ident $(<$parameter:ident>)?, $generator:ident, $fill:literal) => {
        impl$(<$parameter: dp_exact::Real + core::fmt::Debug>)? $law$(<$parameter>)? {
            /// Draws an integer of type `T`; `None` if the draw does not fit.
            #[inline]
            pub fn sample_as<T, R>(&self, rng: &mut R) -> Option<T>
            where
                T: $crate::FromDraw,
                R: rand_core::$generator + ?Sized,
            {
                self.engine.single(rng)
            }

            #[doc = concat!("Fills a slice with independent draws", $fill, ".")]
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw does not fit `T`. The slice is
            /// then partly filled and must not be used.
            pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw,
                R: rand_core::$generator + ?Sized,
            {
                self.engine.fill(rng, out)
            }

            /// Adds an independent draw to each value: those that [`Self::fill`] would give for one part of
            /// 256 values after the other.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw or a sum does not fit `T`. The
            /// slice is then partly changed and must not be used.
            pub fn add_to<T, R>(&self, rng: &mut R, values: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw + $crate::CheckedAdd + Clone,
                R: rand_core::$generator + ?Sized,
            {
                $crate::bulk::add(values, |noise| self.engine.fill(rng, noise))
            }

            /// The size of the tables in bytes. Clones share them.
            #[must_use]
            pub fn table_bytes(&self) -> usize {
                self.engine.bytes()
            }
        }
    };
}

/// `sample`, and in simulation mode `Distribution`, for draws of a type that holds them all.
macro_rules! whole_draws {
    ($law:ident $(<$parameter:ident>)?, $outcome:ty) => {
        impl$(<$parameter: dp_exact::Real + core::fmt::Debug>)? $law$(<$parameter>)? {
            /// Draws an integer of a type that holds every outcome.
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> $outcome {
                $crate::engine::whole(&self.engine, rng)
            }

            /// Which of the ways to draw serves these parameters.
            #[must_use]
            pub fn variant(&self) -> $crate::Variant {
                self.engine.variant()
            }

            /// Which lines of the tables each outcome makes the program read, once for each line
            /// and outcome: what somebody who shares the cache can see. Empty where no address
            /// depends on a secret, and for [`Variant::Reference`](crate::Variant::Reference), where
            /// the time tells more. Of [`Variant::TwoPass`](crate::Variant::TwoPass) those of the first
            /// table alone: from the second come the draws that the first does not decide, at most 1 in
            /// 20, and its lines tell these as those of any table do.
            #[must_use]
            pub fn touches(&self) -> alloc::vec::Vec<$crate::Touch> {
                self.engine.touches()
            }
        }

        /// **For simulations only**, with the feature `simulation`:
        /// [`Distribution`](rand::distr::Distribution) cannot demand a cryptographic generator. The
        /// method `sample` does.
        #[cfg(feature = "simulation")]
        impl$(<$parameter: dp_exact::Real + core::fmt::Debug>)?
            rand::distr::Distribution<$outcome> for $law$(<$parameter>)?
        {
            fn sample<R: rand_core::Rng + ?Sized>(&self, rng: &mut R) -> $outcome {
                $crate::engine::whole(&self.engine, rng)
            }
        }
    };
}

/// `Debug` that shows one rational parameter, and not the tables.
macro_rules! debug {
    ($law:ident, $parameter:ident) => {
        impl core::fmt::Debug for $law {
            /// The parameter, not the tables.
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter
                    .debug_struct(stringify!($law))
                    .field(stringify!($parameter), &format_args!("{}", self.$parameter))
                    .finish_non_exhaustive()
            }
        }
    };
}

/// All that a law of one rational parameter has beside its constructor and its probabilities.
macro_rules! sampler {
    ($law:ident of $parameter:ident, $outcome:ty) => {
        $crate::engine::draws!(
            $law,
            CryptoRng,
            ". Generator and length determine them; they need not be those that repeated `sample` \
             would give"
        );
        $crate::engine::whole_draws!($law, $outcome);

        impl $law {
            /// How many of 2^64 draws take longer than the others, at most: divided by 2^64, the δ
            /// that running time can add to a draw. `None` where the reference serves, whose time
            /// depends on every outcome.
            #[must_use]
            pub fn undecided(&self) -> Option<u64> {
                self.engine.undecided()
            }

            /// The passes by which slices are drawn, where there are such
            /// ([`Variant::Scan`](crate::Variant::Scan), [`Variant::TwoPass`](crate::Variant::TwoPass)). Outcomes
            /// are magnitudes where the law is symmetric about 0; a fair sign is drawn beside.
            ///
            /// With m(x) words of the first pass and m′(x) of the second yielding x, U of the 2^w words of
            /// the first none, and w′ bits of a word of the second, (m(x) + m′(x)·U/2^w′)/2^w is at most the
            /// probability of x. What it lacks is drawn where no pass decides: `dp-check` verifies that.
            #[must_use]
            pub fn passes(&self) -> alloc::vec::Vec<$crate::Pass> {
                self.engine.passes()
            }
        }

        $crate::engine::debug!($law, $parameter);

        impl PartialEq for $law {
            fn eq(&self, other: &Self) -> bool {
                self.$parameter == other.$parameter
            }
        }

        impl Eq for $law {}
    };
}

/// `sample` and `fill` of a coin, and in simulation mode `Distribution`, through its method `draw`.
macro_rules! coin {
    ($coin:ident $(<$parameter:ident>)?) => {
        impl$(<$parameter: dp_exact::Real>)? $coin$(<$parameter>)? {
            /// Draws: true with exactly the stated probability.
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

        /// **For simulations only**, with the feature `simulation`:
        /// [`Distribution`](rand::distr::Distribution) cannot demand a cryptographic generator. The
        /// method `sample` does.
        #[cfg(feature = "simulation")]
        impl$(<$parameter: dp_exact::Real>)? rand::distr::Distribution<bool> for $coin$(<$parameter>)? {
            fn sample<R: rand_core::Rng + ?Sized>(&self, rng: &mut R) -> bool {
                self.draw(rng)
            }
        }
    };
}

/// `sample` and an [`Engine`] for draws of big integers one by one, through the method `draw`.
macro_rules! one_by_one {
    ($law:ident, $outcome:ty) => {
        impl $law {
            /// Draws an integer.
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> $outcome {
                self.draw(rng)
            }
        }

        impl $crate::engine::Engine for $law {
            fn single<T: $crate::FromDraw, R: rand_core::Rng + ?Sized>(
                &self,
                rng: &mut R,
            ) -> Option<T> {
                T::from_big(self.draw(rng).into())
            }

            fn fill<T: $crate::FromDraw, R: rand_core::Rng + ?Sized>(
                &self,
                rng: &mut R,
                out: &mut [T],
            ) -> Result<(), $crate::Error> {
                $crate::bulk::fill_one_by_one(out, || self.single(rng))
            }
        }
    };
}

pub(crate) use {coin, debug, draws, one_by_one, sampler, whole_draws};

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws 64-bit words; the first of a test do not fit.
    struct Words;

    impl Engine for Words {
        fn single<T: FromDraw, R: Rng + ?Sized>(&self, rng: &mut R) -> Option<T> {
            T::from_i64((rng.next_u64() >> 1).cast_signed())
        }

        fn fill<T: FromDraw, R: Rng + ?Sized>(
            &self,
            rng: &mut R,
            out: &mut [T],
        ) -> Result<(), Error> {
            crate::bulk::fill_one_by_one(out, || self.single(rng))
        }
    }

    #[test]
    fn a_draw_that_does_not_fit_is_made_again_and_not_replaced_by_no_noise() {
        let mut words = [1 << 40, 1 << 20, 14].into_iter();
        let mut rng = Tape(&mut words);
        assert_eq!(whole::<u8, _>(&Words, &mut rng), 7);
    }

    struct Tape<'a>(&'a mut dyn Iterator<Item = u64>);

    impl rand_core::TryRng for Tape<'_> {
        type Error = rand_core::Infallible;

        fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
            unreachable!("words of 64 bits are asked for")
        }

        fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
            Ok(self.0.next().expect("a word"))
        }

        fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Self::Error> {
            unreachable!("words of 64 bits are asked for")
        }
    }
}
