//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use super::THRESHOLD;
use super::test::Row;

/// The lines above the table.
pub const HEADER: &str = "\
Welch's |t| of the running time, small against large noise, or bit 0 against bit 1. Null: the same
with random labels. Below 4.5 no difference is seen. The last column bounds the delta that time can
add to a draw of ours in its default mode.

sampler            parameter        implementation          samples      |t|     null  differ ns   delta
";

/// One row.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a Row);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let row = self.0;
        write!(
            formatter,
            "{:<18} {:<16} {:<20} {:>10} {:>8.2} {:>8.2} {:>+10.2}",
            row.sampler,
            row.parameter,
            row.implementation.name(),
            row.samples,
            row.t,
            row.null_t,
            row.difference_ns,
        )?;
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
        let ours = self
            .0
            .iter()
            .filter(|row| row.implementation.is_constant_time());
        let (quiet, loud): (Vec<&Row>, Vec<&Row>) = ours.partition(|row| row.t < THRESHOLD);
        write!(
            formatter,
            "{} of {} tests of the constant-time samplers are below {THRESHOLD}.",
            quiet.len(),
            quiet.len() + loud.len()
        )
    }
}
