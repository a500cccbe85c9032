//! The guarantees of a run's policy: as pictures, in words, and as pairs (ε, δ).

use dp_calibration::{Adjacency, Budget, TrustModel, zcdp};
use dp_exact::{Delta, Rational};
use dp_planner::PairGuarantee;
use dp_prio3::{Guarantee, PrivacyBound, WEAK};
use dp_simulation::report::SimulationPlan;

use crate::figures::{capital, sentence};
use crate::guarantee::{self, GuaranteeText, weakness};
use crate::model::{Block, Section, TrustCard};
use crate::risk;

/// The guarantee against the strongest adversary, if possible one that protects somebody.
pub(super) fn strongest(plan: &SimulationPlan) -> Option<&Guarantee> {
    let kept = || plan.guarantees.iter().filter(|one| one.budget().is_some());
    kept().find(|one| !one.is_weak).or_else(|| kept().next())
}

pub(super) fn verdict(plan: &SimulationPlan) -> String {
    let model = strongest(plan).map_or(TrustModel::OneClient, |one| one.trust_model);
    let Some(pair) = strongest_pair(plan) else {
        return "Nothing is guaranteed.".to_owned();
    };
    let one = ("the result", &pair);
    guarantee::verdict(one, None, adjacency(plan), plan.task.document().vdaf.aggregators(), model)
}

/// The sections on trust models, guarantees and the risk for one person.
pub(super) fn sections(plan: &SimulationPlan) -> [Section; 3] {
    let strongest = strongest(plan);
    let model = strongest.map(|guarantee| guarantee.trust_model);
    let models = plan.guarantees.iter().map(|one| trust(plan, one, model));
    let neighbours = guarantee::neighbours(&adjacency(plan).to_string());
    let mut blocks = vec![Block::Paragraph(neighbours)];
    if strongest.is_some_and(|guarantee| guarantee.is_weak) {
        blocks.push(Block::Warning(WEAK.to_owned()));
    }
    blocks.extend(plan.guarantees.iter().map(|one| {
        let (model, text) = (one.trust_model, GuaranteeText::of(one));
        let mut words = vec![Block::Paragraph(capital(&text.guarantee))];
        words.extend(text.blocks());
        let title = format!("{} (honest: {})", model.abbreviation(), model.must_be_honest());
        Block::Group(title, words)
    }));
    let pair = strongest_pair(plan);
    let pairs: Vec<_> = pair.iter().map(|pair| ("the release".to_owned(), pair)).collect();
    [
        guarantee::trust(models.collect()),
        Section::new("guarantee", "What is guaranteed", blocks),
        risk::section(&pairs, adjacency(plan)),
    ]
}

fn trust(plan: &SimulationPlan, guarantee: &Guarantee, asked: Option<TrustModel>) -> TrustCard {
    let bound = match &guarantee.bound {
        PrivacyBound::Proved(budget @ (Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })) => {
            format!("{budget}{}", weakness(guarantee.is_weak))
        }
        _ => pair(guarantee).map_or_else(String::new, |pair| guarantee::or_none(&pair)),
    };
    TrustCard {
        bound,
        is_kept: guarantee.budget().is_some(),
        mark: (asked == Some(guarantee.trust_model)).then_some("used below"),
        remark: match &guarantee.bound {
            PrivacyBound::Absent { reason } => sentence(&reason.to_string()),
            _ => sentence(&guarantee.fallback.to_string()),
        },
        model: guarantee.trust_model,
        aggregators: plan.task.document().vdaf.aggregators(),
        total: None,
    }
}

/// The adjacency of batches, of all guarantees.
pub(super) fn adjacency(plan: &SimulationPlan) -> Adjacency {
    plan.guarantees.first().map_or_else(Adjacency::default, |guarantee| guarantee.adjacency)
}

/// The strongest guarantee as a pair (ε, δ), or the first model's absent one; `None` if the run was
/// asked about no trust model.
fn strongest_pair(plan: &SimulationPlan) -> Option<PairGuarantee> {
    pair(strongest(plan).or(plan.guarantees.first())?)
}

/// A guarantee as a pair (ε, δ): ρ is converted to ε at δ = 1e-9, rounded up. `None` for a Rényi
/// budget, which no policy has.
fn pair(guarantee: &Guarantee) -> Option<PairGuarantee> {
    use PrivacyBound::{Absent, Proved};
    let (epsilon, delta, rho) = match &guarantee.bound {
        Proved(Budget::Pure { epsilon }) => (epsilon.value().clone(), Rational::zero(), None),
        Proved(Budget::Approximate { epsilon, delta }) => {
            (epsilon.value().clone(), delta.value().clone(), None)
        }
        Proved(Budget::ZeroConcentrated { rho }) => {
            let delta: Delta = "1e-9".parse().ok()?;
            let epsilon = zcdp::epsilon(rho, &delta).ok()?;
            (epsilon, delta.value().clone(), Some(rho.value().clone()))
        }
        Proved(Budget::Renyi { .. }) => return None,
        Absent { reason } => return Some(PairGuarantee::Absent { reason: reason.clone() }),
    };
    Some(PairGuarantee::Kept { epsilon, delta, rho, slack_reason: None })
}
