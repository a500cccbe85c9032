//! The options of `simulate` that say which data are measured, and how.

use std::path::PathBuf;

use super::{Given, given};
use clap::Args;
use dp_exact::{ParameterError, Refusal};
use dp_prio3::grid::Grid;
use dp_simulation::data::{Beyond, Code, Delimiter, Missing, Outside};

/// Which data are measured, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataOptions {
    /// CSV file with a header line [default: the heights and diagnoses of 1629 people]
    #[arg(id = "data", long = "data", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// CSV file like --data of which each row stands for as many people as its column count says
    #[arg(long, value_name = "FILE")]
    pub(crate) counts: Option<PathBuf>,
    /// Column of --counts that says for how many people a row stands [default: count]
    #[arg(long)]
    pub(crate) count_column: Option<String>,
    /// Draw measurements by this law and read no file: uniform, zipf or normal [default with --task and no
    /// data: zipf for buckets and bits, normal for one number, else uniform]
    #[arg(long, value_name = "LAW")]
    pub(crate) synthetic: Option<String>,
    /// Of synthetic data without --task: count, sum:MAX, average:MAX, sumvec:LENGTH:MAX, histogram:LENGTH,
    /// multihot:LENGTH:WEIGHT or l1boundsum:LENGTH:MAX; with --grid sum, average or sumvec:LENGTH
    #[arg(id = "type", long = "type", alias = "query", value_name = "TYPE")]
    pub(crate) query: Option<String>,
    /// What separates values: comma, semicolon, tab, bar, or the character [default: the only one that
    /// the header has]
    #[arg(long)]
    pub(crate) delimiter: Option<String>,
    /// Column to count in bins, to sum, or to count --yes in [default: height_cm, for sums
    /// cigarettes_per_day, for counts asthma]
    #[arg(long)]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: the 14 diagnoses]
    #[arg(long)]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct for those that occur, at
    /// most 1000000 [default for heights: 140..200/5]
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) bins: Option<String>,
    /// Count values outside of --bins in bins of their own: below and above, or other
    #[arg(long, visible_aliases = ["overflow", "other"])]
    pub(crate) overflow_bins: bool,
    /// Sum integers from 0 to this [default: of --columns, count --yes instead]
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) max_measurement: Option<String>,
    /// Sum real numbers, LOW..HIGH/STEP such as 40..140/0.1: each counts as the nearest step
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) grid: Option<String>,
    /// Count a number beyond --bins, --max-measurement or --grid as the nearest that is not; a task's
    /// grid always does
    #[arg(long)]
    pub(crate) clamp: bool,
    /// The values in --columns that count as yes, separated by commas
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    pub(crate) yes: String,
    /// The values in --columns that count as no
    #[arg(long, default_value = "0,2", allow_hyphen_values = true)]
    pub(crate) no: String,
    /// What a missing value does: skip leaves its row out, zero counts it as 0, refuse ends the run
    #[arg(long, default_value = "refuse", allow_hyphen_values = true)]
    pub(crate) missing: String,
    /// Values that say that there is none, separated by commas, beside the empty one, NA, N/A, NaN and
    /// null
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) missing_value: Option<String>,
}

impl DataOptions {
    /// The options that say something of a file, as they were given.
    pub(crate) fn of_files(&self) -> Given {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
        let (file, counts) = (path(&self.file), path(&self.counts));
        let mut all = given([
            ("data", file.as_ref()),
            ("counts", counts.as_ref()),
            ("count-column", self.count_column.as_ref()),
            ("delimiter", self.delimiter.as_ref()),
            ("column", self.column.as_ref()),
            ("columns", self.columns.as_ref()),
            ("bins", self.bins.as_ref()),
            ("missing-value", self.missing_value.as_ref()),
        ]);
        for (name, is_given) in [("clamp", self.clamp), ("overflow-bins", self.overflow_bins)] {
            if is_given {
                all.push((name, "true".to_owned()));
            }
        }
        all
    }

    /// The codes that count as yes and as no.
    pub(crate) fn codes(&self) -> Result<(Vec<Code>, Vec<Code>), ParameterError> {
        let (yes, no) = (Code::list("yes", &self.yes)?, Code::list("no", &self.no)?);
        if yes.iter().any(|code| no.contains(code)) {
            return Err(ParameterError::new(
                "yes",
                &self.yes,
                "a code that is not one of --no",
            ));
        }
        Ok((yes, no))
    }

    /// The codes that count as yes, as they are asked for.
    pub(crate) fn yes_in_words(&self) -> String {
        let values = if self.yes.contains(',') {
            "a value of"
        } else {
            "the value"
        };
        format!("{values} {}", self.yes)
    }

    /// What becomes of a number beyond the range.
    pub(crate) const fn beyond(&self) -> Beyond {
        if self.clamp {
            Beyond::Clamp
        } else {
            Beyond::Refuse
        }
    }

    /// What becomes of a value outside of the bins.
    pub(crate) fn outside(&self) -> Result<Outside, Refusal> {
        match (self.clamp, self.overflow_bins) {
            (false, false) => Ok(Outside::Refuse),
            (true, false) => Ok(Outside::Clamp),
            (false, true) => Ok(Outside::Count),
            (true, true) => {
                let (place, change) = ("with --overflow-bins", "leave one of them out");
                Err(Refusal::contradiction("clamp", true, place, change))
            }
        }
    }

    /// What separates values, unless that is to be found.
    pub(crate) fn delimiter(&self) -> Result<Option<Delimiter>, ParameterError> {
        let delimiter = self.delimiter.as_ref();
        delimiter.map(|delimiter| delimiter.parse()).transpose()
    }

    /// Which values are missing, and what becomes of them.
    pub(crate) fn missing(&self) -> Result<Missing, ParameterError> {
        let codes = match &self.missing_value {
            Some(codes) => Code::list("missing-value", codes)?,
            None => Vec::new(),
        };
        Ok(Missing {
            values: self.missing.parse()?,
            codes,
        })
    }

    /// The grid of real numbers.
    pub(crate) fn grid(&self) -> Result<Option<Grid>, ParameterError> {
        let Some(text) = &self.grid else {
            return Ok(None);
        };
        let grid = text.parse().map_err(|error: ParameterError| {
            if error.name() == "grid" {
                return error;
            }
            let accepted = format!("for its {} {}", error.name(), error.accepted());
            ParameterError::new("grid", text, accepted)
        })?;
        Ok(Some(grid))
    }
}
