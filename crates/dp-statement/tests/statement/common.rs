//! Tasks and deployments.

use std::fs;
use std::sync::OnceLock;

use dp_statement::{Deployment, Statement};
use dp_task::Task;

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");

/// The releases of the statements.
pub(crate) const RELEASES: u32 = 30;

/// The deployment of the examples, in TOML.
pub(crate) fn document() -> String {
    let path = format!("{EXAMPLES}/deployments/heights.toml");
    fs::read_to_string(path).expect("a file")
}

/// A task of the examples.
pub(crate) fn task(name: &str) -> Task {
    let path = format!("{EXAMPLES}/tasks/{name}.toml");
    Task::from_toml(fs::read(path).expect("a file"))
        .unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The names of the tasks of the examples.
pub(crate) fn names() -> Vec<String> {
    let entries = fs::read_dir(format!("{EXAMPLES}/tasks")).expect("a folder");
    let names = entries.map(|entry| {
        let name = entry.expect("an entry").file_name();
        let name = name.into_string().expect("UTF-8");
        name.strip_suffix(".toml").expect("TOML").to_owned()
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// A deployment with as many operators as the task has aggregators.
pub(crate) fn deployment_of(task: &Task, document: &str) -> Deployment {
    let more = task.document().vdaf.aggregators() - 2;
    let further =
        "[[aggregators]]\noperator = \"Example Post\"\ntrust = \"The law forbids it\"\n\n";
    let document = document.replace(
        "[collector]",
        &format!("{}[collector]", further.repeat(more)),
    );
    Deployment::from_toml(document).expect("a deployment")
}

pub(crate) fn stated(task: &Task, releases: u32) -> Statement {
    let deployment = deployment_of(task, &document());
    Statement::new(task.clone(), deployment, releases).expect("a statement")
}

/// A statement of every task of the examples, by its name: computed once.
pub(crate) fn all() -> &'static [(String, Statement)] {
    static ALL: OnceLock<Vec<(String, Statement)>> = OnceLock::new();
    ALL.get_or_init(|| {
        let names = names().into_iter();
        let stated = names.map(|name| {
            let statement = stated(&task(&name), RELEASES);
            (name, statement)
        });
        stated.collect()
    })
}

/// The statement of one of them.
pub(crate) fn of(name: &str) -> &'static Statement {
    let found = all().iter().find(|(one, _)| one == name);
    &found.expect("a task of the examples").1
}

/// The text of a section of a page.
pub(crate) fn section(page: &str, heading: &str) -> String {
    let mut sections = page.split("\n## ");
    let found = sections.find(|section| section.starts_with(heading));
    found
        .unwrap_or_else(|| panic!("no {heading} in {page}"))
        .to_owned()
}
