//! Real-valued measurements in a document: the grid that maps them to the integers of Prio3.
//!
//! With `grid.low`, `grid.high` and `grid.granularity`, a client sends the cell of its value, an
//! integer from 0 to M = (high − low)/granularity, and `vdaf.max_measurement` is M.

use dp_exact::{ParameterError, Rational};
use dp_grid::Grid;

use crate::Error;
use crate::document::{Document, GridSection, Vdaf, VdafType};
use crate::error::required;
use crate::exact::Exact as _;

impl Document {
    /// The grid, if measurements are real numbers.
    pub(crate) fn on_grid(&self) -> Result<Option<Grid>, ParameterError> {
        let Some(section) = &self.grid else {
            return Ok(None);
        };
        let kind = self.vdaf.required_type()?;
        if !matches!(kind, VdafType::Sum | VdafType::Average | VdafType::SumVec) {
            let accepted = format!("no such section with {kind}");
            return Err(ParameterError::new("grid", "given", accepted));
        }
        let grid = section.grid()?;
        let largest = grid.max_measurement();
        match self.vdaf.max_measurement {
            Some(stated) if stated != largest => {
                let accepted = format!(
                    "{largest}, which (grid.high − grid.low)/grid.granularity is, or no such field"
                );
                Err(ParameterError::new(
                    "vdaf.max_measurement",
                    stated,
                    accepted,
                ))
            }
            _ => Ok(Some(grid)),
        }
    }

    /// The VDAF with the largest measurement, where that follows from the grid.
    pub(crate) fn measured(&self) -> Result<Vdaf, ParameterError> {
        let grid = self.on_grid()?;
        let of_grid = grid.as_ref().map(Grid::max_measurement);
        Ok(Vdaf {
            max_measurement: of_grid.or(self.vdaf.max_measurement),
            ..self.vdaf.clone()
        })
    }

    /// Where the grid says what the largest measurement is, it is to blame if that is too large.
    pub(crate) fn blame_grid(&self, error: Error) -> Error {
        let granularity = self
            .grid
            .as_ref()
            .and_then(|grid| grid.granularity.as_ref());
        match (error, granularity) {
            (Error::Field(error), Some(granularity)) if error.name() == "vdaf.max_measurement" => {
                let accepted = format!("a larger one: the {error}");
                ParameterError::new("grid.granularity", granularity, accepted).into()
            }
            (error, _) => error,
        }
    }
}

impl GridSection {
    fn grid(&self) -> Result<Grid, ParameterError> {
        let field = |path, value: Option<&Rational>| required(path, value, Rational::ACCEPTED);
        let low = field("grid.low", self.low.as_ref())?;
        let high = field("grid.high", self.high.as_ref())?;
        let granularity = field("grid.granularity", self.granularity.as_ref())?;
        Grid::new(low, high, granularity).map_err(|error| {
            let path = match error.name() {
                "low" => "grid.low",
                "high" => "grid.high",
                _ => "grid.granularity",
            };
            error.renamed(path)
        })
    }
}
