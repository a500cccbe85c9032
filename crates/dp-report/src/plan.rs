//! The report of a plan.
//!
//! [`Answer`] has its words and tables, which cost nothing; [`report()`] adds what is computed for pictures.

mod accuracy;
mod choices;
mod details;
mod estimates;
mod excluded;
mod guarantee;
mod policies;
mod promises;
mod question;
mod report;
mod risk;
mod trust;
mod wording;

use dp_planner::Plan;
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
    /// A plan in words.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        Self {
            question: question::question(plan),
            scale: question::scale(plan),
            errors: choices::table(plan),
            promises: promises::table(plan),
            excluded: excluded::reasons(plan),
            advice: plan.advice(),
        }
    }

    /// The answer as text: prose in lines of `columns`, tables in lines of `columns_of_tables`, below which
    /// they go on where they are wider.
    #[must_use]
    pub fn text(&self, columns: usize, columns_of_tables: usize) -> String {
        let prose = |words: &str| wrapped_to(columns, "", "", words);
        let mut text = prose(&self.question);
        text += &self.scale.as_deref().map(prose).unwrap_or_default();
        text.push('\n');
        if self.errors.rows.is_empty() {
            text += "No policy does this.\n";
        } else {
            for (number, table) in [&self.errors, &self.promises].into_iter().enumerate() {
                text += if number > 0 { "\n" } else { "" };
                text += &folded(table, columns_of_tables);
                text += &prose(&table.legend);
            }
        }
        text += "\nNot for this job:\n";
        for reason in &self.excluded {
            text += &wrapped_to(columns, "  ", REST, &reason.sentence());
        }
        text.push('\n');
        text + &prose(&self.advice)
    }
}
