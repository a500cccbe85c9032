//! The methods of every sampler: a draw, a slice of draws, and their cost.

use alloc::boxed::Box;
use alloc::sync::Arc;

use rand_core::CryptoRng;

use crate::rounds::Rounds;
use crate::table_scan::TableScan;
use crate::{Error, FromDraw, bulk};

/// One of the two passes by which a scan draws slices: the number w of bits of its random words,
/// and each outcome with the number of the 2^w words that yield it, counted in the thresholds.
/// Other words lead to the next pass, or from the second to a draw from the rest of the
/// distribution. With the feature `verification`.
#[cfg(feature = "verification")]
pub type Pass = (u32, alloc::vec::Vec<(i64, u64)>);

/// The sampler chosen for one distribution. It touches no address and takes no branch that depends
/// on a draw, beside an exceptional path.
pub(crate) enum Engine {
    /// There is one outcome: every draw is this number.
    Certain(u64),
    TableScan(TableScan),
    Rounds(Box<Rounds>),
}

impl Engine {
    /// The engine of `scan` if there is one, else of `rounds`; `None` if there is neither.
    pub(crate) fn first(
        scan: Option<TableScan>,
        rounds: impl FnOnce() -> Option<Rounds>,
    ) -> Option<Arc<Self>> {
        let rounds = || rounds().map(|rounds| Self::Rounds(Box::new(rounds)));
        scan.map(Self::TableScan).or_else(rounds).map(Arc::new)
    }

    /// One draw from the generator; `None` if it does not fit `T`.
    #[inline]
    pub(crate) fn single<T: FromDraw, R: CryptoRng + ?Sized>(&self, rng: &mut R) -> Option<T> {
        match self {
            Self::Certain(draw) => T::try_from(i128::from(*draw)).ok(),
            Self::TableScan(scan) => T::try_from(scan.draw(rng)).ok(),
            Self::Rounds(rounds) => rounds.draw(rng),
        }
    }

    /// Fills `out` with independent draws. `Err` if a draw does not fit `T`; `out` is then partly
    /// filled.
    pub(crate) fn fill<T: FromDraw, R: CryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        out: &mut [T],
    ) -> Result<(), Error> {
        match self {
            Self::TableScan(scan) => scan.fill(rng, out),
            Self::Rounds(rounds) => rounds.fill(rng, out),
            Self::Certain(_) => bulk::complete::<T>(bulk::one_by_one(out, || self.single(rng))),
        }
    }

    /// Upper bound on the probability that a single draw, a block or a batch takes the exceptional
    /// path, whose time depends on the draws. In units of 2^−64.
    pub(crate) fn undecided(&self) -> u64 {
        match self {
            Self::Certain(_) => 0,
            Self::TableScan(scan) => scan.undecided(),
            Self::Rounds(rounds) => rounds.undecided(),
        }
    }

    /// The two passes of a scan of one digit; empty for every other engine.
    #[cfg(feature = "verification")]
    pub(crate) fn passes(&self) -> alloc::vec::Vec<crate::Pass> {
        match self {
            Self::TableScan(scan) => scan.passes(),
            _ => alloc::vec::Vec::new(),
        }
    }
}

/// Implements the public methods that all distributions have, through the field `engine`. Every
/// outcome fits `$drawn`, the type of `$outcome` is that of [`sample`](crate::Binomial::sample),
/// and `$from_drawn` makes the one of the other.
macro_rules! sampler {
    ($distribution:ident $(<$parameter:ident>)?, $outcome:ty, $drawn:ty, $from_drawn:expr) => {
        impl$(<$parameter>)? $distribution$(<$parameter>)? {
            /// Draws an integer of a type that holds every outcome.
            pub fn sample<R: rand_core::CryptoRng + ?Sized>(&self, rng: &mut R) -> $outcome {
                // To draw again instead would change the distribution.
                let draw: Option<$drawn> = self.engine.single(rng);
                $from_drawn(draw.expect("the type holds every outcome"))
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

            /// Fills a slice with independent draws. Generator and length determine them; they need
            /// not be those that repeated `sample` would give.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw does not fit `T`. The slice is
            /// then partly filled and must not be used.
            pub fn fill<T, R>(&self, rng: &mut R, out: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw,
                R: rand_core::CryptoRng + ?Sized,
            {
                self.engine.fill(rng, out)
            }

            /// Adds an independent draw to each value. The draws are what [`Self::fill`] would give
            /// for successive parts of 256 values.
            ///
            /// # Errors
            /// [`Error::Overflow`](crate::Error::Overflow) if a draw or a sum does not fit `T`. The
            /// slice is then partly changed and must not be used.
            pub fn add_to<T, R>(&self, rng: &mut R, values: &mut [T]) -> Result<(), $crate::Error>
            where
                T: $crate::FromDraw + $crate::CheckedAdd + Clone,
                R: rand_core::CryptoRng + ?Sized,
            {
                $crate::bulk::add(values, |noise| self.engine.fill(rng, noise))
            }

            /// Upper bound on the probability of the exceptional path, in units of 2^−64: for a
            /// round of a single draw, and for a block of 256 draws or a batch of 256 proposals of
            /// a slice.
            #[must_use]
            pub fn undecided(&self) -> u64 {
                self.engine.undecided()
            }

            /// The two passes by which a scan draws slices; empty for other engines. Outcomes are
            /// magnitudes where the distribution is symmetric about 0; a fair sign is drawn beside.
            ///
            /// With m(x) of 2^w words for x in the first pass, m′(x) of 2^w′ in the second, and U
            /// words that the first leaves undecided, (m(x) + m′(x)·U/2^w′)/2^w is at most the
            /// probability of x, as `dp-check` verifies. The rest is drawn where no pass decides.
            ///
            /// With the feature `verification`.
            #[cfg(feature = "verification")]
            #[must_use]
            pub fn passes(&self) -> alloc::vec::Vec<$crate::Pass> {
                self.engine.passes()
            }
        }

    };
}

/// Implements `Debug` for a distribution of one rational parameter.
macro_rules! shown {
    ($distribution:ident, $parameter:ident) => {
        impl core::fmt::Debug for $distribution {
            /// The parameter, not the thresholds.
            fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                formatter
                    .debug_struct(stringify!($distribution))
                    .field(stringify!($parameter), &format_args!("{}", self.$parameter))
                    .finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use {sampler, shown};
