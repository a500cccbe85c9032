//! The file of a sweep: the lists whose combinations are its cells.

use std::path::{Path, PathBuf};

use dp_calibration::{Refusal, check_line};
use dp_exact::ParameterError;
use dp_task::{ClientNoiseType, DocumentField, NoiseParameters, PolicyName, VdafType};

use crate::data::SHIPPED;
use crate::report::Functionality;
use crate::sweep::SweepError;
use crate::{PercentilesAndRanges, ValueDistribution};

/// The longest text that stands in rows, such as a path, in bytes.
const LONGEST_LINE: usize = 4096;

const KEYS: &[&str] = &[
    "policies",
    "budgets",
    "clients",
    "lengths",
    "trials",
    "aggregators",
    "functionality",
    "seed",
    "data",
    "max_measurement",
    "max_weight",
    "percentiles",
    "accept_weak_guarantee",
];

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

/// Whether a policy takes vectors with exactly one one.
pub(crate) fn is_one_hot(policy: &PolicyName) -> bool {
    policy.client_noise.is_some_and(ClientNoiseType::is_one_hot)
}

/// Whether measurements of this VDAF have a length of their own.
pub(crate) const fn has_length(vdaf: VdafType) -> bool {
    !matches!(vdaf, VdafType::Count | VdafType::Sum | VdafType::Average)
}

impl CsvSource {
    /// Whether a measurement is the bin of a value.
    pub(crate) const fn is_binned(&self, vdaf: VdafType, is_one_hot: bool) -> bool {
        match vdaf {
            VdafType::Histogram => true,
            VdafType::MultihotCountVec => is_one_hot || self.columns.is_empty(),
            _ => false,
        }
    }
}

