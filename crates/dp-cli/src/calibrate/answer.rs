//! What `calibrate` prints: named figures, the certificate in words, and what the answer beats.

use std::fmt::Write as _;

use dp_calibration::Budget;
use dp_exact::{Delta, Epsilon, Rational};
use dp_prio3::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK};
use dp_simulation::report::wrapped;
use serde::{Serialize, Serializer};

use crate::delivery::print;
use crate::failure::Failure;

/// The margin of a line of text.
const INDENT: &str = "  ";

/// An answer, complete before anything of it is printed.
#[derive(Debug)]
pub(crate) struct Answer {
    title: String,
    figures: Vec<Figure>,
    certificate: String,
    alternatives: Vec<Figure>,
    is_weak: bool,
}

/// A number as a decimal string or a fraction, and what it means.
#[derive(Debug)]
struct Figure {
    name: &'static str,
    value: String,
    meaning: String,
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
        }
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
        name: &'static str,
        value: impl ToString,
        meaning: impl Into<String>,
    ) {
        let figure = Figure::new(name, value, meaning);
        self.is_weak |= figure.is_weak();
        self.figures.push(figure);
    }

    /// Adds a figure that the answer beats, or that looks like an answer and is none.
    pub(crate) fn alternative(
        &mut self,
        name: &'static str,
        value: impl ToString,
        meaning: impl Into<String>,
    ) {
        self.alternatives.push(Figure::new(name, value, meaning));
    }

    /// Says why the answer is true.
    pub(crate) fn because(mut self, certificate: impl Into<String>) -> Self {
        self.certificate = certificate.into();
        self
    }

    /// Prints the answer, as text or as a JSON document.
    pub(crate) fn print(&self, json: bool) -> Result<(), Failure> {
        let text = if json {
            serde_json::to_string_pretty(self).map_err(Failure::other)? + "\n"
        } else {
            self.text()
        };
        Ok(print(text)?)
    }

    fn text(&self) -> String {
        let all = || self.figures.iter().chain(&self.alternatives);
        let name = all().map(|figure| figure.name.len()).max().unwrap_or(0);
        let value = all().map(|figure| figure.value.len()).max().unwrap_or(0);
        let rows = |figures: &[Figure]| {
            figures.iter().fold(String::new(), |mut rows, figure| {
                let label = figure.name.replace('_', " ");
                let row = format!(
                    "  {label:<name$}  {:<value$}  {}",
                    figure.value, figure.meaning
                );
                rows.push_str(row.trim_end());
                rows.push('\n');
                rows
            })
        };
        let mut text = format!("{}\n\n{}", self.title, rows(&self.figures));
        if self.is_weak {
            let _ = write!(text, "\n{}", wrapped(INDENT, INDENT, WEAK));
        }
        let _ = write!(
            text,
            "\nCertificate\n{}",
            wrapped(INDENT, INDENT, &self.certificate)
        );
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
    /// Whether it is an ε or a δ that holds, not one below which a promise fails, and is beyond what
    /// protects anybody.
    fn is_weak(&self) -> bool {
        let is_large: fn(&Rational) -> bool = match self.name {
            "epsilon_upper" | "epsilon_tightest" => is_large_epsilon,
            "delta_upper" | "delta_tightest" => is_large_delta,
            _ => return false,
        };
        self.value.parse().is_ok_and(|value| is_large(&value))
    }

    fn new(name: &'static str, value: impl ToString, meaning: impl Into<String>) -> Self {
        Self {
            name,
            value: value.to_string(),
            meaning: meaning.into(),
        }
    }
}

impl Serialize for Answer {
    /// One object of strings, in the order of the text, with a warning if it protects nobody.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let figures = self.figures.iter().chain(&self.alternatives);
        let fields = figures.map(|figure| (figure.name, figure.value.as_str()));
        let warning = self.is_weak.then_some(("warning", WEAK));
        let certificate = ("certificate", self.certificate.as_str());
        serializer.collect_map(fields.chain([certificate]).chain(warning))
    }
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
        let spent = Budget::Pure {
            epsilon: typed("30"),
        };
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
            assert_eq!(
                answer.text().contains("protects nobody"),
                weak,
                "{answer:?}"
            );
            let document = serde_json::to_value(&answer).expect("JSON");
            assert_eq!(document["warning"].is_string(), weak);
        }
    }
}
