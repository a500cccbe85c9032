//! Files that are written whole or not at all.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use dp_exact::ParameterError;
use serde::Serialize;
use tempfile::NamedTempFile;

/// A JSON file to be, checked before the work whose result it takes.
#[derive(Debug)]
pub struct JsonFile {
    path: PathBuf,
}

impl JsonFile {
    /// Checks that the file can be written, and leaves nothing behind.
    ///
    /// # Errors
    /// If it cannot.
    pub fn prepare(path: &Path) -> Result<Self, ParameterError> {
        let file = Self {
            path: path.to_owned(),
        };
        let special = fs::metadata(path).is_ok_and(|metadata| !metadata.is_file());
        if special || path.file_name().is_none() {
            return Err(file.refused("it is not a file"));
        }
        temporary(path).map_err(|error| file.refused(error))?;
        Ok(file)
    }

    /// Writes the document beside the file, then moves it into place.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, document: &impl Serialize) -> Result<(), ParameterError> {
        let fill = |writer: &mut BufWriter<NamedTempFile>| {
            serde_json::to_writer_pretty(&mut *writer, document)?;
            writer.write_all(b"\n")
        };
        replace(&self.path, fill).map_err(|error| self.refused(error))
    }

    fn refused(&self, reason: impl ToString) -> ParameterError {
        let accepted = format!("a file that can be written ({})", reason.to_string());
        ParameterError::new("json", self.path.display(), accepted)
    }
}

/// Writes a text beside the file, then moves it into place.
///
/// # Errors
/// If it cannot be written.
pub fn write_text(path: &Path, text: &str) -> Result<(), ParameterError> {
    replace(path, |writer| writer.write_all(text.as_bytes())).map_err(|error| {
        let accepted = format!("a file that can be written ({error})");
        ParameterError::new("file", path.display(), accepted)
    })
}

fn replace<F>(path: &Path, fill: F) -> io::Result<()>
where
    F: FnOnce(&mut BufWriter<NamedTempFile>) -> io::Result<()>,
{
    let mut writer = BufWriter::new(temporary(path)?);
    fill(&mut writer)?;
    let finished = writer
        .into_inner()
        .map_err(io::IntoInnerError::into_error)?;
    finished.persist(path)?;
    Ok(())
}

/// A file in the same folder, which removes itself if it is not moved into place.
fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}
