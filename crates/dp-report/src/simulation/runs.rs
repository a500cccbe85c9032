//! Runs that differ in some options, as a table: a row for each run, with its guarantees and
//! errors.

use std::io;

use dp_calibration::Budget;
use dp_exact::{Rational, grouped};
use dp_prio3::{Guarantee, PrivacyBound};
use dp_simulation::Summary;

use crate::figures::{delta, epsilon, figure};
use crate::model::{Block, Column, Report, Section, Table};
use crate::text::{with_legend, wrapped_to};

/// Stands for a figure that does not exist.
const NONE: &str = "-";

const LEGEND: &str = "upper bounds on epsilon, and on delta where it is not 0, for one measurement. predicted and \
                      observed: the standard deviation of an estimate, with the noise of all aggregators and \
                      clients; mean and largest: of the absolute errors of all estimates; coverage: how many of \
                      the 95 % intervals hold the truth.";

/// A figure of a run; `None` if the run does not have it.
type Figure = fn(&Summary) -> Option<f64>;

/// The figures with their names in CSV and in a table, which leaves out those without a name.
const FIGURES: [(&str, &str, Figure); 8] = [
    ("predicted_std", "predicted", |run| Some(run.estimates.predicted_std)),
    ("observed_std", "observed", |run| Some(run.estimates.errors.observed_std)),
    ("observed_std_error", "", |run| run.estimates.errors.observed_std_error),
    ("mean_absolute_error", "mean", |run| Some(run.estimates.mean_absolute_error)),
    ("largest_error", "largest", |run| Some(run.estimates.largest_error)),
    ("bias", "", |run| Some(run.estimates.errors.bias)),
    ("bias_error", "", |run| run.estimates.errors.bias_error),
    ("coverage_95", "coverage %", |run| Some(run.estimates.coverage_95)),
];

/// Runs that differ in some options.
#[derive(Clone, Debug)]
pub struct RunTable {
    /// The options that differ, without dashes.
    pub options: Vec<String>,
    /// The runs, in the order of their combinations.
    pub runs: Vec<ComparedRun>,
    /// The seed of every run.
    pub seed: u64,
    /// The questions of the runs, each once.
    pub questions: Vec<String>,
}

/// One of several runs.
#[derive(Clone, Debug)]
pub struct ComparedRun {
    /// The value of each option that differs; empty where the policy does not have the option.
    pub values: Vec<String>,
    /// The guarantees by trust model and the figures of the run, or why there are none.
    pub figures: Result<(Vec<Guarantee>, Summary), String>,
}

impl RunTable {
    /// The runs as text: prose in lines of `columns`, the table in lines of `columns_of_tables`. A
    /// wider table is split.
    #[must_use]
    pub fn text(&self, columns: usize, columns_of_tables: usize) -> String {
        let prose = |words: &String| wrapped_to(columns, "", "", words);
        let mut text: String = self.questions.iter().map(prose).collect();
        text += &prose(&self.seeds());
        text.push('\n');
        text += &with_legend(&self.table(), columns, columns_of_tables);
        for refused in self.refused() {
            text += &wrapped_to(columns, "Refused: ", "  ", &refused);
        }
        text
    }

