//! Measurements of a table of people, as `simulate` reads it.

use std::str::FromStr;

use crate::data::{
    Bins, Category, CsvTable, LabelledMeasurements, MissingRule, OutOfRange, OutsideBins, SHIPPED,
    indicators, integers, shipped,
};
use dp_exact::{ParameterError, Refusal};

use super::{Kind, OpenFile, Question, largest};
use crate::sweep::SweepError;
use crate::sweep::file::Sweep;

/// The section `[data]`: which file is read, and how. What is left out has the default of `simulate`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CsvSource {
    /// A CSV file with a header; without one the heights and diagnoses of 1629 people.
    pub file: Option<String>,
    /// The column that is counted in bins, summed, or in which yes is counted.
    pub column: Option<String>,
    /// The columns of a vector.
    pub columns: Vec<String>,
    /// Bins, each entry of which is a choice of its own.
    pub bins: Vec<String>,
    /// Whether values outside of the bins are counted in bins of their own.
    pub overflow_bins: bool,
    /// Whether a number beyond the range counts as the nearest that is not.
    pub clamp: bool,
    /// The values that count as yes, separated by commas.
    pub yes: Option<String>,
    /// The values that count as no.
    pub no: Option<String>,
    /// What a missing value does: skip, zero, refuse.
    pub missing: Option<String>,
    /// Values that say that there is none, separated by commas.
    pub missing_value: Option<String>,
    /// What separates values.
    pub delimiter: Option<String>,
}

impl CsvSource {
    /// The file, or the shipped data.
    pub(super) fn name(&self) -> &str {
        self.file.as_deref().unwrap_or(SHIPPED)
    }

