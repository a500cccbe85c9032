//! Which engine serves which scale, for the laws that have one.

use dp_exact::Rational;

use crate::engine::{BySize, first};
use crate::expansion::Expansion;
use crate::scan::Scan;
use crate::two_pass::TwoPass;
use crate::{Error, ParameterError, Variant};

/// A scan of a law, two tables of it, its digits, and its reference.
pub(crate) type ByScale<Law, Digits, Reference> =
    BySize<Scan<Law>, BySize<TwoPass<Law>, BySize<Expansion<Digits>, Reference>>>;

/// The largest scale for which the scan is tried: beyond, two tables are faster.
pub(crate) const MAX_SCAN: u32 = 7;

/// The largest scale for which two tables are tried.
pub(crate) const MAX_TABLES: u32 = 24;

/// The best engine for a scale.
pub(crate) fn best<E>(engine: impl Fn(Variant) -> Option<E>) -> Option<E> {
    first(
        &[
            Variant::Scan,
            Variant::TwoPass,
            Variant::Digits,
            Variant::Reference,
        ],
        engine,
    )
}

/// The error for a scale that the variant does not serve.
pub(crate) fn refused(scale: &Rational, variant: Variant) -> Error {
    let accepted = match variant {
        Variant::Scan => "a number of at most 7 for the variant Scan",
        Variant::TwoPass => "a number of at most 24 for the variant TwoPass",
        Variant::Digits => "a number of at most 2^103 for the variant Digits",
        _ => "a variant that laws by scale have: Scan, TwoPass, Digits or Reference",
    };
    ParameterError::new("scale", scale, accepted).into()
}
