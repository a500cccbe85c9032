//! The guarantees of a run's policy: as pictures, in words, and as pairs (ε, δ).

use dp_calibration::{Adjacency, Budget};
use dp_exact::grouped;
use dp_planner::PairGuarantee;
use dp_prio3::{Guarantee, PrivacyBound, WEAK};
use dp_simulation::report::SimulationPlan;

use crate::figures::{capital, sentence};
use crate::guarantee::{self, GuaranteeText, scopes, weakness, words};
use crate::model::{Block, Section, TrustCard};
use crate::risk;

/// The guarantee of one release in a trust model, and the pairs (ε, δ) of one release and of all.
struct Person<'a> {
    guarantee: &'a Guarantee,
    once: PairGuarantee,
    all: PairGuarantee,
}

/// The guarantees for one person in all trust models of the run, in the order of the plan.
fn persons(plan: &SimulationPlan) -> Vec<Person<'_>> {
    let pairs = plan.guarantees.iter().zip(plan.pairs());
    let persons = pairs.map(|(guarantee, pairs)| {
        let [once, all] = [&pairs.once, &pairs.all].map(|pair| PairGuarantee::of(pair.clone()));
        Person { guarantee, once, all }
    });
    persons.collect()
}

/// The index, among the plan's guarantees, of the one against the strongest adversary: the first
/// that protects somebody, else the first that exists; `None` if there is none.
pub(super) fn strongest(plan: &SimulationPlan) -> Option<usize> {
    let place = |holds: fn(&Guarantee) -> bool| plan.guarantees.iter().position(holds);
    place(|one| one.budget().is_some() && !one.is_weak)
        .or_else(|| place(|one| one.budget().is_some()))
}

/// Sentences for readers who are no engineers: how far one person is protected, in the trust model
/// of the guarantee against the strongest adversary; if nothing is guaranteed, in the first one.
pub(super) fn verdict(plan: &SimulationPlan) -> String {
    let persons = persons(plan);
    let Some(Person { guarantee, once, all }) = persons.get(strongest(plan).unwrap_or(0)) else {
        return "Nothing is guaranteed.".to_owned();
    };
    let aggregators = plan.task.document().vdaf.aggregators();
    let (releases, model) = (plan.circumstances.releases, guarantee.trust_model);
    guarantee::verdict(releases, once, all, adjacency(plan), aggregators, model)
}

/// For each trust model the guarantee of all releases together, in words; `None` where there is
/// none, and everywhere if the run has a single release.
pub(super) fn totals(plan: &SimulationPlan) -> Vec<Option<String>> {
    let releases = plan.circumstances.releases;
    if releases == 1 {
        return vec![None; plan.guarantees.len()];
    }
    let total = |one: Person<'_>| {
        let all = words(&one.all);
        one.all.epsilon().map(|_| format!("all {} releases: {all}", grouped(releases)))
    };
    persons(plan).into_iter().map(total).collect()
}

/// The sections on trust models, guarantees and the risk for one person.
pub(super) fn sections(plan: &SimulationPlan) -> [Section; 3] {
    let (persons, place, totals) = (persons(plan), strongest(plan), totals(plan));
    let strongest = place.and_then(|place| persons.get(place));
    let cards = persons.iter().zip(&totals).enumerate();
    let cards = cards.map(|(number, (person, total))| {
        let mark = (place == Some(number)).then_some("used below");
        trust(plan, person, total.clone(), mark)
    });
    let neighbours = guarantee::neighbours(adjacency(plan));
    let mut blocks = vec![Block::Paragraph(neighbours)];
    if strongest.is_some_and(|person| person.guarantee.is_weak) {
        blocks.push(Block::Warning(WEAK.to_owned()));
    }
    blocks.extend(plan.guarantees.iter().zip(totals.clone()).map(|(one, total)| {
        let (model, text) = (one.trust_model, GuaranteeText::of(one));
        let mut words = vec![Block::Paragraph(capital(&text.guarantee))];
        words.extend(text.blocks());
        words.extend(total.map(|total| Block::Paragraph(sentence(&total))));
        let title = format!("{} (honest: {})", model.abbreviation(), model.must_be_honest());
        Block::Group(title, words)
    }));
    let pairs = strongest.or(persons.first());
    let pairs = pairs.map(|one| scopes(plan.circumstances.releases, &one.once, &one.all));
    [
        guarantee::trust(cards.collect()),
        Section::new("guarantee", "What is guaranteed", blocks),
        risk::section(&pairs.unwrap_or_default(), adjacency(plan)),
    ]
}

/// The card of a trust model; `total` is the guarantee of all releases in words, and `mark` says
/// why the report is about this model.
fn trust(
    plan: &SimulationPlan,
    person: &Person<'_>,
    total: Option<String>,
    mark: Option<&'static str>,
) -> TrustCard {
    let guarantee = person.guarantee;
    let bound = match &guarantee.bound {
        PrivacyBound::Proved(budget @ (Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })) => {
            format!("{budget}{}", weakness(guarantee.is_weak))
        }
        _ => words(&person.once),
    };
    TrustCard {
        bound,
        total,
        is_kept: guarantee.budget().is_some(),
        mark,
        remark: match &guarantee.bound {
            PrivacyBound::Absent { reason } => sentence(&reason.to_string()),
            _ => sentence(&guarantee.fallback.to_string()),
        },
        model: guarantee.trust_model,
        aggregators: plan.task.document().vdaf.aggregators(),
    }
}

/// The adjacency of batches in all guarantees of the run; the default one if there are none.
pub(super) fn adjacency(plan: &SimulationPlan) -> Adjacency {
    plan.guarantees.first().map_or_else(Adjacency::default, |guarantee| guarantee.adjacency)
}
