//! How the error of a choice changes with ε and with the number of clients.

use dp_calibration::Budget;
use dp_exact::{Epsilon, Rounding};
use dp_planner::{Choice, Job, Plan, Scope, Wanted};

use super::wording::promised;
use crate::model::Section;
use crate::sections::{self, Setting};

pub(super) fn section(plan: &Plan, choice: &Choice) -> Option<Section> {
    let job = Job {
        clients: choice.clients,
        ..plan.job.clone()
    };
    let budget = match &plan.wanted.budget {
        Some(budget) => budget.clone(),
        None => kept(plan, choice)?,
    };
    let wanted = Wanted {
        budget: Some(budget),
        accuracy: None,
        ..plan.wanted.clone()
    };
    sections::accuracy(&Setting {
        job,
        wanted,
        policy: choice.policy,
        errors: choice.errors,
        alternative: sections::alternative(&plan.choices, &choice.policy),
        name: "this plan",
    })
}

/// What a choice promises in the trust model that is asked for.
fn kept(plan: &Plan, choice: &Choice) -> Option<Budget> {
    let promises = match plan.wanted.scope {
        Scope::Release => &choice.per_release,
        Scope::Total => &choice.total,
    };
    let kept = promised(plan, promises).epsilon()?;
    let epsilon = Epsilon::new(kept.round_to_digits(6, Rounding::Up)).ok()?;
    let delta = plan.wanted.delta.clone();
    Some(match delta.value().is_zero() {
        true => Budget::Pure { epsilon },
        false => Budget::Approximate { epsilon, delta },
    })
}
