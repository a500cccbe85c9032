//! What a folder says of the sweep whose parts it has.

use dp_exact::shown;
use dp_parts::{Folder, Run};
use dp_sweep::Sweep;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::Asked;
use crate::failure::Failure;
use crate::json::Inputs;

/// The kind of run that a folder is said to be of.
pub(crate) const KIND: &str = "sweep";

/// What a folder says of a sweep.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Described {
    /// Of the program that began it.
    version: String,
    /// Its file.
    text: String,
    seed: u64,
    /// What tells its data from others, in hexadecimal digits.
    data: String,
    /// The name of its file, and what was typed: those of another process may differ.
    name: String,
    inputs: Inputs,
}

impl Described {
    pub(super) fn new(asked: &Asked, text: String, data: [u8; 32], inputs: &Inputs) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            text,
            seed: asked.grid.seed,
            data: data.map(|byte| format!("{byte:02x}")).concat(),
            name: asked.sweep.name.clone(),
            inputs: inputs.of_run(asked.grid.seed),
        }
    }

    /// The run for its folder, of so many cells.
    pub(super) fn run(&self, cells: usize) -> Result<Run, Failure> {
        Ok(Run {
            kind: KIND.to_owned(),
            digest: self.digest(),
            blocks: u64::try_from(cells).unwrap_or(u64::MAX),
            description: serde_json::to_string(self).map_err(Failure::other)?,
        })
    }

    /// SHA-256 over all that rows depend on.
    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(b"dp-cli sweep 1\n");
        let seed = self.seed.to_string();
        for part in [&self.version, &self.text, &seed, &self.data] {
            hash.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }

    /// What a folder says, and what was typed.
    ///
    /// # Errors
    /// If it says nothing that this program would say.
    pub(super) fn of(folder: &Folder) -> Result<(Asked, Inputs), Failure> {
        let refused = |reason: String| Failure::Run {
            path: shown(folder.path()),
            reason,
        };
        let run = folder.run();
        if run.kind != KIND {
            return Err(refused(format!("it is a run of the kind {:?}", run.kind)));
        }
        let unreadable =
            |error: String| refused(format!("what it says of its run is none: {error}"));
        let described: Self = serde_json::from_str(&run.description)
            .map_err(|error| unreadable(error.to_string()))?;
        let own = env!("CARGO_PKG_VERSION");
        if described.version != own {
            let other = &described.version;
            let reason = format!("its run is of version {other} of this program: expected {own}");
            return Err(refused(reason));
        }
        if described.digest() != run.digest {
            return Err(refused("its digest is not that of its run".to_owned()));
        }
        let sweep = Sweep::from_toml(&described.name, &described.text);
        let asked = sweep.and_then(|sweep| Asked::new(sweep, described.seed));
        let asked = asked.map_err(|error| unreadable(error.to_string()))?;
        Ok((asked, described.inputs))
    }
}
