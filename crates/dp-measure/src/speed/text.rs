//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use super::generator::Generator;
use super::row::Row;
use super::target::{Judgement, Target};

/// The lines above the table.
pub const HEADER: &str = "\
Nanoseconds per item. Ours with ChaCha8, ChaCha12, ChaCha20; all others, and the ratios, with ChaCha12.
Ratios: prio / ours, ours / float; both for ours in bulk, then ours one at a time / float.

                                                   ours, bulk           ours, single
work               parameter        mode            8    12    20       8    12    20   reference     prio   float   ratios, and targets
";

/// One workload in one mode: its rows for each generator.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a [Row]);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let with = |generator| self.0.iter().find(|row| row.generator == generator);
        let Some(row) = with(Generator::ChaCha12) else {
            return Ok(());
        };
        let of = |column: fn(&Row) -> Option<f64>| {
            Generator::ALL.map(|generator| number(with(generator).and_then(column)))
        };
        let [bulk8, bulk12, bulk20] = of(|row| row.ours_bulk_ns);
        let [single8, single12, single20] = of(|row| row.ours_single_ns);
        write!(
            formatter,
            "{:<18} {:<16} {:<13} {bulk8:>5} {bulk12:>5} {bulk20:>5}   {single8:>5} {single12:>5} \
             {single20:>5}   {:>9} {:>8} {:>7}",
            row.work.name(),
            row.parameter,
            row.mode.name(),
            number(row.reference_ns),
            number(row.prio_ns),
            number(row.float_ns),
        )?;
        for judgement in row.judgements() {
            write!(formatter, "   {judgement}")?;
        }
        Ok(())
    }
}

/// Three digits, or more if the number is larger.
fn number(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value < 10.0 => format!("{value:.2}"),
        Some(value) if value < 100.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.0}"),
    }
}

impl Display for Judgement {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let ratio = self.ratio;
        match self.target {
            Target::TimesPrio(least) => write!(formatter, "{ratio:.0} (≥ {least})")?,
            Target::ShareOfFloat(most) if most < 0.2 => {
                write!(formatter, "1/{:.1} (≤ 1/{})", ratio.recip(), most.recip())?;
            }
            Target::ShareOfFloat(most) => write!(formatter, "{ratio:.2} (≤ {most})")?,
            Target::SingleShareOfFloat(most) => write!(formatter, "{ratio:.2} (≤ {most})")?,
        }
        formatter.write_str(if self.is_met() { "" } else { " MISSED" })
    }
}

/// How many targets are met.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a>(pub &'a [Row]);

impl Display for Summary<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let judgements: Vec<Judgement> = self.0.iter().flat_map(Row::judgements).collect();
        let met = judgements.iter().filter(|one| one.is_met()).count();
        write!(formatter, "{met} of {} targets are met.", judgements.len())
    }
}