    /// The runs as a report.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut blocks = vec![Block::Table(self.table())];
        let refused: Vec<String> = self.refused().collect();
        let answer = format!("{} of them are refused.", grouped(refused.len()));
        if !refused.is_empty() {
            blocks.push(Block::Warning("Some runs are refused.".to_owned()));
            blocks.push(Block::List(refused));
        }
        Report {
            kind: "runs",
            title: format!("Comparison of {} trial runs", grouped(self.runs.len())),
            date: None,
            verdict: self.seeds(),
            answer,
            question: self.questions.clone(),
            sections: vec![Section::new("runs", "Every run", blocks)],
            colophon: crate::colophon(),
        }
    }

    /// The names of all columns, and the cells of each run with all digits, for CSV and documents.
    /// Figures that do not exist are empty; the last column says why a run is refused.
    #[must_use]
    pub fn cells(&self) -> (Vec<String>, Vec<Vec<String>>) {
        let mut head = self.options.clone();
        for model in self.models() {
            head.extend(["epsilon", "delta", "rho"].map(|bound| format!("{model}_{bound}")));
        }
        head.extend(FIGURES.iter().map(|(name, ..)| (*name).to_owned()));
        head.extend(["results_digest", "refused"].map(str::to_owned));
        let head: Vec<String> =
            head.iter().map(|name| name.replace('-', "_").to_lowercase()).collect();
        let row = |run: &ComparedRun| {
            let mut cells = run.values.clone();
            if let Ok((guarantees, summary)) = &run.figures {
                let bounds = guarantees.iter().flat_map(parts);
                cells.extend(bounds.map(|one| one.map_or_else(String::new, Rational::to_string)));
                let figures = FIGURES.iter().map(|(.., of)| of(summary));
                cells.extend(figures.map(|one| one.map_or_else(String::new, |it| it.to_string())));
                cells.push(summary.results_digest.clone());
            }
            cells.resize(head.len() - 1, String::new());
            cells.extend([run.figures.as_ref().err().cloned().unwrap_or_default()]);
            cells
        };
        let rows = self.runs.iter().map(row).collect();
        (head, rows)
    }

    /// The runs as CSV.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_csv(&self, writer: impl io::Write) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(writer);
        let (head, rows) = self.cells();
        [head].iter().chain(&rows).try_for_each(|row| writer.write_record(row))?;
        writer.flush()
    }

    /// The number of runs and their seed, in words.
    fn seeds(&self) -> String {
        let (runs, seed) = (grouped(self.runs.len()), self.seed);
        format!(
            "{runs} runs. Each one alone, with its options and --seed {seed}, gives the same estimates."
        )
    }

    /// Abbreviations of the trust models of the guarantees, from the first run that is not refused;
    /// none if all are.
    fn models(&self) -> Vec<String> {
        let done = self.runs.iter().find_map(|run| run.figures.as_ref().ok());
        let models = done.iter().flat_map(|(guarantees, _)| guarantees);
        models.map(|one| one.trust_model.abbreviation()).collect()
    }

    /// The options of each run that is refused, such as `policy count-laplace, epsilon 1`, and why.
    fn refused(&self) -> impl Iterator<Item = String> {
        self.runs.iter().filter_map(|run| {
            let reason = run.figures.as_ref().err()?;
            let options = self.options.iter().zip(&run.values);
            let options = options.filter(|(_, value)| !value.is_empty());
            let options: Vec<_> = options.map(|(name, value)| format!("{name} {value}")).collect();
            Some(format!("{}: {reason}", options.join(", ")))
        })
    }

    /// The runs as a table, a row each; a column without any figure is left out.
    fn table(&self) -> Table {
        let models = self.models();
        let mut columns: Vec<Column> = self.options.iter().map(Column::words).collect();
        columns.extend(models.iter().map(Column::words));
        let shown = || FIGURES.iter().filter(|(_, name, _)| !name.is_empty());
        columns.extend(shown().map(|(_, name, _)| Column::numbers(*name)));
        let row = |run: &ComparedRun| {
            let mut cells = run.values.clone();
            if let Ok((guarantees, summary)) = &run.figures {
                cells.extend(guarantees.iter().map(bound));
                cells.extend(shown().map(|(_, name, of)| {
                    let unit = if name.ends_with('%') { 100.0 } else { 1.0 };
                    of(summary).map_or_else(|| NONE.to_owned(), |value| figure(unit * value))
                }));
            }
            cells.resize(columns.len(), NONE.to_owned());
            cells
        };
        let mut rows: Vec<Vec<String>> = self.runs.iter().map(row).collect();
        for column in (self.options.len()..columns.len()).rev() {
            if rows.iter().all(|cells| cells[column] == NONE) {
                columns.remove(column);
                rows.iter_mut().for_each(|cells| drop(cells.remove(column)));
            }
        }
        let legend = format!("{}: {LEGEND}", models.join(", "));
        Table { rows, legend, ..Table::new("Every run", columns) }
    }
}

/// ε, δ and ρ of a guarantee of one release: `None` for each that it does not have, and for all
/// without a guarantee or for a Rényi bound.
fn parts(guarantee: &Guarantee) -> [Option<&Rational>; 3] {
    match &guarantee.bound {
        PrivacyBound::Proved(Budget::Pure { epsilon }) => [Some(epsilon.value()), None, None],
        PrivacyBound::Proved(Budget::Approximate { epsilon, delta }) => {
            [Some(epsilon.value()), Some(delta.value()), None]
        }
        PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) => [None, None, Some(rho.value())],
        _ => [None; 3],
    }
}

/// The guarantee of one release as ε, or ε and δ, or ρ, rounded up; a dash if there is none.
fn bound(guarantee: &Guarantee) -> String {
    match parts(guarantee) {
        [Some(bound), None, _] => epsilon(bound),
        [Some(bound), Some(at), _] => format!("{}, {}", epsilon(bound), delta(at)),
        [_, _, Some(rho)] => format!("rho {}", epsilon(rho)),
        _ => NONE.to_owned(),
    }
}
