//! The commands as a user types them: what they print, their exit status, what they leave behind.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::support::{number, text};

fn xtask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dp-cli"))
        .args(arguments)
        .output()
        .expect("the binary runs")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8")
}

/// The one line of a refusal, with exit status 2 and nothing on standard output.
fn refusal(arguments: &[&str]) -> String {
    let output = xtask(arguments);
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    text.trim_end().to_owned()
}

#[test]
fn simulate_answers_in_the_order_of_the_questions() {
    let output = xtask(&["simulate", "--seed", "1"]);
    assert!(output.status.success());
    let text = stdout(&output);
    let mut rest = text.as_str();
    for part in [
        "Question\n",
        "12 bins of height_cm",
        "1 629 clients",
        "Prio3Histogram, 2 aggregators",
        "Policy: histogram-laplace",
        "epsilon       0.906",
        "scale ",
        "Guarantee",
        "OC (",
        "OAOC (",
        "OAMC (",
        "Estimates",
        "140..145",
        "195..200",
        "◆",
        "Summary",
        "standard deviation",
        "intervals that cover",
        "seed",
    ] {
        let place = rest
            .find(part)
            .unwrap_or_else(|| panic!("{part:?} is missing in {rest}"));
        rest = &rest[place + part.len()..];
    }
    assert!(output.stderr.is_empty(), "no progress bar in a pipe");
    let again = stdout(&xtask(&["simulate", "--seed", "1", "--threads", "1"]));
    let estimates = |text: &str| text.split("Summary").next().map(str::to_owned);
    assert_eq!(estimates(&text), estimates(&again));
}

