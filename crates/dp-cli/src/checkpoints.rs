//! Runs whose results are written to a folder while they go on, by one process or by several.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use dp_calibration::Refusal;
use dp_exact::{grouped, shown};
use dp_simulation::checkpoints::{CheckpointError, RunFolder, RunIdentity, Share};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::delivery::{self, Output, OutputOptions};
use crate::failure::Failure;
use crate::json::Inputs;
use crate::text::counted;

/// The folder of a run, and the share of it that this process computes.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Checkpoints")]
pub(crate) struct CheckpointOptions {
    /// Write results to this folder every few seconds, so that a run that ends early can go on
    #[arg(id = "checkpoints", long = "checkpoints", value_name = "DIR")]
    folder: Option<PathBuf>,
    /// Continue the run in --checkpoints, or begin it if there is none
    #[arg(long)]
    resume: bool,
    /// Compute only the I-th of N shares of the run, such as 2/4; `merge` reports once all are in
    #[arg(long, value_name = "I/N")]
    range: Option<Share>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckpointFolder<'a> {
    path: &'a Path,
    /// Whether a run in the folder is continued (`--resume` or `--range`) instead of refused.
    continues: bool,
    /// The share of `--range`; `None` for the whole run.
    pub(crate) share: Option<Share>,
}

impl CheckpointOptions {
    /// The folder of `--checkpoints`; without it `--resume` and `--range` are refused.
    pub(crate) fn folder(&self) -> Result<Option<CheckpointFolder<'_>>, Refusal> {
        let missing = |option| Refusal::missing("checkpoints", format!("a folder, with {option}"));
        match (&self.folder, self.range) {
            (None, Some(_)) => Err(missing("--range")),
            (None, None) if self.resume => Err(missing("--resume")),
            (None, None) => Ok(None),
            (Some(path), share) => {
                let continues = self.resume || share.is_some();
                Ok(Some(CheckpointFolder { path, continues, share }))
            }
        }
    }
}

impl CheckpointFolder<'_> {
    /// The run to continue; `None` if the folder has no run, or the options do not continue one.
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

    /// Opens the folder for `run`: a new folder, or a continued run of this digest and blocks.
    pub(crate) fn open(&self, run: &RunIdentity) -> Result<RunFolder, Failure> {
        Ok(match self.continues {
            true => RunFolder::resume(self.path, run)?,
            false => RunFolder::create(self.path, run)?,
        })
    }

    /// Refuses `--json` and any of `outputs` beside `--range`: a share has no report.
    pub(crate) fn check_outputs(
        &self,
        options: &OutputOptions,
        outputs: &[Output<'_>],
    ) -> Result<(), Refusal> {
        let json = options.json.as_ref().map(|_| "json");
        match (self.share, json.or_else(|| delivery::given(outputs))) {
            (Some(share), Some(given)) => {
                let change = "let `merge` write the report once all ranges are done";
                Err(Refusal::contradiction("range", share, format!("with --{given}"), change))
            }
            _ => Ok(()),
        }
    }

    /// Indices of the blocks that this process computes, written or not.
    pub(crate) fn blocks(&self, folder: &RunFolder) -> Range<u64> {
        let blocks = folder.run().blocks;
        self.share.unwrap_or(Share::WHOLE).of_blocks(blocks)
    }

    /// Message, in place of a report, that the share of `--range` is done; `None` for a whole run.
    pub(crate) fn done(&self, folder: &RunFolder) -> Option<String> {
        let share = self.share?;
        let (blocks, all) = (self.blocks(folder), folder.run().blocks);
        let done = counted(blocks.end - blocks.start, "block");
        let path = shown(self.path);
        Some(format!("Range {share} is done: {done} of {} are in {path}.\n", grouped(all)))
    }
}

/// The computing time that the blocks of one file take, about.
const PACE: Duration = Duration::from_secs(5);

