//! The report of a run as text.

use std::fmt::Write as _;

use dp_exact::grouped;

use super::{CumulativeText, DescriptionText, Estimates, OutcomeText};
use crate::model::Table;
use crate::text::{split_table, wrapped_to};

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
        let written =
            tables.map(|table| format!("\n{}\n{}", table.caption, indented_table(columns, table)));
        written.collect()
    }
}

impl Estimates {
    /// The estimates, one line for each coordinate, for a screen of `columns` characters.
    fn text(&self, columns: usize) -> String {
        let first = self.of_trials.map_or_else(String::new, |trials| {
            format!(" (the first of {} trials)", grouped(trials))
        });
        let mut text = format!("\nEstimates{first}\n{}", indented_table(columns, &self.table));
        if self.more > 0 {
            let _ = writeln!(text, "  … and {} more", grouped(self.more));
        }
        text
    }
}

/// The table and its legend, indented.
fn indented_table(columns: usize, table: &Table) -> String {
    let lines = split_table(table, columns.saturating_sub(2));
    let lines = lines.lines().map(|line| format!("  {line}\n"));
    let legend = match table.legend.is_empty() {
        true => String::new(),
        false => indented(columns, &table.legend),
    };
    lines.collect::<String>() + &legend
}

/// Text in lines of bounded length, indented.
fn indented(columns: usize, text: &str) -> String {
    wrapped_to(columns, "  ", "    ", text)
}
