//! The methods that every law has, written once: they go through its field `engine`.

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

/// `sample` for draws of a type that holds them all.
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

/// `sample` and `fill` of a coin through its method `draw`.
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
