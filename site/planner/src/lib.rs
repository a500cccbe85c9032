//! The planner for a web page: answers of [`dp_planner`] and [`dp_report`] as text, compiled to
//! WebAssembly with `wasm-bindgen`.
//!
//! A question is a JSON object of options of `plan`, each a text ([`job_and_target`]). The answer
//! has the tables that the command prints and the report that it writes, from the same code: every
//! figure is the same string.

use std::collections::BTreeMap;

use dp_planner::{Error, Plan, PolicyChoice, job_and_target};
use dp_report::html;
use dp_report::model::Block;
use dp_report::plan::{PlanAnswer, report};
use serde::Serialize;
use serde_json::json;
use wasm_bindgen::prelude::wasm_bindgen;

/// The state of a page: the plan that it asked for last.
#[wasm_bindgen]
#[derive(Debug, Default)]
pub struct Page {
    plan: Option<Plan>,
}

#[wasm_bindgen]
impl Page {
    /// A page without a plan.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Plans. `question` is an object of options as JSON; the result is `{"answer": …}` with a
    /// [`PlanAnswer::of`], or `{"error": {"field": …, "message": …}}`.
    pub fn ask(&mut self, question: &str) -> String {
        self.plan = None;
        let planned = serde_json::from_str::<BTreeMap<String, String>>(question)
            .map_err(|error| Error::Misfit(error.to_string()))
            .and_then(job_and_target)
            .and_then(|(job, target)| dp_planner::plan(&job, &target));
        match planned {
            Ok(plan) => {
                let answer = PlanAnswer::of(&plan, plan.chosen());
                self.plan = Some(plan);
                json!({ "answer": answer }).to_string()
            }
            Err(error) => {
                let (field, message) = (error.field(), error.to_string());
                json!({ "error": { "field": field, "message": message } }).to_string()
            }
        }
    }

    /// The report about a policy of the plan, or the best one: `{"answer": …, "sections": …}`, a
    /// sentence and HTML in the style of [`html::STYLE`]. Parts of the answer of [`Page::ask`] are
    /// left out.
    #[must_use]
    pub fn report(&self, policy: Option<String>) -> String {
        let reported = self.plan.as_ref().map(|plan| {
            let answer = PlanAnswer::of(plan, plan.chosen());
            let choice = chosen(plan, policy.as_deref());
            let mut report = report(plan, choice.ok().or_else(|| plan.chosen()), None);
            for section in &mut report.sections {
                let is_known =
                    |block: &Block| matches!(block, Block::Table(table) if *table == answer.errors);
                section.blocks.retain(|block| !is_known(block));
            }
            json!({ "answer": report.answer, "sections": html::sections(&report) })
        });
        json!(reported).to_string()
    }

    /// A file to keep: `task`, `strategy`, `report` or `document`. The result is `{"name": …,
    /// "type": …, "text": …}`, or `{"error": …}` with a sentence.
    #[must_use]
    pub fn file(&self, what: &str, policy: Option<String>) -> String {
        let made = match &self.plan {
            None => Err("nothing was planned".to_owned()),
            Some(plan) => chosen(plan, policy.as_deref())
                .map_err(|error| error.to_string())
                .and_then(|choice| file(what, plan, choice)),
        };
        match made {
            Ok((name, kind, text)) => json!({ "name": name, "type": kind, "text": text }),
            Err(error) => json!({ "error": error }),
        }
        .to_string()
    }
}

/// The policy of this name, or the best one.
fn chosen<'a>(plan: &'a Plan, policy: Option<&str>) -> Result<&'a PolicyChoice, Error> {
    match (policy, plan.chosen()) {
        (Some(name), _) => plan.choice(name),
        (None, Some(best)) => Ok(best),
        (None, None) => Err(Error::Misfit(
            "a policy that does this job, which is not available: read why, below".to_owned(),
        )),
    }
}

/// Name, media type and text of a file, as the command `plan` writes it.
fn file(
    what: &str,
    plan: &Plan,
    choice: &PolicyChoice,
) -> Result<(&'static str, &'static str, String), String> {
    let json = "application/json";
    match what {
        // As JSON: a writer of TOML would make the program larger.
        "task" => {
            let task = choice.task(&plan.target);
            let task = task.map_err(|error| error.to_string())?;
            Ok(("task.json", json, task.to_json() + "\n"))
        }
        "strategy" => {
            let name = choice.policy.name;
            let strategy = choice.strategy();
            let strategy =
                strategy.ok_or_else(|| format!("{name} has no noise of aggregators."))?;
            let text = serde_json::to_string(&strategy).map_err(|error| error.to_string())?;
            Ok(("strategy.json", json, text + "\n"))
        }
        "report" => {
            let page = html::document(&report(plan, Some(choice), None));
            Ok(("report.html", "text/html", page))
        }
        "document" => {
            #[derive(Serialize)]
            struct Document<'a> {
                format: &'static str,
                #[serde(flatten)]
                plan: &'a Plan,
            }
            let format = "dp-cli plan";
            let text = serde_json::to_string_pretty(&Document { format, plan });
            let text = text.map_err(|error| error.to_string())?;
            Ok(("plan.json", json, text + "\n"))
        }
        other => Err(format!("{other} is no file of this page")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn the_answer_is_the_planners_and_nothing_is_left_of_the_last_plan() {
        let question = json!({"type": "sum:9", "clients": "1000", "epsilon": "1", "delta": "1e-6", "releases": "2"});
        let asked: BTreeMap<String, String> =
            serde_json::from_value(question.clone()).expect("a question");
        let (job, target) = job_and_target(asked).expect("a job");
        let expected = dp_planner::plan(&job, &target).expect("a plan");
        let mut page = Page::new();
        let answer = read(&page.ask(&question.to_string()));
        assert_eq!(answer["answer"], json!(PlanAnswer::of(&expected, expected.chosen())));
        let document = read(&page.file("document", None));
        let document = read(document["text"].as_str().expect("text"));
        assert_eq!(document["format"], "dp-cli plan");
        assert_eq!(document["choices"], json!(expected)["choices"]);
        let best = expected.chosen().expect("a policy");
        let task = best.task(&target).expect("a task").to_json();
        assert_eq!(read(&page.file("task", None))["text"], task + "\n");
        for what in ["strategy", "report"] {
            let file = page.file(what, Some("sum-gaussian".to_owned()));
            assert!(file.contains("aussian"), "{file}");
        }
        let shown = read(&page.report(None));
        let (answer, sections) = (shown["answer"].to_string(), shown["sections"].to_string());
        assert!(answer.contains(best.policy.name) && sections.starts_with("\"<section"), "{shown}");
        let wrong = json!({"type": "count", "clients": "100", "epsilon": "nothing"});
        let wrong = read(&page.ask(&wrong.to_string()));
        assert_eq!(wrong["error"]["field"], "epsilon");
        assert_eq!(read(&page.file("task", None))["error"], "nothing was planned");
        assert_eq!(page.report(None), "null");
        // A plan without a policy has an answer, a report, and no files.
        let alone =
            json!({"type": "sum:9", "clients": "10", "epsilon": "1", "against": "all-aggregators"});
        assert!(read(&page.ask(&alone.to_string()))["answer"].is_object());
        assert!(page.report(None).contains("Not for this job"));
        assert!(page.file("task", None).contains("a policy that does this job"));
    }
}
