//! The options of `simulate`.

use std::ops::Range;
use std::path::PathBuf;

use clap::Args;
use dp_calibration::Refusal;
use dp_exact::{Delta, Epsilon, ParameterError, Rational, Rho};
use dp_prio3::grid::Grid;
use dp_simulation::data::{Bins, Category, Delimiter, MissingAction, OutOfRange};
use dp_simulation::{BucketAxis, PercentilesAndRanges, ValueDistribution};
use dp_task::PolicyName;

use crate::delivery::{OutputOptions, ReportOptions};
use crate::json::Inputs;
use crate::values::{self, LEAVE_OUT, grid, integers};

/// Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct SimulateOptions {
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) policy: PolicyOptions,
    #[command(flatten)]
    pub(crate) trust: TrustOptions,
    #[command(flatten)]
    pub(crate) data: DataOptions,
    /// Draw the totals from their exact distribution, without any report; for up to 10^12 clients
    #[arg(long, help_heading = "Run")]
    pub(crate) ideal: bool,
    /// Number of clients, each a row drawn at random with replacement [default: one for each row;
    /// with synthetic data the clients that the task needs, or 10000]
    #[arg(
        long,
        alias = "n",
        value_parser = integers(1..=MAX_IDEAL_CLIENTS),
        help_heading = "Run"
    )]
    pub(crate) clients: Option<u64>,
    /// Number of trials
    #[arg(
        long,
        default_value = "1",
        value_parser = integers(1..=1_000_000_u64),
        help_heading = "Run"
    )]
    pub(crate) trials: u64,
    /// Also adjust the estimates to possible ones nearby: none negative, buckets that add up
    #[arg(long, help_heading = "Run")]
    pub(crate) consistent: bool,
    /// Do not correct single buckets of a histogram by the known number of reports, as percentiles
    /// and ranges are
    #[arg(long, help_heading = "Run")]
    pub(crate) raw_totals: bool,
    #[command(flatten)]
    pub(crate) cumulative: CumulativeOptions,
    #[command(flatten)]
    pub(crate) run: RunOptions,
    /// Run only the I-th of N shares of the trials, and write their records to the file of --json,
    /// for `merge`; a file that has them already is kept
    #[arg(long, value_name = "I/N", help_heading = "Run")]
    pub(crate) share: Option<String>,
    /// Also write the table of several runs as CSV; - or no FILE prints it in place of the text
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        default_missing_value = "-",
        help_heading = "Report"
    )]
    pub(crate) csv: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) reports: ReportOptions,
    #[command(flatten)]
    pub(crate) output: OutputOptions,
}

/// Percentiles and ranges of a histogram of ordered buckets.
#[derive(Args, Debug)]
#[command(next_help_heading = "Percentiles and ranges")]
pub(crate) struct CumulativeOptions {
    /// Also estimate these percentiles, such as 5,25,50,75,95, as buckets with intervals
    #[arg(long, value_name = "LIST")]
    percentiles: Option<String>,
    /// Also estimate the median: the same as --percentiles 50
    #[arg(long, conflicts_with = "percentiles")]
    median: bool,
    /// Also estimate the number of people from LOW to below HIGH, ends of bins; may be repeated
    #[arg(long, value_name = "LOW..HIGH")]
    between: Vec<String>,
}

impl CumulativeOptions {
    /// The question about percentiles and ranges of a policy's buckets, which have these labels;
    /// `None` if none is asked for.
    pub(crate) fn question(
        &self,
        policy: &PolicyName,
        labels: &[String],
    ) -> Result<Option<PercentilesAndRanges>, ParameterError> {
        let percentiles = self.percentiles.as_deref().or(self.median.then_some("50"));
        if percentiles.is_none() && self.between.is_empty() {
            return Ok(None);
        }
        PercentilesAndRanges::check_policy(policy)?;
        percentiles.map_or(Ok(()), check_comma)?;
        let mut question =
            percentiles.map(PercentilesAndRanges::of).transpose()?.unwrap_or_default();
        let axis = BucketAxis::of(labels)?;
        let ranges = self.between.iter().map(|text| axis.range(text));
        question.ranges = ranges.collect::<Result<_, _>>()?;
        Ok(Some(question))
    }
}

