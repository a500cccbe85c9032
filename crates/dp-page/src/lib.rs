//! [`dp-planner`]: dp_planner
//! [`dp-report`]: dp_report
#![doc = include_str!("../README.md")]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod file;

use dp_exact::Refusal;
use dp_planner::{Choice, Error, Plan, Question};
use dp_report::html;
use dp_report::model::Block;
use dp_report::plan::{Answer, report_on};
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

use file::File;

/// What a page asks, and the plan that it asked for last.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Page {
    plan: Option<Plan>,
}

/// What is answered to a question.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Planned {
    Answer(Box<Answer>),
    Error(Wrong),
}

/// What is reported of a plan.
#[derive(Serialize)]
struct Reported {
    answer: String,
    sections: String,
}

/// What is wrong with a question.
#[derive(Serialize)]
struct Wrong {
    /// The field, if it is one: a name of [`Question::FIELDS`].
    field: Option<&'static str>,
    message: String,
}

impl From<Error> for Wrong {
    fn from(error: Error) -> Self {
        let field = Question::field_of(&error);
        let message = error.to_string();
        Self { field, message }
    }
}

impl From<serde_json::Error> for Wrong {
    fn from(error: serde_json::Error) -> Self {
        let (field, message) = (None, error.to_string());
        Self { field, message }
    }
}

#[wasm_bindgen]
impl Page {
    /// A page on which nothing was asked.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Plans. `question` is a [`Question`] as JSON; the result is `{"answer": …}` with an [`Answer`], or
    /// `{"error": {"field": …, "message": …}}`.
    pub fn ask(&mut self, question: &str) -> String {
        self.plan = None;
        written(&match planned(question) {
            Ok(plan) => {
                let answer = Answer::of(&plan);
                self.plan = Some(plan);
                Planned::Answer(Box::new(answer))
            }
            Err(error) => Planned::Error(error),
        })
    }

    /// The report about a policy of the plan, or the best one: `{"answer": …, "sections": …}`, a sentence and
    /// HTML in the style of [`html::STYLE`]. What [`Page::ask`] answered is not said again.
    #[must_use]
    pub fn report(&self, policy: Option<String>) -> String {
        let reported = self.plan.as_ref().map(|plan| {
            let answer = Answer::of(plan);
            let choice = chosen(plan, policy.as_deref())
                .ok()
                .or_else(|| plan.chosen());
            let mut report = report_on(plan, choice);
            for section in &mut report.sections {
                section.blocks.retain(|block| !is_told(block, &answer));
            }
            let sections = html::sections(&report);
            let answer = report.answer;
            Reported { answer, sections }
        });
        written(&reported)
    }

    /// A file to keep: `task`, `strategy`, `report` or `document`. The result is `{"name": …, "type": …,
    /// "text": …}`, or `{"error": …}` with a sentence.
    #[must_use]
    pub fn file(&self, what: &str, policy: Option<String>) -> String {
        let none = || "nothing was planned".to_owned();
        let plan = self.plan.as_ref().ok_or_else(none);
        let made = plan.and_then(|plan| {
            let choice = chosen(plan, policy.as_deref()).map_err(|error| error.to_string())?;
            File::of(what, plan, choice)
        });
        match made {
            Ok(file) => written(&file),
            Err(error) => written(&file::Refused { error }),
        }
    }
}

/// Whether a piece of a report is in the answer already, by which a page lets one choose.
fn is_told(block: &Block, answer: &Answer) -> bool {
    match block {
        Block::Paragraph(words) => *words == answer.advice,
        Block::Table(table) => *table == answer.errors,
        _ => false,
    }
}

fn planned(question: &str) -> Result<Plan, Wrong> {
    let question: Question = serde_json::from_str(question)?;
    let (job, wanted) = question.read()?;
    Ok(dp_planner::plan(&job, &wanted)?)
}

/// The policy that is looked at.
fn chosen<'a>(plan: &'a Plan, policy: Option<&str>) -> Result<&'a Choice, Error> {
    let change = "read why, below";
    let none = || Refusal::not_available("a policy that does this job", change).into();
    match policy {
        Some(name) => plan.choice(name),
        None => plan.chosen().ok_or_else(none),
    }
}

/// As JSON. Everything here has names that are texts, which is all that could fail.
fn written(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
