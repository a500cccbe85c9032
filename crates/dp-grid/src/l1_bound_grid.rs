//! Vectors of numbers ≥ 0 whose sum is bounded, for Prio3L1BoundSum: how a client divides at most
//! B among d coordinates.
//!
//! Each coordinate is clamped to [0, B] and rounded to a multiple of g. If the cells then add up to
//! more than M = B/g, all are scaled down by the same factor, by largest remainder, to a sum of
//! exactly M. The bound is enforced on the cells, after rounding, because the proof that the
//! aggregators verify is about the cells.

use dp_exact::{ParameterError, Rational};
use num_bigint::BigUint;

use crate::grid_vec::check_length;
use crate::rounding::scale_down;
use crate::{Grid, GridVec, Sensitivity};

/// A grid for vectors of numbers ≥ 0 with a bounded sum.
///
/// ```
/// use dp_grid::L1BoundGrid;
///
/// // 24 hours among three activities, to a quarter of an hour.
/// let grid = L1BoundGrid::new(3, "24".parse()?, "1/4".parse()?)?;
/// assert_eq!(grid.cells_of_f64(&[8.0, 7.3, 2.0])?, [32, 29, 8]);
/// assert_eq!(grid.cells_of_f64(&[24.0, 12.0, 12.0])?, [48, 24, 24]); // scaled down to 24 hours
/// # Ok::<(), dp_exact::ParameterError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct L1BoundGrid {
    coordinates: GridVec,
}

impl L1BoundGrid {
    /// Vectors of `length` numbers that add up to at most `bound`, in multiples of `granularity`.
    ///
    /// # Errors
    /// Unless `length` is from 1 to [`MAX_LENGTH`](crate::MAX_LENGTH), `bound` and `granularity`
    /// are greater than 0, and `bound` is a multiple of `granularity`, at most
    /// [`Grid::MAX_MEASUREMENT`] times.
    pub fn new(
        length: usize,
        bound: Rational,
        granularity: Rational,
    ) -> Result<Self, ParameterError> {
        check_length(length)?;
        if !bound.is_positive() {
            let accepted = "a number greater than 0";
            return Err(ParameterError::new("bound", &bound, accepted));
        }
        let grid = Grid::new(Rational::zero(), bound, granularity).map_err(rename_high)?;
        let coordinates = GridVec::uniform(grid, length)?;
        Ok(Self { coordinates })
    }

    /// The number of coordinates, at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a vector has a coordinate")]
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// M: the bound of the cells' sum, to give to Prio3.
    #[must_use]
    pub fn max_measurement(&self) -> u128 {
        self.coordinates.max_measurement()
    }

    /// The cells of a vector, with a sum of at most [`Self::max_measurement`]. Negative values
    /// count as 0.
    ///
    /// # Errors
    /// Unless there is one value for each coordinate.
    pub fn cells(&self, values: &[Rational]) -> Result<Vec<u128>, ParameterError> {
        Ok(self.bounded(self.coordinates.cells(values)?))
    }

    /// The same for exactly the numbers that the `f64` stand for.
    ///
    /// # Errors
    /// Unless there is one value for each coordinate, and all are finite.
    pub fn cells_of_f64(&self, values: &[f64]) -> Result<Vec<u128>, ParameterError> {
        Ok(self.bounded(self.coordinates.cells_of_f64(values)?))
    }

    fn bounded(&self, mut cells: Vec<u128>) -> Vec<u128> {
        scale_down(&mut cells, self.max_measurement());
        cells
    }

    /// The sums that totals of cells stand for: granularity·total.
    ///
    /// # Errors
    /// Unless there is one total for each coordinate.
    pub fn sums(&self, totals: &[i128]) -> Result<Vec<Rational>, ParameterError> {
        // The grid starts at 0, so the number of reports does not enter.
        self.coordinates.sums(totals, 0)
    }

    /// The means that totals of cells over `reports` reports stand for.
    ///
    /// # Errors
    /// Unless there is one total for each coordinate, and at least one report.
    pub fn means(&self, totals: &[i128], reports: u64) -> Result<Vec<Rational>, ParameterError> {
        self.coordinates.means(totals, reports)
    }

    /// How far one client can move the totals by replacing its measurement: 2M in L1 and 2M² in
    /// squared L2, when all goes from one coordinate to another; M and M² for a single coordinate.
    #[must_use]
    pub fn sensitivity_in_cells(&self) -> Sensitivity {
        let linf = BigUint::from(self.max_measurement());
        let moved = if self.len() == 1 { 1u32 } else { 2 };
        Sensitivity {
            l1: &linf * moved,
            l2_squared: &linf * &linf * moved,
            linf,
        }
    }
}

/// The caller knows the upper end of the grid as the bound.
fn rename_high(error: ParameterError) -> ParameterError {
    match error.name() {
        "high" => error.renamed("bound"),
        _ => error,
    }
}
