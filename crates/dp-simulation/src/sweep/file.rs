//! The file of a sweep: the lists whose combinations are its cells.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use dp_exact::{ParameterError, Refusal, check_line, parse_integer};
use dp_task::{NoiseParameters, PolicyName, VdafType};
use num_bigint::BigInt;
use toml::{Table, Value};

use crate::data::SHIPPED;
use crate::report::Functionality;
use crate::sweep::SweepError;
use crate::{PercentilesAndRanges, ValueDistribution};

/// The longest file that is read, in bytes: 64 KiB.
pub const MAX_BYTES: usize = 1 << 16;

/// The most values of a list.
const MAX_LIST: usize = 10_000;

/// The longest text that stands in rows, such as a path, in bytes.
const LONGEST_LINE: usize = 4096;

/// The keys of the file.
const KEYS: &str = "policies, budgets, clients, lengths, trials, aggregators, functionality, seed, data, \
                    max_measurement, max_weight, percentiles, accept_weak_guarantee";

/// The keys of an entry of `budgets`.
const BUDGET_KEYS: &str = "epsilon, delta, rho, epsilon0, local_epsilon, false_positive_rate, \
                           target_honest_clients, assumed_malicious_clients";

/// The keys of `[data]`.
const DATA_KEYS: &str = "file, column, columns, bins";

/// The source of the clients' measurements.
#[derive(Clone, Debug, PartialEq)]
pub enum DataSource {
    /// Each client draws a value from this distribution.
    Synthetic(ValueDistribution),
    /// Each client draws a row of a table.
    Csv(CsvSource),
}

/// The section `[data]`: the file, and what of it is measured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvSource {
    /// A CSV file with a header; without one the shipped data.
    pub file: Option<String>,
    /// The column that is counted in bins or added up, or in which yes is counted.
    pub column: Option<String>,
    /// The columns of a vector.
    pub columns: Vec<String>,
    /// Choices of bins; each makes cells of its own.
    pub bins: Vec<String>,
}

/// The kind of measurement that a policy takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum MeasurementKind {
    Bit,
    Number,
    Bucket,
    /// A vector of bits with a single one.
    OneHot,
    Bits,
    Numbers,
    /// A vector of integers with a bounded sum.
    BoundedSum,
}

impl MeasurementKind {
    pub(crate) const fn of(policy: PolicyName) -> Self {
        match policy.vdaf {
            VdafType::Count => Self::Bit,
            VdafType::Sum | VdafType::Average => Self::Number,
            VdafType::Histogram => Self::Bucket,
            VdafType::MultihotCountVec => match policy.client_noise {
                Some(randomizer) if randomizer.is_one_hot() => Self::OneHot,
                _ => Self::Bits,
            },
            VdafType::SumVec => Self::Numbers,
            VdafType::L1BoundSum => Self::BoundedSum,
        }
    }

    /// Whether a measurement of this kind is the bin of a value in `table`.
    pub(crate) const fn is_binned(self, table: &CsvSource) -> bool {
        match self {
            Self::Bucket | Self::OneHot => true,
            Self::Bits => table.columns.is_empty(),
            Self::Bit | Self::Number | Self::Numbers | Self::BoundedSum => false,
        }
    }

    /// Whether a measurement of this kind has a length of its own.
    pub(crate) const fn has_length(self) -> bool {
        !matches!(self, Self::Bit | Self::Number)
    }
}

impl DataSource {
    /// The lengths or the choices of bins for measurements of this kind, in words; `None` stands
    /// for the only choice of measurements without them. Seeds of cells depend on these words.
    pub(crate) fn sizes(&self, kind: MeasurementKind, lengths: &[usize]) -> Vec<Option<String>> {
        match self {
            Self::Synthetic(_) if kind.has_length() => {
                lengths.iter().map(|length| Some(format!("length {length}"))).collect()
            }
            Self::Csv(table) if kind.is_binned(table) && !table.bins.is_empty() => {
                table.bins.iter().map(|bins| Some(format!("bins {bins}"))).collect()
            }
            Self::Synthetic(_) | Self::Csv(_) => vec![None],
        }
    }

