//! A run whose parts are written to a folder while it goes on, in one process or in several.

pub(crate) mod description;
mod pace;

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use dp_exact::{Refusal, shown};
use dp_simulation::parts::{Claim, Folder, PartsError, Run, Share};

use crate::failure::Failure;
use description::check_blocks;
use pace::Pace;

/// A file that has grown by so many bytes grows no further: the next one begins.
const MOST_GROWTH: usize = 1 << 20;

/// Where a run writes what is done, and which share of it is worked at.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checkpoints")]
pub(crate) struct Checkpoints {
    /// Write what is done to this folder every second or two: nothing else is lost when the run ends early
    #[arg(
        id = "checkpoints",
        long = "checkpoints",
        value_name = "DIR",
        visible_aliases = ["checkpoint", "parts"]
    )]
    folder: Option<PathBuf>,
    /// Go on with the run in --checkpoints, or begin it if there is none
    #[arg(long)]
    resume: bool,
    /// Work at the I-th of N shares of the run only, such as 2/4; `merge` reports once all are in --checkpoints
    #[arg(long, value_name = "I/N")]
    range: Option<String>,
}

/// A folder that is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    path: &'a Path,
    continues: bool,
    /// Which share of the run is worked at, unless all of it.
    pub(crate) share: Option<Share>,
}

impl Checkpoints {
    /// The folder, if one is asked for.
    ///
    /// # Errors
    /// If there is none for options that need one, or the share is none.
    pub(crate) fn place(&self) -> Result<Option<Place<'_>>, Failure> {
        let share = self.range.as_deref().map(str::parse).transpose()?;
        let Some(path) = &self.folder else {
            let folder = |option| format!("a folder, with {option}");
            return match (self.resume, &self.range) {
                (false, None) => Ok(None),
                (_, Some(_)) => Err(Refusal::missing("checkpoints", folder("--range")).into()),
                (true, None) => Err(Refusal::missing("checkpoints", folder("--resume")).into()),
            };
        };
        Ok(Some(Place {
            path,
            continues: self.resume || share.is_some(),
            share,
        }))
    }
}

impl Place<'_> {
    /// The file that says which run the folder is for, whether it is there yet or not.
    pub(crate) fn file(&self) -> PathBuf {
        dp_simulation::parts::file_of_run(self.path)
    }

    /// The run that is in the folder already, if there may be one and there is.
    ///
    /// # Errors
    /// If the folder cannot be read, or is not as it was written.
    pub(crate) fn begun(&self) -> Result<Option<Folder>, Failure> {
        if !self.continues {
            return Ok(None);
        }
        match Folder::read(self.path) {
            Ok(folder) => Ok(Some(folder)),
            Err(PartsError::NoRun(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of this run. Whoever began it may have named its files by other paths.
    ///
    /// # Errors
    /// If there is a run in it, and it is not to be continued, or it is another one; or it cannot be written to.
    pub(crate) fn open(&self, run: &Run) -> Result<Folder, Failure> {
        if !self.continues {
            return Ok(Folder::create(self.path, run)?);
        }
        let folder = match self.begun()? {
            Some(folder) if folder.run().digest == run.digest => folder,
            _ => match Folder::resume(self.path, run) {
                // Another process has begun it meanwhile.
                Err(PartsError::Foreign {
                    found, expected, ..
                }) if found == expected => Folder::read(self.path)?,
                folder => folder?,
            },
        };
        check_blocks(&folder, run.blocks)?;
        Ok(folder)
    }

    /// The blocks of the share that is worked at.
    pub(crate) fn blocks(&self, folder: &Folder) -> Range<u64> {
        let blocks = folder.run().blocks;
        self.share.unwrap_or(Share::WHOLE).of_blocks(blocks)
    }

    /// What is said of a share in place of a report.
    pub(crate) fn done(&self, folder: &Folder) -> Option<String> {
        let share = self.share?;
        let (blocks, all) = (self.blocks(folder), folder.run().blocks);
        let path = shown(self.path);
        let last = blocks.end.saturating_sub(1);
        Some(match blocks.end - blocks.start {
            0 => format!("Range {share} has none of the {all} blocks of the run.\n"),
            1 => format!(
                "Range {share} is done: {path} has block {last} of 0 to {}.\n",
                all - 1
            ),
            _ => format!(
                "Range {share} is done: {path} has blocks {} to {last} of 0 to {}.\n",
                blocks.start,
                all - 1
            ),
        })
    }
}

/// What is worked at, block by block.
pub(crate) trait Work {
    /// What came of consecutive blocks.
    type Part;

    /// Works through blocks.
    fn run(&self, blocks: Range<u64>) -> Result<Self::Part, Failure>;

    /// Adds what came of the blocks that follow.
    fn extend(&self, part: &mut Self::Part, next: Self::Part) -> Result<(), Failure>;

    /// A part as bytes.
    fn payload(&self, part: &Self::Part) -> Result<Vec<u8>, Failure>;
}

/// Works through all that is missing, and writes what is done every second or two, or more rarely if writing takes
/// long: it takes less than a fiftieth of the time.
pub(crate) fn work_through<W: Work>(claim: &Claim<'_>, work: &W) -> Result<(), Failure> {
    let mut pace = Pace::default();
    for missing in claim.missing() {
        let mut next = missing.start;
        while next < missing.end {
            next = fill_file(claim, work, next..missing.end, &mut pace)?;
        }
    }
    Ok(())
}

/// Writes one file from the first of these blocks on, again and again as it grows, and returns where it ends.
fn fill_file<W: Work>(
    claim: &Claim<'_>,
    work: &W,
    blocks: Range<u64>,
    pace: &mut Pace,
) -> Result<u64, Failure> {
    let mut open: Option<W::Part> = None;
    let mut smallest: Option<usize> = None;
    let mut next = blocks.start;
    while next < blocks.end {
        let batch = next..blocks.end.min(next.saturating_add(pace.blocks()));
        let start = Instant::now();
        let part = work.run(batch.clone())?;
        let part = match open.take() {
            None => part,
            Some(mut open) => {
                work.extend(&mut open, part)?;
                open
            }
        };
        pace.worked(batch.end - batch.start, start.elapsed());
        next = batch.end;
        if next == blocks.end || pace.is_due() {
            let start = Instant::now();
            let payload = work.payload(&part)?;
            claim.write(blocks.start..next, &payload)?;
            pace.wrote(start.elapsed());
            let smallest = *smallest.get_or_insert(payload.len());
            if payload.len() > smallest.saturating_add(MOST_GROWTH) {
                break;
            }
        }
        open = Some(part);
    }
    Ok(next)
}
