//! The record: read back, every figure is the task's, and the registry's fields are the registry's.
//! Texts that look like marks of YAML or of Markdown stay texts.

use dp_exact::{Rational, Rounding};
use dp_planner::PairGuarantee;
use dp_report::statement::{Deployment, Statement};
use serde_json::{Value, json};

use crate::{RELEASES, all, document, of, percentiles, statement, task};

fn read(statement: &Statement) -> Value {
    let yaml = statement.to_yaml();
    serde_saphyr::from_str(&yaml).unwrap_or_else(|error| panic!("{error}: {yaml}"))
}

fn up(value: &Rational) -> String {
    value.round_to_digits(12, Rounding::Up).to_string()
}

#[test]
fn what_is_read_back_is_what_was_written_and_every_figure_is_that_of_the_task() {
    for (name, statement) in all() {
        let record = read(statement);
        let written = serde_json::to_value(statement.record()).expect("JSON");
        assert_eq!(record, written, "{name}");
        let privacy = &record["deployment"]["privacy_loss"];
        let details = privacy["privacy_parameters_details"].as_str().expect("text");
        for totals in statement.totals() {
            let (guarantee, epsilon) = (&totals.guarantee, totals.all.epsilon());
            let fallback = guarantee.fallback.to_string();
            assert!(guarantee.budget().is_none() || details.contains(&fallback), "{name}");
            let said =
                epsilon.map_or_else(String::new, |epsilon| format!("epsilon {}", up(epsilon)));
            assert!(details.contains(&said), "{name}: {said}: {details}");
        }
        let task = statement.task();
        let mechanisms = &record["deployment"]["implementation"]["mechanisms"];
        let mechanisms = mechanisms.as_str().expect("text");
        assert!(mechanisms.contains(&task.digest().to_string()), "{name}");
        for (parameter, value) in task.policy().parameters() {
            assert!(mechanisms.contains(&format!("{parameter} {value}")), "{name}: {parameter}");
        }
    }
}

/// The parameters of the registry are the total of all releases, rounded up, as numbers: in the
/// text as these digits.
#[test]
fn the_registry_gets_the_total_of_all_releases() {
    for (name, statement) in all() {
        let record = read(statement);
        let yaml = statement.to_yaml();
        let PairGuarantee::Kept { epsilon, delta, rho, .. } = &statement.relied().all else {
            panic!("{name}");
        };
        let parameters = &record["deployment"]["privacy_loss"]["privacy_parameters"];
        assert!(parameters["epsilon"].is_number(), "{name}: {parameters}");
        let digits = up(epsilon);
        let point = if digits.contains('.') { "" } else { ".0" };
        let line = format!("\n      epsilon: {digits}{point}\n");
        assert!(yaml.contains(&line), "{name}: {digits}");
        let variant = &record["deployment"]["dp_variant"]["variant_name"];
        let expected = match (rho, delta.is_zero()) {
            (Some(_), _) => "Zero-concentrated DP",
            (None, true) => "Pure DP",
            (None, false) => "Approximate DP",
        };
        assert_eq!(*variant, json!(expected), "{name}");
        assert_eq!(parameters["delta"].is_number(), !delta.is_zero(), "{name}");
    }
    let local = &read(of("multihot"))["deployment"]["deployment_model"]["model_name"];
    assert_eq!(*local, json!("Local"));
}

const HOSTILE: [&str; 18] = [
    "yes",
    "null",
    "~",
    "1e-9",
    "12:30:45",
    "2026-12-01",
    "- a list",
    "# comment",
    "&anchor",
    "!!python/object:os.system",
    "--- x",
    "{a: b}",
    "'quoted' \\\" twice",
    "<script>alert(1)</script>",
    "<!-- -->",
    "| a | b | ``` `code` ~~~ $x$",
    "**bold** __b__ _i_ [x](javascript:y)",
    "größe 身長 😀 & a trailing \\\\ backslash \\\\",
];

/// Fields of the deployment that are free text, in its order, and where the record has them.
const FREE: [(&str, &str); 6] = [
    ("name = \"How", "/deployment/basic/name"),
    ("description = ", "/deployment/basic/description"),
    ("purpose = ", "/deployment/basic/intended_use"),
    ("region = ", "/deployment/basic/data_product_region"),
    ("tuning = ", "/deployment/implementation/preprocessing_and_hyperparameter_tuning"),
    ("justification = ", "/deployment/implementation/justification"),
];

#[test]
fn every_text_comes_back_out_of_both_forms() {
    for texts in HOSTILE.chunks(FREE.len()) {
        let document = document();
        let lines = document.lines().map(|line| {
            let mut places = FREE.iter().zip(texts);
            match places.find(|((beginning, _), _)| line.starts_with(beginning)) {
                Some((_, text)) => {
                    format!("{} = \"{text}\"", line.split_once(" =").expect("a field").0)
                }
                None => line.to_owned(),
            }
        });
        let deployment = Deployment::from_toml(lines.collect::<Vec<_>>().join("\n"));
        let deployment = deployment.unwrap_or_else(|error| panic!("{texts:?}: {error}"));
        let statement = Statement::new(task("count"), deployment, 1).expect("a statement");
        let (record, page) = (read(&statement), statement.to_markdown());
        for (text, (_, pointer)) in texts.iter().zip(FREE) {
            let text = text.replace("\\\"", "\"").replace("\\\\", "\\");
            assert_eq!(record.pointer(pointer), Some(&json!(text)), "{pointer}");
        }
        let body = page.split_once("-->").expect("a comment").1;
        for mark in ["<script", "<!--", "``` `", "**bold", "| a |", "[x](", "&anchor"] {
            assert!(!body.contains(mark), "{mark}: {page}");
        }
    }
}

/// Behind a strategy matrix what is released is no noisy histogram, and rho adds up over releases.
#[test]
fn a_strategy_matrix_is_described_with_what_is_released_and_what_it_guarantees() {
    let task = percentiles();
    let statement = statement(&task, RELEASES);
    let record = read(&statement)["deployment"].clone();
    let text = |part: &str, field: &str| record[part][field].as_str().expect("text").to_owned();
    let mechanisms = text("implementation", "mechanisms");
    for said in [
        "the 64 totals multiplied by a public strategy matrix (toeplitz, 64 by 64 integers)",
        "independent noise of each aggregator in each of the 64 products",
        "Prio3Histogram with discrete Gaussian noise at each aggregator: ",
    ] {
        assert!(mechanisms.contains(said), "{mechanisms}");
    }
    let domain = text("dp_variant", "data_domain");
    assert!(domain.ends_with("which is a measurement of histogram:64."), "{domain}");
    assert_eq!(text("dp_variant", "variant_name"), "Zero-concentrated DP");
    let parameters = &record["privacy_loss"]["privacy_parameters"];
    assert_eq!(parameters["rho"], json!(0.3));
    let page = statement.to_markdown();
    assert!(page.contains("**Each operator** also mixes these sums by a public rule"), "{page}");
    assert!(page.contains("gets the mixed sums, not your answer"), "{page}");
    assert!(!of("histogram").to_markdown().contains("mix"));
}
