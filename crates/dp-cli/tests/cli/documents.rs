//! Documents that follow `schema/dp-cli.json`, and reports.

use std::fs;

use dp_exact::Rational;
use serde_json::{Map, Value, json};

use crate::support::{Folder, ROOT, json as printed, program, refusal, success};

/// The places where a document breaks a schema, for the keywords that `schema/dp-cli.json` uses.
fn faults(root: &Value, schema: &Value, value: &Value, path: &str) -> Vec<String> {
    let none = Map::new();
    let fields = value.as_object().unwrap_or(&none);
    let known = schema["properties"].as_object().unwrap_or(&none);
    let fitting = |rules: &Value| {
        let rules = rules.as_array().expect("a list").iter();
        rules.filter(|rule| faults(root, rule, value, path).is_empty()).count()
    };
    let mut found = Vec::new();
    for (keyword, rule) in schema.as_object().expect("a schema") {
        let keeps = match keyword.as_str() {
            "$ref" => {
                let target = rule.as_str().and_then(|name| root.pointer(&name[1..]));
                found.extend(faults(root, target.expect("a definition"), value, path));
                true
            }
            "const" => value == rule,
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => match rule.as_str().expect("a type") {
                "object" => value.is_object(),
                "array" => value.is_array(),
                "string" => value.is_string(),
                "boolean" => value.is_boolean(),
                "integer" => value.is_u64(),
                "null" => value.is_null(),
                other => panic!("{other} is no type"),
            },
            "oneOf" => fitting(rule) == 1,
            "anyOf" => fitting(rule) > 0,
            "required" => {
                let mut names = rule.as_array().expect("a list").iter().filter_map(Value::as_str);
                !value.is_object() || names.all(|name| fields.contains_key(name))
            }
            "properties" => {
                for (name, rule) in known {
                    let field = fields.get(name).into_iter();
                    found
                        .extend(field.flat_map(|value| {
                            faults(root, rule, value, &format!("{path}/{name}"))
                        }));
                }
                true
            }
            "additionalProperties" => {
                let mut others = fields.iter().filter(|(name, _)| !known.contains_key(*name));
                if *rule != json!(false) {
                    found.extend(others.clone().flat_map(|(name, value)| {
                        faults(root, rule, value, &format!("{path}/{name}"))
                    }));
                }
                *rule != json!(false) || others.next().is_none()
            }
            "items" => {
                let items = value.as_array().into_iter().flatten();
                found.extend(
                    items.flat_map(|value| faults(root, rule, value, &format!("{path}/*"))),
                );
                true
            }
            "pattern" => value.as_str().is_none_or(|text| match rule.as_str() {
                Some("^dp-cli calibrate( [a-z]+)+$") => text.starts_with("dp-cli calibrate "),
                Some(rule) if rule.starts_with("^-?[0-9]") => text.parse::<Rational>().is_ok(),
                _ => true,
            }),
            "$schema" | "$defs" | "title" | "description" => true,
            other => panic!("{other} is no keyword that is known here"),
        };
        if !keeps {
            found.push(format!("{path}: {value} breaks {keyword} {rule}"));
        }
    }
    found
}

