//! The keywords of JSON Schema that `schema/dp-cli.json` uses, and no others: a schema with any other
//! one is refused. The validators on the package registry bring tens of crates with them, some in
//! versions that differ from ours.

use serde_json::{Map, Value};

/// Where a document is not what the schema says, and why.
pub(crate) fn faults(schema: &Value, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let place = Place {
        root: schema,
        path: String::new(),
    };
    place.check(schema, document, &mut faults);
    faults
}

struct Place<'a> {
    root: &'a Value,
    path: String,
}

impl Place<'_> {
    fn below(&self, name: &str) -> Self {
        Place {
            root: self.root,
            path: format!("{}/{name}", self.path),
        }
    }

    fn fits(&self, schema: &Value, value: &Value) -> bool {
        let mut faults = Vec::new();
        self.check(schema, value, &mut faults);
        faults.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, faults: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().expect("a schema") {
            if !self.keeps(schema, keyword, rule, value, faults) {
                faults.push(format!("{}: {value} breaks {keyword} {rule}", self.path));
            }
        }
    }

    /// Whether a value keeps one rule; those of its parts that do not are reported by themselves.
    fn keeps(
        &self,
        schema: &Value,
        keyword: &str,
        rule: &Value,
        value: &Value,
        faults: &mut Vec<String>,
    ) -> bool {
        let none = Map::new();
        let fields = value.as_object().unwrap_or(&none);
        match keyword {
            "$schema" | "$defs" | "title" | "description" => true,
            "$ref" => {
                let name = rule.as_str().and_then(|name| name.strip_prefix('#'));
                let target = name.and_then(|name| self.root.pointer(name));
                self.check(target.expect("a definition"), value, faults);
                true
            }
            "const" => value == rule,
            "enum" => rule.as_array().expect("a list").contains(value),
            "type" => is_of(rule.as_str().expect("a type"), value),
            "pattern" => value.as_str().is_none_or(|text| matches(rule, text)),
            "oneOf" => self.count(rule, value) == 1,
            "anyOf" => self.count(rule, value) > 0,
            "required" => {
                let names = rule.as_array().expect("a list").iter();
                let mut names = names.map(|name| name.as_str().expect("a name"));
                !value.is_object() || names.all(|name| fields.contains_key(name))
            }
            "properties" => {
                for (name, rule) in rule.as_object().expect("an object") {
                    if let Some(value) = fields.get(name) {
                        self.below(name).check(rule, value, faults);
                    }
                }
                true
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object().unwrap_or(&none);
                let mut others = fields.iter().filter(|(name, _)| !known.contains_key(*name));
                if *rule == Value::Bool(false) {
                    return others.next().is_none();
                }
                for (name, value) in others {
                    self.below(name).check(rule, value, faults);
                }
                true
            }
            "items" => {
                for (place, value) in value.as_array().into_iter().flatten().enumerate() {
                    self.below(&place.to_string()).check(rule, value, faults);
                }
                true
            }
            other => panic!("{other} is no keyword that is known here"),
        }
    }

    fn count(&self, rules: &Value, value: &Value) -> usize {
        let rules = rules.as_array().expect("a list").iter();
        rules.filter(|rule| self.fits(rule, value)).count()
    }
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    }
}

/// The patterns of the schema, each as what it says.
fn matches(pattern: &Value, text: &str) -> bool {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let words = |text: &str| {
        let mut words = text.split(' ');
        words.all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase()))
    };
    match pattern.as_str().expect("a pattern") {
        "^-?[0-9]+(\\.[0-9]+)?(e-?[0-9]+)?(/[0-9]+)?$" => {
            let text = text.strip_prefix('-').unwrap_or(text);
            let (text, denominator) = text.split_once('/').unwrap_or((text, "1"));
            let (text, exponent) = text.split_once('e').unwrap_or((text, "1"));
            let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
            let exponent = exponent.strip_prefix('-').unwrap_or(exponent);
            [whole, fraction, exponent, denominator]
                .into_iter()
                .all(is_digits)
        }
        "^dp-cli calibrate( [a-z]+)+$" => text.strip_prefix("dp-cli calibrate ").is_some_and(words),
        "^[0-9a-f]{64}$" => {
            let is_digit = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
            text.len() == 64 && text.bytes().all(is_digit)
        }
        "^xtask speed$" => text == "xtask speed",
        other => panic!("{other} is no pattern that is known here"),
    }
}
