//! The report of a sweep.
//!
//! [`Answer`] has its words and the table of its jobs; [`report()`] adds the pictures and what every cell promises.

mod curves;
mod jobs;
mod lines;
mod promises;
mod remarks;
mod report;
mod tables;

use dp_simulation::sweep::Results;
use serde::Serialize;

pub use report::report;

use crate::folded::folded;
use crate::lines::wrapped_to;
use crate::model::Table;

/// What came of a sweep, in words: what ran, the best policy of each job, and what is not as predicted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// What ran, a paragraph each.
    pub question: Vec<String>,
    /// The best policy of each job.
    pub jobs: Table,
    /// Whether errors are as predicted, and which are not.
    pub agreement: Vec<String>,
    /// Which pairs of policy and budget are left out, and why.
    pub left_out: Vec<String>,
    /// What is the same whenever the sweep runs.
    pub digest: String,
}

impl Answer {
    /// What came of a sweep, in words, with so many jobs at most.
    #[must_use]
    pub fn of(results: &Results, jobs: usize) -> Self {
        Self {
            question: remarks::question(results),
            jobs: jobs::table(results, jobs),
            agreement: remarks::agreement(results),
            left_out: remarks::left_out(results),
            digest: format!("Results digest: {}", results.summary.results_digest),
        }
    }

    /// The answer as text: prose in lines of `columns`, the table in lines of `columns_of_tables`, below which
    /// it goes on where it is wider.
    #[must_use]
    pub fn text(&self, columns: usize, columns_of_tables: usize) -> String {
        let prose = |words: &str| wrapped_to(columns, "", "", words);
        let mut text = String::new();
        for paragraph in &self.question {
            text += &prose(paragraph);
        }
        if !self.left_out.is_empty() {
            text += "\nLeft out:\n";
            for pair in &self.left_out {
                text += &wrapped_to(columns, "  ", "    ", pair);
            }
        }
        if !self.jobs.rows.is_empty() {
            text.push('\n');
            text += &folded(&self.jobs, columns_of_tables);
            text += &prose(&self.jobs.legend);
        }
        text.push('\n');
        for sentence in &self.agreement {
            text += &prose(sentence);
        }
        text + &self.digest + "\n"
    }
}
