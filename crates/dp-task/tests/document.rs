//! One task in several notations: it reads back as itself, and has one digest.

mod common;

use common::{HISTOGRAM, RAPPOR, edited};
use dp_task::{POLICIES, Task};

fn task(text: &str) -> Task {
    Task::from_toml(text).expect(text)
}

#[test]
fn a_task_of_every_policy_survives_toml_and_json() {
    for policy in POLICIES {
        let task = Task::new(policy.example().expect(policy.name)).expect(policy.name);
        assert_eq!(task.policy_name(), *policy);
        let toml = task.to_toml().expect("TOML");
        let json = task.to_json().expect("JSON");
        let from_toml = Task::from_toml(&toml).expect(&toml);
        let from_json = Task::from_json(&json).expect(&json);
        assert_eq!(from_toml, task);
        assert_eq!(from_json, task);
        assert_eq!(from_toml.digest(), task.digest());
        assert_eq!(from_json.digest(), task.digest());
        // Through serde alone, without the bounds of this crate.
        let value = serde_json::to_string(&task).expect("JSON");
        assert_eq!(serde_json::from_str::<Task>(&value).expect("a task"), task);
    }
}

#[test]
fn the_digest_does_not_depend_on_how_the_document_is_written() {
    let histogram = task(HISTOGRAM);
    let chunk_length = histogram
        .parameters()
        .iter()
        .find(|(name, _)| *name == "chunk_length");
    let chunk_length = format!(
        "length = 12\nchunk_length = {}",
        chunk_length.expect("one").1
    );
    for (old, new) in [
        ("\"0.5\"", "\"1/2\""),
        ("\"0.5\"", "\"5e-1\""),
        ("\"1e-9\"", "\"0.000000001\""),
        ("length = 12", "length = \"12\""),
        ("length = 12", chunk_length.as_str()),
        (
            "model = \"OAOC\"",
            "model = \"OAOC\"\naccept_weak_promise = false",
        ),
        ("[trust]", "# a remark\n[trust]"),
        (
            "aggregators = 2\nlength = 12",
            "length = 12\naggregators = 2",
        ),
    ] {
        let written = edited(HISTOGRAM, &[(old, new)]);
        assert_eq!(task(&written).digest(), histogram.digest(), "{written}");
    }
    let json = r#"{"batch": {"max_reports": "1000", "min_reports": 100}, "name": "heights",
        "trust": {"model": "OAOC"}, "version": "1",
        "aggregator_noise": {"budget": "approximate", "mechanism": "discrete-gaussian",
            "delta": "1/1000000000", "epsilon": "0.50"},
        "vdaf": {"length": 12, "type": "Prio3Histogram", "aggregators": 2}}"#;
    assert_eq!(
        Task::from_json(json).expect("a task").digest(),
        histogram.digest()
    );
}

#[test]
fn the_digest_depends_on_everything_that_the_parties_agree_on() {
    let mut digests = vec![task(HISTOGRAM).digest(), task(RAPPOR).digest()];
    for (old, new) in [
        ("heights", "weights"),
        ("aggregators = 2", "aggregators = 3"),
        ("length = 12", "length = 13"),
        ("length = 12", "length = 12\nchunk_length = 12"),
        ("gaussian", "laplace"),
        ("\"0.5\"", "\"0.50000001\""),
        ("\"1e-9\"", "\"1e-10\""),
        ("model = \"OAOC\"", "model = \"2AOC\""),
        ("model = \"OAOC\"", "model = \"OAMC\"\nhonest_clients = 1"),
        ("model = \"OAOC\"", "model = \"2AMC\"\nhonest_clients = 1"),
        ("min_reports = 100", "min_reports = 101"),
        ("max_reports = 1000", "max_reports = 1001"),
    ] {
        digests.push(task(&edited(HISTOGRAM, &[(old, new)])).digest());
    }
    digests.push(
        task(&edited(
            HISTOGRAM,
            &[
                ("\"0.5\"", "21"),
                ("OAOC\"", "OAOC\"\naccept_weak_promise = true"),
            ],
        ))
        .digest(),
    );
    for (old, new) in [
        ("epsilon0 = \"3\"", "epsilon0 = 4"),
        ("input_weight = 2", "input_weight = 3"),
        ("1e-3", "1e-4"),
    ] {
        digests.push(task(&edited(RAPPOR, &[(old, new)])).digest());
    }
    let all = digests.len();
    digests.sort_unstable();
    digests.dedup();
    assert_eq!(digests.len(), all);
}

