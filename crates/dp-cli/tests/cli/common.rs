//! `calibrate` as a user types it.

use std::process::{Command, Output};

use dp_calibration::Budget;
use serde_json::{Map, Value};

pub(crate) fn calibrate(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_dp-cli"))
        .arg("calibrate")
        .args(arguments)
        .output()
        .expect("the binary runs")
}

pub(crate) fn text(arguments: &[&str]) -> String {
    let output = calibrate(arguments);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// The figures of a line of arguments, of the answer and beside it, and its certificate: strings, a
/// budget in words.
pub(crate) fn document(line: &str) -> Map<String, Value> {
    let arguments: Vec<&str> = line.split(' ').chain(["--json"]).collect();
    let document: Value = serde_json::from_str(&text(&arguments)).expect("JSON");
    let parts = ["answer", "beside"].map(|part| document[part].as_object().expect("an object"));
    let figures = parts.into_iter().flatten();
    let mut figures: Map<String, Value> = figures
        .map(|(name, value)| (name.clone(), in_words(value)))
        .collect();
    figures.insert("certificate".to_owned(), document["certificate"].clone());
    figures
}

fn in_words(value: &Value) -> Value {
    match value {
        Value::String(_) => value.clone(),
        Value::Null => Value::from("nothing"),
        other => {
            let budget: Budget = serde_json::from_value(other.clone()).expect("a budget");
            Value::from(budget.to_string())
        }
    }
}

pub(crate) fn field<'a>(document: &'a Map<String, Value>, name: &str) -> &'a str {
    let field = document.get(name).and_then(Value::as_str);
    field.unwrap_or_else(|| panic!("{name} is missing in {document:?}"))
}

pub(crate) fn number(document: &Map<String, Value>, name: &str) -> f64 {
    field(document, name).parse().expect("a decimal")
}

pub(crate) fn ratio(document: &Map<String, Value>, name: &str) -> f64 {
    let (numerator, denominator) = field(document, name).split_once('/').expect("a fraction");
    numerator.parse::<f64>().expect("digits") / denominator.parse::<f64>().expect("digits")
}

/// The one line of a refusal, with exit status 2 and nothing on standard output.
pub(crate) fn refusal(line: &str) -> String {
    let arguments: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
    let output = calibrate(&arguments);
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert_eq!(output.status.code(), Some(2), "{line}: {text}");
    assert!(output.stdout.is_empty(), "{line}");
    assert_eq!(text.lines().count(), 1, "{line}: {text}");
    text.trim_end().to_owned()
}
