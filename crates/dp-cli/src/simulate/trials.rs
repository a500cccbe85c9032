//! The file of a share of the trials of a run, and its place among the files of the other shares.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dp_exact::{hexadecimal, shown};
use dp_files::read_limited;
use dp_simulation::TrialRecords;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::prepared::Prepared;
use crate::failure::Failure;
use crate::json::Inputs;

const FORMAT: &str = "dp-simulation trials";

/// The most bytes of a file.
const LONGEST: u64 = 1 << 31;

/// Options that name files, whose contents the digest of [`RunSettings`] covers.
const FILES: [&str; 3] = ["task", "data", "counts"];

/// Everything on which the results of a run depend.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunSettings {
    /// The version of the program.
    version: String,
    /// The options, as the report of the whole run has them.
    pub(super) inputs: Inputs,
    /// SHA-256 over the task and the clients' measurements, in hexadecimal digits.
    content: String,
}

impl RunSettings {
    /// The settings of a run with these options, by this version of the program.
    pub(super) fn new(inputs: &Inputs, Prepared { plan, population, .. }: &Prepared) -> Self {
        let mut content = Sha256::new_with_prefix(plan.task.digest().to_string());
        content.update(population.digest());
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            inputs: inputs.of_run(),
            content: hexadecimal(&content.finalize()),
        }
    }

    /// The first setting in which two runs differ, in words such as `option --seed`; `None` if they
    /// are one run.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        if self.version != other.version {
            return Some("version of this program".to_owned());
        }
        let option = self.inputs.difference(&other.inputs, &FILES);
        let content = (self.content != other.content).then(|| "task or data".to_owned());
        option.map(|name| format!("option --{name}")).or(content)
    }
}

/// The records of a share of the trials of a run. Numbers are numbers: it is for `merge` alone.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialsDocument {
    format: String,
    schema_version: u32,
    pub(super) settings: RunSettings,
    pub(super) records: TrialRecords,
}

/// Whether a file begins as a file of trials, as `simulate --share` writes it.
pub(super) fn is_trials(beginning: &[u8]) -> bool {
    beginning.starts_with(format!("{{\"format\":\"{FORMAT}\",").as_bytes())
}

impl TrialsDocument {
    pub(super) fn new(settings: RunSettings, records: TrialRecords) -> Self {
        Self { format: FORMAT.to_owned(), schema_version: 4, settings, records }
    }

    /// Writes the document as one line of JSON, and a line with its SHA-256.
    pub(super) fn write(&self, mut writer: impl Write) -> io::Result<()> {
        let json = serde_json::to_vec(self)?;
        writer.write_all(&json)?;
        writeln!(writer, "\n{}", hexadecimal(&Sha256::digest(&json)))
    }

    /// Reads the file at `path`. `Err` names the file if it cannot be read, is no file of trials,
    /// or does not fit its SHA-256.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = read_limited(path, LONGEST)?;
        if !is_trials(&bytes) {
            let reason = "it is no file of trials, which `simulate --share` writes";
            return Err(Failure::content(path, reason));
        }
        let damaged = |reason: &str| {
            let way_out = "remove it, and compute its share again";
            Failure::content(path, format!("damaged: {reason}; {way_out}"))
        };
        let end = bytes.iter().position(|byte| *byte == b'\n').unwrap_or(bytes.len());
        let (json, checksum) = bytes.split_at(end);
        if checksum != format!("\n{}\n", hexadecimal(&Sha256::digest(json))).as_bytes() {
            return Err(damaged("its last line is not the SHA-256 of the first"));
        }
        serde_json::from_slice(json).map_err(|error| damaged(&error.to_string()))
    }
}

/// The files at `paths` in the order of their trials. `Err` for a file of another run than the
/// first.
pub(super) fn in_order(paths: &[PathBuf]) -> Result<Vec<(&PathBuf, TrialsDocument)>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.push((path, TrialsDocument::read(path)?));
    }
    let (path_of_first, first) = files.first().expect("clap asks for a file");
    for (path, file) in &files {
        if let Some(setting) = first.settings.difference(&file.settings) {
            let first = shown(path_of_first);
            let reason = format!("it is of another run than {first}: its {setting} differs");
            return Err(Failure::content(path, reason));
        }
    }
    files.sort_by_key(|(_, file)| file.records.trials().start);
    Ok(files)
}