/// `Err` with both readings for two integers that fall, such as 97,5, with nothing but a comma
/// between them: a list of percentiles ascends, or has a space behind its comma.
fn check_comma(list: &str) -> Result<(), ParameterError> {
    if let Some((whole, decimals)) = list.split_once(',')
        && let (Ok(first), Ok(second)) = (whole.parse::<u32>(), decimals.parse::<u32>())
        && second < first
    {
        let accepted = format!(
            "{whole}.{decimals} or \"{whole}, {decimals}\", as its comma may begin a fraction or separate \
             values"
        );
        return Err(ParameterError::new("percentiles", list, accepted));
    }
    Ok(())
}

/// The options of every command that draws.
#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub(crate) struct RunOptions {
    /// Seed that makes the estimates reproducible [default: a random one]
    #[arg(long, value_parser = integers(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,
    /// Number of threads [default: one for each processor]
    #[arg(long, value_parser = integers(1..=1024_usize))]
    pub(crate) threads: Option<usize>,
}

/// The policy, and the parameters of its noise.
#[derive(Args, Debug)]
#[command(next_help_heading = "Policy")]
pub(crate) struct PolicyOptions {
    /// Name of a policy, as `policies` lists it [default: with Laplace noise, with --rho Gaussian]
    #[arg(id = "policy", long = "policy")]
    pub(crate) name: Option<String>,
    /// Task file in TOML or JSON, which has the policy and all parameters
    #[arg(long, value_name = "FILE", conflicts_with = "policy")]
    pub(crate) task: Option<PathBuf>,
    /// Epsilon of one aggregator's noise [default: 0.906], or of one client's answer [default: 3]
    #[arg(long, alias = "eps")]
    pub(crate) epsilon: Option<Epsilon>,
    /// Delta at which every epsilon holds, and of the budget of Gaussian noise [default: 1e-9]
    #[arg(long)]
    pub(crate) delta: Option<Delta>,
    /// Zero-concentrated budget of Gaussian noise, in place of --epsilon and --delta
    #[arg(long)]
    pub(crate) rho: Option<Rho>,
    /// RAPPOR's parameter: the privacy loss of one bit [default: 3]
    #[arg(long)]
    pub(crate) epsilon0: Option<Epsilon>,
    /// Epsilon of one client's answer where aggregators add noise as well [default: 3]
    #[arg(long)]
    pub(crate) local_epsilon: Option<Epsilon>,
    /// Largest weight of a measurement of multihot policies [default: all columns; with --bins 1]
    #[arg(long)]
    pub(crate) max_weight: Option<String>,
    /// Rate of honest reports that RAPPOR may drop [default: negligible beside --delta]
    #[arg(long)]
    pub(crate) false_positive_rate: Option<Rational>,
    /// Number of honest clients up to which compensated-rappor fills a batch [default: 10000]
    #[arg(long, value_parser = integers(1..=values::MAX_CLIENTS))]
    pub(crate) target_honest_clients: Option<u64>,
    /// Clients of a batch that compensated-rappor assumes to be malicious [default: 0]
    #[arg(long, value_parser = integers(0..=values::MAX_CLIENTS))]
    pub(crate) assumed_malicious_clients: Option<u64>,
    /// Number of aggregators, 2 to 254 [default: 2]
    #[arg(long, value_parser = integers(2..=254_usize))]
    pub(crate) aggregators: Option<usize>,
}

/// The honest parties on whom guarantees count.
#[derive(Args, Debug)]
#[command(next_help_heading = "Trust")]
pub(crate) struct TrustOptions {
    /// Number of honest clients, with one aggregator: OAMC [default: the task's, or all]
    #[arg(long)]
    pub(crate) honest_clients: Option<String>,
    /// Also print guarantees for up to this many honest aggregators [default: the task's, or 1]
    #[arg(long)]
    pub(crate) honest_aggregators: Option<String>,
    /// Run even if every guarantee has an epsilon above 20 or a delta above 0.001
    #[arg(long)]
    pub(crate) accept_weak_guarantee: bool,
}

