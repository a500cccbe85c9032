//! `statement`: what a deployment has to publish.

use std::path::PathBuf;

use clap::Args;
use dp_exact::{Refusal, parse_integer, shown};
use dp_files::{Reason, read_limited};
use dp_report::statement::{
    Deployment, MAX_BYTES, MAX_RELEASES, RegistryRecord, Statement, is_page, is_record,
};
use dp_task::Task;
use serde::Serialize;

use crate::delivery::{Delivery, Output, Written};
use crate::failure::Failure;
use crate::json::{Inputs, JsonDocument};
use crate::policies;

/// The aggregators of a template without a task.
const AGGREGATORS: usize = 2;
/// What the document for programs says in its first field.
const FORMAT: &str = "dp-cli statement";

/// The version of the document for programs.
const SCHEMA_VERSION: u32 = 1;

/// What a deployment has to publish: a page for people, a record for machines
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// The task
    #[arg(long, value_name = "FILE", help_heading = "What is stated")]
    task: Option<PathBuf>,
    /// What only the deployer knows: purpose, operators, retention, whom to ask (TOML)
    #[arg(long, value_name = "FILE", help_heading = "What is stated")]
    deployment: Option<PathBuf>,
    /// Write a deployment to fill in, every field of it, to this file, for as many aggregators as --task has, or 2;
    /// - or no FILE prints it
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["deployment", "releases", "markdown", "yaml", "json"], help_heading = "What is stated")]
    template: Option<PathBuf>,
    /// In how many releases one person takes part, with one report in each [default: those of the task]
    #[arg(long, help_heading = "What is stated")]
    releases: Option<String>,

    /// Write the page for people to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Where it goes")]
    markdown: Option<PathBuf>,
    /// Write the record for machines to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Where it goes")]
    yaml: Option<PathBuf>,
    #[command(flatten)]
    written: Written,
}

const AFTER_HELP: &str = "\
Without --markdown and --yaml both are printed, the record as a block of the page. Begin with --template, and fill
it in: that is the deployment.

Examples, after `dp-cli` or, in the repository, `cargo xtask`:
  statement --task examples/tasks/histogram.toml --deployment examples/deployments/heights.toml --releases 12
  statement --task task.toml --template us.toml
  statement --task task.toml --deployment us.toml --releases 365 --markdown privacy.md --yaml registry.yaml";

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.template {
        Some(path) => write_template(path, options),
        None => state(options),
    }
}

/// A deployment to fill in. What somebody may have filled in is replaced only by force.
fn write_template(path: &PathBuf, options: &Options) -> Result<(), Failure> {
    let output = Output::new("template", Some(path), |_| false);
    let inputs = [options.task.as_deref()];
    let mut delivery = Delivery::prepare(options.written.force, &inputs, vec![output])?;
    let aggregators = match &options.task {
        Some(_) => task(options)?.document().vdaf.aggregators(),
        None => AGGREGATORS,
    };
    let text = dp_report::statement::template(aggregators);
    delivery.write("template", |writer| writer.write_all(text.as_bytes()));
    Ok(delivery.finish(&())?)
}

/// The page and the record.
fn state(options: &Options) -> Result<(), Failure> {
    let task = task(options)?;
    let releases = releases(options, &task)?;
    let deployment = deployment(options)?;
    let inputs = [options.task.as_deref(), options.deployment.as_deref()];
    let outputs = vec![
        Output::json("json", options.written.json.as_ref(), FORMAT),
        Output::new("markdown", options.markdown.as_ref(), is_page),
        Output::new("yaml", options.yaml.as_ref(), is_record),
    ];
    let mut delivery = Delivery::prepare(options.written.force, &inputs, outputs)?;
    let statement = Statement::new(task, deployment, releases)?;
    let (markdown, yaml) = (statement.to_markdown(), statement.to_yaml()?);
    if !delivery.has("markdown") && !delivery.has("yaml") {
        delivery.print(format_args!("{markdown}\n{}", fenced(&yaml)))?;
    }
    delivery.write("markdown", |writer| writer.write_all(markdown.as_bytes()));
    delivery.write("yaml", |writer| writer.write_all(yaml.as_bytes()));
    Ok(delivery.finish(&JsonDocument {
        format: FORMAT,
        schema_version: SCHEMA_VERSION,
        inputs: &options.inputs,
        answer: Answer { page: markdown, record: statement.record() },
    })?)
}

/// A statement for programs.
#[derive(Debug, Serialize)]
struct Answer {
    page: String,
    record: RegistryRecord,
}

/// The number of releases that is given, or the one of the task.
fn releases(options: &Options, task: &Task) -> Result<u32, Failure> {
    let accepted = "in how many releases one person takes part, such as 12: what is guaranteed is of all \
                    of them together";
    let missing = || Refusal::missing("releases", accepted);
    match (&options.releases, task.document().trust.releases) {
        (Some(releases), _) => Ok(parse_integer("releases", releases, 1..=MAX_RELEASES)?),
        (None, Some(_)) => Ok(task.releases()),
        (None, None) => Err(missing().into()),
    }
}

fn task(options: &Options) -> Result<Task, Failure> {
    let missing = || Refusal::missing("task", "a file, such as examples/tasks/histogram.toml");
    policies::read(options.task.as_deref().ok_or_else(missing)?)
}

fn deployment(options: &Options) -> Result<Deployment, Failure> {
    let Some(path) = options.deployment.as_deref() else {
        return Err(Failure::Deployment {
            path: "no --deployment (--template writes one to fill in)".to_owned(),
            source: Box::new(Deployment::nothing_said()),
        });
    };
    let refused = |error| Failure::Deployment { path: shown(path), source: Box::new(error) };
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(refused(dp_report::statement::Error::TooLong { max: MAX_BYTES }));
        }
        Err(error) => return Err(error.into()),
    };
    Deployment::from_toml(bytes).map_err(refused)
}

/// A block of code of Markdown, whatever the text has in it.
fn fenced(yaml: &str) -> String {
    let longest = yaml.split(|character| character != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!("{fence}yaml\n{yaml}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::fenced;

    #[test]
    fn no_text_closes_the_block_that_it_stands_in() {
        assert_eq!(fenced("a: 1\n"), "```yaml\na: 1\n```\n");
        assert_eq!(fenced("a: ````\n"), "`````yaml\na: ````\n`````\n");
    }
}