/// Computes the `missing` blocks of `folder`. `run` computes consecutive blocks and encodes their
/// results for a file of the folder. The first file has one block; later ones have more until a
/// file takes about [`PACE`].
pub(crate) fn work_through(
    folder: &RunFolder,
    missing: &[Range<u64>],
    run: impl Fn(Range<u64>) -> Result<Vec<u8>, Failure>,
) -> Result<(), Failure> {
    let mut count = 1_u64;
    for missing in missing {
        let mut first = missing.start;
        while first < missing.end {
            let blocks = first..missing.end.min(first.saturating_add(count));
            let start = Instant::now();
            folder.write(blocks.clone(), &run(blocks.clone())?)?;
            first = blocks.end;
            count = match start.elapsed() {
                quick if quick < PACE / 2 => count.saturating_mul(2),
                slow if slow > PACE => (count / 2).max(1),
                _ => count,
            };
        }
    }
    Ok(())
}

/// The version of this program; a run of another version is refused.
const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunDescription<T> {
    version: String,
    /// Everything on which the results depend, apart from `version`.
    pub(crate) run: T,
    /// The options with which the run began; a continuing process may name files by other paths.
    pub(crate) inputs: Inputs,
}

impl<T: DeserializeOwned + Serialize> RunDescription<T> {
    pub(crate) fn new(run: T, inputs: Inputs) -> Self {
        Self { version: VERSION.to_owned(), run, inputs }
    }

    /// SHA-256 over `kind`, the version and all that the results depend on; not over `inputs`.
    fn digest(&self, kind: &str) -> Result<[u8; 32], Failure> {
        let run = serde_json::to_vec(&self.run).map_err(Failure::other)?;
        let mut hash = Sha256::new();
        hash.update(format!("dp-cli {kind} {}\n", self.version));
        hash.update(run);
        Ok(hash.finalize().into())
    }

    /// The identity that the folder stores; `blocks` is the number of blocks of the whole run.
    pub(crate) fn identity(&self, kind: &str, blocks: u64) -> Result<RunIdentity, Failure> {
        Ok(RunIdentity {
            kind: kind.to_owned(),
            digest: self.digest(kind)?,
            blocks,
            description: serde_json::to_string(self).map_err(Failure::other)?,
        })
    }

    /// Reads a description of this kind, of this version of the program, and of its digest.
    pub(crate) fn read(folder: &RunFolder, kind: &str) -> Result<Self, Failure> {
        let run = folder.run();
        if run.kind != kind {
            return Err(refused(folder, format!("it is a run of the kind {:?}", run.kind)));
        }
        let described: Self =
            serde_json::from_str(&run.description).map_err(|error| unreadable(folder, error))?;
        if described.version != VERSION {
            let version = &described.version;
            let reason =
                format!("its run is of version {version} of this program: expected {VERSION}");
            return Err(refused(folder, reason));
        }
        if described.digest(kind)? != run.digest {
            return Err(refused(folder, "its digest is not the digest of its run"));
        }
        Ok(described)
    }
}

/// The `typed` seed, else the one of the continued run, which `of_run` reads, else a random one.
/// `Err` for a share of a new run, as all shares need one seed.
pub(crate) fn seed(
    typed: Option<u64>,
    folder: Option<&CheckpointFolder<'_>>,
    of_run: impl FnOnce(&RunFolder) -> Result<u64, Failure>,
) -> Result<u64, Failure> {
    if let Some(seed) = typed {
        return Ok(seed);
    }
    match folder.map(CheckpointFolder::begun).transpose()?.flatten() {
        Some(begun) => of_run(&begun),
        None if folder.is_some_and(|folder| folder.share.is_some()) => {
            let accepted = "an integer, the same for all ranges of a run";
            Err(Refusal::missing("seed", accepted).into())
        }
        None => Ok(rand::random()),
    }
}

pub(crate) fn refused(folder: &RunFolder, reason: impl Into<String>) -> Failure {
    Failure::content(folder.path(), reason.into())
}

pub(crate) fn unreadable(folder: &RunFolder, error: impl ToString) -> Failure {
    refused(folder, format!("its description of the run is damaged: {}", error.to_string()))
}
