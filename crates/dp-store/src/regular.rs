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

/// How a file is written that its owner alone may read.
pub(crate) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a directory that its owner alone may enter.
pub(crate) fn create_private_directory(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
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
