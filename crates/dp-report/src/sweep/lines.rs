//! Which rows make a picture: those that differ in one thing alone, a line for each policy.

use std::collections::BTreeMap;

use dp_exact::grouped;
use dp_simulation::sweep::{Job, Results, Row};

/// Rows of one picture, by policy in the order in which they came.
pub(super) struct Lines<'a> {
    /// What all of them have, in words.
    pub(super) setting: String,
    pub(super) policies: Vec<(&'a str, Vec<&'a Row>)>,
}

/// The most policies of a picture: as many as there are shapes.
const MOST_POLICIES: usize = 8;

/// What a picture is drawn over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Over {
    Clients,
    Epsilon,
}

/// Every picture over this, with at least two points on a line; what differs besides makes further ones.
pub(super) fn pictures(results: &Results, over: Over) -> Vec<Lines<'_>> {
    let rows: BTreeMap<u64, &Row> = results.rows.iter().map(|row| (row.cell, row)).collect();
    let mut places = BTreeMap::new();
    let mut pictures: Vec<Lines<'_>> = Vec::new();
    for job in &results.summary.jobs {
        let setting = setting(results, job, over);
        let place = *places.entry(setting.clone()).or_insert_with(|| {
            let policies = Vec::new();
            pictures.push(Lines { setting, policies });
            pictures.len() - 1
        });
        let Some(picture) = pictures.get_mut(place) else {
            continue;
        };
        for contender in &job.policies {
            if let Some(row) = rows.get(&contender.cell) {
                picture.add(row);
            }
        }
    }
    for picture in &mut pictures {
        picture.order(results);
    }
    pictures.retain(Lines::is_drawn);
    pictures
}

impl<'a> Lines<'a> {
    /// A cell can stand for several budgets, and is drawn once.
    fn add(&mut self, row: &'a Row) {
        let found = self
            .policies
            .iter_mut()
            .find(|(name, _)| *name == row.policy);
        match found {
            Some((_, rows)) if rows.iter().any(|other| other.cell == row.cell) => {}
            Some((_, rows)) => rows.push(row),
            None => self.policies.push((&row.policy, vec![row])),
        }
    }

    /// The policies as the sweep lists them: so each has the same shape in all pictures.
    fn order(&mut self, results: &Results) {
        let place = |name: &str| {
            let mut policies = results.sweep.policies.iter();
            policies.position(|policy| policy.name == name)
        };
        self.policies.sort_by_key(|(name, _)| place(name));
        self.policies.truncate(MOST_POLICIES);
    }

    fn is_drawn(&self) -> bool {
        self.policies.iter().any(|(_, rows)| rows.len() > 1)
    }
}

/// What the rows of a picture have in common, in words.
fn setting(results: &Results, job: &Job, over: Over) -> String {
    let mut words = vec![format!("Estimates: {}", job.estimates)];
    if !job.size.is_empty() {
        words.push(job.size.clone());
    }
    match over {
        Over::Clients => words.push(job.budget.clone()),
        Over::Epsilon => words.push(format!("{} clients", grouped(job.clients))),
    }
    if results.sweep.aggregators.len() > 1 {
        words.push(format!("{} aggregators", job.aggregators));
    }
    if results.sweep.trials.len() > 1 {
        words.push(format!("{} trials", job.trials));
    }
    words.join(", ")
}
