//! Nothing but regular files is opened: a pipe would block for ever, a device might never end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::Path;

/// Opens a file, or what a link leads to, if that is a regular file.
pub(crate) fn open(path: &Path, options: &OpenOptions) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        options.open(path)
    } else {
        Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "not a regular file",
        ))
    }
}

/// An error of the system, with the name of a file; other errors have it already.
pub(crate) fn at(path: &Path, error: io::Error) -> io::Error {
    if error.raw_os_error().is_none() {
        return error;
    }
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// What a regular file holds.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(path, File::options().read(true))?.read_to_end(&mut content)?;
    Ok(content)
}
