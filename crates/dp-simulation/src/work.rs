//! The work of a simulation, block by block.

use std::ops::Range;
use std::time::Instant;

use dp_exact::ParameterError;
use dp_prio3::DpPolicy;
use dp_task::FromMeasurement;
use rayon::iter::{IntoParallelIterator as _, ParallelIterator as _};

use crate::ideal::Ideal;
use crate::outcome::Record;
use crate::report::Functionality;
use crate::simulation::{Progress, Simulation};
use crate::trials::{BlockResults, Trials};
use crate::{Error, Outcome};

/// Trials that are drawn together, by all threads.
const TRIALS_AT_ONCE: u64 = 256;

/// A simulation that is about to run, as a whole or in ranges of blocks.
#[derive(Debug)]
pub struct Work<'a, P> {
    simulation: &'a Simulation<P>,
    trials: Trials<P>,
    ideal: Option<Ideal>,
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Simulation<P> {
    /// The work over real Prio3.
    #[must_use]
    pub fn work(&self) -> Work<'_, P> {
        Work { simulation: self, trials: self.trials().clone(), ideal: None }
    }

    /// The work without reports: totals are drawn from their exact laws. The estimates have the law of
    /// those over Prio3; where clients do not randomize and each row is one client, they are the same.
    ///
    /// # Errors
    /// If the clients' randomization is not one that a ledger has a name for, there are more than 10^12 clients, or
    /// reports may be dropped and vectors are too many and too long.
    pub fn ideal_work(&self) -> Result<Work<'_, P>, Error> {
        let trials = self.trials().clone().computed_by(Functionality::Ideal);
        Ok(Work { simulation: self, ideal: Some(Ideal::new(&trials, self.population())?), trials })
    }

    /// Runs every trial over real Prio3.
    ///
    /// # Errors
    /// The first measurement that the policy does not admit, noise that cannot be drawn, or
    /// aggregate shares that the collector refuses.
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        self.work().run(progress)
    }

    /// Runs every trial without reports, see [`Self::ideal_work`]. `progress` is told of each trial, not of clients.
    ///
    /// # Errors
    /// As [`Self::ideal_work`], noise that cannot be drawn, or aggregate shares that the collector refuses.
    pub fn run_ideal(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        self.ideal_work()?.run(progress)
    }
}

impl<P: DpPolicy<Measurement: FromMeasurement>> Work<'_, P> {
    /// The trials, as what computes their totals cuts them into blocks.
    #[must_use]
    pub const fn trials(&self) -> &Trials<P> {
        &self.trials
    }

    /// How many blocks there are.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.trials.blocks()
    }

    /// How many more steps are told to `progress` in the blocks of a range: clients, or trials where totals are drawn from
    /// their laws.
    #[must_use]
    pub fn steps(&self, blocks: Range<u64>) -> u64 {
        match self.ideal {
            Some(_) => blocks.end.saturating_sub(blocks.start),
            None => {
                let pieces = self.trials.cut().pieces(blocks);
                let clients = pieces.map(|piece| piece.clients.end - piece.clients.start);
                clients.fold(0, u64::saturating_add)
            }
        }
    }

    /// Works through the blocks of a range on all threads: trial by trial, or trials beside each other where totals are drawn
    /// from their laws.
    ///
    /// # Errors
    /// If there are no such blocks, and as [`Simulation::run`] and [`Simulation::run_ideal`].
    pub fn run_blocks(
        &self,
        blocks: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<BlockResults<P>, Error> {
        let all = self.blocks();
        if blocks.start >= blocks.end || blocks.end > all {
            let value = format!("{}..{}", blocks.start, blocks.end);
            let accepted = format!("some of the blocks 0..{all}");
            return Err(ParameterError::new("blocks", value, accepted).into());
        }
        let start = Instant::now();
        let mut part = BlockResults::empty(blocks.start);
        match &self.ideal {
            None => self.run_prio3(&mut part, blocks, progress)?,
            Some(ideal) => {
                part.records = self.draw(ideal, blocks.clone(), progress)?;
                part.blocks = blocks;
            }
        }
        part.elapsed = start.elapsed();
        Ok(part)
    }

    /// Adds what came of the blocks that follow, as [`Trials::extend`].
    ///
    /// # Errors
    /// As [`Trials::extend`].
    pub fn extend(&self, part: &mut BlockResults<P>, next: BlockResults<P>) -> Result<(), Error> {
        if next.head.is_some() {
            let pieces = self.trials.cut().pieces(next.blocks.clone());
            for piece in pieces.take(1) {
                self.know_truth(part, &piece.blocks)?;
            }
        }
        self.trials.extend(part, next)
    }

    /// Works through all blocks.
    ///
    /// # Errors
    /// As [`Simulation::run`] and [`Simulation::run_ideal`].
    pub fn run(&self, progress: Progress<'_>) -> Result<Outcome, Error> {
        let mut gathering = self.trials.gather();
        // What is kept of trials is small once they are gathered.
        let (cut, all) = (self.trials.cut(), self.trials.trials());
        let at_once = match self.ideal {
            Some(_) => TRIALS_AT_ONCE,
            None => 1,
        };
        let mut first = 0;
        while first < all {
            let end = all.min(first.saturating_add(at_once));
            let blocks = cut.of_trial(first).start..cut.of_trial(end - 1).end;
            gathering.add(self.run_blocks(blocks, progress)?)?;
            first = end;
        }
        gathering.outcome()
    }

    /// Draws trials, each on one of the threads.
    fn draw(
        &self,
        ideal: &Ideal,
        trials: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<Vec<Record>, Error> {
        let population = self.simulation.population();
        let draw = |trial| {
            let drawn = ideal.trial(&self.trials, population, trial);
            progress(1);
            drawn
        };
        // The error is that of the first trial that has one, whatever the number of threads.
        let drawn: Vec<Result<Record, Error>> =
            self.simulation.pool().install(|| trials.into_par_iter().map(draw).collect());
        drawn.into_iter().collect()
    }

    fn run_prio3(
        &self,
        part: &mut BlockResults<P>,
        blocks: Range<u64>,
        progress: Progress<'_>,
    ) -> Result<(), Error> {
        for piece in self.trials.cut().pieces(blocks) {
            let parties = self.trials.parties(piece.trial)?;
            let clients = piece.clients;
            let reported = self.simulation.aggregate(piece.trial, &parties, clients, progress);
            let (fragment, truth) = reported?;
            part.add_truth(truth);
            self.trials.learn_truth(part, piece.blocks.end);
            self.know_truth(part, &piece.blocks)?;
            self.trials.add_fragment(part, piece.blocks, fragment)?;
        }
        Ok(())
    }

    /// Counts the totals of all clients, where these blocks complete a trial and nobody has.
    fn know_truth(&self, part: &BlockResults<P>, blocks: &Range<u64>) -> Result<(), Error> {
        if self.trials.lacks_truth(part, blocks) {
            self.trials.know_truth(self.simulation.truth()?);
        }
        Ok(())
    }
}
