//! The report of a sweep: its answer, pictures, and every cell.

use dp_exact::grouped;
use dp_simulation::sweep::Results;

use super::{Answer, curves, promises, tables};
use crate::model::{Block, Fact, Origin, Report, Section};

/// The most jobs of the first table.
const JOBS: usize = 45;

/// The report of a sweep. It costs next to nothing.
#[must_use]
pub fn report(results: &Results) -> Report {
    let answer = Answer::of(results, JOBS);
    let mut sections = vec![best(&answer)];
    sections.extend(curves::section(results));
    sections.extend([
        tables::section(results),
        promises::section(results),
        details(results, &answer),
    ]);
    Report {
        kind: "sweep",
        title: format!(
            "Comparison of privacy methods by {} trial runs",
            grouped(results.rows.len())
        ),
        origin: Origin::default(),
        question: answer.question.clone(),
        verdict: sentence(results),
        answer: agreement(&answer),
        sections,
        colophon: crate::colophon(),
    }
}

/// Whether errors are as predicted.
fn agreement(answer: &Answer) -> String {
    let agreement = answer.agreement.first().map_or("", String::as_str);
    agreement.trim_end_matches(':').to_owned()
}

/// Which policy is best how often.
fn sentence(results: &Results) -> String {
    let jobs = &results.summary.jobs;
    let best = jobs.iter().filter_map(|job| job.policies.first());
    let mut wins: Vec<(&str, usize)> = Vec::new();
    for contender in best {
        match wins.iter_mut().find(|(name, _)| *name == contender.policy) {
            Some((_, count)) => *count += 1,
            None => wins.push((&contender.policy, 1)),
        }
    }
    wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let wins: Vec<String> = wins
        .iter()
        .map(|(name, count)| format!("{name} in {}", grouped(count)))
        .collect();
    format!(
        "The most accurate method in {} comparisons: {}.",
        grouped(jobs.len()),
        wins.join(", "),
    )
}

fn best(answer: &Answer) -> Section {
    let mut blocks = vec![Block::Table(answer.jobs.clone())];
    let named: Vec<String> = answer.agreement.iter().skip(1).cloned().collect();
    if !named.is_empty() {
        blocks.push(Block::Warning(
            "Some cells are not as predicted.".to_owned(),
        ));
        blocks.push(Block::List(named));
    }
    if !answer.left_out.is_empty() {
        let words = "Pairs of policy and budget that do not go together are left out:";
        blocks.push(Block::Paragraph(words.to_owned()));
        blocks.push(Block::List(answer.left_out.clone()));
    }
    Section {
        id: "jobs",
        title: "The best policy of each job".to_owned(),
        blocks,
    }
}

fn details(results: &Results, answer: &Answer) -> Section {
    let facts = vec![
        Fact::new("functionality", results.sweep.functionality.name()),
        Fact::new("data", results.sweep.data.name()),
        Fact::new("seed", results.grid.seed.to_string()),
        Fact::new("results digest", &*results.summary.results_digest),
        Fact::new(
            "seconds of all cells",
            format!("{:.1}", results.summary.seconds),
        ),
        Fact::new("version", env!("CARGO_PKG_VERSION")),
    ];
    let words = [
        "Each cell has a seed of its own, which follows from that of the sweep and from the cell's parameters: any \
         cell can be run again alone, and the order of the lists does not matter.",
        "Every epsilon and delta is an upper bound of the built policy, proved in the documentation of the crates \
         that compute it. Errors, their means and how often intervals hold the truth were observed.",
        "The digest is over all rows but their times and commands: it is the same for every number of threads and \
         processes.",
    ];
    let mut blocks: Vec<Block> = answer
        .question
        .iter()
        .cloned()
        .map(Block::Paragraph)
        .collect();
    blocks.push(Block::Facts(facts));
    blocks.push(Block::List(words.map(str::to_owned).to_vec()));
    Section {
        id: "details",
        title: "How the figures were found".to_owned(),
        blocks,
    }
}
