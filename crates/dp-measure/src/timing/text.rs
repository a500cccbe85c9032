//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use crate::columns::lines_apart;

use super::THRESHOLD;
use super::cache::Cache;
use super::test::{Implementation, Row};

/// The lines above the table.
pub const HEADER: &str = "\
Welch's |t| of the running time, small against large noise, or bit 0 against bit 1, all seeds together.
Null: the same with random labels. Below 4.5 no difference is seen. Cycles: the difference for one draw.
Lines tv: how far the lines of the tables that small and large noise touches are apart, 0 to 1. The last
column bounds the delta that time can add to a draw of ours in its default mode.

sampler            parameter        variant   implementation       cache      samples       |t|     null   cycles  lines tv   delta
";

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a Row);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let row = self.0;
        write!(
            formatter,
            "{:<18} {:<16} {:<9} {:<20} {:<9} {:>8} {:>9.2} {:>8.2} {:>+8.2}",
            row.sampler,
            row.parameter,
            row.variant.unwrap_or("-"),
            row.implementation.name(),
            row.cache.name(),
            row.samples,
            row.t,
            row.null_t,
            row.cycles,
        )?;
        lines_apart(formatter, row.lines_tv)?;
        match row.undecided {
            Some(words) => write!(formatter, "   {words}/2^64"),
            None => write!(formatter, "   -"),
        }
    }
}

/// How ours fared.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a>(pub &'a [Row]);

impl Display for Summary<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let below = |quiet: &dyn Fn(&Row) -> bool, of: &dyn Fn(&Row) -> bool| {
            let all: Vec<&Row> = self.0.iter().filter(|row| of(row)).collect();
            (all.iter().filter(|row| quiet(row)).count(), all.len())
        };
        let ours = |row: &Row| row.implementation.is_constant_time();
        for cache in Cache::ALL {
            let (quiet, all) = below(&|row| row.t < THRESHOLD, &|row| {
                ours(row) && row.cache == cache
            });
            let name = cache.name();
            writeln!(
                formatter,
                "{name}: {quiet} of {all} tests of the constant-time samplers are below {THRESHOLD}."
            )?;
        }
        let (small, all) = below(&|row| row.cycles.abs() < 1.0, &ours);
        writeln!(
            formatter,
            "{small} of {all} differ by less than a cycle a draw."
        )?;
        let (seen, all) = below(&|row| row.t >= THRESHOLD, &|row| {
            row.implementation == Implementation::Planted
        });
        write!(
            formatter,
            "The planted leak is seen in {seen} of {all} states of the cache."
        )
    }
}
