//! The file that makes a directory a store of seen reports, and that one process at a time locks.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use super::{altered, named};
use crate::regular;

pub(super) const NAME: &str = "seen-reports";
const FIRST_LINE: &str = "dp-store seen reports 1\n";

/// Whether a file that begins like this makes its directory a store.
pub(super) fn is_beginning(bytes: &[u8]) -> bool {
    bytes.starts_with(FIRST_LINE.as_bytes())
}

const ATTEMPTS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(10);

/// A random number that is hashed into every block of a store, so that files of two stores do not mix.
pub(super) type StoreId = [u8; 16];

/// The locked file. The lock ends with the process, however it ends.
pub(super) struct Marker {
    pub(super) id: StoreId,
    file: File,
}

impl Marker {
    pub(super) fn create(directory: &Path) -> io::Result<Self> {
        let mut id = StoreId::default();
        getrandom::fill(&mut id).map_err(io::Error::from)?;
        let options = &mut regular::private();
        let mut file = options.create_new(true).open(directory.join(NAME))?;
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        file.write_all(format!("{FIRST_LINE}{digits}\n").as_bytes())?;
        file.sync_all()?;
        Ok(Self { id, file })
    }

    /// Reads the file of a store and locks it. Nothing else is touched.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let path = directory.join(NAME);
        let opened = regular::open(&path, File::options().read(true).write(true));
        let mut file = opened.map_err(|error| {
            let what = format!("not a store of seen reports: {error}");
            named(directory, error.kind(), &what)
        })?;
        lock(&file, directory)?;
        let mut content = Vec::new();
        (&mut file).take(100).read_to_end(&mut content)?;
        let id = read_id(&content).ok_or_else(|| altered(&path, "not a store of seen reports"))?;
        Ok(Self { id, file })
    }

    /// Whether the locked file is still that of the directory.
    #[cfg(unix)]
    pub(super) fn check(&self, directory: &Path) -> io::Result<()> {
        use std::os::unix::fs::MetadataExt as _;

        let path = directory.join(NAME);
        let (own, there) = (self.file.metadata()?, fs::metadata(&path)?);
        if (own.dev(), own.ino()) == (there.dev(), there.ino()) {
            Ok(())
        } else {
            Err(altered(&path, "replaced since the store was opened"))
        }
    }

    /// Elsewhere an open file cannot be replaced.
    #[cfg(not(unix))]
    pub(super) fn check(&self, directory: &Path) -> io::Result<()> {
        let _ = &self.file;
        fs::metadata(directory.join(NAME)).map(drop)
    }
}

/// Locks the file, or waits a little: a process that was forked from one that had it open, to start
/// another program, holds the lock until that program starts.
fn lock(file: &File, directory: &Path) -> io::Result<()> {
    for _ in 0..ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
    let what = "open already, here or in another process";
    Err(named(directory, ErrorKind::ResourceBusy, what))
}

fn read_id(content: &[u8]) -> Option<StoreId> {
    let rest = content.strip_prefix(FIRST_LINE.as_bytes())?;
    let digits = std::str::from_utf8(rest.strip_suffix(b"\n")?).ok()?;
    let lower = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    if digits.len() != 32 || !digits.bytes().all(lower) {
        return None;
    }
    Some(u128::from_str_radix(digits, 16).ok()?.to_be_bytes())
}
