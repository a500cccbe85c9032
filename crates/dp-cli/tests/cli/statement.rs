//! `statement` as a user types it.

use std::fs;

use serde_json::Value;

use crate::support::{refusal, success, text};

const TASK: &str = "examples/tasks/histogram.toml";
const DEPLOYMENT: &str = "examples/deployments/heights.toml";

fn given<'a>(further: &[&'a str]) -> Vec<&'a str> {
    let line = [
        "statement",
        "--task",
        TASK,
        "--deployment",
        DEPLOYMENT,
        "--releases",
        "12",
    ];
    [&line, further].concat()
}

#[test]
fn both_forms_are_printed_and_written_alike() {
    let printed = success(&given(&[]));
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (page, record, json) = (path("page.md"), path("record.yaml"), path("all.json"));
    let files = ["--markdown", &page, "--yaml", &record, "--json", &json];
    assert_eq!(success(&given(&files)), "");
    let read = |path: &str| fs::read_to_string(path).expect("a file");
    let (markdown, yaml) = (read(&page), read(&record));
    assert_eq!(printed, format!("{markdown}\n```yaml\n{yaml}```\n"));
    assert_eq!(success(&given(&["--yaml", "-"])), yaml);
    assert_eq!(success(&given(&["--markdown", "-"])), markdown);
    let document: Value = serde_json::from_str(&read(&json)).expect("JSON");
    assert_eq!(text(&document["page"]), markdown);
    let parameters = &document["record"]["deployment"]["privacy_loss"]["privacy_parameters"];
    let epsilon = text(&parameters["epsilon"]);
    assert!(
        yaml.contains(&format!("      epsilon: {epsilon}\n")),
        "{epsilon}"
    );

    // Its own files are replaced, those of others by force only.
    success(&given(&files));
    fs::write(&page, "# My notes\n").expect("written");
    let refused = refusal(&given(&files));
    assert!(
        refused.contains("page.md") && refused.contains("--force"),
        "{refused}"
    );
    assert_eq!(read(&page), "# My notes\n");
    success(&given(&[&files[..], &["--force"]].concat()));
    assert_eq!(read(&page), markdown);
}

#[test]
fn what_is_missing_is_refused() {
    let missing = refusal(&["statement", "--task", TASK, "--deployment", DEPLOYMENT]);
    assert!(
        missing.starts_with("error: releases is missing: expected in how many"),
        "{missing}"
    );
    let missing = refusal(&["statement", "--deployment", DEPLOYMENT, "--releases", "1"]);
    assert!(missing.starts_with("error: task is missing"), "{missing}");
    let missing = refusal(&["statement", "--task", TASK, "--releases", "1"]);
    for field in [
        "product.purpose",
        "aggregators.operator",
        "contact.address",
        "retention.reports",
    ] {
        assert!(missing.contains(field), "{missing}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("us.toml");
    fs::write(&path, "version = 1\n[contact]\nname = \"me\"\n").expect("written");
    let path = path.to_string_lossy();
    let line = [
        "statement",
        "--task",
        TASK,
        "--deployment",
        &path,
        "--releases",
        "1",
    ];
    let missing = refusal(&line);
    assert!(
        missing.contains("us.toml: the deployment leaves out product.name"),
        "{missing}"
    );
    assert!(
        missing.contains("contact.address") && !missing.contains("contact.name"),
        "{missing}"
    );
    let other = refusal(&[
        "statement",
        "--task",
        "examples/tasks/average.toml",
        "--deployment",
        DEPLOYMENT,
        "--releases",
        "1",
    ]);
    assert_eq!(
        other,
        "error: aggregators is 2: expected 3 tables, one for each aggregator of the task"
    );
    let none = refusal(&[&given(&[])[..5], &["--releases", "0"]].concat());
    assert_eq!(
        none,
        "error: releases is 0: expected an integer from 1 to 1048576"
    );
}

#[test]
fn one_document_is_printed_and_none_is_lost_for_another() {
    for (options, first, second) in [
        (
            ["--markdown", "-", "--yaml", "-"].as_slice(),
            "markdown",
            "yaml",
        ),
        (&["--markdown", "-", "--json"], "json", "markdown"),
        (&["--yaml", "-", "--json", "-"], "json", "yaml"),
    ] {
        let refused = refusal(&given(options));
        let expected =
            format!("{second} - has no meaning with --{first}, which is printed as well");
        assert!(refused.contains(&expected), "{refused}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("both.md");
    let path = path.to_string_lossy();
    let refused = refusal(&given(&["--markdown", &path, "--yaml", &path]));
    assert!(refused.contains("for another option"), "{refused}");
}

/// The template leads to a statement: refused while a field is open, with as many operators as the task, and never
/// written over what was filled in.
#[test]
fn a_template_is_written_filled_in_and_stated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("us.toml");
    let name = path.to_string_lossy().into_owned();
    let three = [
        "statement",
        "--task",
        "examples/tasks/average.toml",
        "--template",
    ];
    let printed = success(&three);
    assert_eq!(printed.matches("[[aggregators]]").count(), 3, "{printed}");
    assert_eq!(
        success(&["statement", "--template", "-"])
            .matches("[[aggregators]]")
            .count(),
        2
    );
    let line = [&three[..], &[&name]].concat();
    assert_eq!(success(&line), "");
    assert_eq!(fs::read_to_string(&path).expect("a file"), printed);
    let state = |releases| {
        let task = "examples/tasks/average.toml";
        [
            "statement",
            "--task",
            task,
            "--deployment",
            &name,
            "--releases",
            releases,
        ]
        .map(str::to_owned)
    };
    let stated = state("3");
    let stated: Vec<&str> = stated.iter().map(String::as_str).collect();
    let refused = refusal(&stated);
    let open = "us.toml: the deployment leaves out product.name (what the statistics are called), ";
    assert!(refused.contains(open), "{refused}");
    let filled = printed
        .replace("sector = \"\"", "sector = \"Education\"")
        .replace("data_source = \"\"", "data_source = \"Static\"")
        .replace("first_published = \"\"", "first_published = 2027-01-31")
        .replace("type = \"\"", "type = \"Government\"")
        .replace("authors = \"\"", "authors = [\"Example Office\"]")
        .replace("people = \"\"", "people = 1000")
        .replace(" = \"\"", " = \"Example\"");
    fs::write(&path, &filled).expect("written");
    assert!(success(&stated).starts_with("<!-- Privacy statement"));
    let refused = refusal(&line);
    assert!(
        refused.contains("us.toml") && refused.contains("--force"),
        "{refused}"
    );
    assert_eq!(fs::read_to_string(&path).expect("a file"), filled);
    let refused = refusal(&["statement", "--template", "--releases", "3"]);
    assert!(refused.contains("cannot be used with"), "{refused}");
    let refused = refusal(&["statement", "--task", TASK, "--releases", "3"]);
    assert!(refused.contains("--template"), "{refused}");
}
