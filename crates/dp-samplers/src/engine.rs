//! What all samplers do, whatever their law: a draw, a slice of draws, and what they cost.
//!
//! Something that draws is an [`Engine`]. The file of a law says which engines serve which of its
//! parameters; the macros of `methods` give its type what all types have.

mod methods;

use alloc::sync::Arc;
use alloc::vec::Vec;

use rand_core::Rng;

use crate::{Error, FromDraw, Pass, Touch, Variant};

pub(crate) use self::methods::{coin, debug, draws, one_by_one, sampler, whole_draws};

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
