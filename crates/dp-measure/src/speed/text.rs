//! The rows as text, for people.

use std::fmt::{self, Display, Formatter};

use super::generator::Generator;
use super::row::Row;
use super::target::{Judgement, Target};
use super::work::Work;

/// The lines above the table.
pub const HEADER: &str = "\
Nanoseconds per item. Ours in slices of 4096 with each generator; all else with ChaCha20, that of os_rng.
256: in slices of 256. Ratios: prio / ours, ours / float, slices of 256 / of 4096.

                                                     ours, in bulk                 ours
work               parameter        engine      ChaCha8      12      20     AES       256  single  reference    prio   float   ratios, and targets
";

/// One workload by one engine: its rows for each generator.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a>(pub &'a [Row]);

impl Display for Line<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let with = |generator| self.0.iter().find(|row| row.generator == generator);
        let Some(row) = with(Generator::DEFAULT) else {
            return Ok(());
        };
        write!(
            formatter,
            "{:<18} {:<16} {:<14}",
            row.work.name(),
            row.parameter,
            row.variant.unwrap_or(row.mode.name()),
        )?;
        for generator in Generator::ALL {
            let bulk = with(generator).and_then(|row| row.ours_bulk_ns);
            write!(formatter, " {:>7}", number(bulk))?;
        }
        write!(
            formatter,
            "   {:>7} {:>7}  {:>9} {:>7} {:>7}",
            number(row.ours_bulk_256_ns),
            number(row.ours_single_ns),
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
            Target::ShareOfFloatOr(most, nanoseconds) => {
                write!(formatter, "{ratio:.2} (≤ {most}, or {nanoseconds} ns)")?;
            }
            Target::ShareOfFloat(most)
            | Target::SingleShareOfFloat(most)
            | Target::ShortByBulk(most) => write!(formatter, "{ratio:.2} (≤ {most})")?,
        }
        formatter.write_str(if self.is_met() { "" } else { " MISSED" })
    }
}

/// What libprio took, and how many targets are met.
#[derive(Clone, Copy, Debug)]
pub struct Summary<'a>(pub &'a [Row]);

impl Display for Summary<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for work in [Work::DiscreteGaussian, Work::DiscreteLaplace] {
            let rows = self
                .0
                .iter()
                .filter(|row| row.work == work && row.generator == Generator::DEFAULT);
            let prio: Vec<f64> = rows.filter_map(|row| row.prio_ns).collect();
            let least = prio.iter().copied().fold(f64::INFINITY, f64::min);
            let most = prio.iter().copied().fold(0.0, f64::max);
            let name = work.name();
            writeln!(
                formatter,
                "libprio took {least:.0} to {most:.0} ns for a draw of {name}, by the parameter."
            )?;
        }
        let judgements: Vec<Judgement> = self.0.iter().flat_map(Row::judgements).collect();
        let met = judgements.iter().filter(|one| one.is_met()).count();
        write!(formatter, "{met} of {} targets are met.", judgements.len())
    }
}
