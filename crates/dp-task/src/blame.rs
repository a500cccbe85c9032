//! Which field of a document is to blame for an error of what was built from it.

use dp_calibration::Budget;
use dp_exact::ParameterError;
use dp_prio3::Error as PolicyError;

use crate::Error;
use crate::document::{Document, Range};

impl Document {
    /// The error with the path of the field that is to blame: one of the section that asked, or else
    /// of the batch or the VDAF.
    pub(crate) fn blame(&self, section: &'static str, error: impl Into<PolicyError>) -> Error {
        let error = match parameter(error.into()) {
            Ok(error) => error,
            Err(PolicyError::BudgetKind {
                budget, accepted, ..
            }) => {
                return ParameterError::new("aggregator_noise.budget", budget, accepted).into();
            }
            Err(source) => {
                return Error::Policy {
                    field: section,
                    source,
                };
            }
        };
        let name = field(error.name());
        let sections = self.fields(section);
        let found = sections.iter().find(|(_, fields)| fields.contains(&name));
        let path = found.map(|(section, _)| format!("{section}.{name}"));
        let is_range = name == "max_measurement";
        match (path, self.vdaf.range(), self.budget_of(section)) {
            (Some(path), _, _) => error.renamed(path).into(),
            (None, Some(range), _) if is_range => of_range(range, error),
            (None, _, Some(budget)) => of_budget(budget, error),
            (None, _, None) => Error::Policy {
                field: section,
                source: error.into(),
            },
        }
    }

    /// The fields of the section, then those of the sections that every part of a policy depends on.
    fn fields(&self, section: &'static str) -> [(&'static str, &'static [&'static str]); 3] {
        let own: &[&str] = match (section, &self.client_noise, &self.aggregator_noise) {
            ("client_noise", Some(noise), _) => noise.kind().fields(),
            ("aggregator_noise", _, Some(noise)) => noise.kind().fields(),
            _ => &[],
        };
        [
            (section, own),
            ("batch", &["min_reports", "max_reports"]),
            ("vdaf", self.vdaf.kind().fields()),
        ]
    }

    fn budget_of(&self, section: &str) -> Option<&Budget> {
        let noise = self.aggregator_noise.as_ref();
        noise.filter(|_| section == "aggregator_noise")?.budget()
    }
}

/// The parameter that is out of its range, if that is the error.
fn parameter(error: PolicyError) -> Result<ParameterError, PolicyError> {
    match error {
        PolicyError::Parameter(error)
        | PolicyError::Calibration(dp_calibration::Error::Parameter(error))
        | PolicyError::Sampler(dp_samplers::Error::Parameter(error))
        | PolicyError::Rappor(dp_rappor::Error::Parameter(error)) => Ok(error),
        other => Err(other),
    }
}

/// The name in a document of what means more where it is computed with: the answers of a randomizer are
/// the buckets of a histogram, and the reports of a plan those of the largest batch.
fn field(parameter: &str) -> &str {
    match parameter {
        "answers" => "length",
        "reports" => "max_reports",
        same => same,
    }
}

/// Where a grid says what the largest measurement is, its granularity is to blame if that is too large.
fn of_range(range: &Range, error: ParameterError) -> Error {
    match range {
        Range::MaxMeasurement(_) => error.renamed("vdaf.range.max_measurement").into(),
        Range::Grid(grid) => {
            let accepted = format!("a larger one: the {error}");
            let field = "vdaf.range.grid.granularity";
            ParameterError::new(field, grid.granularity(), accepted).into()
        }
    }
}

/// A parameter of the budget itself, or something that follows from it alone, such as the scale of the
/// noise.
fn of_budget(budget: &Budget, error: ParameterError) -> Error {
    let path = match (budget, error.name()) {
        (Budget::Pure { .. }, "epsilon") => "aggregator_noise.budget.pure.epsilon",
        (Budget::Approximate { .. }, "epsilon") => "aggregator_noise.budget.approximate.epsilon",
        (Budget::Approximate { .. }, "delta") => "aggregator_noise.budget.approximate.delta",
        (Budget::ZeroConcentrated { .. }, "rho") => "aggregator_noise.budget.zero_concentrated.rho",
        _ => {
            let accepted = format!("another one: the {error}");
            return ParameterError::new("aggregator_noise.budget", budget, accepted).into();
        }
    };
    error.renamed(path).into()
}
