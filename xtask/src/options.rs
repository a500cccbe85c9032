//! The options of `simulate`, as typed, and the values they stand for.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use dp_exact::{ParameterError, Rational};

/// Run clients, aggregators and a collector over real Prio3 and compare estimates with the truth
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Options {
    /// histogram-gaussian, histogram-laplace, sumvec-laplace or multihot-rappor
    #[arg(long, default_value = "histogram-gaussian", help_heading = "Policy")]
    pub(crate) policy: String,
    /// Privacy loss of the policies with aggregator noise [default: 0.906 or 1]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon: Option<String>,
    /// Slack of histogram-gaussian [default: 1e-9]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) delta: Option<String>,
    /// Local parameter of multihot-rappor [default: 3]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) epsilon0: Option<String>,
    /// Largest weight of a measurement of multihot-rappor [default: all columns, or 1 with --bins]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) max_weight: Option<String>,
    /// Rate of honest reports that multihot-rappor may drop [default: 1e-9]
    #[arg(long, allow_hyphen_values = true, help_heading = "Policy")]
    pub(crate) false_positive_rate: Option<String>,
    /// Aggregators, 2 to 254
    #[arg(
        long,
        default_value = "2",
        allow_hyphen_values = true,
        help_heading = "Policy"
    )]
    pub(crate) aggregators: String,

    /// CSV file with a header line [default: the heights and diagnoses of 1629 people]
    #[arg(long, value_name = "FILE", help_heading = "Data")]
    pub(crate) data: Option<PathBuf>,
    /// Column to count in bins [default: height_cm]
    #[arg(long, help_heading = "Data")]
    pub(crate) column: Option<String>,
    /// Columns of a vector, separated by commas [default: the 14 diagnoses]
    #[arg(long, help_heading = "Data")]
    pub(crate) columns: Option<String>,
    /// LOW..HIGH/WIDTH, values such as 0,1,2, or the word distinct [default for heights: 140..200/5]
    #[arg(long, allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) bins: Option<String>,
    /// Sum the columns' integers from 0 to this, instead of counting --yes (sumvec-laplace)
    #[arg(long, allow_hyphen_values = true, help_heading = "Data")]
    pub(crate) max_measurement: Option<String>,
    /// The code in --columns that counts as yes
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    pub(crate) yes: String,
    /// The codes in --columns that count as no
    #[arg(
        long,
        default_value = "0,2",
        allow_hyphen_values = true,
        help_heading = "Data"
    )]
    pub(crate) no: String,

    /// Clients, each a row drawn at random with replacement [default: one for each row]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) clients: Option<String>,
    /// Trials
    #[arg(
        long,
        default_value = "1",
        allow_hyphen_values = true,
        help_heading = "Run"
    )]
    pub(crate) trials: String,
    /// Seed that makes the estimates reproducible [default: from the operating system]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) seed: Option<String>,
    /// Threads [default: one for each processor]
    #[arg(long, allow_hyphen_values = true, help_heading = "Run")]
    pub(crate) threads: Option<String>,
    /// Also write the report to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Run")]
    pub(crate) json: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Numbers are exact: 0.317, 1e-9 and 1/3 mean what they say.

Examples:
  cargo xtask simulate
  cargo xtask simulate --policy multihot-rappor --epsilon0 5 --clients 20000
  cargo xtask simulate --policy sumvec-laplace --columns cigarettes_per_day,years_smoking \\
      --max-measurement 80 --trials 20 --json out.json";

impl Options {
    /// A parameter of the policy, or the default.
    pub(crate) fn parameter<T>(given: Option<&String>, default: &str) -> Result<T, ParameterError>
    where
        T: FromStr<Err = ParameterError>,
    {
        given.map_or(default, String::as_str).parse()
    }

    /// Refuses options that the chosen policy does not have.
    pub(crate) fn refuse(&self, options: &[(&str, Option<&String>)]) -> Result<(), ParameterError> {
        let given = options
            .iter()
            .find_map(|(name, value)| Some((*name, (*value)?)));
        match given {
            None => Ok(()),
            Some((name, value)) => {
                let accepted = format!("no option --{name} with --policy {}", self.policy);
                Err(ParameterError::new(name.to_owned(), value, accepted))
            }
        }
    }

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

/// An integer in a range.
pub(crate) fn integer<T>(
    name: &'static str,
    text: &str,
    accepted: RangeInclusive<T>,
) -> Result<T, ParameterError>
where
    T: FromStr + PartialOrd + Display,
{
    let value = text.parse().ok().filter(|value| accepted.contains(value));
    value.ok_or_else(|| {
        let range = format!("an integer from {} to {}", accepted.start(), accepted.end());
        ParameterError::new(name, text, range)
    })
}
