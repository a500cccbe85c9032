//! Columns that several tables have.

use std::fmt::{self, Formatter};

/// How far the lines of tables that small and large noise touches are apart, in ten characters.
pub(crate) fn lines_apart(formatter: &mut Formatter<'_>, apart: Option<f64>) -> fmt::Result {
    match apart {
        Some(apart) => write!(formatter, "  {apart:>8.4}"),
        None => write!(formatter, "  {:>8}", "-"),
    }
}
