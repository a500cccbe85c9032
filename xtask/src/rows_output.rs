//! The output of a command that measures: text, and its rows as a JSON document.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use dp_cli::{Delivery, Failure, Inputs};
use serde::Serialize;

/// The destination of rows beside standard output.
#[derive(Args, Debug)]
pub(crate) struct RowsOutput {
    #[command(flatten)]
    inputs: Inputs,
    /// Also write the rows to this file, as JSON; - or no FILE prints them in place of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
    /// Replace the file of --json even if this command did not write it
    #[arg(long, requires = "json")]
    force: bool,
}

impl RowsOutput {
    /// Checks before any measurement that the file can be written.
    pub(crate) fn prepare(&self, format: &'static str) -> Result<Delivery, Failure> {
        Delivery::of_json(self.json.as_ref(), format, self.force)
    }

    /// Writes the JSON document with this format and schema version.
    pub(crate) fn finish<R: Serialize>(
        &self,
        delivery: Delivery,
        format: &'static str,
        schema_version: u32,
        rows: &[R],
    ) -> Result<(), Failure> {
        let answer = BTreeMap::from([("rows", rows)]);
        Ok(delivery.finish(format, schema_version, &self.inputs, answer)?)
    }
}
