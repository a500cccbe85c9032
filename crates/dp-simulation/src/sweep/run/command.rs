//! What to type to run a cell alone.

use crate::report::Functionality;

use crate::sweep::data::{Data, Kind, TableData};
use crate::sweep::file::Sweep;
use crate::sweep::grid::Cell;

/// The words of a command.
#[derive(Debug)]
pub(super) struct Words(String);

impl Words {
    fn new(command: &str) -> Self {
        Self(command.to_owned())
    }

    /// A word, in quotes if a shell needs them.
    fn word(&mut self, word: &str) {
        let is_plain =
            |character: char| character.is_ascii_alphanumeric() || "-_./,:=+%@".contains(character);
        self.0.push(' ');
        if !word.is_empty() && word.chars().all(is_plain) {
            self.0.push_str(word);
        } else {
            self.0.push('\'');
            self.0.push_str(&word.replace('\'', "'\\''"));
            self.0.push('\'');
        }
    }

    /// An option. A value that looks like one stands behind a sign of equality.
    fn option(&mut self, name: &str, value: &str) {
        let name = format!("--{}", name.replace('_', "-"));
        if value.starts_with('-') {
            self.word(&format!("{name}={value}"));
        } else {
            self.word(&name);
            self.word(value);
        }
    }

    fn flag(&mut self, name: &str, is_set: bool) {
        if is_set {
            self.word(&format!("--{name}"));
        }
    }

    fn finish(self) -> String {
        self.0
    }
}

/// For a table the command `simulate`, whose clients are the same; other data `simulate` does not have: then
/// the number of the cell.
pub(super) fn command(sweep: &Sweep, cell: &Cell) -> String {
    let Data::Table(table) = &sweep.data else {
        let mut words = Words::new("sweep");
        words.word(&sweep.name);
        words.option("seed", &sweep.seed.unwrap_or_default().to_string());
        words.option("cell", &cell.number.to_string());
        return words.finish();
    };
    let mut words = Words::new("simulate");
    words.flag("ideal", sweep.functionality == Functionality::Ideal);
    words.option("policy", cell.policy.name);
    for (name, value) in cell.parameters.given() {
        words.option(name, value);
    }
    of_table(&mut words, sweep, table, cell);
    let max = sweep.max_measurement.filter(|_| adds_numbers(cell));
    if let Some(max) = max {
        words.option("max-measurement", &max.to_string());
    }
    if let Some(weight) = sweep.max_weight.filter(|_| cell.kind == Kind::Bits) {
        words.option("max-weight", &weight.to_string());
    }
    words.flag("accept-weak-promise", sweep.accept_weak_promise);
    words.option("clients", &cell.clients.to_string());
    words.option("trials", &cell.trials.to_string());
    words.option("seed", &cell.seed.to_string());
    words.finish()
}

/// Whether the policy adds up or averages numbers.
const fn adds_numbers(cell: &Cell) -> bool {
    matches!(cell.kind, Kind::Number | Kind::Numbers | Kind::BoundedSum)
}

/// Whether a number beyond a range can count as the nearest that is not: yes and no have no range.
fn clamps(sweep: &Sweep, cell: &Cell) -> bool {
    match cell.kind {
        Kind::Bit | Kind::BoundedSum => false,
        Kind::Number | Kind::Bucket | Kind::OneHot => true,
        Kind::Bits => cell.size.is_some(),
        Kind::Numbers => sweep.max_measurement.is_some(),
    }
}

fn of_table(words: &mut Words, sweep: &Sweep, table: &TableData, cell: &Cell) {
    let text = |words: &mut Words, name: &str, value: Option<&String>| {
        if let Some(value) = value {
            words.option(name, value);
        }
    };
    let file = table.file.as_ref().map(|file| sweep.path(file));
    text(words, "data", file.as_ref());
    let is_of_column = !cell.is_of_columns(table);
    if is_of_column {
        text(words, "column", table.column.as_ref());
        text(
            words,
            "bins",
            table.bins.get(cell.choice).filter(|_| cell.size.is_some()),
        );
        words.flag("overflow-bins", table.overflow_bins && cell.size.is_some());
    } else {
        words.option("columns", &table.columns.join(","));
    }
    words.flag("clamp", table.clamp && clamps(sweep, cell));
    text(words, "yes", table.yes.as_ref());
    text(words, "no", table.no.as_ref());
    text(words, "missing", table.missing.as_ref());
    text(words, "missing-value", table.missing_value.as_ref());
    text(words, "delimiter", table.delimiter.as_ref());
}
