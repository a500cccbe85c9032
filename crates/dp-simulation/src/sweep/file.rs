//! What a sweep is: the lists whose combinations are its cells, as its file says them.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use dp_exact::{ParameterError, Refusal, check_line, parse_integer};
use dp_task::{NoiseParameters, PolicyName};
use num_bigint::BigInt;
use toml::{Table, Value};

use crate::ValueDistribution;
use crate::report::Functionality;
use crate::sweep::SweepError;
use crate::sweep::data::{CsvSource, DataSource};

/// The longest file that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The most values of a list.
const MAX_LIST: usize = 10_000;

/// The most bytes of a text that stands in rows, as of a path.
const LONGEST_LINE: usize = 4096;

/// Every key.
const KEYS: &str = "policies, budgets, clients, lengths, trials, aggregators, functionality, seed, data, \
                    max_measurement, max_weight, accept_weak_guarantee";

/// The keys of an entry of `budgets`.
const OF_BUDGET: &str = "epsilon, delta, rho, epsilon0, local_epsilon, false_positive_rate, \
                         wanted_honest_clients, assumed_malicious_clients";

/// The keys of `[data]`.
const OF_DATA: &str = "file, column, columns, bins, overflow_bins, clamp, yes, no, missing, missing_value, \
                       delimiter";

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
    pub budgets: Vec<NoiseParameters>,
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
    pub data: DataSource,
    /// The largest number that is measured, or of Prio3L1BoundSum the largest sum.
    pub max_measurement: Option<u128>,
    /// The most ones in a vector of bits.
    pub max_weight: Option<usize>,
    /// Whether cells run of which no guarantee protects anybody.
    pub accept_weak_guarantee: bool,
}

impl Sweep {
    /// Reads TOML, from a file that is known by this name. The keys are described in the module's documentation.
    ///
    /// # Errors
    /// If it is longer than [`MAX_BYTES`], is no TOML, or a key is missing, unknown, or has a value that is
    /// not accepted.
    pub fn from_toml(name: &str, bytes: impl AsRef<[u8]>) -> Result<Self, SweepError> {
        check_line("the file's name", name, LONGEST_LINE)?;
        let mut keys = Keys { table: parsed(bytes.as_ref())?, section: "", known: KEYS };
        let policies = keys.list("policies", text)?.ok_or_else(|| {
            let accepted = "names that `policies` lists, such as [\"histogram-laplace\"]";
            Refusal::missing("policies", accepted)
        })?;
        let policies = policies.into_iter().map(|name| {
            let accepted = "a name that `policies` lists, such as histogram-laplace";
            PolicyName::find(&name).ok_or_else(|| ParameterError::new("policies", name, accepted))
        });
        let functionality = match keys.take("functionality", text)?.as_deref() {
            None | Some("ideal") => Functionality::Ideal,
            Some("prio3") => Functionality::Prio3,
            Some(other) => {
                let accepted =
                    "ideal (totals from their laws) or prio3 (every report is made and verified)";
                return Err(ParameterError::new("functionality", other, accepted).into());
            }
        };
        let most_clients = match functionality {
            Functionality::Ideal => 1_000_000_000_000,
            Functionality::Prio3 => u32::MAX.into(),
        };
        let sweep = Self {
            name: name.to_owned(),
            folder: PathBuf::new(),
            policies: policies.collect::<Result<_, _>>()?,
            functionality,
            clients: keys.list("clients", whole(1..=most_clients))?.ok_or_else(|| {
                Refusal::missing("clients", "how many clients, such as [1000, 1000000]")
            })?,
            budgets: keys.take("budgets", budgets)?.unwrap_or(vec![NoiseParameters::default()]),
            lengths: keys.list("lengths", whole(1..=1_000_000))?.unwrap_or_default(),
            trials: keys.list("trials", whole(1..=1_000_000))?.unwrap_or(vec![1]),
            aggregators: keys.list("aggregators", whole(2..=254))?.unwrap_or(vec![2]),
            seed: keys.take("seed", whole(0..=u64::MAX))?,
            max_measurement: keys.take("max_measurement", whole(1..=u128::MAX >> 1))?,
            max_weight: keys.take("max_weight", whole(1..=1_000_000))?,
            accept_weak_guarantee: keys.take("accept_weak_guarantee", flag)?.unwrap_or(false),
            data: keys
                .take("data", data)?
                .unwrap_or(DataSource::Synthetic(ValueDistribution::Uniform)),
        };
        keys.finish()?;
        if let (DataSource::Table(_), Some(length)) = (&sweep.data, sweep.lengths.first()) {
            let (place, change) = (
                "with a table [data]",
                "leave it out: bins or columns say how long a vector is; data.bins can be a list",
            );
            return Err(Refusal::contradiction("lengths", length, place, change).into());
        }
        Ok(sweep)
    }

