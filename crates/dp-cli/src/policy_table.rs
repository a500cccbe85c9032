//! `policies`: every policy, what it guarantees in each trust model, who must be honest for that,
//! and what remains if they are not.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use clap::Args;
use dp_calibration::Budget;
use dp_exact::{Epsilon, Rational, Rounding};
use dp_prio3::{Circumstances, Guarantee, Otherwise, Promise, Remains, TrustModel};
use dp_simulation::report::wrapped;
use dp_task::{POLICIES, PolicyName, Task};
use serde::Serialize;

use crate::bounded;
use crate::delivery::print;
use crate::failure::Failure;
use crate::options::Given;

/// The honest clients of the examples.
const HONEST_CLIENTS: u64 = 10_000;

/// List every policy, with what it guarantees to whom
#[derive(Args, Debug)]
#[command(after_help = "\
The examples are small: 2 aggregators, vectors of 10, numbers up to 10, weights up to 2, epsilon 1,
delta 1e-9. Run one with `simulate --policy NAME`.")]
pub struct Options {
    /// Print a JSON document instead of text
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let rows = || POLICIES.iter().map(Row::new).collect();
    let rows: Vec<Row> = bounded(&Given::new(), rows)?;
    let text = if options.json {
        serde_json::to_string_pretty(&rows).map_err(Failure::other)? + "\n"
    } else {
        text(&rows)
    };
    Ok(print(text)?)
}

/// A policy and its guarantees.
#[derive(Debug, Serialize)]
struct Row {
    policy: &'static str,
    vdaf: &'static str,
    description: String,
    parameters: BTreeMap<&'static str, String>,
    guarantees: Vec<Cell>,
}

/// What a policy promises in one trust model.
#[derive(Debug, Serialize)]
struct Cell {
    trust_model: String,
    must_be_honest: String,
    holds_against: String,
    adjacency: String,
    /// In a few characters.
    #[serde(skip)]
    short: String,
    /// In words.
    promise: String,
    /// The budget, or nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget: Option<Budget>,
    #[serde(skip_serializing_if = "Option::is_none")]
    none_because: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    carried_over_from: Option<String>,
    /// Other budgets that hold, neither more nor less.
    also: Vec<Budget>,
    protects_nobody: bool,
    provided_that: Vec<String>,
    notes: Vec<String>,
    otherwise: String,
    #[serde(skip)]
    remains: Otherwise,
}

impl Row {
    fn new(policy: &PolicyName) -> Result<Self, Failure> {
        let task = Task::new(policy.example()?)?;
        let circumstances = Circumstances::new(HONEST_CLIENTS, "1e-9".parse()?);
        let guarantees = TrustModel::ALL.map(|model| task.guarantee_in(model, &circumstances));
        Ok(Self {
            policy: policy.name,
            vdaf: policy.vdaf.name(),
            description: task.description().to_owned(),
            parameters: task.parameters().iter().cloned().collect(),
            guarantees: guarantees.into_iter().map(Cell::from).collect(),
        })
    }
}

impl From<Guarantee> for Cell {
    fn from(guarantee: Guarantee) -> Self {
        let model = guarantee.trust_model;
        let none_because = match &guarantee.promise {
            Promise::Absent { reason } => Some(reason.clone()),
            Promise::Proved(_) | Promise::TotalVariation { .. } => None,
        };
        Self {
            short: short(&guarantee.promise),
            promise: guarantee.promise.to_string(),
            budget: guarantee.promise.budget().cloned(),
            also: guarantee.also,
            protects_nobody: guarantee.is_weak,
            notes: guarantee.remarks,
            trust_model: model.abbreviation(),
            must_be_honest: model.must_be_honest(),
            holds_against: model.adversary(),
            adjacency: guarantee.adjacency.to_string(),
            none_because,
            carried_over_from: guarantee.carried_over_from.map(TrustModel::abbreviation),
            provided_that: guarantee.assumptions,
            otherwise: guarantee.otherwise.to_string(),
            remains: guarantee.otherwise,
        }
    }
}

