//! Files that a page offers to keep: as the command `plan` writes them.

use dp_planner::{Choice, Plan};
use dp_report::html;
use dp_report::plan::report_on;
use serde::Serialize;

/// A file.
#[derive(Serialize)]
pub(super) struct File {
    name: &'static str,
    #[serde(rename = "type")]
    media: &'static str,
    text: String,
}

/// Why there is none.
#[derive(Serialize)]
pub(super) struct Refused {
    pub(super) error: String,
}

/// The plan as a document of the command.
#[derive(Serialize)]
struct Document<'a> {
    format: &'static str,
    #[serde(flatten)]
    plan: &'a Plan,
}

impl File {
    /// The file of this name, about a choice.
    pub(super) fn of(what: &str, plan: &Plan, choice: &Choice) -> Result<Self, String> {
        match what {
            "task" => task(plan, choice),
            "strategy" => strategy(choice),
            "report" => Ok(Self {
                name: "report.html",
                media: "text/html",
                text: html::document(&report_on(plan, Some(choice))),
            }),
            "document" => document(plan),
            other => Err(format!("{other} is no file of this page")),
        }
    }
}

/// As JSON: a writer of TOML would make the program larger.
fn task(plan: &Plan, choice: &Choice) -> Result<File, String> {
    let task = choice
        .task(&plan.wanted)
        .map_err(|error| error.to_string())?;
    let text = task.to_json().map_err(|error| error.to_string())?;
    Ok(File {
        name: "task.json",
        media: "application/json",
        text: text + "\n",
    })
}

fn strategy(choice: &Choice) -> Result<File, String> {
    let none = || format!("{} has no noise of aggregators.", choice.policy.name);
    let strategy = choice.strategy().ok_or_else(none)?;
    let text = serde_json::to_string(&strategy).map_err(|error| error.to_string())?;
    Ok(File {
        name: "strategy.json",
        media: "application/json",
        text: text + "\n",
    })
}

fn document(plan: &Plan) -> Result<File, String> {
    let format = "dp-cli plan";
    let text = serde_json::to_string_pretty(&Document { format, plan });
    Ok(File {
        name: "plan.json",
        media: "application/json",
        text: text.map_err(|error| error.to_string())? + "\n",
    })
}
