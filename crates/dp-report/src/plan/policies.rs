//! All policies: those that do the job, why the others do not, and what to do.

use dp_planner::{Choice, Plan};

use super::Answer;
use super::wording::section as made;
use crate::model::{Block, Group, Section, Table};

pub(super) fn section(plan: &Plan, answer: &Answer, choice: Option<&Choice>) -> Section {
    let mut blocks = Vec::new();
    if plan.chosen().is_some() {
        blocks.push(Block::Paragraph(answer.advice.clone()));
        let name = choice.map(|choice| choice.policy.name);
        let chosen = plan
            .choices
            .iter()
            .position(|one| Some(one.policy.name) == name);
        for table in [&answer.errors, &answer.promises] {
            let table = table.clone();
            blocks.push(Block::Table(Table { chosen, ..table }));
        }
    }
    let reasons = answer.excluded.iter().map(super::Reason::sentence);
    blocks.push(Block::Group(Group {
        title: "Not for this job".to_owned(),
        blocks: vec![Block::List(reasons.collect())],
    }));
    made("policies", "Every policy for this job", blocks)
}
