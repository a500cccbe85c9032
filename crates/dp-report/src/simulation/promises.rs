//! What the policy of a run promises: as pictures, in words, and as pairs (ε, δ).

use dp_calibration::{Adjacency, Budget, Corner, NoiseLaw, TrustModel, zcdp};
use dp_exact::{Delta, Rational};
use dp_prio3::{Guarantee, Promise as Promised, WEAK};
use dp_simulation::report::Plan;

use super::Asked;
use crate::figures::{capital, sentence};
use crate::model::{Block, Group, Section, Trust};
use crate::risk::Pairs;
use crate::sections::Promise;
use crate::verdict::Promised as Protected;

/// The guarantee against the strongest adversary, if there is any that protects somebody.
pub(super) fn strongest(plan: &Plan) -> Option<&Guarantee> {
    let kept = || plan.guarantees.iter().filter(|one| one.budget().is_some());
    kept().find(|one| !one.is_weak).or_else(|| kept().next())
}

/// What the strongest promise means for one person.
pub(super) fn verdict(plan: &Plan) -> String {
    let promises = of(plan);
    let protected = Protected {
        of: "the result".to_owned(),
        pair: promises
            .first()
            .map(|promise| (&promise.epsilon, &promise.delta)),
        adjacency: adjacency(plan),
    };
    let model = strongest(plan).map_or(TrustModel::OneClient, |one| one.trust_model);
    crate::verdict::verdict(&protected, None, plan.aggregators, model)
}

/// Who learns what.
pub(super) fn trust(plan: &Plan) -> Section {
    let asked = strongest(plan).map(|guarantee| guarantee.trust_model);
    let models = plan.guarantees.iter().map(|one| of_model(plan, one, asked));
    let intro = "A promise depends on who keeps to the rules. From one picture to the next more parties have to; whoever \
                 is not honest may work together with all others that are not, and sees all that they see.";
    Section {
        id: "trust",
        title: "Who could learn what".to_owned(),
        blocks: vec![
            Block::Paragraph(intro.to_owned()),
            Block::Trust(models.collect()),
        ],
    }
}

fn of_model(plan: &Plan, guarantee: &Guarantee, asked: Option<TrustModel>) -> Trust {
    let model = guarantee.trust_model;
    let promise = match &guarantee.promise {
        Promised::Absent { .. } => "no promise".to_owned(),
        Promised::TotalVariation { delta, .. } => format!("epsilon 0 at delta {delta}"),
        Promised::Proved(budget) => short(budget),
    };
    Trust {
        title: Trust::title(model),
        name: model.abbreviation(),
        honest: model.must_be_honest(),
        adversary: model.adversary(),
        aggregators: plan.aggregators,
        honest_aggregators: usize::from(model.honest_aggregators()),
        are_clients_honest: model.needs_other_clients(),
        promise: promise + weakness(guarantee),
        total: None,
        is_kept: guarantee.budget().is_some(),
        is_asked: asked == Some(model),
        mark: "used below",
        remark: match &guarantee.promise {
            Promised::Absent { reason } => sentence(reason),
            _ => sentence(&guarantee.otherwise.to_string()),
        },
    }
}

/// What is said of a promise that protects nobody.
pub(super) const fn weakness(guarantee: &Guarantee) -> &'static str {
    match guarantee.is_weak {
        true => ", which protects nobody",
        false => "",
    }
}

/// Which batches are neighbours in the promise that is taken for the strongest.
pub(super) fn adjacency(plan: &Plan) -> Adjacency {
    strongest(plan).map_or_else(Adjacency::default, |guarantee| guarantee.adjacency)
}

fn short(budget: &Budget) -> String {
    match budget {
        Budget::Pure { epsilon } => format!("epsilon {epsilon}"),
        Budget::Approximate { epsilon, delta } => format!("epsilon {epsilon} at delta {delta}"),
        Budget::ZeroConcentrated { rho } => format!("rho {rho}"),
        Budget::Renyi { alpha, tau } => format!("Rényi divergence {tau} of order {alpha}"),
    }
}

