//! Texts that look like marks of YAML or of Markdown stay texts.

use dp_statement::{Deployment, Statement};
use serde_json::{Value, json};

use crate::common::{document, task};

const HOSTILE: [&str; 26] = [
    "yes",
    "No",
    "null",
    "~",
    "1e-9",
    "0x1F",
    "12:30:45",
    "2026-12-01",
    "- a list",
    "a: map",
    "# comment",
    "&anchor",
    "*alias",
    "!!python/object:os.system",
    "%YAML 1.2",
    "--- x",
    "{a: b}",
    "[x](javascript:y)",
    "'quoted' \\\" twice",
    "<script>alert(1)</script>",
    "<!-- -->",
    "| a | b |",
    "``` `code` ~~~",
    "**bold** __b__ _i_",
    "größe 身長 😀 & so on",
    "a trailing \\\\ backslash \\\\",
];

/// The fields of the deployment that are free text, in its order, where the record has them.
const FREE: [(&str, &str); 9] = [
    ("name = \"How", "/deployment/basic/name"),
    (
        "name = \"Example Health",
        "/deployment/basic/data_curators/0/data_curator_name",
    ),
    ("operator = \"Example University", "/prio3/actors/1/name"),
    ("trust = \"Its", "/prio3/actors/1/trust"),
    ("operator = \"Example Hosting", "/prio3/actors/2/name"),
    ("operator = \"Example Health", "/prio3/actors/3/name"),
    ("reports = ", "/prio3/retention/reports"),
    ("address = ", "/prio3/contact/address"),
    (
        "justification = ",
        "/deployment/implementation/justification",
    ),
];

/// What stands between quotes, unescaped.
fn plain(text: &str) -> String {
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// A statement with one of the texts in each free field.
fn stated(texts: &[&str]) -> Statement {
    let document = document();
    let lines = document.lines().map(|line| {
        let place = FREE
            .iter()
            .position(|(beginning, _)| line.starts_with(beginning));
        match place.and_then(|place| texts.get(place)) {
            Some(text) => format!("{} = \"{text}\"", line.split_once(" =").expect("a field").0),
            None => line.to_owned(),
        }
    });
    let document: Vec<String> = lines.collect();
    let deployment = Deployment::from_toml(document.join("\n"));
    let deployment = deployment.unwrap_or_else(|error| panic!("{texts:?}: {error}"));
    Statement::new(task("count"), deployment, 365).expect("a statement")
}

#[test]
fn every_text_comes_back_out_of_both_forms() {
    for texts in HOSTILE.chunks(FREE.len()) {
        let statement = stated(texts);
        let yaml = statement.to_yaml().expect("YAML");
        let record: Value =
            serde_saphyr::from_str(&yaml).unwrap_or_else(|error| panic!("{error}: {yaml}"));
        let page = statement.to_markdown();
        for (text, (_, pointer)) in texts.iter().zip(FREE) {
            let text = plain(text);
            assert_eq!(record.pointer(pointer), Some(&json!(text)), "{yaml}");
            // The page has it with every mark escaped, and not as it stands if it has one.
            let marks = |character: char| "\\`*_[]<>#|~&{}!$^=".contains(character);
            let mut escaped = String::new();
            for (character, is_broken) in dp_exact::markdown_breaks(&text) {
                escaped.extend(marks(character).then_some('\\'));
                escaped.push(character);
                escaped.push_str(if is_broken { "<wbr>" } else { "" });
            }
            let is_of_the_page = !pointer.contains("curator") && !pointer.contains("justification");
            assert!(!is_of_the_page || page.contains(&escaped), "{text}: {page}");
            let mut places = page.match_indices(&text);
            let is_escaped = places.all(|(place, _)| page[..place].ends_with('\\'));
            assert!(escaped == text || is_escaped, "{text}: {page}");
        }
        assert_eq!(page.matches("<!--").count(), 1, "{page}");
        assert_eq!(record["prio3"]["releases_per_person"], json!(365), "{yaml}");
    }
}

#[test]
fn what_is_not_seen_and_what_is_too_long_is_refused() {
    let long = "x".repeat(10_000);
    for text in [
        "two\\nlines",
        "a\\u0000b",
        "\\u202Eturned",
        "\\u200B",
        "a\\tb",
        "\\u001b[31m",
        &long,
    ] {
        let document = document().replace("\"Everywhere\"", &format!("\"{text}\""));
        let error = Deployment::from_toml(document)
            .expect_err("refused")
            .to_string();
        assert!(error.starts_with("product.region is "), "{error}");
        assert!(
            error.contains("1 to 1000 bytes of printable characters"),
            "{error}"
        );
        assert!(error.len() < 500 && error.lines().count() == 1, "{error}");
        assert!(!error.chars().any(char::is_control), "{error}");
    }
}

/// Names of fields are quoted in part, and of many missing ones the first are listed.
#[test]
fn refusals_are_one_line_of_bounded_length() {
    let tables = "[[aggregators]]\n".repeat(254);
    for document in [
        format!("{} = 1", "x".repeat(10_000)),
        format!("[product]\n{} = 1", "x".repeat(10_000)),
        "\"\\u0000\\n\\u202e\" = 1".to_owned(),
        format!("product = \"{}\"", "x".repeat(10_000)),
        format!("[record]\nauthors = [{}]", "\"x\", ".repeat(5_000)),
        tables,
        "x".repeat(10_000),
    ] {
        let error = Deployment::from_toml(&document)
            .expect_err("refused")
            .to_string();
        assert!(error.chars().count() < 2_000, "{error}");
        let hidden = |character: char| {
            character.is_control() || ('\u{2028}'..='\u{202e}').contains(&character)
        };
        assert!(!error.contains(hidden), "{error}");
    }
}

/// The name of a task may have any printable character.
#[test]
fn a_task_with_a_hostile_name_is_stated() {
    let toml = task("count").to_toml().expect("TOML");
    let toml = toml.replace("name = \"asthma\"", "name = \"# - 'a': *b* ``` 😀\"");
    let task = dp_task::Task::from_toml(toml).expect("a task");
    let statement = Statement::new(task, Deployment::from_toml(document()).expect("whole"), 2);
    let yaml = statement.expect("a statement").to_yaml().expect("YAML");
    let record: Value = serde_saphyr::from_str(&yaml).expect("YAML");
    assert_eq!(
        record["prio3"]["task"]["name"],
        json!("# - 'a': *b* ``` 😀")
    );
}
