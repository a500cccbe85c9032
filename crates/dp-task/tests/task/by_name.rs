//! A field is known by its name: documents in which it is known by its place, twice, or by another name
//! are refused, wherever it stands.

use dp_task::{POLICIES, Task};
use serde_json::Value;

use crate::common::{HISTOGRAM, edited};

/// The examples of all policies, one whose measurements are on a grid, and one with every field.
fn documents() -> Vec<Value> {
    let mut documents: Vec<Value> = POLICIES
        .iter()
        .map(|policy| serde_json::to_value(policy.example().expect("an example")).expect("JSON"))
        .collect();
    let on_a_grid = edited(
        HISTOGRAM,
        &[
            ("Prio3Histogram", "Prio3SumVec"),
            (
                "length = 12",
                "length = 12\nchunk_length = 3\n\
                 range = { grid = { low = \"0\", high = \"10\", granularity = \"0.5\" } }",
            ),
            ("\"OAOC\"", "\"OAMC\"\nhonest_clients = 100"),
        ],
    );
    let task = Task::from_toml(on_a_grid).expect("a task");
    documents.push(serde_json::to_value(&task).expect("JSON"));
    documents
}

/// The places of all objects in a value, as JSON pointers.
fn objects(value: &Value, place: &str, found: &mut Vec<String>) {
    if let Value::Object(fields) = value {
        found.push(place.to_owned());
        for (name, field) in fields {
            objects(field, &format!("{place}/{name}"), found);
        }
    }
}

/// Each document with each of its objects.
fn each_object(mut check: impl FnMut(&Value, &str)) {
    for document in documents() {
        assert!(Task::from_json(document.to_string()).is_ok(), "{document}");
        let mut places = Vec::new();
        objects(&document, "", &mut places);
        assert!(places.len() > 2, "{document}");
        for place in places {
            check(&document, &place);
        }
    }
}

/// Both the reader of this crate and serde alone refuse it, on one line.
fn is_refused(json: &str) {
    let line = match Task::from_json(json) {
        Err(error) => error.to_string(),
        Ok(task) => panic!("{json} is read as {task:?}"),
    };
    assert!(!line.contains('\n') && line.len() < 1000, "{line}");
    assert!(serde_json::from_str::<Task>(json).is_err(), "{json}");
}

/// JSON as TOML writes it inline.
fn as_toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, field)| format!("{name} = {}", as_toml(field)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(values) => {
            let values: Vec<String> = values.iter().map(as_toml).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Null => "\"null\"".to_owned(),
        other => other.to_string(),
    }
}

fn toml_document(value: &Value) -> Option<String> {
    let fields = value.as_object()?.iter();
    Some(
        fields
            .map(|(name, field)| format!("{name} = {}\n", as_toml(field)))
            .collect(),
    )
}

#[test]
fn an_object_is_not_the_array_of_its_values() {
    each_object(|document, place| {
        let mut positional = document.clone();
        let object = positional.pointer_mut(place).expect("the object");
        let values: Vec<Value> = object.as_object().expect("one").values().cloned().collect();
        *object = Value::Array(values);
        is_refused(&positional.to_string());
        if let Some(toml) = toml_document(&positional) {
            assert!(Task::from_toml(&toml).is_err(), "{toml}");
        }
    });
}

/// In the order of the types' declarations, which is the one that counts by place.
#[test]
fn a_task_is_not_the_array_of_its_sections() {
    for json in [
        r#"[2,"t",{"type":"Prio3Count","aggregators":2},null,{"type":"discrete-laplace","budget":{"pure":{"epsilon":"1"}}},{"model":"OAOC"},{"min_reports":1}]"#,
        r#"[2,"t",["Prio3Count",2],null,["discrete-laplace",{"pure":["1"]}],["OAOC"],[1]]"#,
        r#"{"version":2,"name":"t","vdaf":["Prio3Count",2],"aggregator_noise":{"type":"discrete-laplace","budget":{"pure":["1"]}},"trust":["OAOC"],"batch":[1]}"#,
        r#"{"version":2,"name":"t","vdaf":{"type":"Prio3Count","aggregators":2},"aggregator_noise":{"type":"discrete-laplace","budget":{"pure":["1"]}},"trust":{"model":"OAOC"},"batch":{"min_reports":1}}"#,
        r#"{"version":2,"name":"t","vdaf":{"type":"Prio3Count","aggregators":2},"aggregator_noise":{"type":"discrete-laplace","budget":{"pure":{"epsilon":"1"}}},"trust":["OAOC",null,null,false],"batch":{"min_reports":1}}"#,
    ] {
        is_refused(json);
    }
    assert!(serde_json::from_str::<dp_task::Batch>("[1, 2]").is_err());
    assert!(serde_json::from_str::<dp_task::Trust>(r#"["OC", null, null, false]"#).is_err());
}

#[test]
fn no_field_occurs_twice() {
    each_object(|document, place| {
        let object = document
            .pointer(place)
            .and_then(Value::as_object)
            .expect("one");
        for (name, value) in object {
            let once = format!("\"{name}\":{value}");
            let text = document.to_string();
            // Within its own object: the first place at which it stands so.
            let doubled = text.replacen(&once, &format!("{once},{once}"), 1);
            assert_ne!(doubled, text);
            is_refused(&doubled);
        }
    });
}

#[test]
fn no_field_has_another_name() {
    each_object(|document, place| {
        for other in ["", "Type", "type ", "__proto__", "max\u{200b}_reports"] {
            let mut longer = document.clone();
            let object = longer.pointer_mut(place).and_then(Value::as_object_mut);
            object
                .expect("one")
                .insert(other.to_owned(), Value::from(1));
            is_refused(&longer.to_string());
        }
    });
}

#[test]
fn nothing_follows_a_document_and_no_number_is_rounded() {
    for document in documents() {
        for rest in ["{}", "1", "]", "}", "\0", "x"] {
            is_refused(&format!("{document}{rest}"));
        }
    }
    let json = documents()[0].to_string();
    for number in [
        "2.0",
        "2e0",
        "2.5",
        "1e400",
        "-2",
        "-0",
        "18446744073709551616",
        "9007199254740993.0",
        "340282366920938463463374607431768211456",
        "true",
        "null",
        "[2]",
    ] {
        let edited = json.replacen("\"aggregators\":2", &format!("\"aggregators\":{number}"), 1);
        assert_ne!(edited, json);
        is_refused(&edited);
        let edited = json.replacen("\"min_reports\":1", &format!("\"min_reports\":{number}"), 1);
        is_refused(&edited);
    }
}

#[test]
fn a_name_is_what_is_seen() {
    for hidden in [
        "\n",
        "\u{1b}[2J",
        "\u{85}",
        "\u{202e}",
        "\u{200b}",
        "\u{2028}",
        "\u{feff}",
        "\u{ad}",
    ] {
        let escaped: String = hidden
            .chars()
            .map(|c| format!("\\u{:04x}", u32::from(c)))
            .collect();
        let name = format!("\"heights{escaped}\"");
        let error =
            Task::from_toml(edited(HISTOGRAM, &[("\"heights\"", &name)])).expect_err("hidden");
        assert_eq!(error.field(), Some("name"), "{error}");
        assert!(!error.to_string().contains(hidden), "{error}");
    }
    for plain in ["größe in cm", "身長", "नाम"] {
        let name = format!("\"{plain}\"");
        assert!(Task::from_toml(edited(HISTOGRAM, &[("\"heights\"", &name)])).is_ok());
    }
}
