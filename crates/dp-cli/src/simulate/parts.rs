//! The parts of a simulation in a folder.

use std::ops::Range;

use dp_exact::shown;
use dp_prio3::DpPolicy;
use dp_simulation::parts::Folder;
use dp_simulation::{Outcome, Part, Progress, Trials};
use dp_task::Measured;

use crate::checkpoints::Work;
use crate::checkpoints::description::check_blocks;
use crate::failure::Failure;

/// What is to be known of a folder.
pub(super) fn in_the_clear(folder: &Folder) -> String {
    let path = shown(folder.path());
    format!(
        "Checkpoints: the files in {path} hold both aggregators' shares, which together are the totals without noise, \
         in the clear.\n\n"
    )
}

/// The outcome of a run whose parts are all in a folder.
pub(super) fn gathered<P: DpPolicy>(
    folder: &Folder,
    trials: &Trials<P>,
) -> Result<Outcome, Failure> {
    check_blocks(folder, trials.blocks())?;
    let mut gathering = trials.gather();
    for part in folder.parts()? {
        let part = part?;
        let refused = |source| Failure::Part {
            path: shown(&part.path),
            source: Box::new(source),
        };
        let read = trials.read_part(part.blocks.clone(), &part.payload);
        gathering.add(read.map_err(refused)?).map_err(refused)?;
    }
    Ok(gathering.outcome()?)
}

/// Blocks of a simulation, whose progress is told.
pub(super) struct Checkpointed<'a, P> {
    pub(super) work: &'a dp_simulation::Work<'a, P>,
    pub(super) progress: Progress<'a>,
}

impl<P: DpPolicy<Measurement: Measured>> Work for Checkpointed<'_, P> {
    type Part = Part<P>;

    fn run(&self, blocks: Range<u64>) -> Result<Part<P>, Failure> {
        Ok(self.work.run_blocks(blocks, self.progress)?)
    }

    fn extend(&self, part: &mut Part<P>, next: Part<P>) -> Result<(), Failure> {
        Ok(self.work.extend(part, next)?)
    }

    fn payload(&self, part: &Part<P>) -> Result<Vec<u8>, Failure> {
        Ok(part.payload()?)
    }
}
