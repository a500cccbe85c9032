//! The list of policies as text: a table, and what its columns mean.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dp_exact::{Rational, Rounding, figure};
use dp_planner::Adjacency;
use dp_prio3::{Circumstances, TrustModel};
use dp_report::model::{Column, Table};
use dp_report::text::{split_table, up};
use dp_simulation::report::{PairFields, PersonFields};

use super::PolicyList;
use super::row::{CARRIED_OVER, PolicyRow};
use crate::text::{columns_of_tables, counted, wrapped};

/// Indentation of lines below the name of a trust model.
const MARGIN: &str = "        ";

/// The list as text, with errors for batches of `reports` reports and guarantees in these
/// circumstances.
pub(super) fn text(list: &PolicyList, reports: u64, circumstances: &Circumstances) -> String {
    let mut text = guarantees(&list.policies, columns_of_tables());
    for person in list.policies.iter().filter_map(|row| row.person.as_ref()) {
        text += &wrapped("", "", &totals(person));
    }
    let whom = match circumstances.adjacency {
        Adjacency::OneCoordinate => "one answer of a person at a time",
        Adjacency::Replacement | Adjacency::Deletion => "one person",
    };
    let _ = writeln!(text, "\nEach column is a guarantee to {whom}. A smaller ε reveals less:");
    for model in TrustModel::ALL {
        let name = model.abbreviation();
        let (who, against) = (model.must_be_honest(), model.adversary());
        let line = format!("honest: {who}; against {against}.");
        text += &wrapped(&format!("  {name:<6}"), MARGIN, &line);
    }
    let cells = || list.policies.iter().flat_map(|row| &row.guarantees);
    let reasons: BTreeSet<&str> = cells().filter_map(|cell| cell.none_because.as_deref()).collect();
    for reason in reasons {
        text += &wrapped("  none  ", MARGIN, &format!("{reason}."));
    }
    if cells().any(|cell| cell.short.starts_with('≤')) {
        text += &wrapped("  ≤     ", MARGIN, &format!("epsilon may be smaller: {CARRIED_OVER}."));
    }
    let reports = counted(reports, "report");
    let other = match circumstances.adjacency {
        Adjacency::Replacement => "any other",
        Adjacency::Deletion => "one that counts nothing",
        Adjacency::OneCoordinate => "one that differs in one answer",
    };
    let neighbours = format!(
        "With fewer honest parties the guarantee of the column for these is left. Neighbours: one client's \
         measurement is replaced by {other}. The column OAMC counts on at least {}.",
        counted(circumstances.honest_clients, "honest client")
    );
    let error = format!(
        "std is the standard deviation of one estimate (of a count, a total or a mean) in a batch of {reports} by the \
         noise of all clients and aggregators, with clients spread evenly. In 95 of 100 cases the error of the estimate is at most the figure beside it, which takes errors as normal where clients add noise."
    );
    let is_own = |row: &PolicyRow| row.parameters.contains_key("epsilon0");
    let has_own = list.policies.iter().any(is_own) && !list.policies.iter().all(is_own);
    let own = "RAPPOR has an epsilon of each bit, --epsilon0, in place of --epsilon: compare errors at equal ε.";
    for paragraph in [neighbours, error].into_iter().chain(has_own.then(|| own.to_owned())) {
        text += "\n";
        text += &wrapped("", "", &paragraph);
    }
    for excluded in &list.excluded {
        text += "\n";
        text += &wrapped("", MARGIN, &format!("{}: {}.", excluded.policy.name, excluded.reason));
    }
    text
}

/// The guarantees of all releases for a person with several reports, by trust model, in a sentence.
fn totals(person: &PersonFields) -> String {
    let words = |pair: &Option<PairFields>| match pair {
        None => "none".to_owned(),
        Some(PairFields { epsilon, delta }) => format!("ε {}, δ {delta}", shown(epsilon)),
    };
    let models = TrustModel::ALL.iter().zip(&person.all_releases);
    let models = models.map(|(model, pair)| format!("{} {}", model.abbreviation(), words(pair)));
    let reports = counted(person.reports_per_client.into(), "report");
    let releases = counted(person.releases.into(), "release");
    let models = models.collect::<Vec<_>>().join("; ");
    format!("For one person in {releases}, with at most {reports} in each: {models}.")
}

/// An upper bound of a document with four significant digits, rounded up, as in the table.
fn shown(bound: &str) -> String {
    let bound: Rational = bound.parse().expect("documents have decimals");
    figure(&bound, 4, Rounding::Up)
}

/// The errors and guarantees of each policy as a table in lines of at most `columns` characters; a
/// wider table is split.
fn guarantees(rows: &[PolicyRow], columns: usize) -> String {
    let header = ["policy", "std", "± 95 %", "OC", "OAOC", "OAMC"].map(Column::words);
    let mut table = Table::new("", header.to_vec());
    for row in rows {
        let mut cells = vec![row.policy.to_owned(), up(row.std), up(row.margin_95)];
        cells.extend(row.guarantees.iter().map(|cell| cell.short.clone()));
        table.rows.push(cells);
    }
    split_table(&table, columns)
}
