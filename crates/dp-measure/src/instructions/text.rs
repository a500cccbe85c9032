//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use super::row::{Columns, Row};

/// The lines above the table.
pub const HEADER: &str = "\
Thousands of instructions for one report: our parties, prio with bound shares, prio alone.
Ratios of all: ours / prio with bound shares, ours / prio alone.

                                     one client              two aggregators
                                  ours   bound    prio      ours   bound    prio   ratios, and bounds
";

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a Row);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let row = self.0;
        write!(formatter, "{:<30}", row.name)?;
        columns(formatter, row.client)?;
        formatter.write_str("  ")?;
        columns(formatter, row.aggregators)?;
        write!(
            formatter,
            "   {:.3} (≤ {})   {:.3} (≤ {})",
            row.plumbing(),
            row.max.plumbing,
            row.ratio(),
            row.max.all
        )?;
        formatter.write_str(if row.judge().is_ok() { "" } else { " EXCEEDED" })
    }
}

fn columns(formatter: &mut Formatter<'_>, columns: Columns) -> fmt::Result {
    let Columns {
        parties,
        bound,
        prio,
    } = columns;
    for count in [parties, bound, prio] {
        write!(formatter, "{:>8}", (count + 500) / 1000)?;
    }
    Ok(())
}
