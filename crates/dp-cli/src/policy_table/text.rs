//! The list of policies as text: a table, then every sentence once with the policies that share it.

use dp_exact::{Rational, Rounding, figure};
use dp_prio3::TrustModel;
use dp_report::model::{Column, Table};
use dp_report::text::split_table;
use dp_simulation::report::{PairFields, PersonFields};

use super::PolicyList;
use super::row::PolicyRow;
use crate::text::{columns_of_tables, counted, wrapped};

/// Indentation of lines below the name of a trust model.
const MARGIN: &str = "        ";

/// The list as text; `clients` is the number of honest clients for guarantees in OAMC.
pub(super) fn text(list: &PolicyList, clients: u64) -> String {
    let mut text = guarantees(&list.policies, columns_of_tables());
    for person in list.policies.iter().filter_map(|row| row.person.as_ref()) {
        text += &wrapped("", "", &totals(person));
    }
    text += "\nEach column is a guarantee to one client. A smaller ε reveals less:\n";
    for model in TrustModel::ALL {
        let name = model.abbreviation();
        let (who, against) = (model.must_be_honest(), model.adversary());
        let line = format!("honest: {who}; against {against}.");
        text += &wrapped(&format!("  {name:<6}"), MARGIN, &line);
    }
    let reports = counted(clients, "report");
    let clients = counted(clients, "honest client");
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

/// The guarantees of all releases for a person with several reports, by trust model, in a sentence.
fn totals(person: &PersonFields) -> String {
    let words = |pair: &Option<PairFields>| match pair {
        None => "none".to_owned(),
        Some(PairFields { epsilon, delta }) => format!("ε {epsilon}, δ {delta}"),
    };
    let models = TrustModel::ALL.iter().zip(&person.all_releases);
    let models = models.map(|(model, pair)| format!("{} {}", model.abbreviation(), words(pair)));
    let reports = counted(person.reports_per_client.into(), "report");
    let releases = counted(person.releases.into(), "release");
    let models = models.collect::<Vec<_>>().join("; ");
    format!("For one person in {releases}, with at most {reports} in each: {models}.")
}

/// The errors and guarantees of each policy as a table in lines of at most `columns` characters; a
/// wider table is split.
fn guarantees(rows: &[PolicyRow], columns: usize) -> String {
    let header = ["policy", "std", "± 95 %", "OC", "OAOC", "OAMC"].map(Column::words);
    let mut table = Table::new("", header.to_vec());
    for row in rows {
        let std = digits(row.std, Rounding::Nearest);
        let margin = digits(row.margin_95, Rounding::Up);
        let mut cells = vec![row.policy.to_owned(), std, margin];
        cells.extend(row.guarantees.iter().map(|cell| cell.short.clone()));
        table.rows.push(cells);
    }
    split_table(&table, columns)
}

/// An error with four significant digits, rounded as told; `unknown` if it is not finite.
fn digits(value: f64, rounding: Rounding) -> String {
    Rational::from_f64(value)
        .map_or_else(|_| "unknown".to_owned(), |value| figure(&value, 4, rounding))
}

/// For each trust model in the order of `TrustModel::ALL`, its sentences.
type Sentences = Vec<Vec<String>>;

/// The sentences of each policy, once for all policies that share them, with their names, in the
/// order of the rows.
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