fn document(folder: &Path, arguments: &[&str]) -> Value {
    let path = folder.join("out.json");
    let json = path.to_str().expect("UTF-8");
    let output = xtask(&[arguments, &["--json", json]].concat());
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {text}");
    assert_eq!(
        fs::read_dir(folder).expect("a folder").count(),
        1,
        "one file and no other"
    );
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

#[test]
fn the_document_of_every_policy_has_what_its_schema_says() {
    for (policy, vdaf, proved, epsilon, delta) in [
        (
            "histogram-gaussian",
            "Prio3Histogram",
            [false, true, true],
            "0.906",
            "1e-9",
        ),
        (
            "histogram-laplace",
            "Prio3Histogram",
            [false, true, true],
            "0.906",
            "0",
        ),
        (
            "sumvec-laplace",
            "Prio3SumVec",
            [false, true, true],
            "0.906",
            "0",
        ),
        (
            "multihot-rappor",
            "Prio3MultihotCountVec",
            [true, true, true],
            "42",
            "0",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let arguments = [
            "simulate", "--policy", policy, "--trials", "2", "--seed", "7",
        ];
        let document = document(folder.path(), &arguments);
        assert_eq!(document["schema_version"], 3);
        assert_eq!(document["policy"], policy);
        assert_eq!(document["vdaf"], vdaf);
        assert_eq!(document["seed"], "7");
        let parameters = document["parameters"].as_object().expect("an object");
        assert!(parameters.values().all(Value::is_string), "{parameters:?}");

        let guarantees = document["guarantees"].as_array().expect("an array");
        let models = ["OC", "OAOC", "OAMC"];
        assert_eq!(guarantees.len(), 3);
        for ((guarantee, model), proved) in guarantees.iter().zip(models).zip(proved) {
            if proved {
                assert_eq!(guarantee["trust_model"], model);
                assert_eq!(guarantee["adjacency"], "replacement");
                // What clients gain from each other is the business of other tests.
                if (policy, model) != ("multihot-rappor", "OAMC") {
                    let budget = match delta {
                        "0" => json!({"pure": {"epsilon": epsilon}}),
                        _ => json!({"approximate": {"epsilon": epsilon, "delta": delta}}),
                    };
                    assert_eq!(guarantee["budget"], budget);
                }
            } else {
                assert!(guarantee.is_null(), "{policy} {model}: {guarantee}");
            }
        }

        let coordinates = document["coordinates"].as_array().expect("an array");
        let length = if vdaf == "Prio3Histogram" { 12 } else { 14 };
        assert_eq!(coordinates.len(), 2 * length);
        for row in coordinates {
            let truth = text(&row["truth"]);
            assert!(row["label"].is_string() && truth.parse::<i64>().is_ok());
            assert!(number(&row["estimate"]).is_finite() && number(&row["standard_error"]) > 0.0);
        }
        let summary = &document["summary"];
        assert_eq!(summary["clients"], "1629");
        assert_eq!(summary["trials"], "2");
        assert_eq!(summary["rejected"], "0");
        for field in ["predicted_std", "observed_std", "coverage_95", "seconds"] {
            assert!(number(&summary[field]) >= 0.0, "{field}");
        }
    }
}

#[test]
fn data_of_ones_own_is_counted_as_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("people.csv");
    fs::write(&data, "age,colour,visits\n31,1,4\n45,3,0\n39,3,2\n").expect("written");
    let data = data.to_str().expect("UTF-8");
    let truth = |arguments: &[&str]| {
        let out = tempfile::tempdir().expect("a folder");
        let document = document(
            out.path(),
            &[&["simulate", "--data", data], arguments].concat(),
        );
        let rows = document["coordinates"]
            .as_array()
            .expect("an array")
            .clone();
        let pair = |row: &Value| format!("{}={}", text(&row["label"]), text(&row["truth"]));
        rows.iter().map(pair).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(
        truth(&["--column", "age", "--bins", "30..50/10"]),
        "30..40=2 40..50=1"
    );
    assert_eq!(
        truth(&["--column", "colour", "--bins", "1,2,3"]),
        "1=1 2=0 3=2"
    );
    assert_eq!(
        truth(&["--column", "colour", "--bins", "distinct"]),
        "1=1 3=2"
    );
    let sums = [
        "--policy",
        "sumvec-laplace",
        "--columns",
        "visits,age",
        "--max-measurement",
        "60",
    ];
    assert_eq!(truth(&sums), "visits=6 age=115");
    let bits = [
        "--policy",
        "multihot-rappor",
        "--columns",
        "colour",
        "--no",
        "3",
    ];
    assert_eq!(truth(&bits), "colour=1");
    let one_hot = [
        "--policy",
        "multihot-rappor",
        "--column",
        "age",
        "--bins",
        "30..50/10",
    ];
    assert_eq!(truth(&one_hot), "30..40=2 40..50=1");
}

#[test]
fn bad_input_is_refused_on_one_line_that_names_it() {
    let digits = "9".repeat(10_000);
    for (arguments, line) in [
        (
            vec!["--column", "heigth"],
            "error: column is heigth: expected one of seqn, age, ",
        ),
        (
            vec!["--bins", "140..170/5"],
            "error: nhefs.csv: line 2: height_cm is 174.1875: expected a number from 140",
        ),
        (
            vec!["--bins", "5..1/2"],
            "error: bins is 5..1/2: expected LOW..HIGH/WIDTH",
        ),
        (
            vec!["--rho", "1", "--epsilon", "1"],
            "error: epsilon 1 has no meaning with --rho: leave one of them out",
        ),
        (
            vec!["--epsilon", "0"],
            "error: epsilon is 0: expected a number greater than 0",
        ),
        (
            vec!["--epsilon", "nan"],
            "error: epsilon is nan: expected a number such as",
        ),
        (vec!["--epsilon", "-1"], "error: epsilon is -1: expected"),
        (
            vec!["--epsilon", digits.as_str()],
            "error: epsilon is 99999999999999999999… (10000 characters)",
        ),
        (
            vec!["--delta", "1"],
            "error: delta is 1: expected a number from 0",
        ),
        (
            vec!["--policy", "histogram-gaussian", "--delta", "0"],
            "error: delta is 0: expected above 0",
        ),
        (
            vec!["--clients", "0"],
            "error: clients is 0: expected an integer from 1",
        ),
        (
            vec!["--trials", "0"],
            "error: trials is 0: expected an integer from 1",
        ),
        (
            vec!["--threads", "0"],
            "error: threads is 0: expected an integer from 1",
        ),
        (
            vec!["--seed", "x"],
            "error: seed is x: expected an integer from 0",
        ),
        (
            vec!["--aggregators", "1"],
            "error: aggregators is 1: expected an integer from 2 to 254",
        ),
        (
            vec!["--policy", "laplace"],
            "error: policy is laplace: expected histogram-laplace, count-laplace, ",
        ),
        (
            vec!["--epsilon0", "5"],
            "error: epsilon0 5 has no meaning with",
        ),
        (
            vec!["--policy", "histogram-laplace", "--delta", "x"],
            "error: delta is x: expected",
        ),
        (
            vec!["--policy", "multihot-rappor", "--max-weight", "15"],
            "error: max-weight is 15: expected",
        ),
        (
            vec!["--policy", "multihot-rappor", "--epsilon0", "0"],
            "error: epsilon0 is 0: expected",
        ),
        (
            vec!["--policy", "sumvec-laplace", "--max-measurement", "0"],
            "error: max-measurement is 0",
        ),
        (
            vec!["--policy", "sumvec-laplace", "--columns", "age"],
            "error: nhefs.csv: line 2: age is 42: expected 1",
        ),
        (
            vec!["--column", "age"],
            "error: bins is missing: expected LOW..HIGH/WIDTH",
        ),
        (vec!["--data", "no/such.csv"], "error: no/such.csv: "),
        (
            vec!["--json", "no/such/out.json"],
            "error: no/such/out.json: No such file",
        ),
        (vec!["--json", "/"], "error: /: it is a directory"),
        (
            vec!["--frobnicate"],
            "error: unexpected argument '--frobnicate' found",
        ),
    ] {
        let refused = refusal(&[vec!["simulate"], arguments].concat());
        assert!(refused.starts_with(line), "{refused:?} is not {line:?}");
    }
    assert!(refusal(&[]).contains("expected simulate, sweep, merge, plan, statement"));
    assert!(refusal(&["dance"]).contains("dance"));
}

#[test]
fn a_non_number_is_named_with_its_line_and_leaves_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("people.csv");
    let mut text = "height_cm\n".to_owned() + &"170\n".repeat(810);
    text += "unknown\n170\n";
    fs::write(&data, text).expect("written");
    let (data, json) = (
        data.to_str().expect("UTF-8"),
        folder.path().join("out.json"),
    );
    let json = json.to_str().expect("UTF-8");
    let refused = refusal(&["simulate", "--data", data, "--json", json]);
    assert!(
        refused.contains("line 812: height_cm is unknown"),
        "{refused}"
    );
    assert_eq!(
        fs::read_dir(folder.path()).expect("a folder").count(),
        1,
        "the data alone"
    );
}

#[test]
fn tables_shows_where_the_draft_differs_from_exact_values() {
    let output = xtask(&["tables"]);
    assert!(output.status.success());
    let text = stdout(&output);
    for exact in [
        "26.133643",
        "12.279943",
        "9.5579668",
        "23.39072941",
        "8.540061173",
        "5.190320550",
        "too small",
        "1.0017e-9  broken",
        "23.39157925",
        "0.2974081   0.2974819",
        "0.7001645   0.7003999",
        "0.9504569   0.9508289",
        "61 of 132 promises are broken",
    ] {
        assert!(text.contains(exact), "{exact} is missing in {text}");
    }
    assert_eq!(
        text.matches("too small").count(),
        2,
        "one row, and the text that explains it"
    );
}

#[test]
fn help_is_printed_and_is_no_failure() {
    for arguments in [vec!["--help"], vec!["simulate", "--help"]] {
        let output = xtask(&arguments);
        assert!(output.status.success() && output.stderr.is_empty());
        assert!(stdout(&output).contains("Usage: dp-cli"));
    }
}