    fn open(&self, sweep: &Sweep, open: OpenFile<'_>) -> Result<CsvTable<'static>, SweepError> {
        let missing = MissingRule {
            values: text(self.missing.as_deref().unwrap_or("refuse"), "data.missing")?,
            codes: match &self.missing_value {
                Some(codes) => Category::list("data.missing_value", codes)?,
                None => Vec::new(),
            },
        };
        let Some(file) = &self.file else {
            return Ok(CsvTable::new(SHIPPED, shipped())?.with_missing(missing));
        };
        let bytes = open(&sweep.path(file)).map_err(SweepError::Open)?;
        let table = match &self.delimiter {
            Some(delimiter) => {
                CsvTable::delimited(file, bytes, text(delimiter, "data.delimiter")?)?
            }
            None => CsvTable::new(file, bytes)?,
        };
        Ok(table.with_missing(missing))
    }

    fn column(&self) -> Result<String, Refusal> {
        let column = self.column.clone();
        column.ok_or_else(|| Refusal::missing("data.column", "the name of a column"))
    }

    fn columns(&self) -> Result<&[String], Refusal> {
        match self.columns.as_slice() {
            [] => Err(Refusal::missing("data.columns", "the names of the columns of a vector")),
            columns => Ok(columns),
        }
    }

    /// The values that count as yes and as no.
    fn codes(&self) -> Result<(Vec<Category>, Vec<Category>), ParameterError> {
        let yes = Category::list("data.yes", self.yes.as_deref().unwrap_or("1"))?;
        let no = Category::list("data.no", self.no.as_deref().unwrap_or("0,2"))?;
        match yes.iter().any(|code| no.contains(code)) {
            true => Err(ParameterError::new(
                "data.yes",
                self.yes.as_deref().unwrap_or("1"),
                "a code that is not one of data.no",
            )),
            false => Ok((yes, no)),
        }
    }

    const fn beyond(&self) -> OutOfRange {
        if self.clamp { OutOfRange::Clamp } else { OutOfRange::Refuse }
    }

    fn outside(&self) -> Result<OutsideBins, Refusal> {
        match (self.clamp, self.overflow_bins) {
            (false, false) => Ok(OutsideBins::Refuse),
            (true, false) => Ok(OutsideBins::Clamp),
            (false, true) => Ok(OutsideBins::Count),
            (true, true) => {
                let (place, change) = ("with data.overflow_bins", "leave one of them out");
                Err(Refusal::contradiction("data.clamp", true, place, change))
            }
        }
    }

    fn buckets(
        &self,
        sweep: &Sweep,
        choice: usize,
        open: OpenFile<'_>,
    ) -> Result<LabelledMeasurements, SweepError> {
        let accepted = "LOW..HIGH/WIDTH, values such as 0,1,2 or ios,android, or the word distinct";
        let bins = self.bins.get(choice);
        let bins = bins.ok_or_else(|| Refusal::missing("data.bins", accepted))?;
        let bins: Bins =
            bins.parse().map_err(|error: ParameterError| error.renamed("data.bins"))?;
        Ok(bins.apply(self.open(sweep, open)?, &self.column()?, self.outside()?)?)
    }

    /// The measurements of this kind.
    pub(super) fn question(
        &self,
        sweep: &Sweep,
        kind: Kind,
        choice: usize,
        open: OpenFile<'_>,
    ) -> Result<Question, SweepError> {
        let (data, max, weight) = match kind {
            Kind::Bit => {
                let (yes, no) = self.codes()?;
                let data = indicators(self.open(sweep, open)?, &[self.column()?], &yes, &no)?;
                (single(data), 1, None)
            }
            Kind::Number => {
                let max = largest(sweep)?;
                let data =
                    integers(self.open(sweep, open)?, &[self.column()?], max, self.beyond())?;
                (single(data), max, None)
            }
            Kind::Bucket => (self.buckets(sweep, choice, open)?, 1, None),
            Kind::OneHot => (one_hot(self.buckets(sweep, choice, open)?)?, 1, Some(1)),
            Kind::Bits if self.columns.is_empty() => {
                let data = one_hot(self.buckets(sweep, choice, open)?)?;
                (data, 1, Some(sweep.max_weight.unwrap_or(1)))
            }
            Kind::Bits => {
                let (yes, no) = self.codes()?;
                let data = indicators(self.open(sweep, open)?, self.columns()?, &yes, &no)?;
                let most = sweep.max_weight.unwrap_or(data.labels.len());
                (data, 1, Some(most))
            }
            Kind::Numbers | Kind::BoundedSum => {
                let (data, max) = self.numbers(sweep, kind, open)?;
                (data, max, None)
            }
        };
        Ok(Question {
            length: data.labels.len(),
            max_measurement: max,
            weight,
            rows: data.measurements,
        })
    }

    fn numbers(
        &self,
        sweep: &Sweep,
        kind: Kind,
        open: OpenFile<'_>,
    ) -> Result<(LabelledMeasurements, u128), SweepError> {
        let columns = self.columns()?;
        if let Some(max) = sweep.max_measurement {
            // No vector is the nearest whose sum is in the range.
            let beyond = match kind {
                Kind::BoundedSum => OutOfRange::Refuse,
                _ => self.beyond(),
            };
            let data = integers(self.open(sweep, open)?, columns, max, beyond)?;
            return Ok((data, max));
        }
        let (yes, no) = self.codes()?;
        let mut data = indicators(self.open(sweep, open)?, columns, &yes, &no)?;
        data.measurements = data.measurements.as_integers();
        let max = match kind {
            Kind::BoundedSum => u128::try_from(columns.len()).unwrap_or(u128::MAX),
            _ => 1,
        };
        Ok((data, max))
    }
}

/// What a text stands for, of this key.
fn text<T: FromStr<Err = ParameterError>>(
    text: &str,
    key: &'static str,
) -> Result<T, ParameterError> {
    text.parse().map_err(|error: ParameterError| error.renamed(key))
}

fn single(data: LabelledMeasurements) -> LabelledMeasurements {
    LabelledMeasurements { measurements: data.measurements.single(), ..data }
}

fn one_hot(data: LabelledMeasurements) -> Result<LabelledMeasurements, ParameterError> {
    let length = data.labels.len();
    Ok(LabelledMeasurements { measurements: data.measurements.one_hot(length)?, ..data })
}
