//! Real numbers that are known by enclosures.

use crate::{Interval, Rational};

/// A real number, known by enclosures to any precision.
///
/// The enclosures of one number at two precisions both contain it. As the precision grows they
/// shrink to the number: at `precision` bits the enclosure is about 2^−precision of the number
/// wide, up to a small factor.
pub trait Real {
    /// An interval that contains the number, computed with `precision` bits.
    fn enclose(&self, precision: u32) -> Interval;
}

impl Real for Rational {
    fn enclose(&self, precision: u32) -> Interval {
        Interval::rational(self, precision)
    }
}

impl<R: Real + ?Sized> Real for &R {
    fn enclose(&self, precision: u32) -> Interval {
        (**self).enclose(precision)
    }
}
