use serde_json::{Value, json};

use super::*;

fn question(document: Value) -> Question {
    serde_json::from_value(document).expect("a question")
}

#[test]
fn what_is_absent_has_the_default_of_the_command() -> Result<(), Error> {
    let asked = question(json!({"type": "count", "clients": "1e3", "rho": "1/2"}));
    let (job, wanted) = asked.read()?;
    let plain = Job::new("count".parse()?, 1000);
    assert_eq!(job, plain);
    assert_eq!(wanted.delta, "1e-9".parse::<Delta>()?);
    assert_eq!(
        (wanted.scope, wanted.against),
        (Scope::Release, Against::OneAggregator)
    );
    Ok(())
}

#[test]
fn every_field_is_read_and_written_by_the_name_of_its_option() -> Result<(), Error> {
    let document = json!({
        "type": "average", "grid": "0..10/0.5", "clients": "1e4", "aggregators": "3", "releases": "7",
        "reports-per-client": "2", "adjacency": "deletion", "honest-fraction": "0.9",
        "honest-aggregators": "2", "epsilon": "1", "delta": "1e-8", "total": "true",
        "against": "collector"
    });
    let asked = question(document.clone());
    assert_eq!(serde_json::to_value(&asked).expect("JSON"), document);
    let (job, wanted) = asked.read()?;
    assert_eq!((job.clients, job.aggregators, job.releases), (10_000, 3, 7));
    assert_eq!((job.reports_per_client, job.honest_aggregators), (2, 2));
    assert_eq!(job.adjacency, Adjacency::Deletion);
    assert_eq!(job.honest_fraction, "9/10".parse::<Rational>()?);
    assert_eq!(
        job.query,
        Query::Average {
            max_measurement: 20
        }
    );
    assert_eq!(
        (wanted.scope, wanted.against),
        (Scope::Total, Against::Collector)
    );
    assert!(matches!(wanted.budget, Some(Budget::Approximate { .. })));
    Ok(())
}

/// A field that is not what it accepts is named, whichever it is: alone wrong beside a good question.
#[test]
fn every_field_that_is_wrong_is_named() {
    for field in Question::FIELDS {
        let mut document = json!({"type": "sum", "grid": "0..10/1", "clients": "100"});
        document[field] = json!("nonsense");
        let error = question(document).read().expect_err(field);
        assert_eq!(Question::field_of(&error), Some(field), "{error}");
        assert!(error.to_string().contains("nonsense"), "{error}");
    }
}

#[test]
fn what_is_missing_or_contradicts_is_named() {
    let named = |document: Value| {
        let error = question(document).read().expect_err("a refusal");
        Question::field_of(&error)
    };
    assert_eq!(named(json!({})), Some("type"));
    assert_eq!(
        named(json!({"type": "count", "epsilon": "1"})),
        Some("clients")
    );
    let both = json!({"type": "count", "clients": "9", "epsilon": "1", "rho": "1"});
    assert_eq!(named(both), Some("epsilon"));
    let both = json!({"type": "count", "clients": "9", "std": "1", "margin": "1"});
    assert_eq!(named(both), Some("margin"));
    let asked = json!({"type": "count", "clients": "9", "std": "1", "epsilon": "1"});
    assert_eq!(named(asked), Some("clients"));
    // What no single field is to blame for has none.
    let nothing = question(json!({"type": "count", "clients": "9"})).read();
    let (job, wanted) = nothing.expect("a job of which nothing is wanted");
    let error = crate::plan(&job, &wanted).expect_err("nothing is wanted");
    assert_eq!(Question::field_of(&error), None);
}

#[test]
fn an_unknown_name_is_refused() {
    let refused = serde_json::from_value::<Question>(json!({"eps": "1"}));
    assert!(
        refused
            .expect_err("no such field")
            .to_string()
            .contains("`eps`")
    );
}
