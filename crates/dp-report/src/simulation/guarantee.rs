//! The guarantees of a run's policy: as pictures, in words, and as pairs (ε, δ).

use dp_calibration::{Adjacency, Budget, TrustModel, zcdp};
use dp_exact::Delta;
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
    let one = ("the result", &pair(plan));
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
    [
        guarantee::trust(models.collect()),
        Section::new("guarantee", "What is guaranteed", blocks),
        risk::section(&[("the release".to_owned(), &pair(plan))], adjacency(plan)),
    ]
}

fn trust(plan: &SimulationPlan, guarantee: &Guarantee, asked: Option<TrustModel>) -> TrustCard {
    let bound = match &guarantee.bound {
        PrivacyBound::Proved(budget @ (Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })) => {
            format!("{budget}{}", weakness(guarantee.is_weak))
        }
        bound => guarantee::or_none(&PairGuarantee::of(bound)),
    };
    TrustCard {
        bound,
        is_kept: guarantee.budget().is_some(),
        mark: (asked == Some(guarantee.trust_model)).then_some("used below"),
        remark: match &guarantee.bound {
            PrivacyBound::Absent { reason } => sentence(reason),
            _ => sentence(&guarantee.otherwise),
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

/// The strongest guarantee as a pair (ε, δ). ρ is converted to ε at δ = 1e-9, rounded up.
fn pair(plan: &SimulationPlan) -> PairGuarantee {
    let absent = || PairGuarantee::Absent { reason: "nothing is guaranteed".to_owned() };
    let Some(guarantee) = strongest(plan) else {
        return absent();
    };
    let PrivacyBound::Proved(Budget::ZeroConcentrated { rho }) = &guarantee.bound else {
        return PairGuarantee::of(&guarantee.bound);
    };
    let converted = "1e-9".parse::<Delta>().ok().and_then(|delta| {
        let epsilon = zcdp::epsilon(rho, &delta).ok()?;
        Some((epsilon, delta.value().clone()))
    });
    converted.map_or_else(absent, |(epsilon, delta)| PairGuarantee::Kept {
        epsilon,
        delta,
        rho: Some(rho.value().clone()),
        slack_reason: None,
    })
}
