//! The answers of `calibrate` and `ledger`: named figures with their meanings, and a certificate in
//! words.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter, Write as _};

use dp_amplification::EpsilonBounds;
use dp_calibration::certificate::Certificate;
use dp_calibration::{Budget, NoiseDistribution};
use dp_check::Statement;
use dp_exact::{Delta, Dyadic, Epsilon, Interval, Rational, Rounding, grouped};
use dp_prio3::{MAX_MEANINGFUL_DELTA_RECIPROCAL, MAX_MEANINGFUL_EPSILON, WEAK};
use serde::{Serialize, Serializer};

use crate::json::Inputs;
use crate::ledger::entry::ListedEntry;
use crate::text::{columns, wrapped};
use crate::values::{DIGITS, DeltaEpsilon, down, end_down, end_up, up};

const INDENT: &str = "  ";

/// The meaning of an upper bound for a sum over clients.
pub(super) const EVERY_DATASET: &str = "holds for every dataset of the other clients";

/// An ε or a δ of a guarantee.
#[derive(Clone, Copy, Debug)]
pub(super) enum Quantity {
    Epsilon,
    Delta,
}

/// The fewest columns of a meaning beside its figure; with fewer it stands below.
const NARROW: usize = 24;

#[derive(Debug, Default, Serialize)]
pub(crate) struct Figures {
    #[serde(rename = "question")]
    title: String,
    #[serde(rename = "answer", serialize_with = "by_name")]
    figures: Vec<Figure>,
    certificate: String,
    #[serde(rename = "beside", serialize_with = "by_name")]
    comparisons: Vec<Figure>,
    /// Why a smaller ε may hold, if the printed one is known to be more than 5 % too large.
    #[serde(rename = "epsilon_loose", skip_serializing_if = "Option::is_none")]
    loose: Option<&'static str>,
    #[serde(rename = "protects_nobody")]
    is_weak: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) entries: Option<Vec<ListedEntry>>,
    /// The largest ε and the largest δ of the question and of the answer.
    #[serde(skip)]
    largest: [Option<Rational>; 2],
    /// Certificates that `--certificate` may write, the tightest first.
    #[serde(skip)]
    pub(super) candidates: Vec<Certificate>,
    /// The noise on each number, for `--sampler-certificate`; `None` if the answer is about no one
    /// distribution.
    #[serde(skip)]
    pub(super) noise: Option<NoiseDistribution>,
}

#[derive(Debug)]
struct Figure {
    name: Cow<'static, str>,
    value: FigureValue,
    meaning: Cow<'static, str>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum FigureValue {
    Text(String),
    /// A name, whose digits are not grouped.
    Name(String),
    Budget(Option<Budget>),
}

impl Display for FigureValue {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => formatter.pad(&grouped(text)),
            Self::Name(name) => formatter.pad(name),
            Self::Budget(Some(budget)) => formatter.pad(&budget.to_string()),
            Self::Budget(None) => formatter.pad("nothing"),
        }
    }
}

impl Figures {
    /// No figures yet, for the question that the title repeats.
    pub(crate) fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// The figures with the certificates that `--certificate` may write, the tightest first.
    pub(super) fn certified_by(self, candidates: Vec<Certificate>) -> Self {
        Self { candidates, ..self }
    }

    /// The figures with the noise on each number, whose sampler `--sampler-certificate` is about.
    pub(super) fn of_noise(self, noise: NoiseDistribution) -> Self {
        Self { noise: Some(noise), ..self }
    }

    /// The figures with the reason why a smaller ε may hold, which stands below them.
    pub(super) fn loosely(self, reason: &'static str) -> Self {
        Self { loose: Some(reason), ..self }
    }

    /// Keeps an ε or a δ if it is the largest so far; an ε above 20 or a δ above 1/1000 turns on
    /// the warning that it protects nobody.
    fn states(mut self, quantity: Quantity, value: &Rational) -> Self {
        self.is_weak |= match quantity {
            Quantity::Epsilon => *value > Rational::from(MAX_MEANINGFUL_EPSILON),
            Quantity::Delta => {
                value * &Rational::from(MAX_MEANINGFUL_DELTA_RECIPROCAL) > Rational::one()
            }
        };
        let largest = &mut self.largest[quantity as usize];
        *largest = largest.take().max(Some(value.clone()));
        self
    }

