//! A task reads back as itself, fills in open fields of its document, and states its guarantee.

use dp_task::{POLICIES, Task, TaskDocument};

use crate::common::{HISTOGRAM, WEIGHTS, edited, task};

/// `policies.jsonl` has the documents as they were first written, of all policies.
#[test]
fn the_documents_of_all_policies_stay_what_they_are_and_are_read_back() {
    let lines: Vec<&str> = include_str!("policies.jsonl").lines().collect();
    assert_eq!(lines.len(), POLICIES.len());
    for (policy, line) in POLICIES.iter().zip(lines) {
        let task = Task::new(policy.example()).expect(policy.name);
        assert_eq!(task.policy_name(), *policy);
        assert_eq!(serde_json::to_string(&task).expect("JSON"), line);
        assert_eq!(Task::from_json(line).expect("a task"), task);
        let (toml, json) = (task.to_toml(), task.to_json());
        for read in [Task::from_toml(&toml).expect(&toml), Task::from_json(&json).expect(&json)] {
            assert_eq!((read.digest(), &read), (task.digest(), &task));
        }
    }
    let weights = task(WEIGHTS).to_toml();
    assert_eq!(task(&weights).to_toml(), weights);
    assert!(weights.contains("[vdaf]\ntype = \"Prio3Average\"\naggregators = 2\n"), "{weights}");
}

/// What reading refuses is refused in a document that is made, too.
#[test]
fn a_document_that_is_made_is_checked() {
    let document = task(HISTOGRAM).document().clone();
    let said = |document| Task::new(document).expect_err("refused").to_string();
    for releases in [0, 1 << 21] {
        let mut made = document.clone();
        made.trust.releases = Some(releases);
        assert!(said(made).starts_with(&format!("trust.releases is {releases}: ")));
    }
    let mut made = document.clone();
    made.batch.min_reports = 0;
    assert!(said(made).starts_with("batch.min_reports is 0: "));
    let mut made = document;
    made.trust.model = "OAMC".parse().expect("a model");
    made.trust.honest_clients = Some(0);
    assert!(said(made).starts_with("trust.honest_clients is 0: "));
}

/// No reader of JSON or TOML rounds them.
#[test]
fn integers_beyond_53_bits_are_written_as_text() {
    let most = u64::MAX.to_string();
    let chunk = format!("length = 12\nchunk_length = \"{most}\"");
    let most_reports = format!("max_reports = \"{most}\"");
    let edits = [("length = 12", chunk.as_str()), ("max_reports = 1000", &most_reports)];
    let document = TaskDocument::from_toml(edited(HISTOGRAM, &edits)).expect("a document");
    let (toml, json) = (
        toml::to_string(&document).expect("TOML"),
        serde_json::to_string(&document).expect("JSON"),
    );
    assert_eq!(json.matches(&format!("\"{most}\"")).count(), 2, "{json}");
    assert_eq!(TaskDocument::from_toml(toml).expect("a document"), document);
    assert_eq!(TaskDocument::from_json(json).expect("a document"), document);
}

#[test]
fn a_guarantee_that_protects_nobody_is_made_only_where_the_document_accepts_that() {
    let accepted = [("OAOC\"", "OAOC\"\naccept_weak_guarantee = true")];
    for (old, new) in [("\"0.5\"", "\"20.01\""), ("\"1e-9\"", "\"0.0011\"")] {
        let weak = edited(HISTOGRAM, &[(old, new)]);
        let error = Task::from_toml(&weak).expect_err("a weak guarantee");
        assert!(error.to_string().starts_with("trust.accept_weak_guarantee is missing"), "{error}");
        assert!(error.to_string().contains("protects nobody"), "{error}");
        let weak = task(&edited(&weak, &accepted));
        assert!(weak.document().trust.accept_weak_guarantee && weak.guarantee().is_weak);
        assert!(weak.guarantee().to_string().contains("protects nobody"));
    }
    let at_the_ceilings = edited(HISTOGRAM, &[("\"0.5\"", "20"), ("\"1e-9\"", "\"1e-3\"")]);
    assert!(!task(&at_the_ceilings).guarantee().is_weak);
    let error = Task::from_toml(edited(HISTOGRAM, &accepted)).expect_err("no weak guarantee");
    assert!(error.to_string().starts_with("trust.accept_weak_guarantee is "), "{error}");
    // A zero-concentrated budget counts by the epsilon to which it converts.
    let concentrated = [
        ("approximate", "zero_concentrated"),
        ("epsilon = \"0.5\", delta = \"1e-9\"", "rho = \"20\""),
    ];
    let error = Task::from_toml(edited(HISTOGRAM, &concentrated)).expect_err("a weak guarantee");
    assert!(error.to_string().starts_with("trust.accept_weak_guarantee is "), "{error}");
}
