//! The outcome of a run from the parts of all its blocks.

use dp_prio3::DpPolicy;

use super::Trials;
use super::part::Part;
use super::payload::PartError;
use crate::outcome::Gathered;
use crate::{Error, Outcome};

/// An outcome to which parts are added in the order of their blocks. Of those that are added no more is kept than the
/// first trials and a trial that is not whole yet.
#[derive(Debug)]
pub struct Gathering<'a, P: DpPolicy> {
    trials: &'a Trials<P>,
    /// All blocks so far, without the trials that are gathered.
    open: Part<P>,
    gathered: Gathered,
}

impl<'a, P: DpPolicy> Gathering<'a, P> {
    pub(super) fn new(trials: &'a Trials<P>) -> Self {
        Self {
            trials,
            open: Part::empty(0),
            gathered: Gathered::default(),
        }
    }

    /// Adds the next part.
    ///
    /// # Errors
    /// As [`Trials::extend`].
    pub fn add(&mut self, part: Part<P>) -> Result<(), Error> {
        self.trials.extend(&mut self.open, part)?;
        let finished = self.open.records.drain(..);
        finished.for_each(|record| self.gathered.add(record));
        Ok(())
    }

    /// The outcome of all blocks.
    ///
    /// # Errors
    /// [`PartError::Incomplete`] if some are missing.
    pub fn outcome(self) -> Result<Outcome, Error> {
        let (found, blocks) = (self.open.blocks.end, self.trials.blocks());
        if found != blocks {
            return Err(Error::Part(PartError::Incomplete { found, blocks }));
        }
        let elapsed = self.open.elapsed;
        let mut outcome = self.gathered.outcome(self.trials.clients(), elapsed);
        if let (Some(first), 0) = (outcome.trials.first(), outcome.summary.rejected) {
            outcome.summary.probability_95 = self.trials.coverage(&first.coordinates);
        }
        Ok(outcome)
    }
}