    /// Adds the ε and the δ that the certificate claims, each only if it is larger than the largest
    /// ε or δ of the question and of the answer.
    pub(super) fn with_claim(mut self, certificate: &Certificate) -> Self {
        let meaning = "claimed by the certificate: dp-check's arithmetic needs the room";
        let names =
            [(Quantity::Epsilon, "epsilon_certified"), (Quantity::Delta, "delta_certified")];
        for (claimed, (quantity, name)) in certificate.claimed.iter().flatten().zip(names) {
            if self.largest[quantity as usize].as_ref().is_some_and(|largest| claimed > largest) {
                self = self.guarantee(quantity, name, claimed, meaning);
            }
        }
        self
    }

    /// Names the question, in words and by its options, in a certificate about one number, and says
    /// what it proves.
    pub(super) fn name_question(
        &mut self,
        (certificate, proved): (&mut Certificate, &Statement),
        inputs: &Inputs,
    ) {
        let told = " The file names this question, and is about one number with no smaller loss: ";
        self.certificate += &format!("{told}{proved}.");
        certificate.question = Some(format!("{}: {}", self.title, inputs.words().join(" ")));
    }

    /// Keeps the ε of the question if it is the largest, and turns on the warning if it protects
    /// nobody.
    pub(super) fn at_epsilon(self, epsilon: &Epsilon) -> Self {
        self.states(Quantity::Epsilon, epsilon.value())
    }

    /// Keeps the δ of the question if it is the largest, and turns on the warning if it protects
    /// nobody.
    pub(super) fn at_delta(self, delta: &Delta) -> Self {
        self.states(Quantity::Delta, delta.value())
    }

    /// Keeps the ε and the δ of a budget if they are the largest, and turns on the warning if it
    /// protects nobody. For ρ or (α, τ) nothing: whether they protect depends on the δ of a
    /// conversion.
    pub(crate) fn about(self, budget: &Budget) -> Self {
        match budget {
            Budget::Pure { epsilon } => self.at_epsilon(epsilon),
            Budget::Approximate { epsilon, delta } => self.at_epsilon(epsilon).at_delta(delta),
            Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => self,
        }
    }

    /// Adds an upper bound on the ε or the δ of a guarantee, rounded up; turns on the warning if
    /// it protects nobody.
    pub(super) fn guarantee(
        self,
        quantity: Quantity,
        name: &'static str,
        bound: &Rational,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.states(quantity, bound).figure(name, up(bound), meaning)
    }

    /// Adds a figure that turns on no warning, such as a lower bound.
    pub(crate) fn figure(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl ToString,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.figures.push(Figure::new(name.into(), value.to_string(), meaning.into()));
        self
    }