/// The data, and how they are measured.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataOptions {
    /// CSV file with a header line, - for standard input [default: the heights and diagnoses of
    /// 1629 people]
    #[arg(id = "data", long = "data", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// CSV file, or -, in which a column gives the number of people that a row stands for
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    pub(crate) counts: Option<PathBuf>,
    /// Column of --counts with the number of people [default: count]
    #[arg(long, requires = "counts")]
    pub(crate) count_column: Option<String>,
    /// Distribution of synthetic measurements, read from no file: uniform, zipf or normal [default
    /// with --task and no data: zipf for buckets and bits, normal for one number, else uniform]
    #[arg(long, value_name = "DISTRIBUTION")]
    pub(crate) synthetic: Option<ValueDistribution>,
    /// Type of synthetic data without --task: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX,
    /// histogram:LENGTH, multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX; with --grid sum, average
    /// or sumvec:LENGTH
    #[arg(
        id = "type",
        long = "type",
        value_name = "TYPE",
        conflicts_with_all = ["task", "max_measurement"]
    )]
    pub(crate) query: Option<String>,
    /// Separator of values: comma, semicolon, tab, bar or a character [default: of the header]
    #[arg(long)]
    pub(crate) delimiter: Option<Delimiter>,
    /// Column to bin, sum or count --yes in [default: the only column of integers; of the default
    /// data height_cm, cigarettes_per_day or asthma]
    #[arg(long)]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: all columns of integers, if they fit the
    /// task; of the default data the 14 diagnoses]
    #[arg(long)]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, or values such as 0,1,2 or ios,android [default: those that fit the task,
    /// or for heights 140..200/5]
    #[arg(long)]
    pub(crate) bins: Option<Bins>,
    /// Count values outside of --bins in bins of their own: below and above, or other
    #[arg(long)]
    pub(crate) overflow_bins: bool,
    /// Sum integers from 0 to this [default with --columns: count --yes instead]
    #[arg(long, value_parser = integers(1..=u128::MAX >> 1), conflicts_with = "grid")]
    pub(crate) max_measurement: Option<u128>,
    /// Sum real numbers, LOW..HIGH/STEP such as 40..140/0.1: each is rounded to the nearest step
    #[arg(long, value_parser = grid)]
    pub(crate) grid: Option<Grid>,
    /// Count a number beyond --bins, --max-measurement or --grid as the nearest one within
    #[arg(long, conflicts_with = "overflow_bins")]
    pub(crate) clamp: bool,
    /// Values in --columns that count as yes, separated by commas [default: 1]
    #[arg(long)]
    pub(crate) yes: Option<String>,
    /// Values in --columns that count as no [default: 0,2]
    #[arg(long)]
    pub(crate) no: Option<String>,
    /// Effect of a missing value: skip leaves its row out, refuse ends the run
    #[arg(long, default_value = "refuse")]
    pub(crate) missing: MissingAction,
    /// Values that mean a missing one, beside the empty one, NA, N/A, NaN and null
    #[arg(long, value_parser = codes)]
    pub(crate) missing_value: Option<std::vec::Vec<Category>>,
}

/// The numbers of the trials of a share `I/N`, from 0, out of `trials`; sizes of shares differ by
/// at most 1. `Err` for another text, and if there are more shares than trials.
pub(crate) fn share_of_trials(share: &str, trials: u64) -> Result<Range<u64>, ParameterError> {
    let parts = share.split_once('/').and_then(|(number, of)| {
        Some((number.trim().parse::<u64>().ok()?, of.trim().parse::<u64>().ok()?))
    });
    let refused = |accepted: String| ParameterError::new("share", share, accepted);
    let (number, of) = parts
        .filter(|(number, of)| (1..=*of).contains(number))
        .ok_or_else(|| refused("I/N, the I-th of N shares, such as 2/4".to_owned()))?;
    if of > trials {
        return Err(refused(format!("I/N with N at most {trials}, the number of trials")));
    }
    // At most 10^6 trials and at most 10^6 shares: the product fits.
    let end = |shares: u64| shares.saturating_mul(trials) / of;
    Ok(end(number - 1)..end(number))
}

/// The most clients who each make a report.
const MAX_CLIENTS: u64 = u32::MAX as u64;

/// The most clients with `--ideal`, where totals are drawn and no reports are made.
const MAX_IDEAL_CLIENTS: u64 = 1_000_000_000_000;

const AFTER_HELP: &str = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say. 12.000 and 12,000 for an integer can be
read in two ways: they are errors.

