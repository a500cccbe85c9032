//! The working memory of a block of 256 draws.

use super::MAX_SPARE;
use super::lanes::LANES;

/// Declares a struct of working memory with the blank value of each field. [`Default`] makes all
/// fields blank, and [`Drop`] wipes them.
macro_rules! wiped_memory {
    ($(#[$of_struct:meta])* $scope:vis struct $name:ident {
        $($(#[$of_field:meta])* $field_scope:vis $field:ident: $kind:ty = $blank:expr,)*
    }) => {
        $(#[$of_struct])*
        $scope struct $name {
            $($(#[$of_field])* $field_scope $field: $kind,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $blank,)* }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                $(self.$field = $blank;)*
                // No compiler takes the assignments for needless.
                zeroize::optimization_barrier(self);
            }
        }
    };
}

pub(crate) use wiped_memory;

wiped_memory! {
    /// The working memory of a block of 256 draws. Wiped when dropped.
    pub(crate) struct Block {
        /// Words as they come from the generator: for the first pass, then for the second.
        pub(super) bytes: [u8; 2 * LANES + 8 * MAX_SPARE] = [0; _],
        /// Words of the first pass, without signs.
        pub(super) words: [i16; LANES] = [0; _],
        /// Positions of outcomes; at the end outcomes, less their origin.
        pub(crate) outcomes: [i16; LANES] = [0; _],
        /// High digits.
        pub(super) high: [i16; LANES] = [0; _],
        /// Numbers of the undecided draws, from 1; 0 for all other draws.
        pub(super) ranks: [i16; LANES] = [0; _],
        /// All ones for undecided draws, else 0.
        pub(super) masks: [i16; LANES] = [0; _],
        /// Words of the second pass.
        pub(super) spare_words: [u64; MAX_SPARE] = [0; _],
        /// Positions that the second pass drew, or [`UNDECIDED`](super::UNDECIDED).
        pub(super) spare: [i16; MAX_SPARE] = [0; _],
    }
}
