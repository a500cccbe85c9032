//! The entries of a ledger, as `ledger show --entries` lists them.

use dp_exact::{grouped, shown};
use dp_ledger::{Cost, Entry, Mechanism, Release};
use serde::Serialize;

use crate::text::wrapped;

/// An entry with its number, counted from 1.
#[derive(Debug, Serialize)]
pub(crate) struct ListedEntry {
    number: usize,
    name: String,
    release: Release,
    charge: Cost,
    #[serde(skip_serializing_if = "Option::is_none")]
    shares: Option<String>,
}

impl ListedEntry {
    /// All entries, with their numbers from 1.
    pub(super) fn all(entries: &[Entry]) -> Vec<Self> {
        let listed = |(number, entry): (usize, &Entry)| Self {
            number,
            name: entry.name().to_owned(),
            release: entry.release().clone(),
            charge: entry.charge(),
            shares: entry.shares().map(ToString::to_string),
        };
        (1..).zip(entries).map(listed).collect()
    }

    /// The list of all entries as text, under a heading.
    pub(crate) fn text(entries: &[Self]) -> String {
        let mut text =
            "\nEntries, in the order of recording (a ledger has no clock: a name can say \
                        when)\n"
                .to_owned();
        if entries.is_empty() {
            text += "  none\n";
        }
        for entry in entries {
            let number = format!("  {}. ", grouped(entry.number));
            text += &wrapped(&number, "       ", &shown(&entry.name));
            text += &wrapped("       ", "       ", &entry.words());
        }
        text
    }

    /// The entry without its number and its name, in sentences.
    fn words(&self) -> String {
        let release = &self.release;
        let batch = match release.minimum_batch {
            0 | 1 => String::new(),
            fewest => format!(" of at least {} reports", grouped(fewest)),
        };
        let shares = self.shares.as_ref();
        let shares = shares.map(|digest| format!(" Shares {digest}.")).unwrap_or_default();
        let mechanism = match &release.mechanism {
            Mechanism::Aggregators(_) => "noise of the aggregators".to_owned(),
            Mechanism::Clients(_) => "randomized by the clients".to_owned(),
            Mechanism::Both { .. } => "noise of clients and aggregators".to_owned(),
            Mechanism::Other(words) => shown(words),
            _ => "another mechanism".to_owned(),
        };
        let (budget, charge) = (&release.budget, &self.charge);
        let (model, adjacency) = (release.trust_model.abbreviation(), release.adjacency);
        format!("{mechanism}{batch}: {budget} ({model}, {adjacency}). Charge: {charge}.{shares}")
    }
}