Lists: options of the policy, --honest-clients, --type, --synthetic, --max-measurement, --grid,
--clients, --trials, and --bins with LOW..HIGH/WIDTH take several values, separated by commas;
1,200, which may be one number, by a comma and a space. Each combination is a row of one table. All
runs have one seed, so the errors of two rows depend on each other: a run alone, with its own
options and that --seed, gives the same estimates. A combination that is refused is a row with the
reason. Of several policies each takes the options that it uses.

Shares: --share I/N runs whole trials for `merge`. A file of trials has what a report has: the true
totals beside the estimates of the first trials, and the sums of the errors of all. One trial is not
divided: for 10^7 clients and more, --ideal draws the totals instead of making reports.

Examples, after `dp-cli`:
  simulate
  simulate --policy multihot-rappor --epsilon0 5 --clients 20000
  simulate --policy multihot-rappor --clients 1e9 --trials 200 --ideal
  simulate --policy histogram-laplace,histogram-gaussian --epsilon 0.5,1,2 --ideal --csv runs.csv
  simulate --clients 1e5 --trials 100 --seed 1 --share 3/4 --json 3.json
  simulate --task examples/tasks/average.toml --column years_smoking
  simulate --policy histogram-laplace --type histogram:40 --synthetic zipf --clients 250000
  simulate --data people.csv --column age --bins 20..80/10 --overflow-bins --consistent
  simulate --policy histogram-percentiles-gaussian --bins 140..200/1 --percentiles 25,50,75
  simulate --data people.csv --column platform --bins ios,android --missing skip
  simulate --policy average-laplace --data people.csv --column weight_kg --grid 40..140/0.1 --clamp";

/// Advice for columns where a single one is measured.
const OF_VECTORS: &str = "leave it out, or take a policy or task of vectors, such as multihot-gaussian \
                          or sumvec-gaussian";

/// A parser for clap: the values that mean a missing one, separated by commas.
fn codes(list: &str) -> Result<Vec<Category>, ParameterError> {
    Category::list("missing-value", list)
}

impl SimulateOptions {
    /// Refuses any of these options, named without dashes, that has a value: the policy or its data
    /// do not use it.
    pub(crate) fn refuse<'a>(
        &self,
        options: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), Refusal> {
        let chosen = match (&self.policy.task, &self.policy.name) {
            (Some(_), _) => "--task".to_owned(),
            (None, Some(policy)) => format!("--policy {policy}"),
            (None, None) => "the default policy".to_owned(),
        };
        let Some((option, value)) = self.inputs.first_of(options) else { return Ok(()) };
        let change = match option {
            "columns" if self.data.column.is_none() && self.data.bins.is_none() => OF_VECTORS,
            "column" => "take --columns NAME,NAME,…, a column for each entry of a vector",
            _ => LEAVE_OUT,
        };
        Err(Refusal::contradiction(option, value, format!("with {chosen}"), change))
    }

    /// Refuses more than 2^32 − 1 clients, unless `--ideal` makes no reports.
    pub(crate) fn check_clients(&self, clients: u64) -> Result<(), ParameterError> {
        if self.ideal || clients <= MAX_CLIENTS {
            return Ok(());
        }
        let accepted =
            format!("an integer from 1 to {MAX_CLIENTS}, or --ideal, where no reports are made");
        Err(ParameterError::new("clients", clients, accepted))
    }
}

impl DataOptions {
    /// Whether the data are not the shipped ones.
    pub(crate) const fn has_file(&self) -> bool {
        self.file.is_some() || self.counts.is_some()
    }

    /// The values that count as yes, and the values that count as no; `Err` if a value is in both.
    pub(crate) fn codes(&self) -> Result<(Vec<Category>, Vec<Category>), ParameterError> {
        let no = Category::list("no", self.no.as_deref().unwrap_or("0,2"))?;
        let typed = self.yes.as_deref().unwrap_or("1");
        let yes = Category::list("yes", typed)?;
        if yes.iter().any(|code| no.contains(code)) {
            return Err(ParameterError::new("yes", typed, "a code that is not one of --no"));
        }
        Ok((yes, no))
    }

    /// What becomes of a value beyond the bins or the range: by default it is refused.
    pub(crate) const fn out_of_range(&self) -> OutOfRange {
        match (self.clamp, self.overflow_bins) {
            (true, _) => OutOfRange::Clamp,
            (false, true) => OutOfRange::Count,
            (false, false) => OutOfRange::Refuse,
        }
    }
}
