//! One task has one digest, however it is written; two tasks that differ in any field have two
//! digests.

use std::collections::BTreeMap;

use dp_task::{POLICIES, Task};
use serde_json::Value;

use crate::common::{HISTOGRAM, RAPPOR, edited, task};

#[test]
fn the_digest_does_not_depend_on_how_the_document_is_written() {
    let histogram = task(HISTOGRAM);
    let mut parameters = histogram.policy().parameters().into_iter();
    let chunk_length = parameters.find(|(name, _)| *name == "chunk_length");
    let chunk_length = chunk_length.expect("one").1;
    let chunk_length = format!("length = 12\nchunk_length = {chunk_length}");
    for (old, new) in [
        ("\"0.5\"", "\"1/2\""),
        ("\"0.5\"", "\"5e-1\""),
        ("\"1e-9\"", "\"0.000000001\""),
        ("length = 12", "length = \"12\""),
        ("length = 12", chunk_length.as_str()),
        ("model = \"OAOC\"", "model = \"OAOC\"\naccept_weak_guarantee = false"),
        ("model = \"OAOC\"", "model = \"OAOC\"\nadjacency = \"replacement\""),
        ("[trust]", "# a remark\n[trust]"),
        ("aggregators = 2\nlength = 12", "length = 12\naggregators = 2"),
    ] {
        let written = edited(HISTOGRAM, &[(old, new)]);
        assert_eq!(task(&written).digest(), histogram.digest(), "{written}");
    }
    let json = r#"{"batch": {"max_reports": "1000", "min_reports": 100}, "name": "heights",
        "trust": {"model": "OAOC"}, "version": "2",
        "aggregator_noise": {"type": "discrete-gaussian",
            "budget": {"approximate": {"delta": "1/1000000000", "epsilon": "0.50"}}},
        "vdaf": {"length": 12, "type": "Prio3Histogram", "aggregators": 2}}"#;
    let json = Task::from_json(json).expect("a task");
    assert_eq!(json.digest(), histogram.digest());
}

/// JSON pointers to all values that are not tables; `path` leads to `value`.
fn leaves(value: &Value, path: String) -> Vec<String> {
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| leaves(value, format!("{path}/{name}")))
            .collect(),
        _ => vec![path],
    }
}

/// Values to put in place of a field: of a number, of a trust model, of a name.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::Number(number) => vec![Value::from(number.as_u64().expect("an integer") + 1)],
        Value::Bool(_) => vec![],
        _ => ["1.5", "2e-9", "OAOC", "2AOC", "2AMC", "replacement", "deletion"]
            .map(Value::from)
            .to_vec(),
    }
}

/// The task of the document with another value at `path`; `None` if no other value makes a task.
fn changed(document: &Value, path: &str) -> Option<Task> {
    let value = document.pointer(path).expect("a field");
    others(value).into_iter().find_map(|other| {
        let mut document = document.clone();
        *document.pointer_mut(path).expect("a field") = other;
        Task::from_json(document.to_string()).ok()
    })
}

/// Documents in which every field of the schema occurs.
fn documents() -> Vec<Value> {
    let examples = POLICIES.iter().map(|policy| {
        let mut document = policy.example();
        document.batch.min_reports = 5;
        Task::new(document).expect(policy.name).to_json()
    });
    let grid = edited(
        HISTOGRAM,
        &[
            ("Histogram", "Sum"),
            ("length = 12", "range = { grid = { low = 0, high = 3, granularity = \"1/2\" } }"),
        ],
    );
    let model = "model = \"OAOC\"";
    let releases =
        "releases = 30\nreports_per_client = 2\nadjacency = \"deletion\"\ndelta = \"1e-8\"";
    let releases = format!("{model}\n{releases}");
    let chunks = edited(
        HISTOGRAM,
        &[("length = 12", "length = 12\nchunk_length = 6"), (model, releases.as_str())],
    );
    let one_coordinate = chunks
        .replace("Prio3Histogram", "Prio3MultihotCountVec")
        .replace("length = 12", "length = 12\nmax_weight = 3")
        .replace("deletion", "one-coordinate");
    let among_clients =
        edited(RAPPOR, &[("\"OC\"", "\"OAMC\"\nhonest_clients = 50\ndelta = \"1e-9\"")]);
    let written = [HISTOGRAM, RAPPOR, &grid, &chunks, &one_coordinate, &among_clients]
        .map(|text| task(text).to_json());
    let all = examples.chain(written);
    all.map(|text| serde_json::from_str(&text).expect("JSON")).collect()
}

#[test]
fn a_change_of_any_field_is_another_digest() {
    let mut digests = BTreeMap::new();
    for document in documents() {
        let task = Task::from_json(document.to_string()).expect("a task");
        digests.insert(task.digest(), document.clone());
        for path in leaves(&document, String::new()) {
            // There is one version, and which fields there are depends on the type.
            if path == "/version" || path.ends_with("/type") {
                continue;
            }
            let changed = changed(&document, &path);
            let changed = changed.unwrap_or_else(|| panic!("{path} of {document}"));
            let written = serde_json::to_value(&changed).expect("JSON");
            let before = digests.insert(changed.digest(), written.clone());
            let same = before.filter(|before| *before != written);
            assert!(same.is_none(), "{path} of {document}: the digest of {same:?}");
        }
    }
    assert!(digests.len() > 200, "{}", digests.len());
}

#[test]
fn the_digest_of_a_document_stays_what_it_is() {
    // Computed apart from this crate, by the rules in `docs/dap-dp-extension.md`; the chunk length
    // is 4.
    let digest = task(HISTOGRAM).digest().to_string();
    assert_eq!(digest, "4b0ecb36001e064fe94221043dddf0a4f244454123cd5977566d217b639aba9f");
}
