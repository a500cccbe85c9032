//! The page's program as a page calls it.

use dp_page::Page;
use dp_planner::{Question, plan};
use dp_report::plan::Answer;
use serde_json::{Value, json};

fn asked(page: &mut Page, question: &Value) -> Value {
    serde_json::from_str(&page.ask(&question.to_string())).expect("JSON")
}

fn file(page: &Page, what: &str, policy: Option<&str>) -> Value {
    let file = page.file(what, policy.map(str::to_owned));
    serde_json::from_str(&file).expect("JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn the_answer_is_the_planners() {
    let question = json!({"type": "sum:9", "clients": "1000", "epsilon": "1", "delta": "1e-6", "releases": "2"});
    let read: Question = serde_json::from_value(question.clone()).expect("a question");
    let (job, wanted) = read.read().expect("a job");
    let expected = plan(&job, &wanted).expect("a plan");
    let mut page = Page::new();
    let answer = asked(&mut page, &question);
    assert_eq!(
        answer["answer"],
        serde_json::to_value(Answer::of(&expected)).expect("JSON")
    );

    let document: Value =
        serde_json::from_str(text(&file(&page, "document", None)["text"])).expect("JSON");
    assert_eq!(document["format"], "dp-cli plan");
    assert_eq!(
        document["choices"],
        serde_json::to_value(&expected).expect("JSON")["choices"]
    );

    let best = expected.chosen().expect("a policy");
    let task = file(&page, "task", None);
    let expected_task = best.task(&wanted).expect("a task").to_json().expect("JSON");
    assert_eq!(text(&task["text"]), expected_task + "\n");
    let strategy = file(&page, "strategy", Some("sum-gaussian"));
    assert!(
        text(&strategy["text"]).contains("discrete_gaussian"),
        "{strategy}"
    );
    let report = file(&page, "report", Some("sum-gaussian"));
    assert!(text(&report["text"]).contains("sum-gaussian"));
    let shown: Value = serde_json::from_str(&page.report(None)).expect("JSON");
    assert!(text(&shown["answer"]).contains(best.policy.name), "{shown}");
    assert!(text(&shown["sections"]).starts_with("<section"), "{shown}");
    assert!(
        !text(&shown["sections"]).contains(&expected.advice()),
        "told twice"
    );
}

#[test]
fn what_is_wrong_is_said_by_field_and_nothing_is_left_of_the_last_plan() {
    let mut page = Page::new();
    let good = json!({"type": "count", "clients": "100", "epsilon": "1"});
    assert!(asked(&mut page, &good)["error"].is_null());
    let mut wrong = good.clone();
    wrong["epsilon"] = json!("nothing");
    let answer = asked(&mut page, &wrong);
    assert_eq!(answer["error"]["field"], "epsilon");
    assert!(text(&answer["error"]["message"]).starts_with("epsilon is nothing: expected"));
    assert_eq!(file(&page, "task", None)["error"], "nothing was planned");
    assert_eq!(page.report(None), "null");
    let unknown = asked(&mut page, &json!({"kind": "count"}));
    assert!(
        text(&unknown["error"]["message"]).contains("unknown field `kind`"),
        "{unknown}"
    );
    asked(&mut page, &good);
    let refused = file(&page, "task", Some("nobody"));
    assert!(text(&refused["error"]).starts_with("policy is nobody: expected one of"));
    // A plan without a policy has an answer, a report, and no files.
    let alone =
        json!({"type": "sum:9", "clients": "10", "epsilon": "1", "against": "all-aggregators"});
    assert!(asked(&mut page, &alone)["answer"].is_object());
    assert!(page.report(None).contains("Not for this job"));
    assert!(text(&file(&page, "task", None)["error"]).contains("a policy that does this job"));
}
