//! The path in [`Parts`] of a parameter that something else refused, under its own name for it.

use dp_exact::ParameterError;

use super::{MeasurementRange, Parts, Vdaf};
use crate::Error;

impl Parts {
    /// The error, its parameter named by the path of the field in [`Parts`] that causes it.
    /// `section` is the field of the parts that was being checked, such as `aggregator_noise`. A
    /// name with a dot is a path already; errors about no parameter stay as they are.
    pub(super) fn error_in(&self, section: &'static str, error: impl Into<Error>) -> Error {
        let error = match error.into() {
            Error::Parameter(error) => error,
            other => return other,
        };
        // The answers of a randomizer are the buckets of a histogram; compensation is planned for
        // the largest batch.
        let path = match (error.name(), section) {
            (name, _) if name.contains('.') => return error.into(),
            ("answers" | "length", _) => "vdaf.length".to_owned(),
            (name @ ("chunk_length" | "max_weight" | "aggregators"), _) => format!("vdaf.{name}"),
            ("max_measurement", _) => return self.range_error(error).into(),
            ("reports", _) => "batch.max_reports".to_owned(),
            (name @ ("min_reports" | "max_reports"), _) => format!("batch.{name}"),
            ("delta", "aggregator_noise") => "aggregator_noise.budget.approximate.delta".to_owned(),
            ("budget" | "target_honest_clients" | "assumed_malicious_clients", _)
            | (_, "client_noise" | "vdaf" | "batch") => format!("{section}.{}", error.name()),
            // Of what follows from the budget alone, such as the scale of the noise.
            _ => return self.budget_error(error).into(),
        };
        error.renamed(path).into()
    }

    /// The error that the largest measurement is too large, by its path. On a grid it names the
    /// granularity, which is too fine, with `error` as the reason.
    fn range_error(&self, error: ParameterError) -> ParameterError {
        match &self.vdaf {
            Vdaf::L1BoundSum { .. } => error.renamed("vdaf.max_measurement"),
            vdaf => match vdaf.range() {
                Some(MeasurementRange::Grid(grid)) => {
                    let accepted = format!("a larger one: the {error}");
                    let path = "vdaf.range.grid.granularity";
                    ParameterError::new(path, grid.granularity(), accepted)
                }
                _ => error.renamed("vdaf.range.max_measurement"),
            },
        }
    }

    /// The error that the noise that keeps the budget is refused: it names the budget, with `error`
    /// as the reason. Without a budget it is `error`, with `aggregator_noise` before its name.
    fn budget_error(&self, error: ParameterError) -> ParameterError {
        match self.aggregator_noise.as_ref().and_then(|noise| noise.budget()) {
            Some(budget) => {
                let accepted = format!("another one: the {error}");
                ParameterError::new("aggregator_noise.budget", budget, accepted)
            }
            None => {
                let path = format!("aggregator_noise.{}", error.name());
                error.renamed(path)
            }
        }
    }
}
