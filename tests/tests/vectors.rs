//! The files in `vectors`, read without the code that wrote them: what plain floats and fractions
//! give is accepted, what a planted mistake gives is not.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use dp_exact::Rational;
use serde_json::Value;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../vectors");
const SPECIFICATION: &str = include_str!("../../docs/dap-dp-extension.md");

fn vectors(group: &str) -> Vec<Value> {
    let path = Path::new(FOLDER).join(format!("{group}.json"));
    let text = fs::read_to_string(path).expect("a file of vectors");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&file["group"], &file["version"]), (&group.into(), &1.into()));
    file["vectors"].as_array().expect("vectors").clone()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn exact(value: &Value) -> Rational {
    text(value).parse().expect("a number")
}

fn float(value: &Value) -> f64 {
    exact(value).to_f64()
}

fn figure<'a>(vector: &'a Value, quantity: &str) -> &'a Value {
    let figures = vector["figures"].as_array().expect("figures");
    figures.iter().find(|figure| figure["quantity"] == quantity).expect("the figure")
}

/// The rule of `vectors/README.md`.
fn accepts(figure: &Value, value: &Value) -> bool {
    if !figure["exact"].is_null() {
        let numbers = |value: &Value| value.as_str().and_then(|text| text.parse::<Rational>().ok());
        return match (numbers(&figure["exact"]), numbers(value)) {
            (Some(exact), Some(value)) => exact == value,
            _ => figure["exact"] == *value,
        };
    }
    let (below, above) = match figure["rounded_up"] == true {
        true => ("0", "1e-6"),
        false => ("1e-9", "1e-9"),
    };
    let is_inside = |lower: Rational, upper: Rational, value: Rational| {
        let room = (lower.abs() * exact(&below.into()), upper.abs() * exact(&above.into()));
        lower - room.0 <= value && value <= upper + room.1
    };
    match figure["lower"].as_array() {
        None => is_inside(exact(&figure["lower"]), exact(&figure["upper"]), exact(value)),
        Some(lower) => (0..lower.len()).all(|place| {
            is_inside(exact(&lower[place]), exact(&figure["upper"][place]), exact(&value[place]))
        }),
    }
}

fn assert_float(vector: &Value, quantity: &str, value: f64) {
    let figure = figure(vector, quantity);
    let is_claim = figure["rounded_up"] == true;
    // Rounded up by more than the error of the sum.
    let value = if is_claim { value * (1.0 + 1e-11) } else { value };
    assert!(accepts(figure, &value.to_string().into()), "{} {quantity} {value}", vector["name"]);
}

#[test]
fn planted_mistakes_are_refused() {
    let mut found: BTreeMap<String, u32> = BTreeMap::new();
    for entry in fs::read_dir(FOLDER).expect("a folder") {
        let name = entry.expect("a file").file_name().into_string().expect("UTF-8");
        let Some(group) = name.strip_suffix(".json").filter(|group| *group != "schema") else {
            continue;
        };
        for vector in vectors(group) {
            for figure in vector["figures"].as_array().expect("figures") {
                for planted in figure["mistakes"].as_array().into_iter().flatten() {
                    assert!(!accepts(figure, &planted["value"]), "{} {planted}", vector["name"]);
                    *found.entry(text(&planted["mistake"]).to_owned()).or_default() += 1;
                }
            }
        }
    }
    for (name, least) in [
        ("add_remove", 40),
        ("continuous_gaussian", 20),
        ("classical_gaussian", 20),
        ("sqrt2_forgotten", 5),
        ("max_from_bits", 20),
        ("sign_not_read", 8),
        ("count_ignored", 9),
    ] {
        assert!(found[name] >= least, "{name} {}", found[name]);
    }
}

/// P(S) − e^ε·Q(S) over all outcomes of one or two totals, in floats.
#[test]
fn delta_is_the_sum_over_all_outcomes() {
    let mut checked = 0;
    for vector in vectors("delta") {
        let input = &vector["input"];
        let (parameter, factor) = (float(&input["parameter"]), float(&input["epsilon"]).exp());
        let (is_gaussian, step) = (input["noise"] == "discrete_gaussian", float(&input["step"]));
        let mass = |x: f64| match is_gaussian {
            true => (-x * x / (2.0 * parameter)).exp(),
            false => (-x.abs() / parameter).exp(),
        };
        let reach =
            2.0 * step + if is_gaussian { 12.0 * parameter.sqrt() } else { 40.0 * parameter };
        let line =
            || (0..).map(|place| f64::from(place) - reach.ceil()).take_while(|x| *x <= reach);
        let total: f64 = line().map(mass).sum();
        let sum: f64 = match input["coordinates"].as_u64() {
            Some(1) => line().map(|x| (mass(x) - factor * mass(x + step)).max(0.0)).sum(),
            Some(2) if step < 2.0 => {
                line()
                    .map(|x| {
                        let beside = |y: f64| factor * mass(x + step) * mass(y - step);
                        line().map(|y| (mass(x) * mass(y) - beside(y)).max(0.0)).sum::<f64>()
                    })
                    .sum::<f64>()
                    / total
            }
            _ => continue,
        };
        // Where δ is 0, rounding leaves less than this.
        let delta = if sum < 1e-14 { 0.0 } else { sum / total };
        assert_float(&vector, "delta", delta);
        checked += 1;
    }
    assert!(checked >= 9, "{checked}");
}

#[test]
fn flips_and_standard_errors_follow_from_epsilon() {
    for vector in vectors("randomizers") {
        let input = &vector["input"];
        let halves = if input["randomizer"] == "basic_rappor" { 0.5 } else { 1.0 };
        let odds = match text(&input["parameter"]) {
            "" => 3.0,
            _ => (float(&input["parameter"]) * halves).exp(),
        };
        if input["randomizer"] == "kary_randomized_response" {
            let answers = float(&input["length"].to_string().into());
            assert_float(&vector, "probability_of_truth", odds / (odds + answers - 1.0));
            continue;
        }
        assert_float(&vector, "flip_probability", 1.0 / (odds + 1.0));
        let error = (10_000.0 * odds).sqrt() / (odds - 1.0);
        let errors = figure(&vector, "standard_errors");
        assert!(accepts(errors, &vec![error.to_string()].into()), "{vector}");
    }
}

#[test]
fn extensions_are_their_fields_and_every_broken_rule_is_specified() {
    let mut refused = 0;
    for vector in vectors("dap-extension") {
        if !vector["input"]["bytes"].is_null() {
            let rule = format!("| `{}` |", text(&figure(&vector, "refused_by_rule")["exact"]));
            assert!(SPECIFICATION.contains(&rule), "{rule}");
            refused += 1;
            continue;
        }
        let fields = figure(&vector, "fields")["exact"].as_array().expect("fields").iter();
        let bytes: String = fields.clone().map(|field| text(&field[1])).collect();
        assert_eq!(bytes, text(&figure(&vector, "bytes")["exact"]));
        let digest = fields.last().map(|field| &field[1]);
        assert_eq!(digest, Some(&figure(&vector, "digest")["exact"]));
    }
    assert!(refused >= 25);
}
