//! A fixed public grid: the lattice points low, low + g, low + 2g, …, high for the granularity g.
//!
//! A real number x is clamped to [low, high] and rounded to a lattice point, whose number is its
//! cell:
//!
//! ```text
//! cell(x)  = round((clamp(x) − low) / g)        in 0 ..= M,   M = (high − low) / g
//! value(c) = low + g·c
//! ```
//!
//! For n reports the total T of cells, with integer noise or without, stands for the sum n·low +
//! g·T and the mean low + g·T/n, exactly: post-processing of T. With floating-point noise the
//! possible outputs would depend on the batch ([Mironov
//! 2012](https://doi.org/10.1145/2382196.2382264)).
//!
//! A wider range costs noise, a finer granularity does not. Choose the range from public knowledge
//! or past data: a range that depends on the batch is itself a release.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use dp_exact::{ParameterError, Rational};
use serde::de::{Error as _, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// A clamping range and a granularity, all exact.
///
/// ```
/// use dp_prio3::grid::Grid;
///
/// // Weights from 40 to 140 kg, to 100 g.
/// let grid = Grid::new("40".parse()?, "140".parse()?, "0.1".parse()?)?;
/// assert_eq!(grid.max_measurement(), 1000);
/// assert_eq!(grid.cell(&"79.04".parse()?), 390);
/// assert_eq!(grid.value(390), 79);
/// assert_eq!(grid.cell(&"250".parse()?), 1000); // clamped
/// assert_eq!(grid.to_string(), "40..140/0.1");
/// assert_eq!("40..140/0.1".parse::<Grid>()?, grid);
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
///
/// As a document: `{"low": "40", "high": "140", "granularity": "0.1"}`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Grid {
    low: Rational,
    high: Rational,
    granularity: Rational,
    /// M, the number of the largest lattice point, counted from 0 at `low`.
    #[serde(skip_serializing)]
    max_measurement: u128,
}

impl Grid {
    /// The largest cell that a grid may have: 2^63 − 1, so that any total of up to 2^64 − 1 reports
    /// fits an `i128`.
    pub const MAX_MEASUREMENT: u128 = (1 << 63) - 1;

    /// The grid of the points from `low` to `high` at a distance of `granularity`. Both ends are
    /// points of the grid.
    ///
    /// # Errors
    /// Unless `granularity` is greater than 0, `high` is greater than `low`, and `high` − `low` is
    /// a multiple of `granularity`, at most [`Grid::MAX_MEASUREMENT`] times.
    pub fn new(
        low: Rational,
        high: Rational,
        granularity: Rational,
    ) -> Result<Self, ParameterError> {
        let refused = |accepted| ParameterError::new("granularity", &granularity, accepted);
        if !granularity.is_positive() {
            return Err(refused("a number greater than 0"));
        }
        if high <= low {
            let accepted = format!("a number greater than the low end, {low}");
            return Err(ParameterError::new("high", &high, accepted));
        }
        let steps = (&high - &low).checked_div(&granularity).filter(Rational::is_integer);
        let steps = steps.ok_or_else(|| refused("a number of which the range is a multiple"))?;
        let max_measurement = u128::try_from(steps.numerator())
            .ok()
            .filter(|&cells| cells <= Self::MAX_MEASUREMENT)
            .ok_or_else(|| refused("at least the range divided by 2^63 - 1"))?;
        Ok(Self { low, high, granularity, max_measurement })
    }

    /// The lowest point; smaller values are clamped to it.
    pub fn low(&self) -> &Rational {
        &self.low
    }

    /// The highest point; larger values are clamped to it.
    pub fn high(&self) -> &Rational {
        &self.high
    }

    /// The distance between neighbouring points.
    pub fn granularity(&self) -> &Rational {
        &self.granularity
    }

    /// M, the cell of the highest point: Prio3's bound on a measurement, and the largest change of
    /// a total by one client.
    pub fn max_measurement(&self) -> u128 {
        self.max_measurement
    }

    /// The distance from the low end to the clamped `value` in steps of the granularity: the whole
    /// steps, and the rest of a step in [0, 1).
    fn steps(&self, value: &Rational) -> (u128, Rational) {
        let steps = (value.clamp(&self.low, &self.high) - &self.low)
            .checked_div(&self.granularity)
            .expect("a granularity is greater than 0");
        let whole = u128::try_from(steps.floor()).expect("from 0 to M, which has 63 bits");
        let rest = &steps - &Rational::integer(whole);
        (whole, rest)
    }

    /// The cell of the point nearest to `value`, from 0 to [`Self::max_measurement`]; half-way
    /// between two points the even cell. Exact: where ties matter, parse decimals, since 0.15 as an
    /// `f64` lies below 15/100.
    #[must_use]
    pub fn cell(&self, value: &Rational) -> u128 {
        let (whole, rest) = self.steps(value);
        let up = match (&rest + &rest).cmp(&Rational::one()) {
            Ordering::Less => false,
            Ordering::Equal => whole % 2 == 1,
            Ordering::Greater => true,
        };
        whole + u128::from(up)
    }

    /// The point of a cell, low + granularity·`cell`. Beyond [`Self::max_measurement`] the
    /// lattice goes on above `high`.
    #[must_use]
    pub fn value(&self, cell: u128) -> Rational {
        &self.low + &(&self.granularity * &Rational::integer(cell))
    }
}

impl FromStr for Grid {
    type Err = ParameterError;

    /// Reads `LOW..HIGH/GRANULARITY`. `Err` for another form, and as [`Grid::new`].
    fn from_str(text: &str) -> Result<Self, ParameterError> {
        let refused = || ParameterError::new("grid", text, "LOW..HIGH/STEP, such as 40..140/0.1");
        let number = |text: &str| text.trim().parse::<Rational>().map_err(|_| refused());
        let (low, rest) = text.split_once("..").ok_or_else(refused)?;
        let (high, granularity) = rest.split_once('/').ok_or_else(refused)?;
        Self::new(number(low)?, number(high)?, number(granularity)?)
    }
}

impl Display for Grid {
    /// Writes `LOW..HIGH/GRANULARITY`, which [`FromStr`] reads.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let (low, high, granularity) = (&self.low, &self.high, &self.granularity);
        write!(formatter, "{low}..{high}/{granularity}")
    }
}

impl<'de> Deserialize<'de> for Grid {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        /// The fields of a written grid, before the lattice is checked.
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields, rename = "Grid")]
        struct Document {
            low: Rational,
            high: Rational,
            granularity: Rational,
        }

        let Document { low, high, granularity } = Document::deserialize(deserializer)?;
        Self::new(low, high, granularity).map_err(|error| {
            // A reader of documents reports the refused field by this name.
            D::Error::invalid_value(Unexpected::Other(error.name()), &error.accepted())
        })
    }
}