impl DataSource {
    /// The lengths or the choices of bins for a policy's measurements, in words; `None` stands for
    /// the only choice of measurements without them. Seeds of cells depend on these words.
    pub(crate) fn sizes(&self, policy: &PolicyName, lengths: &[usize]) -> Vec<Option<String>> {
        match self {
            Self::Synthetic(_) if has_length(policy.vdaf) => {
                lengths.iter().map(|length| Some(format!("length {length}"))).collect()
            }
            Self::Csv(table)
                if table.is_binned(policy.vdaf, is_one_hot(policy)) && !table.bins.is_empty() =>
            {
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
    /// If the file is longer than [`MAX_BYTES`](dp_task::MAX_BYTES), is not TOML, or a key is
    /// missing, unknown, or has a value that is not accepted.
    pub fn from_toml(name: &str, bytes: impl AsRef<[u8]>) -> Result<Self, SweepError> {
        check_line("the file's name", name, LONGEST_LINE)?;
        let mut table = DocumentField::toml(bytes.as_ref())?.fields(KEYS)?;
        let mut key = |name| table.field(name);
        let policies = key("policies").list(|field| {
            let refused = field.refused("a name that `policies` lists, such as histogram-laplace");
            PolicyName::find(&field.text("a string")?).ok_or(refused)
        })?;
        let functionality = key("functionality").optional(|field| field.text("a string"))?;
        let functionality = match functionality.as_deref() {
            None | Some("ideal") => Functionality::Ideal,
            Some("prio3") => Functionality::Prio3,
            Some(other) => {
                let accepted = "ideal (totals drawn from their exact distributions) or prio3 (every \
                                report is made and verified)";
                return Err(ParameterError::new("functionality", other, accepted).into());
            }
        };
        let most_clients = match functionality {
            Functionality::Ideal => 1_000_000_000_000,
            Functionality::Prio3 => u32::MAX.into(),
        };
        let clients = key("clients").list(|field| field.integer(1..=most_clients))?;
        let or_one =
            |values: Vec<u64>, default| if values.is_empty() { vec![default] } else { values };
        let mut budgets = key("budgets").list(budget)?;
        if budgets.is_empty() {
            budgets.push(NoiseParameters::default());
        }
        let percentiles = key("percentiles").list(|field| field.exact_text())?;
        let percentiles = (!percentiles.is_empty())
            .then(|| PercentilesAndRanges::of(&percentiles.join(",")))
            .transpose()?;
        let sweep = Self {
            name: name.to_owned(),
            folder: PathBuf::new(),
            policies,
            budgets,
            clients,
            lengths: key("lengths").list(|field| field.integer(1..=1_000_000))?,
            trials: or_one(key("trials").list(|field| field.integer(1..=1_000_000))?, 1),
            aggregators: or_one(key("aggregators").list(|field| field.integer(2..=254))?, 2),
            functionality,
            seed: key("seed").optional(|field| field.integer(0..=u64::MAX))?,
            data: key("data")
                .optional(data)?
                .unwrap_or(DataSource::Synthetic(ValueDistribution::Uniform)),
            max_measurement: key("max_measurement")
                .optional(|field| field.integer(1..=u128::MAX >> 1))?,
            max_weight: key("max_weight").optional(|field| field.integer(1..=1_000_000))?,
            percentiles,
            accept_weak_guarantee: key("accept_weak_guarantee").flag()?,
        };
        sweep.check()?;
        Ok(sweep)
    }

    /// Refuses a sweep without policies or clients, percentiles of policies that estimate none,
    /// lengths of a table or where no policy has vectors, and synthetic vectors without lengths.
    fn check(&self) -> Result<(), SweepError> {
        if self.policies.is_empty() {
            let accepted = "names that `policies` lists, such as [\"histogram-laplace\"]";
            return Err(Refusal::missing("policies", accepted).into());
        }
        if self.clients.is_empty() {
            let accepted = "how many clients, such as [1000, 1000000]";
            return Err(Refusal::missing("clients", accepted).into());
        }
        if self.percentiles.is_some() {
            let checked = self.policies.iter().try_for_each(PercentilesAndRanges::check_policy);
            checked.map_err(|error| error.renamed("policies"))?;
        }
        let mut policies = self.policies.iter();
        let has_vectors = policies.any(|policy| has_length(policy.vdaf));
        let (place, change) = match (&self.data, has_vectors) {
            (DataSource::Synthetic(_), true) if self.lengths.is_empty() => {
                let accepted = "how long the vectors are, such as [12, 1000]";
                return Err(Refusal::missing("lengths", accepted).into());
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
        match self.lengths.first() {
            None => Ok(()),
            Some(length) => Err(Refusal::contradiction("lengths", length, place, change).into()),
        }
    }

    /// This sweep, with the path of its data relative to `folder`.
    #[must_use]
    pub fn in_folder(self, folder: &Path) -> Self {
        let folder = folder.to_owned();
        Self { folder, ..self }
    }
}

fn budget(field: DocumentField) -> Result<NoiseParameters, ParameterError> {
    // The aggregators, which come first, are a list of their own.
    let names = &NoiseParameters::NAMES[1..];
    let mut table = field.fields(names)?;
    let mut budget = NoiseParameters::default();
    for name in names {
        if let Some(parameter) = budget.get_mut(name) {
            *parameter = table.field(name).optional(|field| field.exact_text())?;
        }
    }
    Ok(budget)
}

/// `data`: the name of a distribution, or the table `[data]`.
fn data(field: DocumentField) -> Result<DataSource, ParameterError> {
    if field.is_text() {
        let name = field.text("a string")?;
        let distribution = name.parse().map_err(|error: ParameterError| error.renamed("data"));
        return distribution.map(DataSource::Synthetic);
    }
    let mut table = field.fields(&["file", "column", "columns", "bins"])?;
    Ok(DataSource::Csv(CsvSource {
        file: table.field("file").optional(line)?,
        column: table.field("column").optional(line)?,
        columns: table.field("columns").list(line)?,
        bins: table.field("bins").list(line)?,
    }))
}

/// A text for rows and reports: a line of printable characters.
fn line(field: DocumentField) -> Result<String, ParameterError> {
    let path = field.path().to_owned();
    let line = field.text("a string")?;
    check_line(path, &line, LONGEST_LINE)?;
    Ok(line)
}
