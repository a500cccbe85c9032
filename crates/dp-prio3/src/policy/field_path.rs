//! The path in [`Parts`] of a parameter that something else refused, under its own name for it.

use dp_exact::ParameterError;

use super::{MeasurementRange, Parts, Vdaf};
use crate::Error;

impl Parts {
    /// The error with the path of the field that causes it, while `section` was being made.
    pub(super) fn error_in(&self, section: &'static str, error: impl Into<Error>) -> Error {
        let error = match error.into() {
            Error::Parameter(error)
            | Error::Calibration(dp_calibration::Error::Parameter(error))
            | Error::Sampler(dp_samplers::Error::Parameter(error)) => error,
            other => return other,
        };
        // The answers of a randomizer are the buckets of a histogram; compensation is planned for
        // the largest batch.
        let path = match (error.name(), section) {
            (name, _) if name.contains('.') => return error.into(),
            ("answers" | "length", _) => "vdaf.length",
            ("chunk_length", _) => "vdaf.chunk_length",
            ("max_weight", _) => "vdaf.max_weight",
            ("aggregators", _) => "vdaf.aggregators",
            ("max_measurement", _) => return self.range_error(error).into(),
            ("reports" | "max_reports", _) => "batch.max_reports",
            ("min_reports", _) => "batch.min_reports",
            ("delta", "aggregator_noise") => "aggregator_noise.budget.approximate.delta",
            (
                "budget" | "target_honest_clients" | "assumed_malicious_clients",
                "aggregator_noise",
            )
            | (_, "client_noise") => return Error::from(renamed(section, error)),
            // Of what follows from the budget alone, such as the scale of the noise.
            (_, "aggregator_noise") => return self.budget_error(error).into(),
            _ => return renamed(section, error).into(),
        };
        error.renamed(path).into()
    }

    /// The error that the largest measurement is too large. On a grid it names the granularity,
    /// which is too fine.
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

    /// The error that the noise that keeps the budget is refused.
    fn budget_error(&self, error: ParameterError) -> ParameterError {
        let amount = self.aggregator_noise.as_ref().and_then(|noise| noise.amount());
        match amount.and_then(|amount| amount.budget()) {
            Some(budget) => {
                let accepted = format!("another one: the {error}");
                ParameterError::new("aggregator_noise.budget", budget, accepted)
            }
            None => renamed("aggregator_noise", error),
        }
    }
}

fn renamed(section: &str, error: ParameterError) -> ParameterError {
    let path = format!("{section}.{}", error.name());
    error.renamed(path)
}
