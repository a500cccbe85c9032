//! `simulate` with percentiles and ranges of a histogram.

use std::fs;

use serde_json::Value;

use crate::support::{ROOT, json, number, text};

/// The rows of a list of a document.
fn list<'a>(document: &'a Value, path: &str) -> &'a [Value] {
    document.pointer(path).and_then(Value::as_array).unwrap_or_else(|| panic!("{path}"))
}

/// The number at which a bucket begins.
fn low(label: &Value) -> f64 {
    let (low, _) = text(label).split_once("..").expect("an interval");
    low.parse().expect("a number")
}

/// The commands of the examples on real people, over real Prio3: every interval holds the truth.
/// Each would miss it with a probability of 5 %; the seeds are fixed.
#[test]
fn the_intervals_of_the_examples_hold_the_truth() {
    let readme = fs::read_to_string(format!("{ROOT}/examples/README.md")).expect("a file");
    let commands = readme.lines().filter(|line| line.contains("--percentiles"));
    let commands: Vec<&str> =
        commands.map(|line| line.strip_prefix("cargo xtask ").expect("a command")).collect();
    assert_eq!(commands.len(), 3, "heights, weights and cigarettes");
    for command in commands {
        let document = json(command);
        assert_eq!(
            (text(&document["functionality"]), text(&document["summary"]["clients"])),
            ("prio3", "1629")
        );
        let percentiles = list(&document, "/cumulative/percentiles");
        assert_eq!(percentiles.len(), 3, "the median and the quartiles");
        for one in percentiles {
            let place = |name: &str| low(&one[name]);
            assert!(
                place("lowest") <= place("truth") && place("truth") <= place("highest"),
                "{command}: {one}"
            );
            assert!(place("lowest") <= place("estimate") && place("estimate") <= place("highest"));
        }
        for one in list(&document, "/cumulative/ranges") {
            let error = (number(&one["estimate"]) - number(&one["truth"])).abs();
            assert!(error <= number(&one["margin_95"]), "{command}: {one}");
        }
        let coverage = |path: &str| document.pointer(path).map(text).map(str::to_owned);
        assert_eq!(coverage("/summary/cumulative/counts/coverage_95").as_deref(), Some("1"));
    }
}