    /// The name in rows: the distribution or the file.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Synthetic(distribution) => distribution.name(),
            Self::Csv(table) => table.file.as_deref().unwrap_or(SHIPPED),
        }
    }
}

/// A sweep: every combination of the lists is a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The name of the file.
    pub name: String,
    /// The folder to which the path of the data is relative.
    pub folder: PathBuf,
    /// The policies.
    pub policies: Vec<PolicyName>,
    /// Parameters of noise. Of each entry a policy takes the parameters that it has.
    pub budgets: Vec<NoiseParameters>,
    /// Numbers of clients.
    pub clients: Vec<u64>,
    /// Lengths of synthetic vectors.
    pub lengths: Vec<usize>,
    /// Numbers of trials.
    pub trials: Vec<u64>,
    /// Numbers of aggregators.
    pub aggregators: Vec<u64>,
    /// Prio3 or the ideal functionality.
    pub functionality: Functionality,
    /// The seed, if the file has one.
    pub seed: Option<u64>,
    /// The source of the measurements.
    pub data: DataSource,
    /// The largest number, or for Prio3L1BoundSum the largest sum.
    pub max_measurement: Option<u128>,
    /// The most ones in a vector of bits.
    pub max_weight: Option<usize>,
    /// Percentiles of histograms, if cells estimate some; they are then compared by the errors of
    /// cumulative counts.
    pub percentiles: Option<PercentilesAndRanges>,
    /// Whether cells run although no guarantee protects anybody.
    pub accept_weak_guarantee: bool,
}

impl Sweep {
    /// Reads TOML from a file of this name. The [module](crate::sweep) describes the keys.
    ///
    /// # Errors
    /// If the file is longer than [`MAX_BYTES`], is not TOML, or a key is missing, unknown, or has a value that is not
    /// accepted.
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
                let accepted = "ideal (totals drawn from their exact distributions) or prio3 (every report is made \
                                and verified)";
                return Err(ParameterError::new("functionality", other, accepted).into());
            }
        };
        let most_clients = match functionality {
            Functionality::Ideal => 1_000_000_000_000,
            Functionality::Prio3 => u32::MAX.into(),
        };
        let percentiles = keys.list("percentiles", number)?.map(|list| list.join(","));
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
            percentiles: percentiles.as_deref().map(PercentilesAndRanges::of).transpose()?,
            accept_weak_guarantee: keys.take("accept_weak_guarantee", flag)?.unwrap_or(false),
            data: keys
                .take("data", data)?
                .unwrap_or(DataSource::Synthetic(ValueDistribution::Uniform)),
        };
        keys.finish()?;
        if sweep.percentiles.is_some() {
            let policies = sweep.policies.iter().map(PercentilesAndRanges::check_policy);
            let policies = policies.collect::<Result<(), _>>();
            policies.map_err(|error| error.renamed("policies"))?;
        }
        sweep.check_lengths()?;
        Ok(sweep)
    }

    /// Refuses lengths of a table or where no policy has vectors, and synthetic vectors without
    /// lengths.
    fn check_lengths(&self) -> Result<(), Refusal> {
        let mut policies = self.policies.iter();
        let has_vectors = policies.any(|policy| MeasurementKind::of(*policy).has_length());
        let (place, change) = match (&self.data, has_vectors) {
            (DataSource::Synthetic(_), true) if self.lengths.is_empty() => {
                return Err(missing_lengths());
            }
            (DataSource::Synthetic(_), true) => return Ok(()),
            (DataSource::Synthetic(_), false) => {
                ("with policies that count, add up or average one number", "leave it out")
            }
            (DataSource::Csv(_), _) => (
                "with a table [data]",
                "leave it out: bins or columns say how long a vector is; data.bins can be a list",
            ),
        };
        self.lengths
            .first()
            .map_or(Ok(()), |length| Err(Refusal::contradiction("lengths", length, place, change)))
    }

    /// This sweep, with the path of its data relative to `folder`.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, ..self }
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