fn schema() -> Value {
    let path = format!("{ROOT}/crates/dp-cli/schema/dp-cli.json");
    serde_json::from_str(&fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// One line for each command, and for each kind of figure that a command has.
const LINES: &str = "\
simulate --clients 30 --seed 1
simulate --clients 40 --trials 2 --policy multihot-rappor-laplace
simulate --clients 40 --policy compensated-rappor --accept-weak-guarantee
simulate --task examples/tasks/average.toml --column years_smoking
simulate --clients 40 --seed 1 --consistent
simulate --task examples/tasks/sum.toml --ideal
simulate --clients 40 --seed 1 --trials 2 --median --between 150..165 --consistent
simulate --clients 1e6 --trials 2 --policy multihot-one-hot-rappor --ideal
simulate --policy count-laplace --seed 1 --data crates/dp-cli/tests/missing.csv --column x --missing skip
estimate --task examples/tasks/count.toml --reports 1000 --totals 78
sweep examples/sweeps/heights.toml --cell 3..5,14
sweep examples/sweeps/percentiles.toml --cell 1,10
policies
policies --type count --rho 1/8
policies --type multihot:14:3 --epsilon 1/2 --clients 1e5 --aggregators 3
plan --type histogram:6 --clients 2000 --epsilon 1 --delta 1e-8 --releases 3 --aggregators 3
plan --type multihot:14:3 --std 1% --epsilon 1 --delta 1e-9
plan --type count --clients 1e3 --rho 1/8 --total --against collector --honest-fraction 0.9
plan --type average --grid 40..140/0.1 --clients 1e5 --margin 0.05 --adjacency deletion
plan --type sum:9 --clients 10 --epsilon 1 --against all-aggregators
statement --task examples/tasks/multihot.toml --deployment examples/deployments/heights.toml --releases 3
statement --task examples/tasks/sum.toml --deployment examples/deployments/heights.toml --releases 1
audit --policy count-response --runs 1e3
audit --task examples/tasks/count.toml --collections crates/dp-cli/tests/collected.csv
calibrate gaussian --epsilon 1 --delta 1e-9
calibrate gaussian --delta-at --variance 547 --epsilon 0.317
calibrate laplace --epsilon 1 --delta 1e-3
calibrate rappor --epsilon0 3 --clients 1e3 --delta 1e-6
calibrate rappor --epsilon 0.5 --epsilon0 4 --delta 1e-6
calibrate response --epsilon 2 --answers 2 --clients 500 --delta 1e-6
calibrate multihot --epsilon0 3 --length 20 --false-positive-rate 1e-9
calibrate local --mechanism k-ary:5 --epsilon 1
calibrate compose --mechanism gaussian:900:pair --mechanism laplace:20:pair --delta 1e-6
calibrate schedule --release 3xhistogram:24 --release 1xsum:80 --epsilon 2 --delta 1e-8
calibrate schedule --mechanism laplace --release 3xpair --shares 1 --epsilon 2
calibrate convert --rho 1/8 --delta 1e-9
calibrate utility --mechanism laplace:2 --coordinates 100";

#[test]
fn every_document_follows_the_schema() {
    let schema = schema();
    let folder = Folder::new();
    let ledger = folder.at("purse.ledger");
    let of_ledger = [
        format!("calibrate ledger create {ledger} --epsilon 1 --delta 1e-6"),
        format!("calibrate ledger record {ledger} --name monday --epsilon 1/8"),
        format!("calibrate ledger record {ledger} --name may --mechanism gaussian:1e5:pair"),
        format!("calibrate ledger show {ledger} --entries"),
        format!("calibrate ledger left {ledger} --mechanism gaussian:1e5:pair"),
    ];
    for line in LINES.lines().chain(of_ledger.iter().map(String::as_str)) {
        let document = printed(line);
        let found = faults(&schema, &schema, &document, "");
        assert!(found.is_empty(), "{line}: {found:?}");
        let format = document["format"].as_str().expect("a string");
        let command = format.strip_prefix("dp-cli ").unwrap_or("simulate");
        assert!(
            line.starts_with(command.split(' ').next().unwrap_or_default()),
            "{line}: {format}"
        );
    }
}

#[test]
fn inputs_are_echoed_as_typed_and_a_broken_document_is_found_out() {
    let line = "calibrate compose --mechanism gaussian:900:pair --times 1e2 --mechanism laplace:20:pair --times 2 --delta 1e-6";
    let inputs = json!({
        "mechanism": ["gaussian:900:pair", "laplace:20:pair"],
        "times": ["1e2", "2"],
        "delta": "1e-6",
        "adjacency": "replacement",
    });
    let whole = printed(line);
    assert_eq!(whole["inputs"], inputs);
    let schema = schema();
    for (path, value) in [
        ("/format", json!("dp-cli dance")),
        ("/schema_version", json!("1")),
        ("/answer/epsilon_upper", json!(2)),
        ("/answer/epsilon_upper", json!({"pure": {"epsilon": "1"}, "more": "1"})),
        ("/inputs/delta", json!(1)),
        ("/protects_nobody", json!("no")),
        ("/certificate", json!(null)),
    ] {
        let mut document = whole.clone();
        *document.pointer_mut(path).expect("a field") = value;
        assert!(!faults(&schema, &schema, &document, "").is_empty(), "{path}");
    }
    let mut document = whole;
    document.as_object_mut().expect("an object").remove("inputs");
    assert!(!faults(&schema, &schema, &document, "").is_empty());
}

const PLAN: &str = "plan --type histogram:6 --clients 2000 --epsilon 1";

/// A report has its question, its day, and the person for whom it was made if that is given.
#[test]
fn a_report_is_printed_in_place_of_the_text_or_written_beside_it() {
    let plan = "Privacy plan: how many of 2 000 people are in each of 6 groups";
    let run = "simulate --policy count-laplace --column asthma --seed 1 --clients 30";
    for (line, title) in
        [(PLAN, plan), (run, "Trial run: how many people of nhefs.csv have the value 1 in asthma")]
    {
        let page = success(&format!("{line} --html"));
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
        assert!(
            page.contains(&format!("<h1>{title}</h1>").replace("2 000", "2\u{a0}000")),
            "{page}"
        );
        assert!(success(&format!("{line} --markdown")).contains(&format!("-->\n# {title}\n")));
    }
    let made = |options: &str| {
        let mut command = program(&format!("{PLAN} --markdown{options}"));
        let output = command.env("SOURCE_DATE_EPOCH", "1800000000").output().expect("it runs");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    assert!(
        made("").contains("\nDate: 2027-01-15\n")
            && made("").contains("\nPrepared for: not stated\n")
    );
    assert!(made(" --prepared-for Example|Sons").contains("\nPrepared for: Example\\|Sons\n"));
    let folder = Folder::new();
    let line = format!("{PLAN} --html {} --markdown {}", folder.at("a.html"), folder.at("a.md"));
    let text = success(&line);
    assert!(text.contains("Take histogram-laplace ("), "{text}");
    let page = folder.read("a.html");
    assert_eq!(success(&line), text, "a second run replaces them");
    assert_eq!(folder.read("a.html"), page);
}

#[test]
fn an_answer_in_process_is_what_the_program_prints_and_refuses() {
    let line = "calibrate laplace --epsilon 1/2";
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let part =
        |answer: &dp_cli::Answer, part| String::from_utf8(answer[part].clone()).expect("UTF-8");
    let both = dp_cli::answer(words(&format!("{line} --json -"))).expect("an answer");
    assert_eq!(both.len(), 2);
    assert_eq!(part(&both, "text"), success(line));
    assert_eq!(part(&both, "json"), success(&format!("{line} --json")));
    let plan = "plan --type count --clients 100 --epsilon 1 --json - --html -";
    let parts = dp_cli::answer(words(plan)).expect("two documents at once");
    assert_eq!(parts.keys().copied().collect::<Vec<_>>(), ["html", "json", "text"]);
    let help = dp_cli::answer(["plan", "--help"]).expect("a text");
    assert_eq!(part(&help, "text"), success("plan --help"));
    for refused in ["calibrate laplace --epsilon -1", "plam", "plan --espilon 1"] {
        let failure = dp_cli::answer(words(refused)).expect_err(refused);
        assert_eq!(failure.sentence(), refusal(refused));
    }
}
