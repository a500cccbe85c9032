//! How the error of the policy of a run changes with ε and with the number of clients.

use dp_calibration::Budget;
use dp_planner::{Against, Job, PolicyName, Scope, Wanted, errors_of};
use dp_simulation::report::Report as Run;

use super::promises::strongest;
use crate::model::Section;
use crate::sections::{self, Setting};

/// How far the planner's error may lie from that of the run: farther, it is another noise.
const NEAR: f64 = 0.02;

/// Nothing where the planner would choose another noise for the promise, so that its curve would not be that of this
/// policy.
pub(super) fn section(run: Run<'_>) -> Option<Section> {
    let (plan, summary) = (run.plan, &run.outcome.summary);
    let policy = PolicyName::find(&plan.policy)?;
    let guarantee = strongest(plan)?;
    let budget = guarantee.budget()?.clone();
    let against = match (
        guarantee.trust_model.honest_aggregators(),
        guarantee.trust_model.needs_other_clients(),
    ) {
        (0, _) => Against::AllAggregators,
        (1, false) => Against::OneAggregator,
        _ => return None,
    };
    let delta = match &budget {
        Budget::Approximate { delta, .. } => delta.clone(),
        Budget::Pure { .. } => "0".parse().ok()?,
        Budget::ZeroConcentrated { .. } | Budget::Renyi { .. } => "1e-9".parse().ok()?,
    };
    let job = Job {
        grid: plan.grid.clone(),
        aggregators: plan.aggregators,
        honest_aggregators: 1,
        ..Job::new(plan.query.clone(), summary.clients)
    };
    let wanted = Wanted {
        budget: Some(budget),
        accuracy: None,
        delta,
        scope: Scope::Release,
        against,
        if_all_collude: None,
    };
    let errors = errors_of(&job, &wanted, &policy).ok()?;
    let is_near = (errors.std / summary.predicted_std - 1.0).abs() <= NEAR;
    is_near.then_some(())?;
    let planned = dp_planner::plan(&job, &wanted).ok();
    let alternative = planned.and_then(|plan| sections::alternative(&plan.choices, &policy));
    sections::accuracy(&Setting {
        job,
        wanted,
        policy,
        errors,
        alternative,
        name: "this run",
    })
}
