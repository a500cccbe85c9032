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

/// The guarantee of one release in the trust model of the plan's guarantee of index `place`, as ε
/// and δ in words; `None` if the plan states it in ε already, or there is none.
pub(super) fn as_pair(plan: &SimulationPlan, place: usize) -> Option<String> {
    let bound = &plan.guarantees.get(place)?.bound;
    let PrivacyBound::Proved(Budget::ZeroConcentrated { .. } | Budget::Renyi { .. }) = bound else {
        return None;
    };
    let once = Some(plan.pairs()[place].once.clone()).filter(Result::is_ok)?;
    Some(format!("one release: {}", words(&PairGuarantee::of(once))))
}

/// The guarantee of all releases together in the trust model of the plan's guarantee of index
/// `place`, in words; `None` if there is none, or the run has a single release.
pub(super) fn total(plan: &SimulationPlan, place: usize) -> Option<String> {
    let releases = plan.circumstances.releases;
    let all = (releases > 1).then(|| plan.pairs()[place].all.clone()).filter(Result::is_ok)?;
    Some(format!("all {} releases: {}", grouped(releases), words(&PairGuarantee::of(all))))
}

/// The sections on trust models, guarantees and the risk for one person.
pub(super) fn sections(plan: &SimulationPlan) -> [Section; 3] {
    let (persons, place) = (persons(plan), strongest(plan));
    let strongest = place.and_then(|place| persons.get(place));
    let cards = persons.iter().enumerate().map(|(number, person)| TrustCard {
        mark: (place == Some(number)).then_some("used below"),
        ..trust(plan, number, person)
    });
    let neighbours = guarantee::neighbours(adjacency(plan));
    let mut blocks = vec![Block::Paragraph(neighbours)];
    if strongest.is_some_and(|person| person.guarantee.is_weak) {
        blocks.push(Block::Warning(WEAK.to_owned()));
    }
    blocks.extend(plan.guarantees.iter().enumerate().map(|(number, one)| {
        let (model, text) = (one.trust_model, GuaranteeText::of(one));
        let mut words = vec![Block::Paragraph(capital(&text.guarantee))];
        words.extend(text.blocks());
        let pairs = as_pair(plan, number).into_iter().chain(total(plan, number));
        words.extend(pairs.map(|pair| Block::Paragraph(sentence(&pair))));
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

/// The card of the trust model of the plan's guarantee of index `place`, without a mark.
fn trust(plan: &SimulationPlan, place: usize, person: &Person<'_>) -> TrustCard {
    let guarantee = person.guarantee;
    let bound = match &guarantee.bound {
        PrivacyBound::Proved(budget @ (Budget::ZeroConcentrated { .. } | Budget::Renyi { .. })) => {
            format!("{budget}{}", weakness(guarantee.is_weak))
        }
        _ => words(&person.once),
    };
    TrustCard {
        bound,
        total: total(plan, place),
        is_kept: guarantee.budget().is_some(),
        mark: None,
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
