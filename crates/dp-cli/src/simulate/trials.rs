//! The file of a share of the trials of a run, and its place among the files of the other shares.

use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use dp_exact::{ParameterError, grouped, hexadecimal, shown};
use dp_files::read_limited;
use dp_simulation::Population;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::description::SimulationRun;
use crate::failure::Failure;
use crate::json::Inputs;

const FORMAT: &str = "dp-simulation trials";

/// The most bytes of a file.
const LONGEST: u64 = 1 << 31;

/// The version of this program; trials of another version are refused.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything on which the results of a run depend.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RunSettings {
    version: String,
    run: SimulationRun,
    /// SHA-256 over the clients' measurements, in hexadecimal digits.
    measurements: String,
}

impl RunSettings {
    /// The settings of a run with this version of the program and the digest of the clients'
    /// measurements.
    pub(super) fn new(run: &SimulationRun, population: &Population) -> Self {
        let measurements = hexadecimal(&population.digest());
        Self { version: VERSION.to_owned(), run: run.clone(), measurements }
    }

    pub(super) fn into_run(self) -> SimulationRun {
        self.run
    }

    /// The name of the first setting in which two runs differ, such as `seed`; `None` if they are
    /// one run.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let settings = |settings: &Self| {
            let run = &settings.run;
            let json = |value: Result<String, serde_json::Error>| value.unwrap_or_default();
            [
                ("version of this program", settings.version.clone()),
                ("seed", run.plan.seed.to_string()),
                ("number of trials", run.trials.to_string()),
                ("number of clients", run.clients.to_string()),
                ("task", json(serde_json::to_string(&run.plan.task))),
                ("data", settings.measurements.clone()),
                ("set of options", json(serde_json::to_string(run))),
            ]
        };
        let mut pairs = settings(self).into_iter().zip(settings(other));
        pairs.find(|((_, one), (_, other))| one != other).map(|((name, _), _)| name)
    }
}

/// The records of a share of the trials of a run. Numbers are numbers: it is for `merge` alone.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrialsDocument<R> {
    format: String,
    schema_version: u32,
    pub(super) settings: RunSettings,
    /// The options, as the report of the whole run has them.
    inputs: Inputs,
    /// The numbers of the trials, from 0.
    pub(super) trials: Range<u64>,
    pub(super) records: R,
}

/// Whether a file begins as a file of trials, as `simulate --share` writes it.
pub(super) fn is_trials(beginning: &[u8]) -> bool {
    beginning.starts_with(format!("{{\"format\":\"{FORMAT}\",").as_bytes())
}

impl<R> TrialsDocument<R> {
    pub(super) fn new(
        settings: RunSettings,
        inputs: Inputs,
        trials: Range<u64>,
        records: R,
    ) -> Self {
        Self { format: FORMAT.to_owned(), schema_version: 1, settings, inputs, trials, records }
    }

    /// Writes the document as one line of JSON, and a line with its SHA-256.
    pub(super) fn write(&self, mut writer: impl Write) -> io::Result<()>
    where
        R: Serialize,
    {
        let json = serde_json::to_vec(self)?;
        writer.write_all(&json)?;
        writeln!(writer, "\n{}", hexadecimal(&Sha256::digest(&json)))
    }

    /// Reads the file at `path`. `Err` names the file if it cannot be read, is no file of trials,
    /// or does not fit its SHA-256.
    pub(super) fn read(path: &Path) -> Result<Self, Failure>
    where
        R: DeserializeOwned,
    {
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

/// The settings and the options of the run of these files, and the files in the order of their
/// trials. `Err` without a file, for a file of another run or version, and for trials that are in
/// two files or in none.
pub(super) fn in_order(paths: &[PathBuf]) -> Result<(RunSettings, Inputs, Vec<PathBuf>), Failure> {
    let mut files = Vec::new();
    for path in paths {
        files.push((path, TrialsDocument::<IgnoredAny>::read(path)?));
    }
    let Some((first, document)) = files.first() else {
        return Err(ParameterError::new("FILE", "none", "the files of all shares").into());
    };
    let settings = &document.settings;
    if settings.version != VERSION {
        let version = &settings.version;
        let reason = format!("it is of version {version} of this program: expected {VERSION}");
        return Err(Failure::content(first, reason));
    }
    for (path, other) in &files {
        if let Some(name) = settings.difference(&other.settings) {
            let reason = format!("it is of another run than {}: its {name} differs", shown(first));
            return Err(Failure::content(path, reason));
        }
    }
    files.sort_by_key(|(_, file)| (file.trials.start, file.trials.end));
    let all = files[0].1.settings.run.trials;
    let mut next = 0;
    let mut before: Option<&PathBuf> = None;
    for (path, file) in &files {
        let trials = &file.trials;
        match before {
            Some(before) if trials.start < next => {
                let (found, before) =
                    (trials_in_words(&(trials.start..next.min(trials.end))), shown(before));
                let reason = format!("it has {found}, as {before} has: leave one of them out");
                return Err(Failure::content(path, reason));
            }
            _ if trials.start > next => return Err(missing(&(next..trials.start), all)),
            _ => {}
        }
        (next, before) = (trials.end, Some(*path));
    }
    if next < all {
        return Err(missing(&(next..all), all));
    }
    let paths = files.iter().map(|(path, _)| (*path).clone()).collect();
    let (_, document) = files.swap_remove(0);
    Ok((document.settings, document.inputs, paths))
}

/// The failure that no file has these trials; `all` is the number of trials of the run.
fn missing(trials: &Range<u64>, all: u64) -> Failure {
    let found = trials_in_words(trials);
    Failure::Usage(format!("no file has {found} of 0 to {}", grouped(all.saturating_sub(1))))
}

/// The numbers of the trials in a range that is not empty, in words up to the last one below its
/// end: `trial 3` for 3..4, `trials 0 to 24` for 0..25.
pub(super) fn trials_in_words(trials: &Range<u64>) -> String {
    let last = trials.end.saturating_sub(1);
    match last == trials.start {
        true => format!("trial {last}"),
        false => format!("trials {} to {}", grouped(trials.start), grouped(last)),
    }
}