#[test]
fn the_digest_of_a_document_stays_what_it_is() {
    // Computed apart from this crate, by the rule in `digest.rs`; the chunk length is 4.
    let digest = task(HISTOGRAM).digest();
    assert_eq!(
        digest.to_string(),
        "88b70210e252459d53066296eafb73cbe41a1fdae9564fbf4fd351b975c3f941"
    );
    assert_eq!(digest.to_string().len(), 2 * digest.as_bytes().len());
}

#[test]
fn what_the_document_leaves_open_is_filled_in() {
    let rappor = task(RAPPOR);
    assert_eq!(rappor.max_reports(), dp_prio3::DEFAULT_MAX_REPORTS);
    assert_eq!(rappor.circumstances().honest_clients(), 1);
    assert!(
        rappor
            .parameters()
            .iter()
            .any(|(name, _)| *name == "max_weight")
    );
    assert!(
        rappor.document().vdaf.max_weight.is_none(),
        "the document is as it was read"
    );
}

#[test]
fn a_task_says_what_it_promises() {
    let histogram = task(HISTOGRAM);
    let budget = histogram.guarantee().budget().expect("proved").to_string();
    assert_eq!(
        budget,
        "approximate differential privacy with epsilon 0.5 and delta 1e-9"
    );
    let two = task(&edited(HISTOGRAM, &[("OAOC", "2AOC")]));
    let stronger = two.guarantee().budget().expect("proved").to_string();
    assert_ne!(
        stronger, budget,
        "two honest aggregators hide more than one"
    );
    let voided = "all 2 aggregators are honest: any one of them voids this promise by itself";
    let assumptions = &two.guarantee().assumptions;
    assert!(assumptions.contains(&voided.to_owned()), "{assumptions:?}");
}

#[test]
fn a_promise_that_protects_nobody_is_made_only_where_the_document_accepts_that() {
    let accepted = [("OAOC\"", "OAOC\"\naccept_weak_promise = true")];
    for (old, new) in [("\"0.5\"", "\"20.01\""), ("\"1e-9\"", "\"0.0011\"")] {
        let weak = edited(HISTOGRAM, &[(old, new)]);
        let error = Task::from_toml(&weak).expect_err("a weak promise");
        assert_eq!(error.field(), Some("trust.accept_weak_promise"), "{error}");
        assert!(error.to_string().contains("protects nobody"), "{error}");
        let weak = task(&edited(&weak, &accepted));
        assert!(weak.accepts_weak_promise() && weak.guarantee().is_weak);
        assert!(weak.guarantee().to_string().contains("protects nobody"));
    }
    let at_the_ceilings = edited(HISTOGRAM, &[("\"0.5\"", "20"), ("\"1e-9\"", "\"1e-3\"")]);
    assert!(!task(&at_the_ceilings).guarantee().is_weak);
    let error = Task::from_toml(edited(HISTOGRAM, &accepted)).expect_err("no weak promise");
    assert_eq!(error.field(), Some("trust.accept_weak_promise"), "{error}");
    // A zero-concentrated budget counts by the epsilon to which it converts.
    let concentrated = [
        ("approximate", "zero-concentrated"),
        ("epsilon = \"0.5\"", "rho = \"20\""),
        ("delta", "#"),
    ];
    let error = Task::from_toml(edited(HISTOGRAM, &concentrated)).expect_err("a weak promise");
    assert_eq!(error.field(), Some("trust.accept_weak_promise"), "{error}");
}

/// What counts is the promise that the task relies on, not that of the client alone.
#[test]
fn a_large_local_epsilon_is_no_weak_promise_where_a_crowd_is_relied_upon() {
    let crowd = [
        ("epsilon0 = \"3\"", "epsilon0 = \"5.5\""),
        ("1e-3", "1e-15"),
        ("OC\"", "OAMC\"\nhonest_clients = 100000\ndelta = \"1e-9\""),
        ("min_reports = 100", "min_reports = 100000"),
    ];
    let task = task(&edited(RAPPOR, &crowd));
    assert!(!task.guarantee().is_weak, "{}", task.guarantee());
    let alone = edited(RAPPOR, &[("epsilon0 = \"3\"", "epsilon0 = \"5.5\"")]);
    let error = Task::from_toml(alone).expect_err("22 by the client alone");
    assert_eq!(error.field(), Some("trust.accept_weak_promise"), "{error}");
}
