//! Vectors whose coordinates are bounded one by one, for Prio3SumVec: a grid for each coordinate,
//! all with the same number of cells.
//!
//! Prio3SumVec has one bound for all entries, and its noise is calibrated for that bound in every
//! entry. Grids of equal M waste none of it, whatever the coordinates' units and ranges.

use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;

use crate::{Grid, Sensitivity};

/// The most coordinates that a vector may have: 2^24.
pub const MAX_LENGTH: usize = 1 << 24;

/// A grid for each coordinate of a vector.
///
/// ```
/// use dp_grid::{Grid, GridVec};
///
/// // Height in cm and weight in kg, each in 1000 steps.
/// let height = Grid::with_steps("130".parse()?, "210".parse()?, 1000)?;
/// let weight = Grid::with_steps("40".parse()?, "140".parse()?, 1000)?;
/// let grids = GridVec::new(vec![height, weight])?;
/// assert_eq!(grids.cells_of_f64(&[174.1875, 79.04])?, [552, 390]);
/// assert!(grids.cells_of_f64(&[174.1875, f64::NAN]).is_err());
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GridVec {
    /// One for each coordinate, or one for all.
    grids: Vec<Grid>,
    length: usize,
}

impl GridVec {
    /// A vector with these grids for its coordinates.
    ///
    /// # Errors
    /// Unless there are from 1 to [`MAX_LENGTH`] grids, all with the same
    /// [`Grid::max_measurement`]; [`Grid::with_steps`] makes such grids for any ranges.
    pub fn new(grids: Vec<Grid>) -> Result<Self, ParameterError> {
        let length = check_length(grids.len())?;
        let expected = grids[0].max_measurement();
        if let Some((index, other)) = differing(&grids, expected) {
            return Err(ParameterError::new(
                format!("max_measurement of coordinate {index}"),
                other,
                format!("{expected}, as for coordinate 0"),
            ));
        }
        Ok(Self { grids, length })
    }

    /// A vector of `length` coordinates on the same grid.
    ///
    /// # Errors
    /// Unless `length` is from 1 to [`MAX_LENGTH`].
    pub fn uniform(grid: Grid, length: usize) -> Result<Self, ParameterError> {
        let length = check_length(length)?;
        let grids = vec![grid];
        Ok(Self { grids, length })
    }

    /// The number of coordinates, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a vector has a coordinate")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// The bound of every entry, to give to Prio3.
    #[must_use]
    pub fn max_measurement(&self) -> u128 {
        self.grids[0].max_measurement()
    }

    /// The grids, in the order of the coordinates.
    pub fn grids(&self) -> impl Iterator<Item = &Grid> {
        self.grids.iter().cycle().take(self.length)
    }

    /// The nearest cells, each as [`Grid::cell`] has it.
    ///
    /// # Errors
    /// Unless there is one value for each coordinate.
    pub fn cells(&self, values: &[Rational]) -> Result<Vec<u128>, ParameterError> {
        self.check("values", values.len())?;
        let pairs = self.grids().zip(values);
        Ok(pairs.map(|(grid, value)| grid.cell(value)).collect())
    }

    /// The nearest cells, each as [`Grid::cell_of_f64`] has it.
    ///
    /// # Errors
    /// Unless there is one value for each coordinate, and all are finite.
    pub fn cells_of_f64(&self, values: &[f64]) -> Result<Vec<u128>, ParameterError> {
        self.check("values", values.len())?;
        let pairs = self.grids().zip(values).enumerate();
        let cell = |(index, (grid, value)): (usize, (&Grid, &f64))| {
            grid.cell_of_f64(*value)
                .map_err(|error| error.renamed(format!("value {index}")))
        };
        pairs.map(cell).collect()
    }

    /// The sums that totals of cells over `reports` reports stand for, as [`Grid::sum`] has them.
    ///
    /// # Errors
    /// Unless there is one total for each coordinate.
    pub fn sums(&self, totals: &[i128], reports: u64) -> Result<Vec<Rational>, ParameterError> {
        self.check("totals", totals.len())?;
        let pairs = self.grids().zip(totals);
        Ok(pairs
            .map(|(grid, &total)| grid.sum(total, reports))
            .collect())
    }

    /// The means that totals of cells over `reports` reports stand for, as [`Grid::mean`] has
    /// them.
    ///
    /// # Errors
    /// Unless there is one total for each coordinate, and at least one report.
    pub fn means(&self, totals: &[i128], reports: u64) -> Result<Vec<Rational>, ParameterError> {
        self.check("totals", totals.len())?;
        let pairs = self.grids().zip(totals);
        pairs
            .map(|(grid, &total)| grid.mean(total, reports))
            .collect()
    }

    /// How far one client can move the totals: M in every coordinate, so M·d in L1, M²·d in squared
    /// L2 for d coordinates.
    #[must_use]
    pub fn sensitivity_in_cells(&self) -> Sensitivity {
        let linf = BigUint::from(self.max_measurement());
        Sensitivity {
            l1: &linf * self.length,
            l2_squared: &linf * &linf * self.length,
            linf,
        }
    }

    fn check(&self, name: &'static str, given: usize) -> Result<(), ParameterError> {
        if given == self.length {
            return Ok(());
        }
        let name = format!("number of {name}");
        let accepted = format!("{}, one for each coordinate", self.length);
        Err(ParameterError::new(name, given, accepted))
    }
}

/// The first coordinate whose grid has another number of cells.
fn differing(grids: &[Grid], expected: u128) -> Option<(usize, u128)> {
    let bounds = grids.iter().map(Grid::max_measurement);
    bounds.enumerate().find(|&(_, bound)| bound != expected)
}

pub(crate) fn check_length(length: usize) -> Result<usize, ParameterError> {
    if (1..=MAX_LENGTH).contains(&length) {
        return Ok(length);
    }
    let accepted = format!("from 1 to {MAX_LENGTH} coordinates");
    Err(ParameterError::new("length", length, accepted))
}
