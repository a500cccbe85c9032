//! `statement`: what a deployment has to publish.

use std::path::{Path, PathBuf};

use clap::Args;
use dp_exact::{Refusal, integer, shown};
use dp_files::{OutputFile, Overwrite, Reason, read_limited};
use dp_report::statement::{Deployment, MAX_BYTES, MAX_RELEASES, Record, Statement};
use dp_task::Task;
use serde::Serialize;

use crate::delivery::{Delivery, print};
use crate::failure::Failure;
use crate::json::{Document, Inputs};
use crate::policies;
use crate::replaced::Replacing;
use crate::reports::printed_once;

/// What `--markdown -` and `--yaml -` stand for.
const STDOUT: &str = "-";

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
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = STDOUT,
        conflicts_with_all = ["deployment", "releases", "markdown", "yaml", "json"],
        help_heading = "What is stated"
    )]
    template: Option<PathBuf>,
    /// In how many releases one person takes part, with one report in each [default: those of the task]
    #[arg(long, allow_hyphen_values = true, help_heading = "What is stated")]
    releases: Option<String>,

    /// Write the page for people to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Where it goes")]
    markdown: Option<PathBuf>,
    /// Write the record for machines to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Where it goes")]
    yaml: Option<PathBuf>,
    /// Also write both to this file, as JSON; - or no FILE prints it in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", help_heading = "Where it goes")]
    json: Option<PathBuf>,
    /// Replace files also if this command did not write them
    #[arg(long, help_heading = "Where it goes")]
    force: bool,
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
    match options.template.as_deref() {
        Some(path) => write_template(path, options),
        None => state(options),
    }
}

/// A deployment to fill in. What somebody may have filled in is replaced only by force.
fn write_template(path: &Path, options: &Options) -> Result<(), Failure> {
    let is_stdout = path.as_os_str() == STDOUT;
    let inputs = [options.task.as_deref()];
    let overwrite = Replacing::new(options.force)
        .sparing(inputs)
        .files(|_| false);
    let file = (!is_stdout).then(|| OutputFile::prepare(path, overwrite));
    let file = file.transpose()?;
    let aggregators = match &options.task {
        Some(_) => task(options)?.document().vdaf.aggregators(),
        None => AGGREGATORS,
    };
    let text = dp_report::statement::template(aggregators);
    match file {
        Some(file) => Ok(file.write(|writer| writer.write_all(text.as_bytes()))?),
        None => Ok(print(text)?),
    }
}

/// The page and the record.
fn state(options: &Options) -> Result<(), Failure> {
    let task = task(options)?;
    let releases = releases(options, &task)?;
    printed_once([
        ("json", options.json.as_deref()),
        ("markdown", options.markdown.as_deref()),
        ("yaml", options.yaml.as_deref()),
    ])?;
    let deployment = deployment(options)?;
    let inputs = [options.task.as_deref(), options.deployment.as_deref()];
    let replacing = Replacing::new(options.force).sparing(inputs);
    let mut delivery = Delivery::prepare(options.json.as_deref(), FORMAT, &replacing)?;
    let page = replacing.files(dp_report::statement::is_page);
    let page = Output::prepare(options.markdown.as_deref(), page)?;
    let record = replacing.files(dp_report::statement::is_record);
    let record = Output::prepare(options.yaml.as_deref(), record)?;
    let statement = Statement::new(task, deployment, releases)?;
    let (markdown, yaml) = (statement.to_markdown(), statement.to_yaml()?);
    match (page, record) {
        (Output::NotGiven, Output::NotGiven) => {
            delivery.print(format_args!("{markdown}\n{}", fenced(&yaml)))?;
        }
        (page, record) => {
            page.deliver(&markdown, &mut delivery)?;
            record.deliver(&yaml, &mut delivery)?;
        }
    }
    Ok(delivery.finish(&Document {
        format: FORMAT.to_owned(),
        schema_version: SCHEMA_VERSION,
        inputs: &options.inputs,
        answer: Answer {
            page: markdown,
            record: statement.record(),
        },
    })?)
}

/// A statement for programs.
#[derive(Debug, Serialize)]
struct Answer {
    page: String,
    record: Record,
}

/// The number of releases that is given, or the one of the task.
fn releases(options: &Options, task: &Task) -> Result<u32, Failure> {
    let accepted = "in how many releases one person takes part, such as 12: what is promised is of all \
                    of them together";
    let missing = || Refusal::missing("releases", accepted);
    match (&options.releases, task.document().trust.releases) {
        (Some(releases), _) => Ok(integer("releases", releases, 1..=MAX_RELEASES)?),
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
    let refused = |error| Failure::Deployment {
        path: shown(path),
        source: Box::new(error),
    };
    let most = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    let bytes = match read_limited(path, most) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.reason(), Reason::TooLong { .. }) => {
            return Err(refused(dp_report::statement::Error::TooLong {
                max: MAX_BYTES,
            }));
        }
        Err(error) => return Err(error.into()),
    };
    Deployment::from_toml(bytes).map_err(refused)
}

/// Where one of the two forms goes.
#[derive(Debug)]
enum Output {
    NotGiven,
    Stdout,
    File(OutputFile),
}

impl Output {
    fn prepare(path: Option<&Path>, overwrite: Overwrite) -> Result<Self, Failure> {
        Ok(match path {
            None => Self::NotGiven,
            Some(path) if path.as_os_str() == STDOUT => Self::Stdout,
            Some(path) => Self::File(OutputFile::prepare(path, overwrite)?),
        })
    }

    fn deliver(self, text: &str, delivery: &mut Delivery) -> Result<(), Failure> {
        match self {
            Self::NotGiven => {}
            Self::Stdout => delivery.print(text)?,
            Self::File(file) => file.write(|writer| writer.write_all(text.as_bytes()))?,
        }
        Ok(())
    }
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
