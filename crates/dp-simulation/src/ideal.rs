//! The ideal functionality: what Prio3 computes, without Prio3.
//!
//! Prio3 reveals the totals of the reports that are sent, with the noise of every aggregator, and nothing else. So a
//! simulation that is after the estimates alone need not make reports: it draws the totals from their exact
//! law, jointly with the number of reports, adds the noise that the aggregators would draw, and estimates as
//! the collector does. The cost depends on the coordinates, not on the clients.
//!
//! - **Clients without randomization**: the totals are those of the data.
//! - **Flipped bits**, all of which are sent: each total is the ones that are not flipped and the zeros that are,
//!   two binomial numbers ([`bits`]).
//! - **k-ary answers**: of each answer a binomial number is replaced, and those are spread uniformly ([`answers`]).
//! - **Flipped bits of which heavy reports are not sent**: reports and totals by classes of equal weight
//!   ([`dropping`], [`weights`]).
//!
//! All of these laws are drawn from fair coins in exact steps ([`draws`], [`coins`]): no probability is rounded.
//! Each client's randomness is independent of everything else, and Prio3 accepts every report of an honest
//! client, so the law is that of a run of Prio3; the tests compare both.

mod answers;
mod bits;
mod coins;
mod crowd;
mod draws;
mod dropping;
mod probability;
mod randomizer;
mod weights;

#[cfg(test)]
mod tests;

use std::time::Instant;

use dp_prio3::DpPolicy;

use crate::outcome::Record;
use crate::streams::{Purpose, stream};
use crate::trials::Trials;
use crate::{Error, Population};
use coins::Tables;
use crowd::Crowd;
use randomizer::Randomized;

/// What all trials have in common.
#[derive(Debug)]
pub(crate) struct Ideal {
    tables: Tables,
    crowd: Crowd,
    randomized: Randomized,
}

impl Ideal {
    /// Of these clients.
    ///
    /// # Errors
    /// If the clients' randomization is not one that a ledger has a name for, there are more than 10^12 clients, or
    /// reports may be dropped and vectors are too many and too long.
    pub(crate) fn new<P: DpPolicy>(
        trials: &Trials<P>,
        population: &Population,
    ) -> Result<Self, Error> {
        let tables = Tables::new(population.clients())?;
        let mut coins = tables.thrown_by(stream(trials.seed(), Purpose::Population, 0, u64::MAX));
        let crowd = Crowd::of(population, trials.length(), &mut coins);
        let of_policy = trials.policy().client_randomization();
        let randomized = Randomized::new(of_policy, &crowd, population.measurements())?;
        Ok(Self {
            tables,
            crowd,
            randomized,
        })
    }

    /// One trial, whose totals are drawn from their exact laws.
    ///
    /// # Errors
    /// Noise that cannot be drawn, or aggregate shares that the collector refuses.
    pub(crate) fn trial<P: DpPolicy>(
        &self,
        trials: &Trials<P>,
        population: &Population,
        number: u64,
    ) -> Result<Record, Error> {
        let start = Instant::now();
        let of_trial = stream(trials.seed(), Purpose::Client, number, u64::MAX);
        let mut coins = self.tables.thrown_by(of_trial);
        let rows = population.measurements();
        let drawn = self.randomized.totals(&self.crowd, rows, &mut coins)?;
        trials.released(number, &self.crowd.totals, drawn, start.elapsed())
    }
}
