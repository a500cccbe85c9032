//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use crate::columns::lines_apart;

use super::row::Row;

/// The lines above the table.
pub const HEADER: &str = "\
Instructions of 64 times sixteen draws, counted by callgrind: all small, and all large. The constant-time
samplers must take one number for both, the reference must not. Lines tv: how far the lines of the tables
that small and large noise touches are apart, 0 to 1.

sampler            parameter        variant   implementation          small       large  lines tv
";

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a Row);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let row = self.0;
        write!(
            formatter,
            "{:<18} {:<16} {:<9} {:<18} {:>10}  {:>10}",
            row.sampler,
            row.parameter,
            row.variant.unwrap_or("-"),
            row.implementation.name(),
            row.small,
            row.large,
        )?;
        lines_apart(formatter, row.lines_tv)?;
        formatter.write_str(if row.judge().is_ok() { "" } else { " DIFFERS" })
    }
}
