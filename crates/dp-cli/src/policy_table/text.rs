//! The list as text: the table, then the sentences, each once with the policies that it is about.

use dp_exact::{Rational, Rounding, figure};
use dp_prio3::TrustModel;

use super::List;
use super::job::Job;
use super::row::Row;
use crate::text::{columns, counted, table, wrapped};

pub(super) fn text(list: &List, job: &Job) -> String {
    let rows = &list.policies;
    let mut text = match &job.of_task {
        Some(task) => wrapped("", "", &format!("Policies for {task}.")) + "\n",
        None => String::new(),
    };
    text += &guarantees(rows, columns());
    text.push_str(
        "\nEach column is a guarantee to one client. The smaller ε, the less can be learnt:\n",
    );
    for model in TrustModel::ALL {
        let name = model.abbreviation();
        let (who, against) = (model.must_be_honest(), model.adversary());
        let line = format!("honest: {who}; against {against}.");
        text += &wrapped(&format!("  {name:<6}"), REST, &line);
    }
    let (clients, reports) =
        (counted(job.clients(), "honest client"), counted(job.clients(), "report"));
    let neighbours = format!(
        "Neighbours: one client's measurement replaced by any other. {clients} in OAMC; \
         compensated-rappor in batches of at most {reports}."
    );
    let error = "std is the standard deviation of one estimate (of a count, a total or a mean) by the \
                 noise of all clients and aggregators, with clients spread evenly; in 95 of 100 cases \
                 the estimate is off by at most what stands beside it.";
    for paragraph in [neighbours.as_str(), error] {
        text.push('\n');
        text += &wrapped("", "", paragraph);
    }
    for excluded in &list.excluded {
        text.push('\n');
        text += &wrapped("", REST, &format!("{}: {}.", excluded.policy, excluded.reason));
    }
    for (guarantees, policies) in groups(rows) {
        text.push('\n');
        text += &wrapped("", "", &policies.join(", "));
        for (model, sentences) in TrustModel::ALL.iter().zip(guarantees) {
            let first = format!("  {:<6}", model.abbreviation());
            for (place, sentence) in sentences.iter().enumerate() {
                let first = if place == 0 { &first } else { REST };
                text += &wrapped(first, REST, sentence);
            }
        }
    }
    text
}

/// A line for each policy, or where that is too narrow, a paragraph.
fn guarantees(rows: &[Row], columns: usize) -> String {
    const HEADER: [&str; 6] = ["policy", "std", "± 95 %", "OC", "OAOC", "OAMC"];
    let mut lines = vec![HEADER.map(str::to_owned)];
    for row in rows {
        let mut cells = row.guarantees.iter().map(|cell| cell.short.clone());
        let mut cell = || cells.next().unwrap_or_default();
        let std = digits(row.std, Rounding::Nearest);
        let margin = digits(row.margin_95, Rounding::Up);
        lines.push([row.policy.to_owned(), std, margin, cell(), cell(), cell()]);
    }
    table(&lines, columns).unwrap_or_else(|| {
        let paragraphs = lines.iter().skip(1).map(|line| {
            let [policy, cells @ ..] = line;
            let cells = HEADER[1..].iter().zip(cells);
            let cells: Vec<String> = cells.map(|(name, cell)| format!("{name} {cell}")).collect();
            wrapped(&format!("{policy}: "), "  ", &(cells.join("; ") + "."))
        });
        paragraphs.collect()
    })
}

/// Four digits of an accuracy.
fn digits(value: f64, rounding: Rounding) -> String {
    Rational::from_f64(value)
        .map_or_else(|_| "unknown".to_owned(), |value| figure(&value, 4, rounding))
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
        let sentences: Sentences = cells.map(|cell| cell.sentences(of_client, of_one)).collect();
        match groups.iter_mut().find(|(group, _)| *group == sentences) {
            Some((_, policies)) => policies.push(row.policy),
            None => groups.push((sentences, vec![row.policy])),
        }
    }
    groups
}
