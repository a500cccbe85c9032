//! Which policy goes with which budget, and what it takes of it.

use dp_exact::ParameterError;
use dp_task::{AggregatorNoiseType, Error as TaskError, NoiseParameters, PolicyName};

use super::ExcludedPair;
use crate::sweep::SweepError;
use crate::sweep::file::Sweep;
use crate::sweep::seed;

/// What a policy takes of budgets, and the numbers of their entries.
type Taken = (NoiseParameters, Vec<usize>);

/// Every policy with what it takes of the budgets and the numbers of their entries, and what is left out.
pub(super) struct Fitting {
    pub(super) fitting: Vec<(PolicyName, Vec<Taken>)>,
    pub(super) left_out: Vec<ExcludedPair>,
}

/// The pairs that go together.
///
/// # Errors
/// If a policy or a budget is in none of them, nobody takes a parameter, or one is out of its range.
pub(super) fn fitting(sweep: &Sweep) -> Result<Fitting, SweepError> {
    let mut left_out = Vec::new();
    let mut fitting = Vec::new();
    let mut taken = vec![Vec::new(); sweep.budgets.len()];
    for policy in &sweep.policies {
        let mut of_policy: Vec<Taken> = Vec::new();
        for (number, budget) in sweep.budgets.iter().enumerate() {
            let parameters = match taken_of(policy, budget) {
                Ok(parameters) => parameters,
                Err(reason) => {
                    let (policy, budget) = (policy.name, written(budget));
                    left_out.push(ExcludedPair { policy, budget, reason });
                    continue;
                }
            };
            policy.check(&parameters).map_err(|error| in_budget(number, error))?;
            taken[number].extend(parameters.given().iter().map(|(name, _)| *name));
            let same = of_policy.iter_mut().find(|(other, _)| are_same(other, &parameters));
            match same {
                Some((_, entries)) => entries.push(number),
                None => of_policy.push((parameters, vec![number])),
            }
        }
        if of_policy.is_empty() {
            let first = left_out.iter().find(|pair| pair.policy == policy.name);
            let reason = first.map_or("there are none", |pair| pair.reason.as_str());
            let accepted = format!("budgets of which one goes with {}: {reason}", policy.name);
            return Err(ParameterError::new("budgets", all_written(sweep), accepted).into());
        }
        fitting.push((*policy, of_policy));
    }
    for (number, (budget, taken)) in sweep.budgets.iter().zip(&taken).enumerate() {
        check_taken(number, budget, taken, sweep)?;
    }
    Ok(Fitting { fitting, left_out })
}

/// Whether the same parameters have the same values, in whatever notation.
fn are_same(one: &NoiseParameters, other: &NoiseParameters) -> bool {
    let plain = |parameters: &NoiseParameters| {
        let given = parameters.given().into_iter();
        let plain = given.map(|(name, value)| (name, seed::plain(value)));
        plain.collect::<Vec<_>>()
    };
    plain(one) == plain(other)
}

/// What the policy takes of a budget, or why it does not go with it.
fn taken_of(policy: &PolicyName, budget: &NoiseParameters) -> Result<NoiseParameters, String> {
    if let Some(name) = policy.client_parameter() {
        needed(budget, &[name])?;
    }
    match policy.aggregator_noise {
        None | Some(AggregatorNoiseType::Compensation) => {}
        Some(AggregatorNoiseType::DiscreteLaplace) => needed(budget, &["epsilon"])?,
        Some(AggregatorNoiseType::DiscreteGaussian) => {
            needed(budget, &["epsilon", "rho"])?;
            if budget.epsilon.is_some() && budget.rho.is_some() {
                return Err("it takes epsilon or rho, and the budget has both".to_owned());
            }
        }
    }
    let has = policy.parameters();
    let mut parameters = NoiseParameters::default();
    for (name, value) in budget.given() {
        if (has.contains(&name) || name == "delta")
            && let Some(place) = parameters.get_mut(name)
        {
            *place = Some(value.to_owned());
        }
    }
    Ok(parameters)
}

/// Refuses a budget that names none of these.
fn needed(budget: &NoiseParameters, names: &[&str]) -> Result<(), String> {
    let given = budget.given();
    if given.iter().any(|(name, _)| names.contains(name)) {
        return Ok(());
    }
    Err(format!("it takes {}", names.join(" or ")))
}

/// Refuses a budget that no policy takes, or of which nobody takes a parameter.
fn check_taken(
    number: usize,
    budget: &NoiseParameters,
    taken: &[&str],
    sweep: &Sweep,
) -> Result<(), ParameterError> {
    let given = budget.given();
    let strange = given.iter().find(|(name, _)| !taken.contains(name));
    let Some((name, value)) = strange else {
        return Ok(());
    };
    let names: Vec<&str> = sweep.policies.iter().map(|policy| policy.name).collect();
    let accepted = format!(
        "parameters that one of the policies {} takes, beside what else it needs",
        names.join(", ")
    );
    let path = format!("budgets[{number}].{name}");
    Err(ParameterError::new(path, value, accepted))
}

/// An error of a parameter, by its path.
fn in_budget(number: usize, error: TaskError) -> SweepError {
    match error {
        TaskError::Field(error) => {
            let path = format!("budgets[{number}].{}", error.name());
            error.renamed(path).into()
        }
        other => other.into(),
    }
}

/// A budget in words.
pub(crate) fn written(budget: &NoiseParameters) -> String {
    let given = budget.given();
    let given: Vec<String> = given.iter().map(|(name, value)| format!("{name} {value}")).collect();
    match given.as_slice() {
        [] => "no budget".to_owned(),
        given => given.join(", "),
    }
}

fn all_written(sweep: &Sweep) -> String {
    let budgets: Vec<String> = sweep.budgets.iter().map(written).collect();
    budgets.join("; ")
}