/// The error of synthetic vectors without a length.
pub(crate) fn missing_lengths() -> Refusal {
    Refusal::missing("lengths", "how long the vectors are, such as [12, 1000]")
}

/// A table from which known keys are taken; keys that remain at the end are unknown.
struct Keys {
    table: Table,
    /// The path of the table, with a point at its end.
    section: &'static str,
    /// The known keys, for errors.
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

    /// The values of a list without repetitions; one value stands for a list of it.
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

    /// Refuses keys that were not taken.
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

/// What `read` makes of the value; `Err` says that `accepted` is expected.
fn typed<T>(
    path: &str,
    value: &Value,
    accepted: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<T, ParameterError> {
    read(value).ok_or_else(|| refused(path, shown(value), accepted))
}

fn text(path: &str, value: Value) -> Result<String, ParameterError> {
    typed(path, &value, "a string", |value| value.as_str().map(str::to_owned))
}

/// A text for rows and reports: a line of printable characters.
fn line(path: &str, value: Value) -> Result<String, ParameterError> {
    let line = text(path, value)?;
    check_line(path, &line, LONGEST_LINE)?;
    Ok(line)
}

/// An exact number, as an integer or a string.
fn exact(value: &Value) -> Option<String> {
    let text = value.as_str().map(|text| text.trim().to_owned());
    text.or_else(|| Some(value.as_integer()?.to_string()))
}

fn number(path: &str, value: Value) -> Result<String, ParameterError> {
    typed(path, &value, "numbers such as [5, 50, \"99.5\"]", exact)
}

fn flag(path: &str, value: Value) -> Result<bool, ParameterError> {
    typed(path, &value, "true or false", Value::as_bool)
}

/// An integer, or a string of digits.
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
            let accepted = format!("a table with some of {BUDGET_KEYS}");
            return Err(refused(&path, shown(&entry), accepted));
        };
        let mut budget = NoiseParameters::default();
        for (name, value) in entry {
            let path = format!("{path}.{name}");
            let known = budget.get_mut(&name).filter(|_| name != "aggregators");
            let Some(parameter) = known else {
                let accepted = format!("no such key here, only {BUDGET_KEYS}");
                return Err(refused(&path, shown(&value), accepted));
            };
            let accepted =
                "an exact number: an integer, or a string such as \"0.5\", \"1e-9\" or \"1/3\"";
            *parameter = Some(typed(&path, &value, accepted, exact)?);
        }
        if budgets.contains(&budget) {
            return Err(refused(&path, "the same as an entry before it", "each once"));
        }
        budgets.push(budget);
    }
    Ok(budgets)
}

/// `data`: the name of a distribution, or the table `[data]`.
fn data(path: &str, value: Value) -> Result<DataSource, ParameterError> {
    let accepted = "uniform, zipf, normal, or a table [data] that says which file is read";
    let table = match value {
        Value::Table(table) => table,
        Value::String(name) => {
            let distribution = name.parse().map_err(|_| refused(path, name, accepted));
            return distribution.map(DataSource::Synthetic);
        }
        other => return Err(refused(path, shown(&other), accepted)),
    };
    let mut keys = Keys { table, section: "data.", known: DATA_KEYS };
    let table = CsvSource {
        file: keys.take("file", line)?,
        column: keys.take("column", line)?,
        columns: keys.list("columns", line)?.unwrap_or_default(),
        bins: keys.list("bins", line)?.unwrap_or_default(),
    };
    keys.finish()?;
    Ok(DataSource::Csv(table))
}

/// A value in a message, without the entries of a list or table.
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
