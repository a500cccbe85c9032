//! Documents of deployments: what is read, what is missing, what is refused.

use dp_statement::{Deployment, Error, FIELDS, MAX_BYTES, template};

use crate::common::document;

fn refused(document: &str) -> String {
    Deployment::from_toml(document)
        .expect_err("refused")
        .to_string()
}

#[test]
fn every_field_that_is_left_out_is_named_with_all_others() {
    assert!(Deployment::from_toml(document()).is_ok());
    let Err(Error::Missing { fields }) = Deployment::from_toml("") else {
        panic!("an empty deployment");
    };
    assert_eq!(fields.len(), FIELDS.len());
    for field in FIELDS {
        let named = fields
            .iter()
            .filter(|one| one.starts_with(&format!("{} (", field.path)));
        assert_eq!(named.count(), 1, "{}", field.path);
    }
    let nothing = Deployment::nothing_said().to_string();
    assert_eq!(refused(""), nothing);
    // Each by itself, in a document that has all others.
    for field in FIELDS.iter().filter(|field| field.path != "version") {
        let (section, name) = field.path.split_once('.').expect("a section");
        let without = without(section, name);
        let message = refused(&without);
        let path = field.path.replace("aggregators.", "aggregators[0].");
        let expected = format!("the deployment leaves out {path}");
        assert!(message.starts_with(&expected), "{message}");
        let Err(Error::Missing { fields }) = Deployment::from_toml(&without) else {
            panic!("{message}");
        };
        assert_eq!(fields.len(), 1, "{message}");
    }
}

/// The document without a field; of the aggregators without that of the first.
fn without(section: &str, name: &str) -> String {
    let mut here = String::new();
    let mut removed = false;
    let document = document();
    let kept = document.lines().filter(|line| {
        if line.starts_with('[') {
            here = line.trim_matches(['[', ']']).to_owned();
        }
        let is_it = !removed && here == section && line.starts_with(&format!("{name} ="));
        removed |= is_it;
        !is_it
    });
    kept.collect::<Vec<&str>>().join("\n")
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    for (from, to, message) in [
        ("version = 1", "version = 2", "version is 2: expected 1"),
        (
            "region =",
            "regoin =",
            "product.regoin is unknown: expected one of the fields name, description",
        ),
        (
            "[curator]",
            "[curators]",
            "curators is unknown: expected one of the fields version, product, curator",
        ),
        (
            "\"Healthcare\"",
            "\"Health\"",
            "product.sector is \"Health\": expected Technology, Healthcare",
        ),
        (
            "\"Nonprofit\"",
            "3",
            "curator.type is 3: expected Government, Industry, Nonprofit",
        ),
        (
            "\"2026-12-01\"",
            "\"2026-13-01\"",
            "product.first_published is \"2026-13-01\": expected a day",
        ),
        (
            "\"2026-12-01\"",
            "\"soon\"",
            "product.first_published is \"soon\": expected a day",
        ),
        (
            "people = 50000",
            "people = 0",
            "record.people is 0: expected an integer from 1 to",
        ),
        (
            "people = 50000",
            "people = \"many\"",
            "record.people is \"many\": expected an integer",
        ),
        (
            "[\"A. Nobody\"]",
            "[]",
            "record.authors is []: expected a list of 1 to 254 texts",
        ),
        (
            "[\"A. Nobody\"]",
            "[3]",
            "record.authors is 3: expected 1 to 1000 bytes of printable characters",
        ),
        (
            "region = \"Everywhere\"",
            "region = true",
            "product.region is true: expected 1 to 1000 bytes",
        ),
        (
            "region = \"Everywhere\"",
            "region = \" \"",
            "product.region is \" \": expected 1 to 1000 bytes",
        ),
        (
            "[retention]",
            "[retention",
            "not a deployment in TOML: line 3",
        ),
    ] {
        let document = document();
        assert!(document.contains(from), "{from}");
        let found = refused(&document.replace(from, to));
        assert!(found.starts_with(message), "{found}");
        assert_eq!(found.lines().count(), 1, "{found}");
    }
}

#[test]
fn a_section_of_another_kind_is_refused() {
    assert_eq!(
        refused("contact = 3"),
        "contact is 3: expected a table, [contact]"
    );
    let accepted = "expected a list of tables, [[aggregators]]";
    assert_eq!(
        refused("aggregators = 3"),
        format!("aggregators is 3: {accepted}")
    );
    assert!(refused("[aggregators]\noperator = \"a\"").contains(accepted));
    assert!(refused("aggregators = [1, 2]").contains("aggregators[1].trust"));
    let date = document().replace("\"2026-12-01\"", "2026-12-01");
    assert!(Deployment::from_toml(date).is_ok());
}

#[test]
fn a_document_that_is_too_long_or_no_text_is_refused() {
    let long = document() + &"#".repeat(MAX_BYTES);
    assert_eq!(refused(&long), "the deployment is longer than 65536 bytes");
    let error = Deployment::from_toml([0xff, 0xfe])
        .expect_err("no UTF-8")
        .to_string();
    assert!(error.starts_with("not a deployment in TOML"), "{error}");
    let deep = "[".repeat(5_000);
    assert!(refused(&format!("product = {deep}")).starts_with("not a deployment in TOML"));
}

/// A template has every field, with what it says in a comment, and is refused by the first that is left open, whichever
/// it is.
#[test]
fn a_template_is_refused_until_every_field_is_filled_in() {
    let template = template(2);
    for field in FIELDS {
        let (comment, name) = match field.path.split_once('.') {
            Some((_, name)) => (format!("# {}\n{name} = \"\"", field.what), name),
            None => (String::new(), field.path),
        };
        let comment = comment.replace(", of each", "");
        assert!(template.contains(&comment), "{comment}: {template}");
        assert!(
            template.contains(&format!("\n{name} = ")),
            "{name}: {template}"
        );
    }
    assert_eq!(template.matches("[[aggregators]]").count(), 2);
    // Filled in from the top, line by line, with what the example has.
    let example = document();
    let filled = |line: &str, values: &mut dyn Iterator<Item = String>| match line.ends_with("\"\"")
    {
        true => values.next().expect("a value"),
        false => line.to_owned(),
    };
    let values: Vec<String> = example
        .lines()
        .filter(|line| line.contains(" = ") && !line.starts_with(['#', 'v']))
        .map(str::to_owned)
        .collect();
    let open = template.matches("\"\"").count();
    assert_eq!(values.len(), open);
    for some in 0..=open {
        let mut first = values.iter().take(some).cloned();
        let mut rest = values.iter().skip(some).map(|line| {
            let (name, _) = line.split_once(" = ").expect("a field");
            format!("{name} = \"\"")
        });
        let lines = template.lines();
        let written: Vec<String> = lines
            .map(|line| filled(line, &mut first.by_ref().chain(&mut rest)))
            .collect();
        let read = Deployment::from_toml(written.join("\n"));
        if some == open {
            assert_eq!(
                read.expect("filled in"),
                Deployment::from_toml(&example).expect("the example")
            );
            continue;
        }
        let name = values[some].split(' ').next().expect("a name");
        let refused = read.expect_err("an empty field").to_string();
        let path = refused
            .strip_prefix("the deployment leaves out ")
            .expect(&refused);
        let path = path.split([' ', ',', ':']).next().expect("a path");
        assert!(path.ends_with(&format!(".{name}")), "{refused}: {name}");
    }
}
