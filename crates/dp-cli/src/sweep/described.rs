//! What a folder says of the sweep whose parts it has.

use dp_exact::hexadecimal;
use dp_simulation::parts::Folder;
use dp_simulation::sweep::Sweep;
use serde::{Deserialize, Serialize};

use super::Asked;
use crate::checkpoints::description::{Description, VERSION, digest, unreadable};
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
            version: VERSION.to_owned(),
            text,
            seed: asked.grid.seed,
            data: hexadecimal(&data),
            name: asked.sweep.name.clone(),
            inputs: inputs.of_run(asked.grid.seed),
        }
    }

    /// What a folder says, and what was typed.
    ///
    /// # Errors
    /// If it says nothing that this program would say.
    pub(super) fn asked(folder: &Folder) -> Result<(Asked, Inputs), Failure> {
        let described = Self::of(folder)?;
        let sweep = Sweep::from_toml(&described.name, &described.text);
        let asked = sweep.and_then(|sweep| Asked::new(sweep, described.seed));
        let asked = asked.map_err(|error| unreadable(folder, error))?;
        Ok((asked, described.inputs))
    }
}

impl Description for Described {
    const KIND: &str = KIND;

    fn version(&self) -> &str {
        &self.version
    }

    /// SHA-256 over all that rows depend on.
    fn digest(&self) -> Result<[u8; 32], Failure> {
        let seed = self.seed.to_string();
        let parts = [&self.version, &self.text, &seed, &self.data];
        Ok(digest(KIND, &parts.map(|part| part.as_bytes())))
    }
}
