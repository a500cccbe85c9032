//! What the promises of a choice mean for one person.

use dp_calibration::{Corner, NoiseLaw};
use dp_planner::{Choice, Plan, Promise as Promised, Scope};

use super::wording::{promised, scopes};
use crate::model::Section;
use crate::risk::Pairs;
use crate::sections::{self, Promise};

pub(super) fn section(plan: &Plan, choice: &Choice) -> Section {
    let scopes = scopes(plan, choice).into_iter();
    let promises = scopes.filter_map(|(scope, name, promises)| {
        let Promised::Kept {
            epsilon,
            delta,
            rho,
            ..
        } = promised(plan, promises)
        else {
            return None;
        };
        let mut pairs = Pairs::new(epsilon, delta);
        if let (Scope::Release, Some((law, corner))) = (scope, noise_alone(plan, choice)) {
            pairs = pairs.and_of_noise(&law, &corner, epsilon);
        } else if let Some(rho) = rho {
            pairs = pairs.and_concentrated(rho, epsilon);
        }
        Some(Promise {
            name,
            epsilon: epsilon.clone(),
            delta: delta.clone(),
            pairs,
        })
    });
    sections::risk(&promises.collect::<Vec<_>>(), plan.job.adjacency)
}

/// The noise of one aggregator and what it hides, where that protects alone: clients add none, and a person has one
/// report.
fn noise_alone(plan: &Plan, choice: &Choice) -> Option<(NoiseLaw, Corner)> {
    let is_alone = choice.policy.client_noise.is_none() && plan.job.reports_per_client == 1;
    let parameter = |name| {
        let mut parameters = choice.parameters.iter();
        let found = parameters.find(|(known, _)| *known == name);
        found.map(|(_, value)| value.clone())
    };
    let law = match (parameter("scale"), parameter("variance")) {
        (Some(scale), None) => NoiseLaw::DiscreteLaplace { scale },
        (None, Some(variance)) => NoiseLaw::DiscreteGaussian { variance },
        _ => return None,
    };
    let corner = plan.job.query.corner(plan.job.adjacency).ok()??;
    is_alone.then_some((law, corner))
}
