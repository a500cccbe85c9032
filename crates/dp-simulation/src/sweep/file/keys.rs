//! The keys of a sweep: each is taken once, and what is left at the end is unknown.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::Law;
use dp_task::Parameters;
use toml::{Table, Value};

use super::MAX_BYTES;
use super::values::{self, refused, shown};
use crate::sweep::Error;
use crate::sweep::data::{Data, TableData};

/// Every key.
const KEYS: &str = "policies, budgets, clients, lengths, trials, aggregators, functionality, seed, data, \
                    max_measurement, max_weight, accept_weak_promise";

/// The keys of an entry of `budgets`.
const OF_BUDGET: &str = "epsilon, delta, rho, epsilon0, local_epsilon, false_positive_rate, \
                         wanted_honest_clients, assumed_malicious_clients";

/// The keys of `[data]`.
const OF_DATA: &str = "file, column, columns, bins, overflow_bins, clamp, yes, no, missing, missing_value, \
                       delimiter";

/// A document of which keys are taken.
#[derive(Debug)]
pub(super) struct Keys(Table);

impl Keys {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() > MAX_BYTES {
            return Err(Error::TooLong { max: MAX_BYTES });
        }
        let text = str::from_utf8(bytes).map_err(Error::syntax)?;
        let document = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start));
            let line = before.map_or(1, |before| before.matches('\n').count() + 1);
            Error::syntax(format!("line {line}: {}", error.message()))
        })?;
        Ok(Self(document))
    }

    /// Refuses keys that nobody has taken.
    pub(super) fn finish(self) -> Result<(), Error> {
        nothing_left(&self.0, "", KEYS)
    }

    pub(super) fn text(&mut self, key: &str) -> Result<Option<String>, Error> {
        let value = self.0.remove(key);
        Ok(value.map(|value| values::text(key, &value)).transpose()?)
    }

    pub(super) fn flag(&mut self, key: &str) -> Result<bool, Error> {
        let value = self.0.remove(key);
        let flag = value.map(|value| values::flag(key, &value));
        Ok(flag.transpose()?.unwrap_or(false))
    }

    pub(super) fn texts(&mut self, key: &str) -> Result<Option<Vec<String>>, Error> {
        let Some(value) = self.0.remove(key) else {
            return Ok(None);
        };
        let listed = values::list(key, value)?;
        let texts = listed.iter().map(|value| values::text(key, value));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        Ok(Some(values::distinct(key, texts)?))
    }

    pub(super) fn integer<T>(
        &mut self,
        key: &'static str,
        accepted: RangeInclusive<T>,
    ) -> Result<Option<T>, Error>
    where
        T: TryFrom<num_bigint::BigInt> + PartialOrd + Display,
    {
        let value = self.0.remove(key);
        let number = value.map(|value| values::number(key, &value, accepted));
        Ok(number.transpose()?)
    }

    pub(super) fn integers(
        &mut self,
        key: &'static str,
        accepted: RangeInclusive<u64>,
    ) -> Result<Option<Vec<u64>>, Error> {
        let Some(value) = self.0.remove(key) else {
            return Ok(None);
        };
        let listed = values::list(key, value)?;
        let numbers = listed
            .iter()
            .map(|value| values::number(key, value, accepted.clone()));
        let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        Ok(Some(values::distinct(key, numbers)?))
    }

    /// The entries of `budgets`; one without parameters if the key does not occur.
    pub(super) fn budgets(&mut self) -> Result<Vec<Parameters>, Error> {
        let Some(value) = self.0.remove("budgets") else {
            return Ok(vec![Parameters::default()]);
        };
        let mut budgets = Vec::new();
        for (place, entry) in values::list("budgets", value)?.into_iter().enumerate() {
            let path = format!("budgets[{place}]");
            let Value::Table(entry) = entry else {
                let accepted = format!("a table with some of {OF_BUDGET}");
                return Err(refused(&path, shown(&entry), accepted).into());
            };
            let mut budget = Parameters::default();
            for (name, value) in &entry {
                let path = format!("{path}.{name}");
                let known = budget.place(name).filter(|_| name != "aggregators");
                let Some(parameter) = known else {
                    let accepted = format!("no such key here, only {OF_BUDGET}");
                    return Err(refused(&path, shown(value), accepted).into());
                };
                *parameter = Some(values::exact(&path, value)?);
            }
            if budgets.contains(&budget) {
                return Err(refused(&path, "the same as an entry before it", "each once").into());
            }
            budgets.push(budget);
        }
        Ok(budgets)
    }

    /// `data`: the name of a law, or a table that says which file is read and how.
    pub(super) fn data(&mut self) -> Result<Data, Error> {
        let accepted = "uniform, zipf, normal, or a table [data] that says which file is read";
        match self.0.remove("data") {
            None => Ok(Data::Synthetic(Law::Uniform)),
            Some(Value::String(name)) => match name.parse() {
                Ok(law) => Ok(Data::Synthetic(law)),
                Err(_) => Err(refused("data", name, accepted).into()),
            },
            Some(Value::Table(table)) => Ok(Data::Table(Box::new(of_table(table)?))),
            Some(other) => Err(refused("data", shown(&other), accepted).into()),
        }
    }
}

fn of_table(mut table: Table) -> Result<TableData, Error> {
    let mut text = |key: &str| {
        let value = table.remove(key);
        let text = value.map(|value| values::text(&format!("data.{key}"), &value));
        text.transpose()
    };
    let (yes, no) = (text("yes")?, text("no")?);
    let (missing, missing_value) = (text("missing")?, text("missing_value")?);
    let delimiter = text("delimiter")?;
    let mut line = |key: &str| {
        let value = table.remove(key);
        let line = value.map(|value| values::line(&format!("data.{key}"), &value));
        line.transpose()
    };
    let (file, column) = (line("file")?, line("column")?);
    let mut texts = |key: &str| {
        let path = format!("data.{key}");
        let Some(value) = table.remove(key) else {
            return Ok(Vec::new());
        };
        let listed = values::list(&path, value)?;
        let texts = listed.iter().map(|value| values::line(&path, value));
        values::distinct(&path, texts.collect::<Result<_, _>>()?)
    };
    let (columns, bins) = (texts("columns")?, texts("bins")?);
    let mut flag = |key: &str| {
        let value = table.remove(key);
        let flag = value.map(|value| values::flag(&format!("data.{key}"), &value));
        flag.transpose().map(|flag| flag.unwrap_or(false))
    };
    let (overflow_bins, clamp) = (flag("overflow_bins")?, flag("clamp")?);
    nothing_left(&table, "data.", OF_DATA)?;
    Ok(TableData {
        file,
        column,
        columns,
        bins,
        overflow_bins,
        clamp,
        yes,
        no,
        missing,
        missing_value,
        delimiter,
    })
}

fn nothing_left(table: &Table, section: &str, keys: &str) -> Result<(), Error> {
    let Some((name, value)) = table.iter().next() else {
        return Ok(());
    };
    let accepted = format!("no such key, only {keys}");
    Err(refused(&format!("{section}{name}"), shown(value), accepted).into())
}
