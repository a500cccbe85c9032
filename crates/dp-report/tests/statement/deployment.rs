//! Documents of deployments: what is read, what is missing, what is refused.

use dp_report::statement::{Deployment, Error, FIELDS, MAX_BYTES, template};

use crate::document;

fn refused(document: &str) -> String {
    let error = Deployment::from_toml(document).expect_err("refused");
    error.to_string()
}

/// The document without the field `name` of `section`; of the aggregators, only the first loses it.
fn without(section: &str, name: &str) -> String {
    let (mut here, mut removed) = (String::new(), false);
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
fn every_field_that_is_left_out_is_named_with_all_others() {
    let Err(Error::Missing { fields }) = Deployment::from_toml("") else {
        panic!("an empty deployment");
    };
    let described = FIELDS.iter().map(|field| format!("{} ({})", field.path, field.what));
    assert_eq!(fields, described.collect::<Vec<_>>());
    assert_eq!(refused(""), Deployment::nothing_said().to_string());
    for field in &FIELDS[1..] {
        let (section, name) = field.path.split_once('.').expect("a section");
        let Err(Error::Missing { fields }) = Deployment::from_toml(without(section, name)) else {
            panic!("{}", field.path);
        };
        let path = field.path.replace("aggregators.", "aggregators[0].");
        assert!(fields.len() == 1 && fields[0].starts_with(&path), "{fields:?}");
    }
}

/// What stands in the document, what stands there instead, and how the refusal begins.
const WRONG: &str = r#"
version = 1 | version = 2 | version is 2: expected 1
region = | regoin = | product.regoin is unknown: expected one of the fields name, description
[curator] | [curators] | curators is unknown: expected one of the fields version, product, curator
"Healthcare" | "Health" | product.sector is "Health": expected Technology, Healthcare
"Nonprofit" | 3 | curator.type is 3: expected Government, Industry, Nonprofit
"2026-12-01" | "2026-13-01" | product.first_published is "2026-13-01": expected a day
"2026-12-01" | 12:30:00 | product.first_published is 12:30:00: expected a day
people = 50000 | people = 0 | record.people is 0: expected an integer from 1 to
people = 50000 | people = 100000000000000000000000 | record.people is 100000000000000000000000: expected an integer from 1
people = 50000 | people = "many" | record.people is "many": expected an integer
["A. Nobody"] | [] | record.authors is []: expected a list of 1 to 254 texts
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
    let date = document().replace("\"2026-12-01\"", "2026-12-01");
    assert!(Deployment::from_toml(date).is_ok());
    let error = Deployment::from_toml([0xff, 0xfe]).expect_err("no UTF-8");
    assert!(error.to_string().starts_with("not a deployment in TOML"));
    let list = "aggregators is 3: expected a list of 1 to 254 tables, [[aggregators]]";
    let none = "the deployment leaves out version (1)";
    let long = document() + &"#".repeat(MAX_BYTES);
    for (document, begin) in [
        ("contact = 3", "contact is 3: expected a table, [contact]"),
        ("aggregators = 3", list),
        ("aggregators = [1, 2]", none),
        (&long, "the deployment is longer than 65536 bytes"),
        (&format!("x{} = 1", "x".repeat(10_000)), "xxx"),
        (&"[[aggregators]]\n".repeat(254), none),
    ] {
        let error = refused(document);
        let is_line = error.chars().count() < 2_000 && error.lines().count() == 1;
        assert!(error.starts_with(begin) && is_line, "{error}");
    }
}

/// A template has every field, with what it says in a comment, and is refused by the first that is left open, whichever
/// it is.
#[test]
fn a_template_is_refused_until_every_field_is_filled_in() {
    let template = template(2);
    for field in &FIELDS[1..] {
        let (_, name) = field.path.split_once('.').expect("a section");
        let field = format!("# {}\n{name} = \"\"", field.what.replace(", of each", ""));
        assert!(template.contains(&field), "{field}: {template}");
    }
    assert_eq!(template.matches("[[aggregators]]").count(), 2);
    // Filled in from the top, line by line, with what the example has.
    let example = document();
    let values: Vec<&str> = example
        .lines()
        .filter(|line| line.contains(" = ") && !line.starts_with(['#', 'v']))
        .collect();
    let open = template.matches("\"\"").count();
    assert_eq!(values.len(), open);
    for some in 0..=open {
        let mut filled = values.iter().take(some);
        let lines = template.lines().map(|line| match line.ends_with("\"\"") {
            true => filled.next().copied().unwrap_or(line),
            false => line,
        });
        match Deployment::from_toml(lines.collect::<Vec<_>>().join("\n")) {
            Ok(read) if some == open => {
                assert_eq!(read, Deployment::from_toml(&example).expect("the example"));
            }
            Err(Error::Missing { fields }) => {
                let name = values[some].split(' ').next().expect("a name");
                let path = fields[0].split(' ').next().expect("a path");
                assert!(path.ends_with(&format!(".{name}")), "{fields:?}: {name}");
            }
            other => panic!("{some}: {other:?}"),
        }
    }
}
