//! The page for the people whose data it is about: short sentences, no symbols, nothing left out.

mod conditions;
mod guess;
mod scene;

use dp_exact::grouped;
use dp_task::{AggregatorNoise, Task};

use crate::markdown::{escaped, sentence};
use crate::statement::Statement;

/// How a page begins, by which it is known again.
pub(crate) const BEGINNING: &str = "<!-- Privacy statement, made by dp-statement";

/// Who adds noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Clients,
    Aggregators,
    Both,
    Compensated,
}

impl Kind {
    fn of(task: &Task) -> Self {
        let document = task.document();
        match (&document.client_noise, &document.aggregator_noise) {
            (_, Some(AggregatorNoise::Compensation { .. })) => Self::Compensated,
            (Some(_), Some(_)) => Self::Both,
            (Some(_), None) => Self::Clients,
            (None, _) => Self::Aggregators,
        }
    }

    const fn has_clients(self) -> bool {
        !matches!(self, Self::Aggregators)
    }
}

impl Statement {
    /// The page for people, in Markdown.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        page(self)
    }
}

fn page(statement: &Statement) -> String {
    let kind = Kind::of(statement.task());
    let deployment = statement.deployment();
    let version = env!("CARGO_PKG_VERSION");
    let digest = statement.task().digest();
    let parts = [
        format!("{BEGINNING} {version} for the task {digest} -->"),
        format!("# {}: your privacy", escaped(&deployment.product.name)),
        sentence(&deployment.product.description),
        "## What is collected".to_owned(),
        scene::collected(statement),
        "## Who sees what".to_owned(),
        scene::who_sees_what(statement, kind),
        "## How sure could anybody become about you?".to_owned(),
        guess::how_sure(statement),
        "## What if the operators work together?".to_owned(),
        guess::together(statement, kind),
        "## What if you take part every day for a year?".to_owned(),
        guess::a_year(statement),
        "## When do these limits hold?".to_owned(),
        conditions::list(statement),
        "## What is not protected".to_owned(),
        scene::not_protected(statement),
        "## How long is it kept?".to_owned(),
        format!(
            "Your reports: {} The results: {}",
            sentence(&deployment.retention.reports),
            sentence(&deployment.retention.results)
        ),
        "## Whom can you ask?".to_owned(),
        format!(
            "Ask {}: {} How to stop: {}",
            escaped(&deployment.contact.name),
            sentence(&deployment.contact.address),
            sentence(&deployment.contact.opt_out)
        ),
        format!("For experts: see the record beside this page. The task is `{digest}`."),
    ];
    parts.join("\n\n") + "\n"
}

/// "1 result", "30 results".
fn counted(number: u64, one: &str) -> String {
    match number {
        1 => format!("1 {one}"),
        more => format!("{} {one}s", grouped(more)),
    }
}
