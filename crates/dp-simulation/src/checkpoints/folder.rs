//! The folder of a run: one file that says which run it is, and the files of its parts.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::checkpoints::claim::{self, BlockClaim};
use crate::checkpoints::part::{self, Header, MAGIC, PartFile};
use crate::checkpoints::{CheckpointError, RunIdentity, run};

/// A folder in which the parts of one run are.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    run: RunIdentity,
}

impl RunFolder {
    /// The folder of a run that begins. It is made if it is not there, for its user alone.
    ///
    /// # Errors
    /// [`CheckpointError::Occupied`] if there is a run in it; [`CheckpointError::File`] or [`CheckpointError::System`] if it cannot be
    /// written to.
    pub fn create(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        if RunIdentity::is_in(&path) || !files(&path)?.is_empty() {
            return Err(CheckpointError::Occupied(path));
        }
        Self::resume(path, run)
    }

    /// The folder of a run that begins or continues, in this process or in several.
    ///
    /// # Errors
    /// [`CheckpointError::Foreign`] if the run in it is another one; [`CheckpointError::Damaged`] if it is not what was written;
    /// [`CheckpointError::File`] or [`CheckpointError::System`] if it cannot be written to.
    pub fn resume(path: impl Into<PathBuf>, run: &RunIdentity) -> Result<Self, CheckpointError> {
        let path = path.into();
        make(&path).map_err(CheckpointError::system(&path))?;
        if !RunIdentity::is_in(&path) {
            run.write(&path)?;
        }
        let found = RunIdentity::read(&path)?;
        if found != *run {
            return Err(CheckpointError::Foreign {
                path: RunIdentity::file(&path),
                found: found.digest,
                expected: run.digest,
            });
        }
        Ok(Self { path, run: found })
    }

    /// The folder of a run, to see what came of it.
    ///
    /// # Errors
    /// [`CheckpointError::NoRun`] if there is none in it, and as [`resume`](Self::resume).
    pub fn read(path: impl Into<PathBuf>) -> Result<Self, CheckpointError> {
        let path = path.into();
        let run = RunIdentity::read(&path)?;
        Ok(Self { path, run })
    }

    /// The run.
    #[must_use]
    pub const fn run(&self) -> &RunIdentity {
        &self.run
    }

    /// The folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Takes these blocks for this process: until the claim is dropped, no other one can claim any of them.
    ///
    /// # Errors
    /// [`CheckpointError::InWork`] if another process works at one of them. As [`parts`](Self::parts), but for what is missing.
    pub fn claim(&self, blocks: Range<u64>) -> Result<BlockClaim<'_>, CheckpointError> {
        BlockClaim::of(self, blocks.start.min(self.run.blocks)..blocks.end.min(self.run.blocks))
    }

    /// The parts in the order of their blocks, which are all those of the run. What they hold is read one by one.
    ///
    /// # Errors
    /// [`CheckpointError::Missing`], [`CheckpointError::Doubled`], [`CheckpointError::Foreign`], [`CheckpointError::Damaged`], each with the
    /// name of the file; [`CheckpointError::File`] or [`CheckpointError::System`] if one cannot be read.
    pub fn parts(
        &self,
    ) -> Result<impl Iterator<Item = Result<PartFile, CheckpointError>> + use<>, CheckpointError>
    {
        let headers = self.headers()?;
        let missing = missing(&headers, 0..self.run.blocks);
        if !missing.is_empty() {
            return Err(CheckpointError::Missing {
                path: self.path.clone(),
                missing,
                blocks: self.run.blocks,
            });
        }
        Ok(headers.into_iter().map(|header| header.part()))
    }

    /// What the files are about, in the order of their blocks, of which no two have the same.
    pub(crate) fn headers(&self) -> Result<Vec<Header>, CheckpointError> {
        let files = files(&self.path)?;
        let headers = files.iter().map(|path| Header::read(path, &self.run));
        let mut headers = headers.collect::<Result<Vec<_>, _>>()?;
        headers.sort_by_key(|header| (header.blocks.start, header.blocks.end));
        for pair in headers.windows(2) {
            let [one, other] = pair else { continue };
            if other.blocks.start < one.blocks.end {
                return Err(CheckpointError::Doubled {
                    path: other.path.clone(),
                    other: one.path.clone(),
                    block: other.blocks.start,
                });
            }
        }
        headers.iter().try_for_each(Header::check_name)?;
        Ok(headers)
    }

    pub(crate) fn write(&self, blocks: &Range<u64>, payload: &[u8]) -> Result<(), CheckpointError> {
        part::write(&self.path, &self.run, blocks, payload)
    }
}

/// The blocks of a range that none of these parts has.
pub(crate) fn missing(parts: &[Header], range: Range<u64>) -> Vec<Range<u64>> {
    let mut missing = Vec::new();
    let mut next = range.start;
    for part in parts {
        let end = part.blocks.start.min(range.end);
        if next < end {
            missing.push(next..end);
        }
        next = next.max(part.blocks.end);
    }
    if next < range.end {
        missing.push(next..range.end);
    }
    missing
}

/// The files of parts in a folder, if it is there.
fn files(folder: &Path) -> Result<Vec<PathBuf>, CheckpointError> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.map_err(CheckpointError::system(folder))?,
    };
    let mut files = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CheckpointError::system(folder))?;
        if entry.file_name().to_str().is_some_and(part::is_name) {
            files.push(entry.path());
        }
    }
    Ok(files)
}

/// Whether the file at this path, which begins like this, belongs to the folder of a run.
///
/// It is one by its content, or by its name beside a file that says which run it is.
#[must_use]
pub fn is_run_file(path: &Path, beginning: &[u8]) -> bool {
    if beginning.starts_with(MAGIC) || run::is_own(beginning) {
        return true;
    }
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return false;
    };
    let is_named = |name: &str| part::is_name(name) || claim::is_name(name) || name == run::FILE;
    name.to_str().is_some_and(is_named) && RunIdentity::read(folder).is_ok()
}

/// The file of a folder that says which run it is for, whether it is there or not.
#[must_use]
pub fn run_file(folder: &Path) -> PathBuf {
    RunIdentity::file(folder)
}

/// Makes the folder, if it is not there, so that nobody else can look into it.
fn make(path: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
