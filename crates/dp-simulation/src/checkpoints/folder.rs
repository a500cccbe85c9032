//! The folder of a run: one file that identifies the run, and the files of its parts.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::checkpoints::CheckpointError;
use crate::checkpoints::claim::BlockClaim;
use crate::checkpoints::part_file::{PartFile, files, headers, missing};
use crate::checkpoints::run::{self, RunIdentity};

/// A folder with the parts of one run.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    run: RunIdentity,
}

impl RunFolder {
    /// The folder of a run that begins. A missing folder is made, for its user alone.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if there is a run in it; [`CheckpointError::File`] or
    /// [`CheckpointError::System`] if it cannot be written to.
    pub fn create(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        if run_file(&path).exists() || !files(&path)?.is_empty() {
            let reason = "there is a run in it already: resume it, or name another folder";
            return Err(CheckpointError::Refused { path, reason: reason.to_owned() });
        }
        Self::resume(path, run)
    }

    /// The folder of a run that begins or continues, in this process or in several.
    ///
    /// # Errors
    /// [`CheckpointError::Foreign`] if the folder is of another run; [`CheckpointError::Refused`] if
    /// its file is not what was written; [`CheckpointError::File`] or [`CheckpointError::System`] if
    /// it cannot be written to.
    pub fn resume(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(CheckpointError::system(&path))?;
        if !run_file(&path).exists() {
            run.write(&path)?;
        }
        let found = RunIdentity::read(&path)?;
        if found != *run {
            let (path, found, expected) = (run_file(&path), found.digest, run.digest);
            return Err(CheckpointError::Foreign { path, found, expected });
        }
        Ok(Self { path, run: found })
    }

    /// The folder of a run, to read its parts.
    ///
    /// # Errors
    /// [`CheckpointError::NoRun`] if there is no run in it, and as [`resume`](Self::resume).
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        let path = path.into();
        let run = RunIdentity::read(&path)?;
        Ok(Self { path, run })
    }

    /// The identity of the run.
    #[must_use]
    pub const fn run(&self) -> &RunIdentity {
        &self.run
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Claims these blocks for this process: until the claim is dropped, no other process can claim any of them.
    ///
    /// # Errors
    /// [`CheckpointError::InWork`] if another process works at one of them; the errors of [`parts`](Self::parts) but for
    /// missing blocks.
    pub fn claim(&self, blocks: Range<u64>) -> Result<BlockClaim<'_>, CheckpointError> {
        let all = self.run.blocks;
        BlockClaim::new(&self.path, &self.run, blocks.start.min(all)..blocks.end.min(all))
    }

    /// The parts of all blocks, in order. Each is read when the iterator comes to it.
    ///
    /// # Errors
    /// [`CheckpointError::Refused`] if blocks are missing, doubled or damaged, or
    /// [`CheckpointError::Foreign`], with the name of the file; [`CheckpointError::File`] or
    /// [`CheckpointError::System`] if one cannot be read.
    pub fn parts(
        &self,
    ) -> Result<impl Iterator<Item = Result<PartFile, CheckpointError>> + use<>, CheckpointError>
    {
        let (path, blocks) = (self.path.clone(), self.run.blocks);
        let headers = headers(&path, &self.run)?;
        let missing = missing(&headers, 0..blocks);
        match missing.is_empty() {
            true => Ok(headers.into_iter().map(|header| header.part())),
            false => Err(CheckpointError::missing(path, &missing, blocks)),
        }
    }
}

/// The path of the file that identifies the run of a folder, whether the file exists or not.
fn run_file(folder: &Path) -> PathBuf {
    folder.join(run::FILE)
}
