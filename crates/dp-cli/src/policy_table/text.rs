//! The list of policies as text: a table, then every sentence once with the policies that share it.

use dp_exact::{Rational, Rounding, figure};
use dp_prio3::TrustModel;

use super::row::PolicyRow;
use super::{PolicyJob, PolicyList};
use crate::text::{columns, counted, table, wrapped};

/// Indentation of lines below the name of a trust model.
const MARGIN: &str = "        ";

/// The list of policies with their guarantees and the excluded ones, wrapped for standard output.
pub(super) fn text(list: &PolicyList, job: &PolicyJob) -> String {
    let mut text = guarantees(&list.policies, columns());
    text += "\nEach column is a guarantee to one client. A smaller ε reveals less:\n";
    for model in TrustModel::ALL {
        let name = model.abbreviation();
        let (who, against) = (model.must_be_honest(), model.adversary());
        let line = format!("honest: {who}; against {against}.");
        text += &wrapped(&format!("  {name:<6}"), MARGIN, &line);
    }
    let clients = counted(job.clients, "honest client");
    let reports = counted(job.clients, "report");
    let neighbours = format!(
        "Neighbours: one client's measurement is replaced by any other. {clients} in OAMC; \
         compensated-rappor in batches of at most {reports}."
    );
    let error = "std is the standard deviation of one estimate (of a count, a total or a mean) by the \
                 noise of all clients and aggregators, with clients spread evenly. In 95 of 100 cases \
                 the error of the estimate is at most the figure beside it.";
    for paragraph in [neighbours.as_str(), error] {
        text += "\n";
        text += &wrapped("", "", paragraph);
    }
    for excluded in &list.excluded {
        text += "\n";
        text += &wrapped("", MARGIN, &format!("{}: {}.", excluded.policy, excluded.reason));
    }
    for (guarantees, policies) in groups(&list.policies) {
        text += "\n";
        text += &wrapped("", "", &policies.join(", "));
        for (model, sentences) in TrustModel::ALL.iter().zip(guarantees) {
            let mut margin = format!("  {:<6}", model.abbreviation());
            for sentence in sentences {
                text += &wrapped(&margin, MARGIN, &sentence);
                MARGIN.clone_into(&mut margin);
            }
        }
    }
    text
}

/// A table line for each policy, or a paragraph each if a line has more than `columns` characters.
fn guarantees(rows: &[PolicyRow], columns: usize) -> String {
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
        let paragraphs = lines.iter().skip(1).map(|[policy, cells @ ..]| {
            let cells = HEADER[1..].iter().zip(cells);
            let cells: Vec<String> = cells.map(|(name, cell)| format!("{name} {cell}")).collect();
            wrapped(&format!("{policy}: "), "  ", &(cells.join("; ") + "."))
        });
        paragraphs.collect()
    })
}

/// An error with four significant digits; `unknown` if it is not finite.
fn digits(value: f64, rounding: Rounding) -> String {
    Rational::from_f64(value)
        .map_or_else(|_| "unknown".to_owned(), |value| figure(&value, 4, rounding))
}

/// For each trust model in the order of `TrustModel::ALL`, its sentences.
type Sentences = Vec<Vec<String>>;

/// Sentences with the names of all policies that share them, in the order of the table.
fn groups(rows: &[PolicyRow]) -> Vec<(Sentences, Vec<&'static str>)> {
    let mut groups: Vec<(Sentences, Vec<&'static str>)> = Vec::new();
    for row in rows {
        let (oc, oaoc) = (row.guarantees.first(), row.guarantees.get(1));
        let sentences: Sentences =
            row.guarantees.iter().map(|cell| cell.sentences(oc, oaoc)).collect();
        match groups.iter_mut().find(|(group, _)| *group == sentences) {
            Some((_, policies)) => policies.push(row.policy),
            None => groups.push((sentences, vec![row.policy])),
        }
    }
    groups
}
