//! The report of a sweep: as text, and with charts as a document.

mod curves;

use dp_exact::grouped;
use dp_simulation::sweep::{DataSource, Functionality, SweepJob, SweepResults, TOLERANCE};

use crate::figures::figure;
use crate::model::{Block, Column, Fact, Origin, Report, Section, Table};
use crate::text::{with_legend, wrapped_to};

/// The most jobs of the first table of a report.
const JOBS: usize = 45;

/// The most disagreements, and the most excluded pairs, in a list.
const NAMED: usize = 20;

const LEGEND: &str = "Best is the policy with the least predicted error. std is the predicted standard deviation of \
                      an estimate, with the noise of all aggregators and clients; observed is the observed standard \
                      deviation divided by std; coverage is the fraction of 95 % intervals that hold the truth; next is \
                      the second best policy, and its error divided by the best one's. Policies of one budget may \
                      guarantee different things: some take its epsilon0, others its epsilon. Rows say which.";

/// The results as text, with at most `jobs` jobs: prose in lines of `columns`, the table in lines
/// of `columns_of_tables`. A wider table is split.
#[must_use]
pub fn text(
    results: &SweepResults,
    jobs: usize,
    columns: usize,
    columns_of_tables: usize,
) -> String {
    let prose = |words: &str| wrapped_to(columns, "", "", words);
    let mut text = prose(&question(results));
    let left_out = left_out(results);
    if !left_out.is_empty() {
        text += "\nLeft out:\n";
        text.extend(left_out.iter().map(|pair| wrapped_to(columns, "  ", "    ", pair)));
    }
    let jobs = table_of_jobs(results, jobs);
    if !jobs.rows.is_empty() {
        text.push('\n');
        text += &with_legend(&jobs, columns, columns_of_tables);
    }
    text.push('\n');
    text.extend(agreement(results).iter().map(|sentence| prose(sentence)));
    text + &format!("Results digest: {}\n", results.summary.results_digest)
}

fn question(results: &SweepResults) -> String {
    let (sweep, all) = (&results.sweep, results.grid.cells.len());
    let cells = match usize::try_from(results.summary.cells) {
        Ok(some) if some < all => format!("{} of {} cells", grouped(some), grouped(all)),
        _ => format!("{} cells", grouped(all)),
    };
    let totals = match sweep.functionality {
        Functionality::Ideal => {
            "The ideal functionality: totals are drawn from their exact distributions, without Prio3."
        }
        Functionality::Prio3 => "Prio3: every report is made, verified and added up.",
    };
    let clients = match &sweep.data {
        DataSource::Synthetic(distribution) => {
            format!("Each client draws its value from a {} distribution.", distribution.name())
        }
        DataSource::Csv(_) => {
            format!("Each client is a row of {}, drawn at random.", sweep.data.name())
        }
    };
    format!(
        "A sweep of {cells}: {} policies, {} budgets. {totals} {clients} Seed: {}.",
        sweep.policies.len(),
        sweep.budgets.len(),
        results.grid.seed,
    )
}

/// The first [`NAMED`] pairs of policy and budget that are left out, with the reasons, and then how
/// many more there are.
fn left_out(results: &SweepResults) -> Vec<String> {
    let pairs = &results.grid.left_out;
    let named = pairs.iter().take(NAMED);
    let named = named.map(|pair| format!("{} with {}: {}", pair.policy, pair.budget, pair.reason));
    named.chain(unnamed(pairs.len(), "pairs")).collect()
}

fn agreement(results: &SweepResults) -> Vec<String> {
    let summary = &results.summary;
    if summary.judged == 0 {
        let words = "Whether errors are as predicted cannot be told: every cell has fewer than 100 errors (totals times \
                     trials).";
        return vec![words.to_owned()];
    }
    let unjudged = match summary.cells.saturating_sub(summary.judged) {
        0 => String::new(),
        some => format!(" Of {} there are fewer than 100 errors, too few to tell.", grouped(some)),
    };
    let (judged, off) = (grouped(summary.judged), &summary.disagreements);
    if off.is_empty() {
        return vec![format!(
            "Errors are as predicted: in none of {judged} cells are they off by more than {TOLERANCE} standard \
             errors.{unjudged}"
        )];
    }
    let mut named = vec![format!(
        "Not as predicted, by more than {TOLERANCE} standard errors (of {judged} cells):{unjudged}"
    )];
    named.extend(off.iter().take(NAMED).map(|one| {
        format!(
            "cell {} ({}): {} is off by {:.1} standard errors",
            one.cell, one.parameters, one.what, one.standard_errors
        )
    }));
    named.extend(unnamed(off.len(), "cells"));
    named
}

fn unnamed(all: usize, what: &str) -> Option<String> {
    let more = all.checked_sub(NAMED).filter(|more| *more > 0)?;
    Some(format!("and {} more {what}", grouped(more)))
}

