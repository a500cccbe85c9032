//! A file of test vectors: inputs, figures, and the figures of common mistakes.

use std::error::Error;

use dp_exact::{Interval, Rational, Rounding};
use serde::Serialize;
use serde_json::{Value, json};

/// What the functions that make vectors return.
pub(super) type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Significant digits of a bound, and of a figure from floats or from a mistake. Digits that change
/// where code is only rearranged are left out.
const DIGITS: [usize; 2] = [13, 10];

/// A figure that an implementation has to give, and what implementations with a known mistake give.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Figure {
    quantity: &'static str,
    #[serde(skip_serializing_if = "Value::is_null")]
    exact: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    lower: Value,
    #[serde(skip_serializing_if = "Value::is_null")]
    upper: Value,
    /// Whether a figure below `lower` claims too much privacy.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    rounded_up: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mistakes: Vec<Value>,
}

impl Figure {
    /// A figure that an implementation has to give exactly, without lower and upper ends.
    pub(super) fn exact(quantity: &'static str, exact: impl Into<Value>) -> Self {
        let (exact, lower, upper) = (exact.into(), Value::Null, Value::Null);
        Self { quantity, exact, lower, upper, rounded_up: false, mistakes: vec![] }
    }

    /// A figure that is the exact rational number, as a fraction.
    pub(super) fn equal(quantity: &'static str, number: &Rational) -> Self {
        Self::exact(quantity, number.to_string())
    }

    /// A bound of privacy: the least possible figure is at least `lower` and at most `upper`, and a
    /// smaller figure claims too much. Ends are rounded outwards; equal ends are an exact figure.
    pub(super) fn bound(quantity: &'static str, lower: &Rational, upper: &Rational) -> Self {
        if lower == upper {
            return Self::equal(quantity, upper);
        }
        let [lower, upper] = ends(lower, upper);
        Self { lower, upper, rounded_up: true, ..Self::exact(quantity, Value::Null) }
    }

    /// A bound of privacy, the least possible figure being enclosed in the interval `figure`. `Err`
    /// if an end is not finite.
    pub(super) fn enclosed(quantity: &'static str, figure: &Interval) -> Outcome<Self> {
        Ok(Self::bound(quantity, &lower(figure)?, &upper(figure)?))
    }

    /// A number, enclosed in `figure`, that an implementation may round to either side.
    pub(super) fn number(quantity: &'static str, figure: &Interval) -> Outcome<Self> {
        Ok(Self { rounded_up: false, ..Self::enclosed(quantity, figure)? })
    }

    /// Numbers, each enclosed in an interval, that an implementation may round to either side.
    pub(super) fn numbers(quantity: &'static str, figures: &[Interval]) -> Outcome<Self> {
        let (mut lowest, mut highest) = (Vec::new(), Vec::new());
        for figure in figures {
            let [lower, upper] = ends(&lower(figure)?, &upper(figure)?);
            lowest.push(lower);
            highest.push(upper);
        }
        let (lower, upper) = (lowest.into(), highest.into());
        Ok(Self { lower, upper, ..Self::exact(quantity, Value::Null) })
    }

    /// Numbers computed with floats, rounded to ten digits: each may be off by a relative 1e-9 to
    /// either side. `Err` if one is not finite.
    pub(super) fn floats(quantity: &'static str, figures: &[f64]) -> Outcome<Self> {
        let part: Rational = "1e-9".parse()?;
        let around = |figure: &f64| -> Outcome<Interval> {
            let value = Rational::from_f64(*figure)?.round_to_digits(DIGITS[1], Rounding::Nearest);
            let (part, end) = (&part * &value, |end: Rational| Interval::rational(&end, 128));
            Ok(end(&value - &part).hull(&end(value + part)))
        };
        Self::numbers(quantity, &figures.iter().map(around).collect::<Outcome<Vec<_>>>()?)
    }

    /// Adds the number that a known mistake gives, unless it would be accepted: equal to the exact
    /// figure, or between the ends with a relative 1e-6 of room above, and below if it may be
    /// rounded down.
    pub(super) fn mistake(self, mistake: &'static str, value: &Rational) -> Self {
        let number = |end: &Value| end.as_str().and_then(|text| text.parse::<Rational>().ok());
        let allowance = Rational::new(1, 1_000_000).expect("a millionth is a fraction");
        let is_accepted = match (number(&self.exact), number(&self.lower), number(&self.upper)) {
            (Some(exact), ..) => *value == exact,
            (None, Some(low), Some(high)) => {
                let reach = high.abs() * allowance;
                let low = if self.rounded_up { low } else { low - &reach };
                low <= *value && *value <= high + reach
            }
            _ => false,
        };
        let text = match value.is_integer() {
            true => value.to_string(),
            false => value.to_decimal(DIGITS[1], Rounding::Nearest),
        };
        if is_accepted { self } else { self.mistaken(mistake, text) }
    }

    /// Adds the list or the text that a known mistake gives, unless it is equal to the exact
    /// figure.
    pub(super) fn mistaken(mut self, mistake: &'static str, value: impl Into<Value>) -> Self {
        let value = value.into();
        if self.exact != value {
            self.mistakes.push(json!({ "mistake": mistake, "value": value }));
        }
        self
    }
}

/// Both ends of an interval as decimals of 13 digits, rounded outwards; as exact fractions if they
/// are equal.
fn ends(lower: &Rational, upper: &Rational) -> [Value; 2] {
    if lower == upper {
        return [lower, upper].map(|end| end.to_string().into());
    }
    [(lower, Rounding::Down), (upper, Rounding::Up)]
        .map(|(end, rounding)| end.to_decimal(DIGITS[0], rounding).into())
}

/// `figure`, a finite number, as a decimal of ten significant digits, rounded to the nearest.
pub(super) fn short(figure: f64) -> String {
    let value = Rational::from_f64(figure).expect("probabilities and errors are finite");
    value.to_decimal(DIGITS[1], Rounding::Nearest)
}

/// The lower end of an enclosure; `Err` if it is not finite.
pub(super) fn lower(figure: &Interval) -> Outcome<Rational> {
    Ok(figure.lower().to_rational().ok_or("the lower end is too small")?)
}

/// The upper end of an enclosure; `Err` if it is not finite.
pub(super) fn upper(figure: &Interval) -> Outcome<Rational> {
    Ok(figure.upper().to_rational().ok_or("the upper end is too large")?)
}

/// One input, and its figures.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) figures: Vec<Figure>,
}

/// The text of a file of vectors as JSON, with one figure a line; `group` is the name in its head.
pub(super) fn file(group: &str, vectors: Vec<Vector>) -> Outcome<String> {
    let text = |Vector { name, mut input, figures }: Vector| -> Outcome<String> {
        input.sort_all_objects();
        let figures = figures.into_iter().map(|mut figure| {
            figure.exact.sort_all_objects();
            serde_json::to_string(&figure)
        });
        let figures = figures.collect::<Result<Vec<_>, _>>()?.join(",\n    ");
        let name = Value::from(name);
        Ok(format!(
            "{{ \"name\": {name},\n  \"input\": {input},\n  \"figures\": [\n    {figures}\n  ] }}"
        ))
    };
    let vectors = vectors.into_iter().map(text).collect::<Outcome<Vec<_>>>()?.join(",\n");
    Ok(format!(
        "{{\n\"format\": \"differential privacy vectors\",\n\"version\": 1,\n\"group\": \"{group}\",\n\
         \"vectors\": [\n{vectors}\n]\n}}\n"
    ))
}
