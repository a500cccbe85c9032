//! The options of `simulate` that say which data are measured, and how.

use std::path::PathBuf;

use clap::Args;
use dp_exact::{ParameterError, Rational};

/// Which data are measured, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Data")]
pub(crate) struct DataOptions {
    /// CSV file with a header line [default: the heights and diagnoses of 1629 people]
    #[arg(long = "data", value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
    /// Column to count in bins, to sum, or to count --yes in [default: height_cm, for sums
    /// cigarettes_per_day, for counts asthma]
    #[arg(long)]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: the 14 diagnoses]
    #[arg(long)]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, values such as 0,1,2, or the word distinct [default for heights: 140..200/5]
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) bins: Option<String>,
    /// Sum integers from 0 to this [default: of --columns, count --yes instead]
    #[arg(long, allow_hyphen_values = true)]
    pub(crate) max_measurement: Option<String>,
    /// The code in --columns that counts as yes
    #[arg(long, default_value = "1", allow_hyphen_values = true)]
    pub(crate) yes: String,
    /// The codes in --columns that count as no
    #[arg(long, default_value = "0,2", allow_hyphen_values = true)]
    pub(crate) no: String,
}

impl DataOptions {
    /// The codes that count as yes and as no.
    pub(crate) fn codes(&self) -> Result<(Rational, Vec<Rational>), ParameterError> {
        let yes: Rational = self
            .yes
            .parse()
            .map_err(|error: ParameterError| error.renamed("yes"))?;
        let no = self
            .no
            .split(',')
            .map(|code| code.trim().parse::<Rational>())
            .collect::<Result<Vec<_>, _>>()
            .map_err(|error| error.renamed("no"))?;
        if no.contains(&yes) {
            return Err(ParameterError::new(
                "yes",
                &self.yes,
                "a code that is not one of --no",
            ));
        }
        Ok((yes, no))
    }
}
