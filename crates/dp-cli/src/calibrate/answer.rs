//! What `calibrate` prints: named figures, the certificate in words, and what the answer beats.

use std::fmt::Write as _;
use std::io::{self, Write as _};

use dp_exact::Rational;
use dp_prio3::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK};
use dp_simulation::report::wrapped;
use serde::{Serialize, Serializer};

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
        }
    }

    /// Adds a figure of the answer.
    pub(crate) fn figure(
        &mut self,
        name: &'static str,
        value: impl ToString,
        meaning: impl Into<String>,
    ) {
        self.figures.push(Figure::new(name, value, meaning));
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
            serde_json::to_string_pretty(self).map_err(io::Error::from)? + "\n"
        } else {
            self.text()
        };
        io::stdout().lock().write_all(text.as_bytes())?;
        Ok(())
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
        if self.is_weak() {
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

impl Answer {
    /// Whether the ε or the δ of the question, which the title repeats, or of the answer is beyond
    /// what protects anybody.
    fn is_weak(&self) -> bool {
        let words = |text: &str| -> Vec<String> {
            let trimmed = text
                .split_whitespace()
                .map(|word| word.trim_end_matches([',', '.']));
            trimmed.map(str::to_owned).collect()
        };
        let figures = self.figures.iter().flat_map(|figure| {
            // A bound that holds, not one below which it fails.
            let name = match figure.name {
                "epsilon_upper" | "epsilon_tightest" => "epsilon",
                "delta_upper" | "delta_tightest" => "delta",
                _ => "",
            };
            [vec![name.to_owned()], words(&figure.value)].concat()
        });
        let said: Vec<String> = words(&self.title).into_iter().chain(figures).collect();
        said.windows(2).any(|pair| {
            let ceiling = match pair[0].as_str() {
                "epsilon" => Some(Rational::from(MAX_MEANINGFUL_EPSILON)),
                "delta" => Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL).reciprocal(),
                _ => None,
            };
            let value = pair[1].parse::<Rational>().ok();
            value.zip(ceiling).is_some_and(|(value, most)| value > most)
        })
    }
}

impl Figure {
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
        let warning = self.is_weak().then_some(("warning", WEAK));
        let certificate = ("certificate", self.certificate.as_str());
        serializer.collect_map(fields.chain([certificate]).chain(warning))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(title: &str, name: &'static str, value: &str) -> Answer {
        let mut answer = Answer::to(title.to_owned());
        answer.figure(name, value, "");
        answer
    }

    #[test]
    fn what_protects_nobody_is_labelled_and_answered() {
        for (title, name, value, weak) in [
            (
                "Noise for epsilon 20 and delta 1e-3, a count",
                "std",
                "1",
                false,
            ),
            (
                "Noise for epsilon 20.1 and delta 1e-9, a count",
                "std",
                "1",
                true,
            ),
            (
                "Noise for epsilon 1 and delta 0.01, a count",
                "std",
                "1",
                true,
            ),
            (
                "Vectors with epsilon0 30, at delta 1e-9",
                "epsilon_upper",
                "2",
                false,
            ),
            (
                "Vectors with epsilon0 30, at delta 1e-9",
                "epsilon_upper",
                "60",
                true,
            ),
            ("A count", "epsilon_lower", "60", false),
            (
                "Ledger",
                "spent",
                "pure differential privacy with epsilon 30",
                true,
            ),
        ] {
            let answer = answer(title, name, value);
            assert_eq!(answer.is_weak(), weak, "{title} {name} {value}");
            assert_eq!(answer.text().contains("protects nobody"), weak);
            let document = serde_json::to_value(&answer).expect("JSON");
            assert_eq!(document["warning"].is_string(), weak);
        }
    }
}
