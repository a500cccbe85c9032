//! The record: read back, every figure is the task's, and the registry's fields are the registry's.

use dp_exact::{Rational, Rounding};
use dp_statement::{Statement, Total};
use serde_json::{Value, json};

use crate::common::{RELEASES, all, of};

fn read(statement: &Statement) -> Value {
    let yaml = statement.to_yaml().expect("YAML");
    serde_saphyr::from_str(&yaml).unwrap_or_else(|error| panic!("{error}: {yaml}"))
}

fn up(value: &Rational) -> String {
    value.round_to_digits(12, Rounding::Up).to_string()
}

#[test]
fn what_is_read_back_is_what_was_written() {
    for (name, statement) in all() {
        let written = serde_json::to_value(statement.record()).expect("JSON");
        assert_eq!(read(statement), written, "{name}");
    }
}

#[test]
fn every_figure_is_that_of_the_task() {
    for (name, statement) in all() {
        let record = read(statement);
        let (own, task) = (&record["prio3"], statement.task());
        assert_eq!(
            own["task"]["digest"],
            json!(task.digest().to_string()),
            "{name}"
        );
        assert_eq!(
            own["task"]["policy"],
            json!(task.policy_name().name),
            "{name}"
        );
        assert_eq!(
            own["relied_on"],
            json!(task.trust_model().abbreviation()),
            "{name}"
        );
        assert_eq!(own["releases_per_person"], json!(RELEASES), "{name}");
        for (parameter, value) in task.parameters() {
            assert_eq!(
                own["task"]["parameters"][*parameter],
                json!(value),
                "{name}"
            );
        }
        let written = own["guarantees"].as_array().expect("a list");
        assert_eq!(written.len(), statement.stated().len(), "{name}");
        for (written, stated) in written.iter().zip(statement.stated()) {
            let model = stated.guarantee.trust_model;
            let guarantee = task.guarantee_in(model, task.circumstances());
            assert_eq!(
                written["trust_model"],
                json!(model.abbreviation()),
                "{name}"
            );
            assert_eq!(
                written["provided_that"],
                json!(guarantee.assumptions),
                "{name}"
            );
            assert_eq!(written["notes"], json!(guarantee.remarks), "{name}");
            let budget = guarantee
                .budget()
                .map(|budget| serde_json::to_value(budget).expect("JSON"));
            assert_eq!(
                written.get("budget_of_a_release"),
                budget.as_ref(),
                "{name}"
            );
            for (field, total) in [
                ("one_release", &stated.once),
                ("all_releases", &stated.all),
                ("a_release_a_day_for_a_year", &stated.year),
            ] {
                let figures = &written[field];
                assert_eq!(
                    figures["protects_nobody"],
                    json!(total.protects_nobody()),
                    "{name}"
                );
                match total {
                    Total::Kept { epsilon, delta, .. } => {
                        assert_eq!(figures["epsilon"], json!(up(epsilon)), "{name} {field}");
                        assert_eq!(figures["delta"], json!(up(delta)), "{name} {field}");
                    }
                    Total::Absent { reason } => {
                        assert_eq!(figures["none_because"], json!(reason), "{name} {field}");
                        assert_eq!(figures.get("epsilon"), None, "{name} {field}");
                    }
                }
            }
        }
    }
}

/// The parameters of the registry are the total of all releases, rounded up, as numbers: in the text as these
/// digits.
#[test]
fn the_registry_gets_the_total_of_all_releases() {
    for (name, statement) in all() {
        let record = read(statement);
        let yaml = statement.to_yaml().expect("YAML");
        let relied = statement
            .in_model(statement.task().trust_model())
            .expect("stated");
        let Total::Kept {
            epsilon,
            delta,
            rho,
        } = &relied.all
        else {
            panic!("{name}");
        };
        let parameters = &record["deployment"]["privacy_loss"]["privacy_parameters"];
        assert!(parameters["epsilon"].is_number(), "{name}: {parameters}");
        let digits = up(epsilon);
        let point = if digits.contains('.') { "" } else { ".0" };
        assert!(
            yaml.contains(&format!("\n      epsilon: {digits}{point}\n")),
            "{name}: {digits}"
        );
        let variant = &record["deployment"]["dp_variant"]["variant_name"];
        let expected = match (rho, delta.is_zero()) {
            (Some(_), _) => "Zero-concentrated DP",
            (None, true) => "Pure DP",
            (None, false) => "Approximate DP",
        };
        assert_eq!(*variant, json!(expected), "{name}");
        assert_eq!(parameters["delta"].is_number(), !delta.is_zero(), "{name}");
    }
}

/// The fields of an entry of tier 3, as the registry's schema of 2025 names them.
#[test]
fn an_entry_has_the_fields_of_the_registry_and_no_others() {
    let fields = json!({
        "basic": ["name", "data_curators", "description", "intended_use", "data_product_type",
            "data_product_region", "data_product_sector", "publication_date"],
        "dp_variant": ["variant_name", "data_domain", "unprotected_quantities"],
        "privacy_loss": ["privacy_unit", "privacy_unit_details", "number_of_privacy_units",
            "privacy_parameters", "privacy_parameters_details"],
        "deployment_model": ["model_name", "model_name_details", "trust_assumptions", "actors",
            "release_type", "release_type_details", "data_source_type", "access_type",
            "access_type_details"],
        "implementation": ["preprocessing_and_hyperparameter_tuning", "mechanisms", "composition",
            "post_processing", "justification", "additional_information"],
        "administrative": ["status", "registry_authors", "tier"],
    });
    for (name, statement) in all() {
        let record = read(statement);
        let keys = |value: &Value| -> Vec<String> {
            let mut keys: Vec<String> = value.as_object().expect("a map").keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys(&record), ["deployment", "prio3", "url_slug"], "{name}");
        assert_eq!(keys(&record["deployment"]), keys(&fields), "{name}");
        for (section, names) in fields.as_object().expect("a map") {
            let mut names: Vec<&str> = names
                .as_array()
                .expect("a list")
                .iter()
                .map(|one| one.as_str().expect("text"))
                .collect();
            names.sort_unstable();
            assert_eq!(keys(&record["deployment"][section]), names, "{name}");
        }
        let slug = record["url_slug"].as_str().expect("text");
        assert!(
            slug.chars()
                .all(|one| one.is_ascii_lowercase() || one.is_ascii_digit() || one == '-')
        );
    }
}

/// Who is trusted is said of everybody, and what remains of every promise.
#[test]
fn actors_and_what_remains_are_there() {
    for (name, statement) in all() {
        let record = read(statement);
        let actors = record["prio3"]["actors"].as_array().expect("a list");
        let aggregators = statement.task().document().vdaf.aggregators();
        assert_eq!(actors.len(), aggregators + 3, "{name}");
        for stated in statement.stated() {
            let details =
                record["deployment"]["privacy_loss"]["privacy_parameters_details"].as_str();
            let details = details.expect("text");
            if stated.guarantee.budget().is_some() {
                assert!(
                    details.contains(&stated.guarantee.otherwise.to_string()),
                    "{name}"
                );
            }
        }
    }
    let local = read(of("multihot"));
    assert_eq!(
        local["deployment"]["deployment_model"]["model_name"],
        json!("Local")
    );
}
