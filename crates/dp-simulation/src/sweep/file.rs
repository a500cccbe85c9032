//! What a sweep is: the lists whose combinations are its cells.

mod keys;
mod values;

use std::path::{Path, PathBuf};

use crate::report::Functionality;
use dp_exact::{ParameterError, Refusal, check_line};
use dp_task::{Parameters, PolicyName};

use crate::sweep::Error;
use crate::sweep::data::Data;
use keys::Keys;

/// The longest file that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The most clients of a cell: 10^12.
const MAX_CLIENTS: u64 = 1_000_000_000_000;

/// The longest vector.
const MAX_LENGTH: u64 = 1_000_000;

/// The most trials of a cell.
const MAX_TRIALS: u64 = 1_000_000;

/// The largest number that is measured.
const MAX_MEASUREMENT: u128 = u128::MAX >> 1;

/// A sweep, as its file says it: every combination of the lists is a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The file, as it was named.
    pub name: String,
    /// The folder to which the path of its data is relative.
    pub folder: PathBuf,
    /// The policies.
    pub policies: Vec<PolicyName>,
    /// The parameters of their noise; a policy takes of an entry those that it has.
    pub budgets: Vec<Parameters>,
    /// How many clients.
    pub clients: Vec<u64>,
    /// How long the vectors are, of synthetic data.
    pub lengths: Vec<usize>,
    /// How many trials.
    pub trials: Vec<u64>,
    /// How many aggregators.
    pub aggregators: Vec<u64>,
    /// Whether Prio3 runs.
    pub functionality: Functionality,
    /// The seed, if the file has one.
    pub seed: Option<u64>,
    /// What clients measure.
    pub data: Data,
    /// The largest number that is measured, or of Prio3L1BoundSum the largest sum.
    pub max_measurement: Option<u128>,
    /// The most ones in a vector of bits.
    pub max_weight: Option<usize>,
    /// Whether cells run of which no promise protects anybody.
    pub accept_weak_promise: bool,
}

impl Sweep {
    /// Reads TOML, from a file that is known by this name. The keys are described in the crate's documentation.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], is no TOML, or a key is missing, unknown, or has a value that is
    /// not accepted.
    pub fn from_toml(name: &str, bytes: impl AsRef<[u8]>) -> Result<Self, Error> {
        check_line("the file's name", name, values::LONGEST_LINE)?;
        let mut keys = Keys::parse(bytes.as_ref())?;
        let policies = keys.texts("policies")?;
        let policies = policies.ok_or_else(|| {
            Refusal::missing(
                "policies",
                "names that `policies` lists, such as [\"histogram-laplace\"]",
            )
        })?;
        let policies = policies.into_iter().map(|name| policy(&name));
        let policies = policies.collect::<Result<_, _>>()?;
        let functionality = functionality(&mut keys)?;
        let most_clients = match functionality {
            Functionality::Ideal => MAX_CLIENTS,
            Functionality::Prio3 => u32::MAX.into(),
        };
        let clients = keys.integers("clients", 1..=most_clients)?;
        let sweep = Self {
            name: name.to_owned(),
            folder: PathBuf::new(),
            policies,
            budgets: keys.budgets()?,
            clients: clients.ok_or_else(|| {
                Refusal::missing("clients", "how many clients, such as [1000, 1000000]")
            })?,
            lengths: keys.integers("lengths", 1..=MAX_LENGTH)?.map_or_else(
                || Ok(Vec::new()),
                |lengths| lengths.into_iter().map(length).collect::<Result<_, _>>(),
            )?,
            trials: keys.integers("trials", 1..=MAX_TRIALS)?.unwrap_or(vec![1]),
            aggregators: keys.integers("aggregators", 2..=254)?.unwrap_or(vec![2]),
            functionality,
            seed: keys.integer("seed", 0..=u64::MAX)?,
            max_measurement: keys.integer("max_measurement", 1..=MAX_MEASUREMENT)?,
            max_weight: keys.integer("max_weight", 1..=1_000_000)?,
            accept_weak_promise: keys.flag("accept_weak_promise")?,
            data: keys.data()?,
        };
        keys.finish()?;
        sweep.data.check_lengths(&sweep.lengths)?;
        Ok(sweep)
    }
}

impl Sweep {
    /// The same whose data are in a file by a path relative to this folder.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, ..self }
    }

    /// The path of the file whose data are measured, if there is one.
    #[must_use]
    pub fn data_file(&self) -> Option<PathBuf> {
        match &self.data {
            Data::Table(table) => Some(self.folder.join(table.file.as_ref()?)),
            Data::Synthetic(_) => None,
        }
    }

    /// The path of a file of data.
    pub(crate) fn path(&self, file: &str) -> String {
        self.folder.join(file).to_string_lossy().into_owned()
    }
}

fn policy(name: &str) -> Result<PolicyName, ParameterError> {
    let accepted = "a name that `policies` lists, such as histogram-laplace";
    PolicyName::find(name).ok_or_else(|| ParameterError::new("policies", name, accepted))
}

fn length(length: u64) -> Result<usize, ParameterError> {
    usize::try_from(length).map_err(|_| ParameterError::new("lengths", length, "a shorter vector"))
}

/// Ideal unless the file says otherwise.
fn functionality(keys: &mut Keys) -> Result<Functionality, Error> {
    let accepted =
        "ideal (totals from their exact laws) or prio3 (every report is made and verified)";
    match keys.text("functionality")?.as_deref() {
        None | Some("ideal") => Ok(Functionality::Ideal),
        Some("prio3") => Ok(Functionality::Prio3),
        Some(other) => Err(ParameterError::new("functionality", other, accepted).into()),
    }
}