/// The best policies of at most `most` jobs. A property with one value in all jobs has no column.
fn table_of_jobs(results: &SweepResults, most: usize) -> Table {
    type Cell = fn(&SweepJob) -> String;
    let jobs = &results.summary.jobs;
    let differ = |of: Cell| {
        let first = jobs.first().map(of);
        jobs.iter().any(|job| Some(of(job)) != first)
    };
    let optional: [(bool, Column, Cell); 5] = [
        (differ(|job| job.estimates.to_owned()), Column::words("estimates"), |job| {
            job.estimates.to_owned()
        }),
        (jobs.iter().any(|job| !job.size.is_empty()), Column::words("size"), |job| {
            job.size.clone()
        }),
        (differ(|job| job.aggregators.clone()), Column::numbers("aggregators"), |job| {
            job.aggregators.clone()
        }),
        (true, Column::numbers("clients"), |job| grouped(job.clients)),
        (differ(|job| job.trials.to_string()), Column::numbers("trials"), |job| {
            grouped(job.trials)
        }),
    ];
    let shown = || optional.iter().filter(|(is_shown, ..)| *is_shown);
    let mut columns = vec![Column::words("budget")];
    columns.extend(shown().map(|(_, column, _)| column.clone()));
    columns.push(Column::words("best"));
    columns.extend(["std", "observed", "coverage"].map(Column::numbers));
    columns.push(Column::words("next"));
    let row = |job: &SweepJob| {
        let (best, next) = (job.policies.first()?, job.policies.get(1));
        let next = next.map(|next| {
            let ratio = next.predicted_std / best.predicted_std;
            format!("{} ({ratio:.2} times)", next.policy)
        });
        let observed = best.observed_over_predicted;
        let mut cells = vec![job.budget.clone()];
        cells.extend(shown().map(|(.., cell)| cell(job)));
        cells.extend([
            best.policy.clone(),
            figure(best.predicted_std),
            observed.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.3}")),
            format!("{} %", figure(100.0 * best.coverage_95)),
            next.unwrap_or_default(),
        ]);
        Some(cells)
    };
    let cumulative = match results.sweep.percentiles {
        Some(_) => {
            " Here an estimate is a cumulative count, and coverage of bands around the distribution function."
        }
        None => "",
    };
    let more = match jobs.len().saturating_sub(most) {
        0 => String::new(),
        more => format!(" {more} more jobs are not shown: --csv writes a row for each cell."),
    };
    Table {
        rows: jobs.iter().take(most).filter_map(row).collect(),
        legend: format!("{LEGEND}{cumulative}{more}"),
        ..Table::new("The best policy of each job", columns)
    }
}

/// The report of a sweep.
#[must_use]
pub fn report(results: &SweepResults) -> Report {
    let agreement = agreement(results);
    let answer = agreement.first().map_or("", String::as_str);
    let mut sections = vec![best(results, &agreement)];
    sections.extend(curves::section(results));
    sections.push(details(results));
    let cells = grouped(results.rows.len());
    Report {
        kind: "sweep",
        title: format!("Comparison of privacy methods by {cells} trial runs"),
        origin: Origin::default(),
        verdict: wins(results),
        answer: answer.trim_end_matches(':').to_owned(),
        question: vec![question(results)],
        sections,
        colophon: crate::colophon(),
    }
}

fn wins(results: &SweepResults) -> String {
    let jobs = &results.summary.jobs;
    let mut wins: Vec<(&str, usize)> = Vec::new();
    for best in jobs.iter().filter_map(|job| job.policies.first()) {
        match wins.iter_mut().find(|(name, _)| *name == best.policy) {
            Some((_, count)) => *count += 1,
            None => wins.push((&best.policy, 1)),
        }
    }
    wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let wins = wins.iter().map(|(name, count)| format!("{name} in {}", grouped(count)));
    format!(
        "The most accurate method in {} comparisons: {}.",
        grouped(jobs.len()),
        wins.collect::<Vec<_>>().join(", "),
    )
}

fn best(results: &SweepResults, agreement: &[String]) -> Section {
    let mut blocks = vec![Block::Table(table_of_jobs(results, JOBS))];
    if let [_, named @ ..] = agreement
        && !named.is_empty()
    {
        blocks.push(Block::Warning("Some cells are not as predicted.".to_owned()));
        blocks.push(Block::List(named.to_vec()));
    }
    let left_out = left_out(results);
    if !left_out.is_empty() {
        let words = "Pairs of policy and budget that do not go together are left out:";
        blocks.push(Block::Paragraph(words.to_owned()));
        blocks.push(Block::List(left_out));
    }
    Section::new("jobs", "The best policy of each job", blocks)
}

fn details(results: &SweepResults) -> Section {
    let summary = &results.summary;
    let facts = vec![
        Fact::new("functionality", results.sweep.functionality.name()),
        Fact::new("data", results.sweep.data.name()),
        Fact::new("seed", results.grid.seed.to_string()),
        Fact::new("results digest", &*summary.results_digest),
        Fact::new("seconds of all cells", format!("{:.1}", summary.seconds)),
        Fact::new("version", env!("CARGO_PKG_VERSION")),
    ];
    let words = [
        "Each cell has a seed of its own, which follows from the seed of the sweep and from the cell's parameters: any \
         cell can be run again alone, and the order of the lists does not matter.",
        "Every epsilon and delta is an upper bound of the built policy, proved in the documentation of the crates \
         that compute it. Errors, their means and how often intervals hold the truth were observed.",
        "The digest is over all rows but their times: it is the same for every number of threads and \
         processes.",
    ];
    let blocks = vec![
        Block::Paragraph(question(results)),
        Block::Facts(facts),
        Block::List(words.map(str::to_owned).to_vec()),
    ];
    Section::new("details", "How the figures were found", blocks)
}
