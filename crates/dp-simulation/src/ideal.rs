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
use dp_task::Measured;

use crate::outcome::Gathered;
use crate::simulation::{Progress, Simulation};
use crate::streams::{Purpose, stream};
use crate::{Error, Outcome};
use coins::Tables;
use crowd::Crowd;
use randomizer::Randomized;

impl<P: DpPolicy<Measurement: Measured>> Simulation<P> {
    /// Runs every trial without reports: totals are drawn from their exact laws. The estimates have the law of
    /// those of [`Self::run`]; where clients do not randomize and each row is one client, they are the same.
    /// `progress` is told of each trial, not of clients.
    ///
    /// # Errors
    /// If the clients' randomization is not one that a ledger has a name for, there are more than 10^12 clients,
    /// reports may be dropped and vectors are too many and too long, noise that cannot be drawn, or aggregate
    /// shares that the collector refuses.
    pub fn run_ideal(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let start = Instant::now();
        let population = self.population();
        let tables = Tables::new(population.clients())?;
        let mut coins = tables.thrown_by(stream(self.seed(), Purpose::Population, 0, u64::MAX));
        let crowd = Crowd::of(population, self.policy().vdaf().output_len(), &mut coins);
        let randomized = Randomized::new(
            self.policy().client_randomization(),
            &crowd,
            population.measurements(),
        )?;
        let mut gathered = Gathered::default();
        for trial in 0..self.trials() {
            let start = Instant::now();
            let mut coins = tables.thrown_by(stream(self.seed(), Purpose::Client, trial, u64::MAX));
            let drawn = randomized.totals(&crowd, population.measurements(), &mut coins)?;
            gathered.add(self.released(trial, &crowd.totals, drawn, start.elapsed())?);
            progress(1);
        }
        Ok(gathered.outcome(population.clients(), start.elapsed()))
    }
}
