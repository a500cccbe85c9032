//! The report as text: the question, the policy, the guarantees, then the estimates beside the
//! truth with a bar for each, and the summary.

use std::fmt::Write as _;

use dp_exact::grouped;

use super::{Asked, Bar, Estimates, Observed};
use crate::Promised;
use crate::lines::wrapped_to;

/// Columns of the longest bar, and of the longest one in a narrow text.
const BARS: (usize, usize) = (40, 8);

impl Asked {
    /// As text, in lines of so many columns.
    #[must_use]
    pub fn text(&self, columns: usize) -> String {
        let mut text = String::from("Question\n");
        for paragraph in &self.question {
            text += &indented(columns, paragraph);
        }
        let _ = writeln!(text, "\nPolicy: {}", self.policy);
        text += &indented(columns, &self.description);
        let names = self.parameters.iter().map(|fact| fact.name.len());
        let width = names.max().unwrap_or(0);
        for fact in &self.parameters {
            let _ = writeln!(text, "  {:<width$}  {}", fact.name, fact.value);
        }
        let adjacency = &self.adjacency;
        let _ = writeln!(text, "\nGuarantee, for one measurement under {adjacency}");
        for promise in &self.promises {
            text += &promise.text(columns);
        }
        text
    }
}

impl Promised {
    /// A trust model, what it gives, and on what conditions.
    fn text(&self, columns: usize) -> String {
        let head = format!("{} (honest: {}): {}", self.model, self.honest, self.promise);
        let mut text = indented(columns, &head);
        for condition in &self.conditions {
            text += &wrapped_to(columns, "    - ", "      ", condition);
        }
        for words in self.otherwise.iter().chain(&self.notes) {
            text += &wrapped_to(columns, "    ", "    ", words);
        }
        text
    }
}

impl Observed {
    /// As text, in lines of so many columns: the table of the first trial, and the summary of all.
    #[must_use]
    pub fn text(&self, columns: usize) -> String {
        let mut text = String::new();
        if let Some(estimates) = &self.estimates {
            text += &estimates.text(columns);
        }
        if let Some(made) = &self.post_processing {
            text += &indented(columns, made);
        }
        text += "\nSummary\n";
        for fact in &self.summary {
            let _ = writeln!(text, "  {:<22} {}", fact.name, fact.value);
        }
        text
    }
}

impl Estimates {
    /// A line for each coordinate.
    fn text(&self, columns: usize) -> String {
        let which = match self.of_trials {
            None => String::new(),
            Some(trials) => format!(" (the first of {} trials)", grouped(trials)),
        };
        let mut text = format!("\nEstimates{which}\n");
        let labels = self.table.rows.iter().filter_map(|row| row.first());
        let label = labels.map(|label| label.chars().count()).max().unwrap_or(0);
        let label = label.max(5);
        let numbers = self.table.columns.len().saturating_sub(1);
        let beside = label + if numbers > 3 { 55 } else { 42 };
        let longest = columns.saturating_sub(beside).clamp(BARS.1, BARS.0);
        let line = |cells: &[&str], bar: &str| {
            let mut line = String::from("  ");
            for (place, cell) in cells.iter().enumerate() {
                let _ = match place {
                    0 => write!(line, "{cell:<label$}"),
                    _ if place == numbers => write!(line, " {cell:>10}"),
                    _ => write!(line, " {cell:>12}"),
                };
            }
            line + "  " + bar
        };
        let head: Vec<&str> = self.table.columns.iter().map(|one| &*one.name).collect();
        let scale = format!("0{:>longest$}", self.largest_in_words);
        let _ = writeln!(text, "{}", line(&head, &scale));
        for (row, bar) in self.table.rows.iter().zip(&self.bars) {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            let drawn = drawn(bar, self.largest, longest);
            let _ = writeln!(text, "{}", line(&cells, &drawn));
        }
        if self.more > 0 {
            let _ = writeln!(text, "  … and {} more", grouped(self.more));
        }
        let legend = "█ up to the lower end of the interval, ▒ the interval, ◆ the truth";
        text + &indented(columns, legend)
    }
}

/// The interval of an estimate, and the truth, on a scale from 0 to `largest`.
fn drawn(bar: &Bar, largest: f64, width: usize) -> String {
    let low = column(bar.estimate - bar.margin, largest, width);
    let high = column(bar.estimate + bar.margin, largest, width);
    let truth = column(bar.truth, largest, width);
    let cell = |place: usize| match place {
        _ if place == truth => '◆',
        _ if place < low => '█',
        _ if place <= high => '▒',
        _ => ' ',
    };
    let cells = (0..=width).map(cell).collect::<String>();
    cells.trim_end().to_owned()
}

/// The column of a value, at the nearer end of the scale if it lies outside.
fn column(value: f64, largest: f64, width: usize) -> usize {
    (0..width)
        .take_while(|&place| value * as_place(width) > largest * (as_place(place) + 0.5))
        .count()
}

fn as_place(place: usize) -> f64 {
    u32::try_from(place).map_or(f64::MAX, f64::from)
}

/// Text in lines of bounded length, indented.
fn indented(columns: usize, text: &str) -> String {
    wrapped_to(columns, "  ", "    ", text)
}