    /// Adds both ends of the enclosed δ at ε ≥ 0; `[lower, upper]` are their meanings in words.
    pub(super) fn delta_at(
        self,
        epsilon: &DeltaEpsilon,
        delta: &Interval,
        [lower, upper]: [&'static str; 2],
    ) -> Self {
        let figures = self.figure("delta_lower", end_down(delta.lower()), lower);
        figures.delta_at_most(epsilon, delta, upper)
    }

    /// Adds the upper end of the enclosed δ at ε ≥ 0, with its meaning in words. Both count for the
    /// warning that they protect nobody. At ε = 0, the `None` of [`DeltaEpsilon`], δ is a distance
    /// and turns on no warning.
    pub(super) fn delta_at_most(
        self,
        epsilon: &DeltaEpsilon,
        delta: &Interval,
        meaning: &'static str,
    ) -> Self {
        let figures = self.figure("delta_upper", end_up(delta.upper()), meaning);
        let Some(epsilon) = epsilon else { return figures };
        // A δ far below 2^−860 is no fraction.
        let bound = delta.upper().max(&Dyadic::new(1, -860)).to_rational();
        let bound = bound.expect("it is at most 1").round_to_digits(DIGITS, Rounding::Up);
        figures.at_epsilon(epsilon).states(Quantity::Delta, &bound)
    }

    /// Adds a name that the user gave, as it was given.
    pub(crate) fn given_name(mut self, name: &'static str, given: &str) -> Self {
        let value = FigureValue::Name(given.to_owned());
        self.figures.push(Figure { name: name.into(), value, meaning: "".into() });
        self
    }

    /// Adds a budget as a figure without a meaning: in JSON an object, where `None` is null; in
    /// text `None` is "nothing". It does not warn, [`Self::about`] does.
    pub(crate) fn budget(mut self, name: &'static str, budget: Option<Budget>) -> Self {
        let value = FigureValue::Budget(budget);
        self.figures.push(Figure { name: name.into(), value, meaning: "".into() });
        self
    }

    /// Adds a figure to compare with: it is worse than the answer, or no guarantee.
    pub(super) fn beside(
        mut self,
        name: impl Into<Cow<'static, str>>,
        value: impl ToString,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Self {
        self.comparisons.push(Figure::new(name.into(), value.to_string(), meaning.into()));
        self
    }

    /// Adds the upper and the lower bound on ε for a sum over clients; `attained` is the meaning of
    /// the lower one, the dataset for which no smaller ε holds.
    pub(super) fn bounds_of_aggregation(
        self,
        bounds: &EpsilonBounds,
        attained: &'static str,
    ) -> Self {
        self.guarantee(Quantity::Epsilon, "epsilon_upper", &bounds.upper, EVERY_DATASET).figure(
            "epsilon_lower",
            down(&bounds.lower),
            attained,
        )
    }

    /// Adds, to compare with, the ε of one client's own randomness, rounded up: it holds if only
    /// the client is honest.
    pub(super) fn local_epsilon(self, epsilon: &Rational) -> Self {
        let meaning = "with delta 0, if only the client is honest";
        self.beside("epsilon_local", up(epsilon), meaning)
    }

    /// Adds the sentence that says why the figures are true.
    pub(crate) fn because(self, certificate: impl Into<String>) -> Self {
        Self { certificate: certificate.into(), ..self }
    }

    /// The title, the figures, the entries of a ledger, the remark that ε is loose and the warning
    /// if they are on, the certificate in words and the figures to compare with, as text.
    pub(crate) fn text(&self) -> String {
        let all = || self.figures.iter().chain(&self.comparisons);
        let name = all().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
        let value = all().map(|figure| figure.value.to_string().chars().count());
        let value = value.max().unwrap_or(0);
        let rows = |figures: &[Figure]| -> String {
            figures.iter().map(|figure| figure.row(name, value)).collect()
        };
        let title = wrapped("", INDENT, &self.title);
        let mut text = format!("{title}\n{}", rows(&self.figures));
        text += &self.entries.as_deref().map(ListedEntry::text).unwrap_or_default();
        for remark in self.loose.into_iter().chain(self.is_weak.then_some(WEAK)) {
            let _ = write!(text, "\n{}", wrapped(INDENT, INDENT, remark));
        }
        let _ = write!(text, "\nCertificate\n{}", wrapped(INDENT, INDENT, &self.certificate));
        if !self.comparisons.is_empty() {
            let _ = write!(text, "\nBeside it\n{}", rows(&self.comparisons));
        }
        text
    }
}

impl Figure {
    const fn new(name: Cow<'static, str>, value: String, meaning: Cow<'static, str>) -> Self {
        Self { name, value: FigureValue::Text(value), meaning }
    }

    /// The figure as lines of text; `name` and `value` are widths of columns.
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
        wrapped(&format!("{figure}{INDENT}"), &" ".repeat(beside), &self.meaning)
    }
}

/// Writes figures as a JSON object of names and values, in the order of the text; meanings are left
/// out.
fn by_name<S: Serializer>(figures: &[Figure], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(figures.iter().map(|figure| (&figure.name, &figure.value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed<T: std::str::FromStr<Err = dp_exact::ParameterError>>(text: &str) -> T {
        text.parse().expect("a number")
    }

    fn with_figure(name: &'static str, value: &str) -> Figures {
        Figures::titled("A count at epsilon 99").figure(name, value, "")
    }

    #[test]
    fn what_protects_nobody_is_labelled() {
        let asked = |epsilon, delta| {
            let answer = with_figure("std", "99");
            answer.at_epsilon(&typed(epsilon)).at_delta(&typed(delta))
        };
        let guaranteed = |quantity, bound| {
            Figures::titled("A count").guarantee(quantity, "epsilon_lifetime", &typed(bound), "")
        };
        let spent = Budget::Pure { epsilon: typed("30") };
        for (answer, weak) in [
            (asked("20", "1e-3"), false),
            (asked("20.1", "1e-9"), true),
            (asked("1", "0.01"), true),
            (guaranteed(Quantity::Epsilon, "2"), false),
            (guaranteed(Quantity::Epsilon, "60"), true),
            (with_figure("epsilon_upper", "60"), false),
            (guaranteed(Quantity::Delta, "0.01"), true),
            (with_figure("spent", "0").about(&spent), true),
        ] {
            assert_eq!(answer.text().contains("protects nobody"), weak, "{answer:?}");
            let document = serde_json::to_value(&answer).expect("JSON");
            assert_eq!(document["protects_nobody"], weak);
        }
    }
}
