//! A run whose parts are written to a folder while it goes on, in one process or in several.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use dp_exact::{Refusal, shown};
use dp_simulation::checkpoints::{BlockClaim, CheckpointError, RunFolder, RunIdentity, Share};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::delivery::{self, Output};
use crate::failure::Failure;

/// A file that has grown by so many bytes grows no further: the next one begins.
const MOST_GROWTH: usize = 1 << 20;

/// Where a run writes what is done, and which share of it is worked at.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checkpoints")]
pub(crate) struct Checkpoints {
    /// Write what is done to this folder every second or two: nothing else is lost when the run ends early
    #[arg(id = "checkpoints", long = "checkpoints", value_name = "DIR", visible_aliases = ["checkpoint", "parts"])]
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
        Ok(Some(Place { path, continues: self.resume || share.is_some(), share }))
    }
}

impl Place<'_> {
    /// The file that says which run the folder is for, whether it is there yet or not.
    pub(crate) fn file(&self) -> PathBuf {
        dp_simulation::checkpoints::run_file(self.path)
    }

    /// The run that is in the folder already, if there may be one and there is.
    pub(crate) fn begun(&self) -> Result<Option<RunFolder>, Failure> {
        if !self.continues {
            return Ok(None);
        }
        match RunFolder::read(self.path) {
            Ok(folder) => Ok(Some(folder)),
            Err(CheckpointError::NoRun(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The folder of this run. Whoever began it may have named its files by other paths.
    pub(crate) fn open(&self, run: &RunIdentity) -> Result<RunFolder, Failure> {
        if !self.continues {
            return Ok(RunFolder::create(self.path, run)?);
        }
        let folder = match self.begun()? {
            Some(folder) if folder.run().digest == run.digest => folder,
            _ => match RunFolder::resume(self.path, run) {
                // Another process has begun it meanwhile.
                Err(CheckpointError::Foreign { found, expected, .. }) if found == expected => {
                    RunFolder::read(self.path)?
                }
                folder => folder?,
            },
        };
        check_blocks(&folder, run.blocks)?;
        Ok(folder)
    }

    /// Refuses outputs of a share: it has no report.
    pub(crate) fn check_outputs(&self, outputs: &[Output<'_>]) -> Result<(), Refusal> {
        match (self.share, delivery::given(outputs)) {
            (Some(share), Some(given)) => {
                let change = "let `merge` write the report once all ranges are done";
                let place = format!("with {given}");
                Err(Refusal::contradiction("range", share, place, change))
            }
            _ => Ok(()),
        }
    }

    /// The blocks of the share that is worked at.
    pub(crate) fn blocks(&self, folder: &RunFolder) -> Range<u64> {
        let blocks = folder.run().blocks;
        self.share.unwrap_or(Share::WHOLE).of_blocks(blocks)
    }

    /// What is said of a share in place of a report.
    pub(crate) fn done(&self, folder: &RunFolder) -> Option<String> {
        let share = self.share?;
        let (blocks, all) = (self.blocks(folder), folder.run().blocks);
        let path = shown(self.path);
        let last = blocks.end.saturating_sub(1);
        Some(match blocks.end - blocks.start {
            0 => format!("Range {share} has none of the {all} blocks of the run.\n"),
            1 => format!("Range {share} is done: {path} has block {last} of 0 to {}.\n", all - 1),
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

/// What is written is at least so much work, unless it is the last,
const LEAST: Duration = Duration::from_millis(1500);

/// and so many times the work that writing is.
const TIMES: u32 = 60;

/// Works through all that is missing, and writes what is done every second or two, or more rarely if writing takes
/// long: it takes less than a fiftieth of the time.
pub(crate) fn work_through<W: Work>(claim: &BlockClaim<'_>, work: &W) -> Result<(), Failure> {
    // How many blocks are worked at before the next look at the clock, and how long the last file took.
    let (mut pace, mut writing) = (1_u64, Duration::ZERO);
    for missing in claim.missing() {
        let mut first = missing.start;
        let mut open: Option<(W::Part, Option<usize>)> = None;
        let (mut next, mut unwritten) = (first, Duration::ZERO);
        while next < missing.end {
            let batch = next..missing.end.min(next.saturating_add(pace));
            let start = Instant::now();
            let part = work.run(batch.clone())?;
            let (part, smallest) = match open.take() {
                None => (part, None),
                Some((mut open, smallest)) => {
                    work.extend(&mut open, part)?;
                    (open, smallest)
                }
            };
            next = batch.end;
            unwritten += start.elapsed();
            pace = match start.elapsed() {
                quick if quick < LEAST / 4 => pace.saturating_mul(2),
                slow if slow > LEAST => (pace / 2).max(1),
                _ => pace,
            };
            if next < missing.end && unwritten < LEAST.max(writing.saturating_mul(TIMES)) {
                open = Some((part, smallest));
                continue;
            }
            let start = Instant::now();
            let payload = work.payload(&part)?;
            claim.write(first..next, &payload)?;
            (writing, unwritten) = (start.elapsed(), Duration::ZERO);
            let smallest = smallest.unwrap_or(payload.len());
            if payload.len() > smallest.saturating_add(MOST_GROWTH) {
                first = next;
            } else {
                open = Some((part, Some(smallest)));
            }
        }
    }
    Ok(())
}

/// The version of this program, which is that of the runs that it begins.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A description of a run, in JSON.
pub(crate) trait Description: DeserializeOwned + Serialize {
    /// The kind of run.
    const KIND: &str;

    /// The version of the program that began the run.
    fn version(&self) -> &str;

    /// SHA-256 over all that the results depend on: see [`digest`].
    fn digest(&self) -> Result<[u8; 32], Failure>;

    /// The run for its folder, of so many blocks.
    fn run(&self, blocks: u64) -> Result<RunIdentity, Failure> {
        Ok(RunIdentity {
            kind: Self::KIND.to_owned(),
            digest: self.digest()?,
            blocks,
            description: serde_json::to_string(self).map_err(Failure::other)?,
        })
    }

    /// What a folder says.
    fn of(folder: &RunFolder) -> Result<Self, Failure> {
        let run = folder.run();
        if run.kind != Self::KIND {
            let kind = &run.kind;
            return Err(refused(folder, format!("it is a run of the kind {kind:?}")));
        }
        let described: Self =
            serde_json::from_str(&run.description).map_err(|error| unreadable(folder, error))?;
        let version = described.version();
        if version != VERSION {
            let reason =
                format!("its run is of version {version} of this program: expected {VERSION}");
            return Err(refused(folder, reason));
        }
        if described.digest()? != run.digest {
            return Err(refused(folder, "its digest is not that of its run"));
        }
        Ok(described)
    }
}

/// SHA-256 over the kind of a run and parts of its description, each with its length before it.
pub(crate) fn digest(kind: &str, parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(format!("dp-cli {kind} 1\n"));
    for part in parts {
        hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

/// The refusal of a folder.
pub(crate) fn refused(folder: &RunFolder, reason: impl Into<String>) -> Failure {
    Failure::Run { path: shown(folder.path()), reason: reason.into() }
}

/// The refusal of a description that cannot be read.
pub(crate) fn unreadable(folder: &RunFolder, error: impl ToString) -> Failure {
    let error = error.to_string();
    refused(folder, format!("what it says of its run is none: {error}"))
}

/// Refuses a folder whose run is said to have another number of blocks than it has: the digest is not over it.
pub(crate) fn check_blocks(folder: &RunFolder, expected: u64) -> Result<(), Failure> {
    let found = folder.run().blocks;
    if found == expected {
        return Ok(());
    }
    let reason = format!("its run is said to have {found} blocks: expected {expected}");
    Err(refused(folder, reason))
}
