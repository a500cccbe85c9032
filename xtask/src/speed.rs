//! `speed`: nanoseconds per draw of our samplers, of libprio and of inexact samplers on floats, in
//! one run.
//!
//! A [`contest::Contest`] is one line of the table: all samplers that can do its work take turns,
//! each with its own ChaCha20 generator. A figure is the least of many short windows, since other
//! work on the machine only ever adds time. Machines differ: quote the ratios, which each line
//! compares with its [`Target`]s.

mod contest;
mod works;

use std::fmt::{self, Display, Formatter};

use clap::Args;
use dp_cli::Failure;
use serde::Serialize;

use crate::rows_output::RowsOutput;

/// The first field of the JSON document.
const FORMAT: &str = "xtask speed";

/// The lines above the table.
const HEADER: &str = "\
Nanoseconds per item, with ChaCha20. Slices of 4096 and of 256, single draws; the algorithms of the papers; libprio;
floats. Ratios, and targets: prio / ours, ours / float.

work               parameter        engine         4096     256  single  reference    prio   float
";

/// Measure how fast the samplers are, beside libprio and inexact samplers on floats: about a minute
#[derive(Args, Debug)]
pub(crate) struct Options {
    #[command(flatten)]
    output: RowsOutput,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut delivery = options.output.prepare(FORMAT)?;
    delivery.print(HEADER)?;
    let mut rows = Vec::new();
    for contest in works::all() {
        let row = contest?.run();
        delivery.print(format_args!("{row}\n"))?;
        rows.push(row);
    }
    let met = rows.iter().flat_map(Row::judgements);
    let met: Vec<bool> = met.map(|(_, _, met)| met).collect();
    let count = met.iter().filter(|met| **met).count();
    delivery.print(format_args!("\n{count} of {} targets are met.\n", met.len()))?;
    options.output.finish(delivery, FORMAT, 4, &rows)
}

/// A bound on the time of our sampler in slices of 4096.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Lower bound on libprio's time divided by ours.
    TimesPrio(f64),
    /// Upper bound on our time divided by the time on floats.
    ShareOfFloat(f64),
    /// Upper bound on our time per item, in nanoseconds.
    Nanoseconds(f64),
}

/// One line of the table: nanoseconds per item, `None` where a column has no meaning.
#[derive(Debug, Default, Serialize)]
struct Row {
    work: &'static str,
    parameter: &'static str,
    /// The engine that our sampler uses for the parameter.
    variant: &'static str,
    /// The time of our sampler in slices of 4096 items.
    ours_bulk_ns: Option<f64>,
    /// The time of our sampler in slices of 256 items.
    ours_bulk_256_ns: Option<f64>,
    /// The time of our sampler with one draw per call.
    ours_single_ns: Option<f64>,
    /// The time of the published algorithms, without our engines.
    reference_ns: Option<f64>,
    /// The time of libprio.
    prio_ns: Option<f64>,
    /// The time of an inexact sampler on floats.
    float_ns: Option<f64>,
    #[serde(skip)]
    targets: &'static [Target],
}

impl Row {
    /// Each target, the measured figure, and whether it is met; no target whose column is empty.
    fn judgements(&self) -> impl Iterator<Item = (Target, f64, bool)> {
        let judge = |target: &Target| {
            let ours = self.ours_bulk_ns?;
            let (measured, met) = match *target {
                Target::TimesPrio(least) => {
                    let times = self.prio_ns? / ours;
                    (times, times >= least)
                }
                Target::ShareOfFloat(most) => {
                    let share = ours / self.float_ns?;
                    (share, share <= most)
                }
                Target::Nanoseconds(most) => (ours, ours <= most),
            };
            Some((*target, measured, met))
        };
        self.targets.iter().filter_map(judge)
    }
}

impl Display for Row {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (work, parameter, variant) = (self.work, self.parameter, self.variant);
        write!(formatter, "{work:<18} {parameter:<16} {variant:<11}")?;
        let columns = [
            self.ours_bulk_ns,
            self.ours_bulk_256_ns,
            self.ours_single_ns,
            self.reference_ns,
            self.prio_ns,
            self.float_ns,
        ];
        for (nanoseconds, width) in columns.into_iter().zip([7, 7, 7, 10, 7, 7]) {
            let text = match nanoseconds {
                None => "-".to_owned(),
                Some(value) if value < 10.0 => format!("{value:.2}"),
                Some(value) if value < 100.0 => format!("{value:.1}"),
                Some(value) => format!("{value:.0}"),
            };
            write!(formatter, " {text:>width$}")?;
        }
        for (target, measured, met) in self.judgements() {
            match target {
                Target::TimesPrio(least) => write!(formatter, "   {measured:.0} (≥ {least})")?,
                Target::ShareOfFloat(most) => write!(formatter, "   {measured:.2} (≤ {most:.2})")?,
                Target::Nanoseconds(most) => write!(formatter, "   {measured:.1} ns (≤ {most})")?,
            }
            formatter.write_str(if met { "" } else { " MISSED" })?;
        }
        Ok(())
    }
}