    /// The sweep whose data are in a file by a path relative to this folder.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, ..self }
    }

    /// The path of the file whose data are measured, if there is one.
    #[must_use]
    pub fn data_file(&self) -> Option<PathBuf> {
        match &self.data {
            DataSource::Table(table) => Some(self.folder.join(table.file.as_ref()?)),
            DataSource::Synthetic(_) => None,
        }
    }

    /// The path of a file of data.
    pub(crate) fn path(&self, file: &str) -> String {
        self.folder.join(file).to_string_lossy().into_owned()
    }
}

fn parsed(bytes: &[u8]) -> Result<Table, SweepError> {
    if bytes.len() > MAX_BYTES {
        return Err(SweepError::TooLong { max: MAX_BYTES });
    }
    let text = str::from_utf8(bytes).map_err(SweepError::syntax)?;
    text.parse().map_err(|error: toml::de::Error| {
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(1, |before| before.matches('\n').count() + 1);
        SweepError::syntax(format!("line {line}: {}", error.message()))
    })
}

/// A table of which keys are taken: what is left at the end is unknown.
struct Keys {
    table: Table,
    /// What stands before a key in its path.
    section: &'static str,
    /// All keys.
    known: &'static str,
}

impl Keys {
    /// The value of a key, by its path.
    fn take<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&str, Value) -> Result<T, ParameterError>,
    ) -> Result<Option<T>, ParameterError> {
        let value = self.table.remove(key);
        let path = format!("{}{key}", self.section);
        value.map(|value| read(&path, value)).transpose()
    }

    /// The values of a list, or one value as a list of it, each once.
    fn list<T: PartialEq + Display>(
        &mut self,
        key: &str,
        mut read: impl FnMut(&str, Value) -> Result<T, ParameterError>,
    ) -> Result<Option<Vec<T>>, ParameterError> {
        self.take(key, |path, value| {
            let mut values: Vec<T> = Vec::new();
            for value in listed(path, value)? {
                let value = read(path, value)?;
                if values.contains(&value) {
                    return Err(refused(path, value, "each value once"));
                }
                values.push(value);
            }
            Ok(values)
        })
    }

    /// Refuses keys that nobody has taken.
    fn finish(self) -> Result<(), ParameterError> {
        self.table.iter().next().map_or(Ok(()), |(name, value)| {
            let accepted = format!("no such key, only {}", self.known);
            Err(refused(&format!("{}{name}", self.section), shown(value), accepted))
        })
    }
}

fn listed(path: &str, value: Value) -> Result<Vec<Value>, ParameterError> {
    match value {
        Value::Array(values) if (1..=MAX_LIST).contains(&values.len()) => Ok(values),
        Value::Array(values) => {
            let accepted = format!("a list of 1 to {MAX_LIST} values");
            let value = format!("a list of {} values", values.len());
            Err(refused(path, value, accepted))
        }
        one => Ok(vec![one]),
    }
}

