//! The rows as a Parquet file.

use std::io;

use dp_files::OutputFile;
use dp_sweep::{Row, write_parquet};

use super::options::Options;
use crate::failure::Failure;
use crate::replaced::Replacing;

/// A Parquet file, if one is wanted.
pub(super) struct Table(Option<OutputFile>);

impl Table {
    pub(super) fn prepare(options: &Options, replacing: &Replacing) -> Result<Self, Failure> {
        // Nothing at the beginning of such a file says who wrote it.
        let overwrite = replacing.files(|_| false);
        let path = options.parquet.as_deref();
        let file = path.map(|path| OutputFile::prepare(path, overwrite));
        Ok(Self(file.transpose()?))
    }

    pub(super) fn write(self, rows: &[Row]) -> Result<(), Failure> {
        let Some(file) = self.0 else {
            return Ok(());
        };
        let mut bytes = Vec::new();
        write_parquet(&mut bytes, rows).map_err(Failure::other)?;
        file.write(|writer| {
            writer.write_all(&bytes)?;
            Ok::<_, io::Error>(())
        })?;
        Ok(())
    }
}
