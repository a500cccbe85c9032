//! `statement`: the privacy statement of a deployment.

use std::path::PathBuf;

use clap::Args;
use dp_calibration::Refusal;
use dp_exact::{ParameterError, shown};
use dp_files::read_limited;
use dp_report::statement::{Deployment, MAX_BYTES, MAX_RELEASES, RegistryRecord, Statement};
use dp_task::Task;
use serde::Serialize;

use crate::delivery::{Delivery, HASH, MARKUP, Output, OutputOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::tasks;
use crate::values::{integers, required};

const FORMAT: &str = "dp-cli statement";

/// Write the privacy statement of a deployment: a page for people, a record for machines
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    #[command(flatten)]
    inputs: Inputs,
    /// Task file
    #[arg(long, value_name = "FILE", help_heading = "Content")]
    task: Option<PathBuf>,
    /// Deployment file in TOML: purpose, operators, retention, contact
    #[arg(long, value_name = "FILE", help_heading = "Content")]
    deployment: Option<PathBuf>,
    /// Write a deployment file to fill in, for the aggregators of --task, or 2; or print it
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        conflicts_with_all = ["deployment", "releases", "markdown", "html", "yaml", "json"],
        help_heading = "Content"
    )]
    template: Option<PathBuf>,
    /// One operator runs all aggregators, or two where several must be honest: state it in bold
    #[arg(long, help_heading = "Content")]
    accept_single_operator: bool,
    /// All releases together protect nobody (epsilon above 20 or delta above 0.001): state it
    #[arg(long, help_heading = "Content")]
    accept_weak_guarantee: bool,
    /// Number of releases with a report of the same person [default: the task's]
    #[arg(long, value_parser = integers(1..=MAX_RELEASES), help_heading = "Content")]
    releases: Option<u32>,

    /// Write the page for people to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    markdown: Option<PathBuf>,
    /// Write the page for people as HTML to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<PathBuf>,
    /// Write the record for machines to this file; - prints it
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    yaml: Option<PathBuf>,
    #[command(flatten)]
    output: OutputOptions,
}

const AFTER_HELP: &str = "\
Without --markdown, --html and --yaml page and record are printed, the record as a block of the page. --template
writes a deployment file to fill in.

Examples, after `dp-cli`:
  statement --task examples/tasks/histogram.toml --deployment examples/deployments/heights.toml --releases 12
  statement --task task.toml --template us.toml
  statement --task task.toml --deployment us.toml --releases 365 --markdown privacy.md --yaml registry.yaml";

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    match &options.template {
        Some(path) => write_template(path, options),
        None => write_statement(options),
    }
}

/// Writes a deployment file to fill in; only `--force` replaces one that was filled in.
fn write_template(path: &PathBuf, options: &Options) -> Result<(), Failure> {
    let output = Output::new("template", Some(path), |_| false);
    let mut delivery = Delivery::prepare(options.output.force, &options.inputs, vec![output])?;
    let aggregators = match &options.task {
        Some(_) => task(options)?.document().vdaf.aggregators(),
        None => 2,
    };
    let text = dp_report::statement::template(aggregators);
    delivery.write("template", |writer| writer.write_all(text.as_bytes()));
    Ok(delivery.finish_with(&())?)
}

/// Writes the statement of the task and the deployment: page and record to the files that the
/// options name, else both as text.
fn write_statement(options: &Options) -> Result<(), Failure> {
    let task = task(options)?;
    let stated = task.document().trust.releases;
    let releases = *required("releases", &options.releases.or(stated))?;
    let path = required("deployment", &options.deployment)?;
    let deployment = read_limited(path, MAX_BYTES as u64)?;
    let deployment = Deployment::from_toml(deployment);
    let deployment = deployment.map_err(|error| Failure::content(path, error))?;
    let statement = Statement::new(task, deployment, releases)?;
    if let Some((operator, _)) = statement.shared_operator()
        && !options.accept_single_operator
    {
        let accepted = "another operator for one aggregator at least, as one for all can read every report, and for \
                        each where several must be honest; or --accept-single-operator, which states this in bold";
        return Err(ParameterError::new("aggregators.operator", operator, accepted).into());
    }
    let of_task = statement.task().document().trust.accept_weak_guarantee;
    let is_accepted = of_task || options.accept_weak_guarantee;
    if statement.relied().all.protects_nobody() && !is_accepted {
        let accepted = "this option, as all releases together have an epsilon above 20 or a delta above 0.001 and \
                        protect nobody; or fewer --releases";
        return Err(Refusal::missing("accept-weak-guarantee", accepted).into());
    }
    let outputs = [
        Output::sealed("markdown", options.markdown.as_ref(), "statement", MARKUP),
        Output::sealed("html", options.html.as_ref(), "statement", MARKUP),
        Output::sealed("yaml", options.yaml.as_ref(), "record", HASH),
    ];
    let mut delivery = options.output.prepare(FORMAT, &options.inputs, outputs)?;
    let (markdown, yaml) = (statement.to_markdown(), statement.to_yaml());
    let files = [&options.markdown, &options.html, &options.yaml].into_iter().flatten();
    let files: Vec<String> = files.filter(|path| path.as_os_str() != "-").map(shown).collect();
    if !files.is_empty() {
        delivery.print(format_args!("The statement is in {}.\n", files.join(", ")))?;
    } else if !delivery.has("markdown") && !delivery.has("yaml") {
        // Texts of the deployment are indented by four columns or more, where no fence ends a
        // block.
        delivery.print(format_args!("{markdown}\n```yaml\n{yaml}```\n"))?;
    }
    delivery.write("markdown", |writer| writer.write_all(markdown.as_bytes()));
    delivery.write("html", |writer| writer.write_all(statement.to_html().as_bytes()));
    delivery.write("yaml", |writer| writer.write_all(yaml.as_bytes()));
    let answer = StatementDocument { page: markdown, record: statement.record() };
    Ok(delivery.finish(FORMAT, 1, &options.inputs, answer)?)
}

#[derive(Debug, Serialize)]
struct StatementDocument {
    page: String,
    record: RegistryRecord,
}

/// The task of `--task`; `Err` if the option is missing or the file cannot be read.
fn task(options: &Options) -> Result<Task, Failure> {
    tasks::read(required("task", &options.task)?)
}