/// The guarantees in words.
pub(super) fn guarantee(plan: &Plan, asked: &Asked) -> Section {
    let mut blocks = vec![Block::Paragraph(format!(
        "Two batches are neighbours if they differ in what one person reports (under {}). Whatever is released, it would \
         have been released nearly as likely from the other batch.",
        asked.adjacency
    ))];
    if strongest(plan).is_some_and(|guarantee| guarantee.is_weak) {
        blocks.push(Block::Warning(WEAK.to_owned()));
    }
    for promise in &asked.promises {
        let mut words = vec![Block::Paragraph(capital(&promise.promise))];
        if !promise.conditions.is_empty() {
            words.push(Block::List(promise.conditions.clone()));
        }
        let rest = promise.otherwise.iter().chain(&promise.notes);
        words.extend(rest.cloned().map(Block::Paragraph));
        blocks.push(Block::Group(Group {
            title: format!("{} (honest: {})", promise.model, promise.honest),
            blocks: words,
        }));
    }
    Section {
        id: "guarantee",
        title: "What is guaranteed".to_owned(),
        blocks,
    }
}

/// The strongest promise as pairs (ε, δ).
pub(super) fn of(plan: &Plan) -> Vec<Promise> {
    let Some(guarantee) = strongest(plan) else {
        return Vec::new();
    };
    let name = "the release".to_owned();
    let found = match &guarantee.promise {
        Promised::TotalVariation { delta, .. } => {
            Some((Rational::zero(), delta.value().clone(), None))
        }
        Promised::Proved(budget) => pair(budget),
        Promised::Absent { .. } => None,
    };
    let made = found.map(|(epsilon, delta, rho)| {
        let mut pairs = Pairs::new(&epsilon, &delta);
        if let Some(rho) = rho {
            pairs = pairs.and_concentrated(&rho, &epsilon);
        }
        if let Some((law, corner)) = noise_alone(plan) {
            pairs = pairs.and_of_noise(&law, &corner, &epsilon);
        }
        Promise {
            name,
            epsilon,
            delta,
            pairs,
        }
    });
    made.into_iter().collect()
}

/// ε, δ, and the ρ from which they follow.
fn pair(budget: &Budget) -> Option<(Rational, Rational, Option<Rational>)> {
    match budget {
        Budget::Pure { epsilon } => Some((epsilon.value().clone(), Rational::zero(), None)),
        Budget::Approximate { epsilon, delta } => {
            Some((epsilon.value().clone(), delta.value().clone(), None))
        }
        Budget::ZeroConcentrated { rho } => {
            let delta: Delta = "1e-9".parse().ok()?;
            let epsilon = zcdp::epsilon(rho, &delta).ok()?;
            Some((epsilon, delta.value().clone(), Some(rho.value().clone())))
        }
        Budget::Renyi { .. } => None,
    }
}

/// The noise of one aggregator and what it hides, where clients add none.
fn noise_alone(plan: &Plan) -> Option<(NoiseLaw, Corner)> {
    let policy = dp_planner::PolicyName::find(&plan.policy)?;
    let parameter = |name| {
        let mut parameters = plan.parameters.iter();
        let found = parameters.find(|(known, _)| *known == name);
        found.and_then(|(_, value)| value.parse::<Rational>().ok())
    };
    let law = match (parameter("scale"), parameter("variance")) {
        (Some(scale), None) => NoiseLaw::DiscreteLaplace { scale },
        (None, Some(variance)) => NoiseLaw::DiscreteGaussian { variance },
        _ => return None,
    };
    let corner = plan
        .query
        .corner(plan.guarantees.first()?.adjacency)
        .ok()??;
    policy.client_noise.is_none().then_some((law, corner))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures;

    #[test]
    fn a_budget_is_told_in_the_digits_that_were_typed() {
        let budget = Budget::Approximate {
            epsilon: "0.906".parse().expect("an epsilon"),
            delta: "1e-9".parse().expect("a delta"),
        };
        assert_eq!(short(&budget), "epsilon 0.906 at delta 1e-9");
        let (epsilon, delta, rho) = pair(&budget).expect("a pair");
        assert_eq!(figures::epsilon(&epsilon), "0.906");
        assert!(!delta.is_zero() && rho.is_none());
    }
}
