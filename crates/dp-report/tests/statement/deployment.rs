//! Documents of deployments: what is read, what is missing, what is refused.

use dp_report::statement::{Deployment, Error, MAX_BYTES, template};

use crate::document;

fn refused(document: &str) -> String {
    let error = Deployment::from_toml(document).expect_err("refused");
    error.to_string()
}

/// Every field that has one line in the document is named if that line is left out.
#[test]
fn every_field_that_is_left_out_is_named_with_all_others() {
    let document = document();
    let lines: Vec<&str> = document.lines().collect();
    let (mut section, mut fields) = (String::new(), 0);
    for (number, line) in lines.iter().enumerate() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
        }
        let Some((name, _)) = line.split_once(" = ").filter(|_| !section.is_empty()) else {
            continue;
        };
        let without = [&lines[..number], &lines[number + 1..]].concat().join("\n");
        let Err(Error::Missing { fields: missing }) = Deployment::from_toml(without) else {
            panic!("{line}");
        };
        let [path] = &missing[..] else { panic!("{missing:?}") };
        assert!(path.starts_with(&*section) && path.ends_with(&format!(".{name}")), "{path}");
        fields += 1;
    }
    let Err(Error::Missing { fields: missing }) = Deployment::from_toml("") else {
        panic!("an empty deployment");
    };
    // The version, and one aggregator instead of two.
    assert_eq!(missing.len(), fields + 1 - 2, "{missing:?}");
}

/// What stands in the document, what stands there instead, and how the refusal begins.
const WRONG: &str = r#"
version = 1 | version = 2 | version is 2: expected 1
region = | regoin = | product.regoin is unknown: expected one of the fields collected, data_source
[curator] | [curators] | curators is unknown: expected one of the fields aggregators, choices
"Healthcare" | "Health" | product.sector is "Health": expected Technology, Healthcare
"Nonprofit" | 3 | curator.type is 3: expected Government, Industry, Nonprofit
"2026-12-01" | "2026-13-01" | product.first_published is "2026-13-01": expected a day
"2026-12-01" | 12:30:00 | product.first_published is 12:30:00: expected a day
people = 500000 | people = 0 | record.people is 0: expected an integer from 1 to
people = 500000 | people = 100000000000000000000000 | not a deployment in TOML: line 49
people = 500000 | people = "many" | record.people is "many": expected an integer
["A. Nobody"] | [] | record.authors is []: expected a text, or a list of 1 to 254 texts
["A. Nobody"] | [3] | record.authors is 3: expected 1 to 1000 bytes of printable characters
"Everywhere" | true | product.region is true: expected 1 to 1000 bytes of printable characters
"Everywhere" | " " | product.region is " ": expected 1 to 1000 bytes of printable characters
"Everywhere" | "two\nlines" | product.region is two\nlines: expected 1 to 1000 bytes
"Everywhere" | "\u202Eturned" | product.region is \u{202e}turned: expected 1 to 1000 bytes
"Everywhere" | "LONG" | product.region is xxx
[retention] | [retention | not a deployment in TOML: line 3
"#;

#[test]
fn what_is_wrong_is_named_by_its_path() {
    for line in WRONG.trim().lines() {
        let parts: Vec<&str> = line.split(" | ").collect();
        let [from, to, begin] = parts[..] else {
            panic!("{line}");
        };
        let (document, to) = (document(), to.replace("LONG", &"x".repeat(1001)));
        assert!(document.contains(from), "{from}");
        let found = refused(&document.replace(from, &to));
        assert!(found.starts_with(begin), "{found}");
        assert!(found.lines().count() == 1 && found.len() < 500, "{found}");
    }
    let written = |from, to| Deployment::from_toml(document().replace(from, to)).expect(to);
    for (from, to) in [
        ("\"2026-12-01\"", "2026-12-01"),
        ("people = 500000", "people = \" 500000\""),
        ("[\"A. Nobody\"]", "\"A. Nobody \""),
    ] {
        assert_eq!(written(from, to), written("", ""));
    }
    let error = Deployment::from_toml([0xff, 0xfe]).expect_err("no UTF-8");
    assert!(error.to_string().starts_with("not a deployment in TOML"));
    let list = "aggregators is 3: expected a list of 1 to 254 tables, [[aggregators]]";
    let long = document() + &"#".repeat(MAX_BYTES);
    for (document, begin) in [
        ("contact = 3", "contact is 3: expected a table, [contact]"),
        ("aggregators = 3", list),
        ("aggregators = [1, 2]", "aggregators is \"[1, 2]\": expected a list of 1 to 254 tables"),
        (&long, "the deployment is longer than 65536 bytes"),
        (&format!("x{} = 1", "x".repeat(10_000)), "xxx"),
    ] {
        let error = refused(document);
        let is_line = error.chars().count() < 2_000 && error.lines().count() == 1;
        assert!(error.starts_with(begin) && is_line, "{error}");
    }
}

/// A template has every field of the example, each below its meaning, and is refused while one is
/// open.
#[test]
fn a_template_is_refused_until_every_field_is_filled_in() {
    let template = template(2);
    let names = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let names = lines.filter_map(|line| Some(line.split_once(" = ")?.0.to_owned()));
        names.collect()
    };
    assert_eq!(names(&template), names(&document()));
    assert_eq!(template.matches("\n# ").count(), template.matches(" = \"\"\n").count());
    let Err(Error::Missing { fields }) = Deployment::from_toml(&template) else {
        panic!("an empty template");
    };
    assert_eq!(fields.len(), names(&template).len() - 1);
}
