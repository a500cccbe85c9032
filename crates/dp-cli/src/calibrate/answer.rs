//! What `calibrate` prints: named figures, the certificate in words, and what the answer beats.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write as _};

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, Rational, grouped};
use dp_prio3::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK};
use serde::{Serialize, Serializer};

use super::certificate::Candidates;
use super::ledger::Listed;
use crate::text::{columns, wrapped};

/// The margin of a line of text.
const INDENT: &str = "  ";

/// Where fewer columns are left for what a figure means, it stands below the figure.
const NARROW: usize = 24;

/// An answer, complete before anything of it is printed.
#[derive(Debug, Serialize)]
pub(crate) struct Answer {
    #[serde(rename = "question")]
    title: String,
    #[serde(rename = "answer", serialize_with = "by_name")]
    figures: Vec<Figure>,
    certificate: String,
    #[serde(rename = "beside", serialize_with = "by_name")]
    alternatives: Vec<Figure>,
    #[serde(rename = "protects_nobody")]
    is_weak: bool,
    /// The entries of a ledger, where they are asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<Listed>>,
    #[serde(skip)]
    candidates: Candidates,
}

/// A figure, and what it means.
#[derive(Debug)]
struct Figure {
    name: Cow<'static, str>,
    value: Value,
    meaning: String,
}

/// What a figure is.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Value {
    /// A number as a decimal or a fraction, or a word.
    Text(String),
    /// A budget, or nothing.
    Budget(Option<Budget>),
}

impl Display for Value {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.pad(&grouped(text)),
            Self::Budget(Some(budget)) => formatter.pad(&budget.to_string()),
            Self::Budget(None) => formatter.pad("nothing"),
        }
    }
}

impl Answer {
    /// An answer to the question that the title repeats.
    pub(crate) fn to(title: String) -> Self {
        Self {
            title,
            figures: Vec::new(),
            certificate: String::new(),
            alternatives: Vec::new(),
            is_weak: false,
            entries: None,
            candidates: Candidates::default(),
        }
    }

    /// What `--certificate` may write of it.
    pub(crate) const fn candidates(&self) -> &Candidates {
        &self.candidates
    }

    /// The answer with certificates to try.
    pub(crate) fn certified_by(mut self, candidates: Candidates) -> Self {
        self.candidates = candidates;
        self
    }

    /// What is asked at this ε, which may be beyond what protects anybody.
    pub(crate) fn at_epsilon(mut self, epsilon: &Epsilon) -> Self {
        self.is_weak |= is_large_epsilon(epsilon.value());
        self
    }

    /// What is asked at this δ, which may be beyond what protects anybody.
    pub(crate) fn at_delta(mut self, delta: &Delta) -> Self {
        self.is_weak |= is_large_delta(delta.value());
        self
    }

    /// What is asked or answered is this budget, which may protect nobody.
    pub(crate) fn about(mut self, budget: &Budget) -> Self {
        self.is_weak |= match budget {
            Budget::Pure { epsilon } => is_large_epsilon(epsilon.value()),
            Budget::Approximate { epsilon, delta } => {
                is_large_epsilon(epsilon.value()) || is_large_delta(delta.value())
            }
            // Whether one of these protects depends on the δ at which it is read.
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => false,
        };
        self
    }

    /// Adds a figure of the answer.
    pub(crate) fn figure(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl ToString,
        meaning: impl Into<String>,
    ) {
        let figure = Figure::new(name, value, meaning);
        self.is_weak |= figure.is_weak();
        self.figures.push(figure);
    }

    /// Adds a budget, which programs get in its parts, or that there is none. Whether it protects
    /// anybody is for [`Answer::about`] to say.
    pub(crate) fn budget(&mut self, name: &'static str, budget: Option<Budget>) {
        self.figures.push(Figure {
            name: name.into(),
            value: Value::Budget(budget),
            meaning: String::new(),
        });
    }

    /// Adds a figure that the answer beats, or that looks like an answer and is none.
    pub(crate) fn alternative(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl ToString,
        meaning: impl Into<String>,
    ) {
        self.alternatives.push(Figure::new(name, value, meaning));
    }

    /// The answer with the entries of a ledger.
    pub(crate) fn with_entries(self, entries: Vec<Listed>) -> Self {
        let entries = Some(entries);
        Self { entries, ..self }
    }

    /// Says why the answer is true.
    pub(crate) fn because(mut self, certificate: impl Into<String>) -> Self {
        self.certificate = certificate.into();
        self
    }

