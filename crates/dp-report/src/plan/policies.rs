//! All policies: those that do the job, why the others do not, and what to do.

use dp_planner::Plan;

use super::Answer;
use super::report::section as made;
use crate::model::{Block, Group, Section};

pub(super) fn section(plan: &Plan, answer: &Answer) -> Section {
    let mut blocks = Vec::new();
    if plan.chosen().is_some() {
        blocks.push(Block::Paragraph(answer.advice.clone()));
        blocks.push(Block::Table(answer.errors.clone()));
        blocks.push(Block::Table(answer.promises.clone()));
    }
    let reasons = answer.excluded.iter().map(super::Reason::sentence);
    blocks.push(Block::Group(Group {
        title: "Not for this job".to_owned(),
        blocks: vec![Block::List(reasons.collect())],
    }));
    made("policies", "Every policy for this job", blocks)
}
