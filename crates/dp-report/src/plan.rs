//! The report of a plan.
//!
//! [`Answer`] has its words and tables, which cost nothing; [`report()`] adds what is computed for pictures.

mod accuracy;
mod choices;
mod details;
mod estimates;
mod excluded;
mod first_lines;
mod guarantee;
mod policies;
mod promises;
mod question;
mod report;
mod risk;
mod trust;
mod wording;

use dp_planner::{Choice, Plan};
use serde::Serialize;

pub use excluded::Reason;
pub use report::{report, report_on};

use crate::folded::folded;
use crate::lines::wrapped_to;
use crate::model::Table;

/// Before the further lines of a reason.
const REST: &str = "    ";

/// A plan in words: what was asked, every policy that does it, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Answer {
    /// Which policy to take, its error, what it guarantees, and whether that is too weak.
    pub first_lines: Vec<String>,
    /// The best three policies, with what they guarantee where that was asked.
    pub best: Table,
    /// The job, and what is wanted of it.
    pub question: String,
    /// How far off a survey of that size is without any noise, where the clients are given.
    pub scale: Option<String>,
    /// The noise and the errors of every policy that does the job, best first.
    pub errors: Table,
    /// What each of them promises, in the same order.
    pub promises: Table,
    /// Why the other policies do not do it.
    pub excluded: Vec<Reason>,
    /// Which policy to take, and why.
    pub advice: String,
}

impl Answer {
    /// A plan in words, about its best policy.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self::about(plan, plan.chosen())
    }

    /// A plan in words, about one of its choices.
    #[must_use]
    pub fn about(plan: &Plan, choice: Option<&Choice>) -> Self {
        Self {
            first_lines: first_lines::lines(plan, choice),
            best: choices::best(plan),
            question: question::question(plan),
            scale: question::scale(plan),
            errors: choices::table(plan),
            promises: promises::table(plan),
            excluded: excluded::reasons(plan),
            advice: plan.advice(),
        }
    }

    /// The answer on one screen, as text: prose in lines of `columns`, tables in lines of
    /// `columns_of_tables`, below which they go on where they are wider.
    #[must_use]
    pub fn text(&self, columns: usize, columns_of_tables: usize) -> String {
        let prose = |words: &str| wrapped_to(columns, "", "", words);
        let mut text: String = self.first_lines.iter().map(|line| prose(line)).collect();
        text.push('\n');
        if self.best.rows.is_empty() {
            text += &self.reasons(columns);
        } else {
            text += &folded(&self.best, columns_of_tables);
            text += &prose(&self.best.legend);
        }
        text.push('\n');
        text + &prose(&self.question)
    }

    /// Every policy and every guarantee, as text.
    #[must_use]
    pub fn text_of_all(&self, columns: usize, columns_of_tables: usize) -> String {
        let prose = |words: &str| wrapped_to(columns, "", "", words);
        let mut text: String = self.first_lines.iter().map(|line| prose(line)).collect();
        text.push('\n');
        text += &prose(&self.question);
        text += &self.scale.as_deref().map(prose).unwrap_or_default();
        if !self.errors.rows.is_empty() {
            for table in [&self.errors, &self.promises] {
                text.push('\n');
                text += &folded(table, columns_of_tables);
                text += &prose(&table.legend);
            }
        }
        text.push('\n');
        text + &self.reasons(columns)
    }

    /// Why the other policies do not do the job.
    fn reasons(&self, columns: usize) -> String {
        let mut text = String::from("Not for this job:\n");
        for reason in &self.excluded {
            text += &wrapped_to(columns, "  ", REST, &reason.sentence());
        }
        text
    }
}