fn text(path: &str, value: Value) -> Result<String, ParameterError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(refused(path, shown(&other), "a string")),
    }
}

/// A text that stands in rows and reports: a line by the rule for names.
fn line(path: &str, value: Value) -> Result<String, ParameterError> {
    let line = text(path, value)?;
    check_line(path, &line, LONGEST_LINE)?;
    Ok(line)
}

fn flag(path: &str, value: Value) -> Result<bool, ParameterError> {
    let flag = value.as_bool();
    flag.ok_or_else(|| refused(path, shown(&value), "true or false"))
}

/// An integer, as such or as a string of digits.
fn whole<T: TryFrom<BigInt> + PartialOrd + Display + Clone>(
    accepted: RangeInclusive<T>,
) -> impl Fn(&str, Value) -> Result<T, ParameterError> {
    move |path, value| {
        let text = match value {
            Value::String(text) => text,
            other => shown(&other),
        };
        parse_integer("integer", &text, accepted.clone())
            .map_err(|error| error.renamed(path.to_owned()))
    }
}

/// The entries of `budgets`.
fn budgets(path: &str, value: Value) -> Result<Vec<NoiseParameters>, ParameterError> {
    let mut budgets = Vec::new();
    for (place, entry) in listed(path, value)?.into_iter().enumerate() {
        let path = format!("{path}[{place}]");
        let Value::Table(entry) = entry else {
            let accepted = format!("a table with some of {OF_BUDGET}");
            return Err(refused(&path, shown(&entry), accepted));
        };
        let mut budget = NoiseParameters::default();
        for (name, value) in entry {
            let path = format!("{path}.{name}");
            let known = budget.get_mut(&name).filter(|_| name != "aggregators");
            let Some(parameter) = known else {
                let accepted = format!("no such key here, only {OF_BUDGET}");
                return Err(refused(&path, shown(&value), accepted));
            };
            *parameter = Some(match value {
                Value::String(text) => text.trim().to_owned(),
                Value::Integer(integer) => integer.to_string(),
                other => {
                    let accepted = "an exact number: an integer, or a string such as \"0.5\", \"1e-9\" or \"1/3\"";
                    return Err(refused(&path, shown(&other), accepted));
                }
            });
        }
        if budgets.contains(&budget) {
            return Err(refused(&path, "the same as an entry before it", "each once"));
        }
        budgets.push(budget);
    }
    Ok(budgets)
}

/// `data`: the name of a law, or a table that says which file is read and how.
fn data(path: &str, value: Value) -> Result<DataSource, ParameterError> {
    let accepted = "uniform, zipf, normal, or a table [data] that says which file is read";
    let table = match value {
        Value::Table(table) => table,
        Value::String(name) => {
            let law = name.parse().map_err(|_| refused(path, name, accepted));
            return law.map(DataSource::Synthetic);
        }
        other => return Err(refused(path, shown(&other), accepted)),
    };
    let mut keys = Keys { table, section: "data.", known: OF_DATA };
    let table = CsvSource {
        file: keys.take("file", line)?,
        column: keys.take("column", line)?,
        columns: keys.list("columns", line)?.unwrap_or_default(),
        bins: keys.list("bins", line)?.unwrap_or_default(),
        overflow_bins: keys.take("overflow_bins", flag)?.unwrap_or(false),
        clamp: keys.take("clamp", flag)?.unwrap_or(false),
        yes: keys.take("yes", text)?,
        no: keys.take("no", text)?,
        missing: keys.take("missing", text)?,
        missing_value: keys.take("missing_value", text)?,
        delimiter: keys.take("delimiter", text)?,
    };
    keys.finish()?;
    Ok(DataSource::Table(Box::new(table)))
}

/// A value in a message: of what has parts, only what it is.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "[…]".to_owned(),
        Value::Table(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

fn refused(path: &str, value: impl Display, accepted: impl Into<String>) -> ParameterError {
    ParameterError::new(path.to_owned(), value, accepted.into())
}
