//! A crowd: how many clients measure what.

use dp_prio3::Error;

use super::draws::Draws;
use super::probability::Probability;
use crate::{Measurements, Population};

/// How many clients there are, and what they measure.
#[derive(Clone, Debug)]
pub(super) struct Crowd {
    /// The clients.
    pub(super) clients: u64,
    /// A row for each measurement that some clients have, and their number.
    pub(super) groups: Vec<(usize, u64)>,
    /// The totals over all clients.
    pub(super) totals: Vec<i128>,
}

impl Crowd {
    /// The clients of a population. Where each draws a row at random, how many draw each is drawn here, from
    /// its exact law.
    pub(super) fn of(population: &Population, length: usize, draws: &mut impl Draws) -> Self {
        let rows = population.measurements();
        let weighted = population.weighted_rows();
        let groups = match population.drawn_clients() {
            None => weighted,
            Some(clients) => drawn(weighted, clients, draws),
        };
        let mut totals = vec![0; length];
        for (row, count) in &groups {
            rows.add_times(*row, *count, &mut totals);
        }
        Self {
            clients: population.clients(),
            groups,
            totals,
        }
    }

    /// The totals where they are counts of clients.
    pub(super) fn counts(&self) -> Result<Vec<u64>, Error> {
        let count = |total: &i128| {
            u64::try_from(*total)
                .ok()
                .filter(|count| *count <= self.clients)
        };
        let counts: Option<Vec<u64>> = self.totals.iter().map(count).collect();
        let refused = || {
            let accepted = "counts of clients, where measurements are bits";
            dp_exact::ParameterError::new("totals", "beyond the number of clients", accepted)
        };
        Ok(counts.ok_or_else(refused)?)
    }

    /// Of how many groups the vectors have several ones, or none.
    pub(super) fn heavier_groups(&self, rows: &Measurements) -> u64 {
        let groups = self.groups.iter();
        let heavier = groups.filter(|(row, _)| rows.only_one(*row).is_none());
        heavier.map(|_| 1).sum()
    }
}

/// How many of the clients draw each group, in proportion to its weight.
fn drawn(groups: Vec<(usize, u64)>, clients: u64, draws: &mut impl Draws) -> Vec<(usize, u64)> {
    let mut weight: u64 = groups.iter().map(|(_, weight)| weight).sum();
    let mut left = clients;
    let mut drawn = Vec::with_capacity(groups.len());
    for (row, of_group) in groups {
        let count = draws.successes(left, &Probability::ratio(of_group, weight.max(1)));
        left -= count;
        weight -= of_group;
        drawn.push((row, count));
    }
    drawn
}
