//! The report of a run as text.

use std::fmt::Write as _;

use dp_exact::grouped;
use dp_simulation::Coordinate;

use super::{CumulativeText, DescriptionText, Estimates, OutcomeText};
use crate::figures::margin;
use crate::text::{split_table, wrapped_to};

/// Columns of the longest bar, at most and at least.
const BARS: (usize, usize) = (40, 8);

impl DescriptionText {
    /// The plan as text, in lines of `columns` columns.
    #[must_use]
    pub fn text(&self, columns: usize) -> String {
        let mut text = String::from("Question\n");
        text.extend(self.question.iter().map(|paragraph| indented(columns, paragraph)));
        let _ = writeln!(text, "\nPolicy: {}", self.policy);
        text += &indented(columns, &self.description);
        let names = self.parameters.iter().map(|fact| fact.name.len());
        let width = names.max().unwrap_or(0);
        for fact in &self.parameters {
            let _ = writeln!(text, "  {:<width$}  {}", fact.name, fact.value);
        }
        let _ = writeln!(text, "\nGuarantee, for one measurement under {}", self.adjacency);
        for one in &self.guarantees {
            text += &indented(
                columns,
                &format!("{} (honest: {}): {}", one.model, one.honest, one.guarantee),
            );
            let conditions = one.conditions.iter();
            text.extend(conditions.map(|words| wrapped_to(columns, "    - ", "      ", words)));
            let further = one.further.iter();
            text.extend(further.map(|words| wrapped_to(columns, "    ", "    ", words)));
        }
        text
    }
}

impl OutcomeText {
    /// The outcome as text, in lines of `columns` columns: the first trial, and the statistics over all.
    #[must_use]
    pub fn text(&self, columns: usize) -> String {
        let estimates = self.estimates.as_ref();
        let mut text = estimates.map_or_else(String::new, |estimates| estimates.text(columns));
        text.extend(self.cumulative.iter().map(|cumulative| cumulative.text(columns)));
        text.extend(self.post_processing.iter().map(|made| indented(columns, made)));
        text += "\nSummary\n";
        for fact in &self.summary {
            let _ = writeln!(text, "  {:<22} {}", fact.name, fact.value);
        }
        text
    }
}

impl CumulativeText {
    /// The tables of percentiles and of ranges, for a screen of `columns` characters.
    fn text(&self, columns: usize) -> String {
        let tables = self.percentiles.iter().chain(&self.ranges);
        let written = tables.map(|table| {
            let lines = split_table(table, columns.saturating_sub(2));
            let lines = lines.lines().map(|line| format!("  {line}\n"));
            let legend = Some(&table.legend).filter(|legend| !legend.is_empty());
            let legend = legend.map_or_else(String::new, |words| indented(columns, words));
            format!("\n{}\n{}{legend}", table.caption, lines.collect::<String>())
        });
        written.collect()
    }
}

impl Estimates {
    /// The estimates, one line for each coordinate, for a screen of `columns` characters.
    fn text(&self, columns: usize) -> String {
        let mut text = String::from("\nEstimates");
        if let Some(trials) = self.of_trials {
            let _ = write!(text, " (the first of {} trials)", grouped(trials));
        }
        let labels = self.table.rows.iter().filter_map(|row| row.first());
        let label = labels.map(|label| label.chars().count()).max().unwrap_or(0);
        let label = label.max(5);
        let numbers = self.table.columns.len().saturating_sub(1);
        let beside = label + if numbers > 3 { 55 } else { 42 };
        let longest = columns.saturating_sub(beside).clamp(BARS.1, BARS.0);
        let mut line = |cells: &[&str], bar: &str| {
            text += "\n  ";
            for (place, cell) in cells.iter().enumerate() {
                let _ = match place {
                    0 => write!(text, "{cell:<label$}"),
                    _ if place == numbers => write!(text, " {cell:>10}"),
                    _ => write!(text, " {cell:>12}"),
                };
            }
            let _ = write!(text, "  {bar}");
        };
        let head: Vec<&str> = self.table.columns.iter().map(|one| &*one.name).collect();
        line(&head, &format!("0{:>longest$}", margin(self.largest)));
        for (row, bar) in self.table.rows.iter().zip(&self.coordinates) {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            line(&cells, &drawn(bar, self.largest, longest));
        }
        text.push('\n');
        if self.more > 0 {
            let _ = writeln!(text, "  … and {} more", grouped(self.more));
        }
        let legend = "█ up to the lower end of the interval, ▒ the interval, ◆ the truth";
        text + &indented(columns, legend)
    }
}

/// The interval of an estimate and the truth, on a scale from 0 to `largest`. Values outside stand at the nearer end.
fn drawn(bar: &Coordinate, largest: f64, width: usize) -> String {
    let float = |place: usize| u32::try_from(place).map_or(f64::MAX, f64::from);
    let column = |value: f64| {
        let places =
            (0..width).take_while(|place| value * float(width) > largest * (float(*place) + 0.5));
        places.count()
    };
    let (low, high) = (column(bar.estimate - bar.margin_95), column(bar.estimate + bar.margin_95));
    let truth = column(bar.truth);
    let cells = (0..=width).map(|place| match place {
        _ if place == truth => '◆',
        _ if place < low => '█',
        _ if place <= high => '▒',
        _ => ' ',
    });
    cells.collect::<String>().trim_end().to_owned()
}

/// Text in lines of bounded length, indented.
fn indented(columns: usize, text: &str) -> String {
    wrapped_to(columns, "  ", "    ", text)
}