impl Cell {
    /// Who must be honest for this to hold, then what remains if they are not: a line each.
    /// What the client's own noise promises by itself and what one honest aggregator gives are in the
    /// table, in the columns of `of_client` and `of_one`.
    fn sentences(&self, of_client: Option<&Self>, of_one: Option<&Self>) -> Vec<String> {
        if let Some(reason) = &self.none_because {
            return vec![format!("no promise: {reason}.")];
        }
        if let Some(stronger) = &self.carried_over_from {
            return vec![format!("as {stronger}: what holds there holds here.")];
        }
        let who = &self.must_be_honest;
        let are = if who.contains(" and ") { "are" } else { "is" };
        let in_the_table = |remains: &Remains| match remains {
            Remains::OneAggregator(promise) if of_one.is_some_and(|one| one.is(promise)) => {
                "what column OAOC says".to_owned()
            }
            Remains::OwnRandomness(own) if of_client.is_some_and(|client| client.keeps(own)) => {
                "the ε of column OC".to_owned()
            }
            other => other.to_string(),
        };
        let otherwise: String = self.remains.parts().iter().map(in_the_table).collect();
        vec![
            format!("holds if {who} {are} honest."),
            format!("Otherwise: {otherwise}."),
        ]
    }
}

impl Cell {
    /// Whether this is the promise of the cell.
    fn is(&self, promise: &Promise) -> bool {
        self.promise == promise.to_string()
    }

    /// Whether the cell promises this ε.
    fn keeps(&self, own: &Epsilon) -> bool {
        matches!(&self.budget, Some(Budget::Pure { epsilon }) if epsilon == own)
    }
}

/// A promise in a few characters.
fn short(promise: &Promise) -> String {
    match promise {
        Promise::Absent { .. } => "none".to_owned(),
        Promise::TotalVariation { delta, .. } => format!("ε 0, δ {}", up(delta.value())),
        Promise::Proved(Budget::Pure { epsilon }) => format!("ε {}", up(epsilon.value())),
        Promise::Proved(Budget::Approximate { epsilon, delta }) => {
            format!("ε {}, δ {}", up(epsilon.value()), up(delta.value()))
        }
        Promise::Proved(Budget::ZeroConcentrated { rho }) => format!("ρ {}", up(rho.value())),
        Promise::Proved(Budget::Renyi { alpha, tau }) => format!("τ {tau} at α {alpha}"),
    }
}

/// Four digits, rounded up: a bound stays one.
fn up(value: &Rational) -> String {
    value.round_to_digits(4, Rounding::Up).to_string()
}

/// The table, then the sentences, each once with the policies that it is about.
fn text(rows: &[Row]) -> String {
    let mut lines = vec![["policy", "Prio3 type", "OC", "OAOC", "OAMC"].map(str::to_owned)];
    for row in rows {
        let mut cells = row.guarantees.iter().map(|cell| cell.short.clone());
        let mut cell = || cells.next().unwrap_or_default();
        let vdaf = row.vdaf.trim_start_matches("Prio3").to_owned();
        let policy = row.policy.to_owned();
        lines.push([policy, vdaf, cell(), cell(), cell()]);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths = [0, 1, 2, 3, 4].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for line in &lines {
        let padded: Vec<String> = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
    }
    text.push_str(
        "\nEach column is a promise to one client. The smaller ε, the less can be learnt:\n",
    );
    for model in TrustModel::ALL {
        let name = model.abbreviation();
        let (who, against) = (model.must_be_honest(), model.adversary());
        let line = format!("honest: {who}; against {against}.");
        text += &wrapped(&format!("  {name:<6}"), REST, &line);
    }
    let neighbours = format!(
        "Neighbours: one client's measurement replaced by any other. {HONEST_CLIENTS} honest clients \
         in OAMC; compensated-rappor in batches of at most {HONEST_CLIENTS} reports.",
    );
    text.push('\n');
    text += &wrapped("", "", &neighbours);
    for (promises, policies) in groups(rows) {
        text.push('\n');
        text += &wrapped("", "", &policies.join(", "));
        for (model, sentences) in TrustModel::ALL.iter().zip(promises) {
            let first = format!("  {:<6}", model.abbreviation());
            for (place, sentence) in sentences.iter().enumerate() {
                let first = if place == 0 { &first } else { REST };
                text += &wrapped(first, REST, sentence);
            }
        }
    }
    text
}

/// The margin below the name of a trust model.
const REST: &str = "        ";

/// Of each trust model, the sentences about it.
type Sentences = Vec<Vec<String>>;

/// Policies about which the same sentences are true, in the order of the table.
fn groups(rows: &[Row]) -> Vec<(Sentences, Vec<&'static str>)> {
    let mut groups: Vec<(Sentences, Vec<&'static str>)> = Vec::new();
    for row in rows {
        let (of_client, of_one) = (row.guarantees.first(), row.guarantees.get(1));
        let cells = row.guarantees.iter();
        let sentences: Sentences = cells
            .map(|cell| cell.sentences(of_client, of_one))
            .collect();
        match groups.iter_mut().find(|(group, _)| *group == sentences) {
            Some((_, policies)) => policies.push(row.policy),
            None => groups.push((sentences, vec![row.policy])),
        }
    }
    groups
}