    /// The answer for people.
    pub(crate) fn text(&self) -> String {
        let all = || self.figures.iter().chain(&self.alternatives);
        let name = all().map(|figure| figure.name.len()).max().unwrap_or(0);
        let value = all().map(|figure| figure.value.to_string().len()).max();
        let value = value.unwrap_or(0);
        let rows = |figures: &[Figure]| -> String {
            let rows = figures.iter().map(|figure| figure.row(name, value));
            rows.collect()
        };
        let title = wrapped("", INDENT, &self.title);
        let mut text = format!("{title}\n{}", rows(&self.figures));
        text += &self.entries.as_deref().map(Listed::text).unwrap_or_default();
        if self.is_weak {
            let _ = write!(text, "\n{}", wrapped(INDENT, INDENT, WEAK));
        }
        let _ = write!(text, "\nCertificate\n{}", wrapped(INDENT, INDENT, &self.certificate));
        if !self.alternatives.is_empty() {
            let _ = write!(text, "\nBeside it\n{}", rows(&self.alternatives));
        }
        text
    }
}

/// Whether an ε is beyond what protects anybody.
fn is_large_epsilon(epsilon: &Rational) -> bool {
    *epsilon > Rational::from(MAX_MEANINGFUL_EPSILON)
}

/// Whether a δ is beyond what protects anybody.
fn is_large_delta(delta: &Rational) -> bool {
    delta * &Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL) > Rational::one()
}

impl Figure {
    /// A line of the text, or more where its meaning does not fit beside it.
    fn row(&self, name: usize, value: usize) -> String {
        let label = self.name.replace('_', " ");
        let figure = format!("{INDENT}{label:<name$}  {:<value$}", self.value);
        let beside = figure.chars().count() + INDENT.len();
        if self.meaning.is_empty() {
            return format!("{}\n", figure.trim_end());
        }
        if columns().saturating_sub(beside) < NARROW {
            let below = " ".repeat(3 * INDENT.len());
            let meaning = wrapped(&below, &below, &self.meaning);
            return format!("{}\n{meaning}", figure.trim_end());
        }
        let below = " ".repeat(beside);
        wrapped(&format!("{figure}{INDENT}"), &below, &self.meaning)
    }

    /// Whether it is an ε or a δ that holds, not one below which a guarantee fails, and is beyond what
    /// protects anybody.
    fn is_weak(&self) -> bool {
        let is_large: fn(&Rational) -> bool = match &*self.name {
            "epsilon_upper" | "epsilon_tightest" => is_large_epsilon,
            "delta_upper" | "delta_tightest" => is_large_delta,
            _ => return false,
        };
        let Value::Text(value) = &self.value else {
            return false;
        };
        value.parse().is_ok_and(|value| is_large(&value))
    }

    fn new(
        name: impl Into<Cow<'static, str>>,
        value: impl ToString,
        meaning: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), value: Value::Text(value.to_string()), meaning: meaning.into() }
    }
}

/// An object, in the order of the text.
fn by_name<S: Serializer>(figures: &[Figure], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(figures.iter().map(|figure| (&figure.name, &figure.value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed<T: std::str::FromStr<Err = dp_exact::ParameterError>>(text: &str) -> T {
        text.parse().expect("a number")
    }

    fn with_figure(name: &'static str, value: &str) -> Answer {
        let mut answer = Answer::to("A count at epsilon 99".to_owned());
        answer.figure(name, value, "");
        answer
    }

    #[test]
    fn what_protects_nobody_is_labelled() {
        let asked = |epsilon, delta| {
            let answer = with_figure("std", "99");
            answer.at_epsilon(&typed(epsilon)).at_delta(&typed(delta))
        };
        let spent = Budget::Pure { epsilon: typed("30") };
        for (answer, weak) in [
            (asked("20", "1e-3"), false),
            (asked("20.1", "1e-9"), true),
            (asked("1", "0.01"), true),
            (with_figure("epsilon_upper", "2"), false),
            (with_figure("epsilon_upper", "60"), true),
            (with_figure("epsilon_lower", "60"), false),
            (with_figure("delta_tightest", "0.01"), true),
            (with_figure("spent", "0").about(&spent), true),
        ] {
            assert_eq!(answer.text().contains("protects nobody"), weak, "{answer:?}");
            let document = serde_json::to_value(&answer).expect("JSON");
            assert_eq!(document["protects_nobody"], weak);
        }
    }
}
