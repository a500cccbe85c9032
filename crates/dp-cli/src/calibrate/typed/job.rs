//! What a task says of a question to `calibrate`.

use std::path::Path;

use dp_calibration::Budget;
use dp_task::AggregatorNoise;

use crate::failure::Failure;
use crate::policies;

/// What a task says, as a person would type it.
pub(crate) struct Job {
    /// The query, as --query takes it.
    pub(crate) query: String,
    /// The ε that its aggregators' noise keeps, if it keeps one.
    pub(crate) epsilon: Option<String>,
    /// Its δ, if there is one.
    pub(crate) delta: Option<String>,
    /// How many aggregators there are.
    pub(crate) aggregators: String,
    /// The noise with its parameter, as --mechanism takes it: of aggregators, else the flips of clients.
    pub(crate) mechanism: Option<String>,
}

impl Job {
    /// That of the task in this file.
    pub(crate) fn of(path: &Path) -> Result<Self, Failure> {
        let task = policies::read(path)?;
        let document = task.document();
        let noise = document.aggregator_noise.as_ref();
        let (epsilon, delta) = match noise.and_then(AggregatorNoise::budget) {
            Some(Budget::Pure { epsilon }) => (Some(epsilon.to_string()), None),
            Some(Budget::Approximate { epsilon, delta }) => {
                (Some(epsilon.to_string()), Some(delta.to_string()))
            }
            Some(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. }) | None => (None, None),
        };
        let parameter = |name: &str| {
            let mut parameters = task.parameters().iter();
            parameters
                .find(|(own, _)| *own == name)
                .map(|(_, value)| value)
        };
        let named = [
            ("laplace", "scale"),
            ("gaussian", "variance"),
            ("rappor", "epsilon0"),
        ];
        let mechanism = named
            .iter()
            .find_map(|(mechanism, name)| Some(format!("{mechanism}:{}", parameter(name)?)));
        Ok(Self {
            query: task.query().to_string(),
            epsilon,
            delta,
            aggregators: document.vdaf.aggregators().to_string(),
            mechanism,
        })
    }
}
