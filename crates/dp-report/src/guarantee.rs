//! Guarantees in words, for reports of plans and of runs.

use dp_calibration::{Adjacency, TrustModel};
use dp_exact::{Rational, Rounding, grouped};
use dp_planner::PairGuarantee;
use dp_prio3::{Condition, Guarantee, PrivacyBound, WEAK};

use crate::figures::{delta, epsilon, percent};
use crate::model::{Block, Section, TrustCard};
use crate::risk::{PrivacyPair, share};

/// Sentence of every report on how its bounds were computed.
pub(crate) const CERTIFIED: &str = "Every epsilon, delta and rho is an upper bound: parameters are exact fractions, all other numbers are \
                                    enclosed by interval arithmetic and rounded up. No floating-point number decides a guarantee.";

/// A guarantee in a trust model, with its conditions, in words.
pub(crate) struct GuaranteeText {
    /// The bound or why there is none, whether it protects anybody, and the adversary.
    pub(crate) guarantee: String,
    /// The conditions, sentences without a full stop.
    pub(crate) conditions: Vec<String>,
    /// The guarantee if the conditions fail, and notes.
    pub(crate) further: Vec<String>,
}

impl GuaranteeText {
    /// The guarantee in words. The conditions and what holds otherwise are left out of one that is
    /// carried over from a stronger trust model.
    pub(crate) fn of(guarantee: &Guarantee) -> Self {
        let (model, bound) = (guarantee.trust_model, &guarantee.bound);
        let (mut conditions, mut further) = (Vec::new(), Vec::new());
        let weak = if guarantee.is_weak { format!(" {WEAK}") } else { String::new() };
        let words = match (bound, guarantee.carried_over_from) {
            (PrivacyBound::Absent { reason }, _) => format!("none. Reason: {reason}."),
            (_, Some(stronger)) => format!(
                "{bound}.{weak} That of {}, whose adversary is stronger, on the same conditions.",
                stronger.abbreviation(),
            ),
            (_, None) => {
                conditions.extend(guarantee.conditions.iter().map(Condition::to_string));
                further.push(format!("Otherwise: {}.", guarantee.fallback));
                let adversary = model.adversary();
                format!("{bound}.{weak} It holds against {adversary}, provided that")
            }
        };
        if guarantee.budget().is_some() {
            further.extend(guarantee.remarks.iter().map(|remark| format!("Note: {remark}.")));
        }
        Self { guarantee: words, conditions, further }
    }

    /// The conditions as a list, then each further sentence as a paragraph.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block> {
        let conditions =
            (!self.conditions.is_empty()).then(|| Block::List(self.conditions.clone()));
        let further = self.further.iter().cloned().map(Block::Paragraph);
        conditions.into_iter().chain(further)
    }
}

/// Whether `bound` is a pair (ε, δ) so large that it protects nobody; `false` without a guarantee.
pub(crate) fn is_weak(bound: &PairGuarantee) -> bool {
    bound.epsilon().is_some() && bound.protects_nobody()
}

/// `epsilon 1 at delta 1e-6`, both rounded up, or ε alone if δ is 0; `nothing` without a guarantee.
pub(crate) fn pair(bound: &PairGuarantee) -> String {
    match bound {
        PairGuarantee::Absent { .. } => "nothing".to_owned(),
        PairGuarantee::Kept { epsilon: value, delta: at, .. } if at.is_zero() => {
            format!("epsilon {}", epsilon(value))
        }
        PairGuarantee::Kept { epsilon: value, delta: at, .. } => {
            format!("epsilon {} at delta {}", epsilon(value), delta(at))
        }
    }
}

/// The guarantee as [`pair`] writes it, with a remark if it protects nobody; `no guarantee` without
/// one.
pub(crate) fn words(bound: &PairGuarantee) -> String {
    match bound {
        PairGuarantee::Absent { .. } => "no guarantee".to_owned(),
        PairGuarantee::Kept { .. } => pair(bound) + weakness(is_weak(bound)),
    }
}

/// Remark to append to a guarantee: empty unless `is_weak`.
pub(crate) const fn weakness(is_weak: bool) -> &'static str {
    if is_weak { ", which protects nobody" } else { "" }
}

/// Warning that one answer alone is protected, in words; `None` where the person is.
pub(crate) fn one_answer(adjacency: Adjacency) -> Option<&'static str> {
    (adjacency == Adjacency::OneCoordinate).then_some(
        "One answer of a person is protected at a time, and not the person: all answers together may give away who \
         the person is, or that the person took part.",
    )
}

/// Two sentences that define neighbouring batches under `adjacency`, and [`one_answer`].
pub(crate) fn neighbours(adjacency: Adjacency) -> String {
    let but = one_answer(adjacency);
    let differ = if but.is_some() { "one answer of one person" } else { "what one person reports" };
    let adjacency = adjacency.in_words();
    format!(
        "Two batches are neighbours if they differ in {differ} (under {adjacency}). Whatever is released, it \
         would have been released nearly as likely from the other batch.{}",
        but.map_or_else(String::new, |but| format!(" {but}"))
    )
}

/// Section on the trust models: a paragraph and a picture of each.
pub(crate) fn trust(models: Vec<TrustCard>) -> Section {
    let intro = "A guarantee depends on who keeps to the rules. From one picture to the next more parties have to. \
                 Dishonest parties may work together: each of them sees all that the others see.";
    let blocks = vec![Block::Paragraph(intro.to_owned()), Block::Trust(models)];
    Section::new("trust", "Who could learn what", blocks)
}

/// The guarantee `one` of a single release and, if there are several releases, `all` of all
/// together, each behind its name in words.
pub(crate) fn scopes<'a>(
    releases: u32,
    one: &'a PairGuarantee,
    all: &'a PairGuarantee,
) -> Vec<(String, &'a PairGuarantee)> {
    match releases {
        1 => vec![("the release".to_owned(), one)],
        releases => vec![
            ("one release".to_owned(), one),
            (format!("all {} releases", grouped(releases)), all),
        ],
    }
}

/// Sentences for readers who are no engineers: how far one person is protected by the guarantee
/// `one` of a single release and `all` of all `releases` together, and on whom this counts: on the
/// parties that are honest in `model`.
pub(crate) fn verdict(
    releases: u32,
    one: &PairGuarantee,
    all: &PairGuarantee,
    adjacency: Adjacency,
    aggregators: usize,
    model: TrustModel,
) -> String {
    let together = format!("all {} results together", grouped(releases));
    let (one, last) = match releases {
        1 => (("the result", one), ("the result", one)),
        _ => (("one result", one), (&*together, all)),
    };
    let (each, about) = match one_answer(adjacency) {
        Some(_) => ("Each answer of a person", "one answer of one person"),
        None => ("Each person", "one person"),
    };
    let clients = match model.needs_other_clients() {
        true => " and most people do",
        false => "",
    };
    let condition = operators(model, aggregators).map_or_else(
        || "if all others work together against that person".to_owned(),
        |operators| format!("if {operators}{clients}"),
    );
    if !last.1.protects_nobody() {
        let (how, grown) = protection(last.1, adjacency);
        return format!(
            "{each} is {how}: whoever sees {} and was 50 % sure of a guess about {about} can become {grown}. This holds \
             {condition}.",
            last.0
        );
    }
    if one.1.protects_nobody() {
        return format!(
            "Nobody is protected: {} may give away what one person reported, even {condition}.",
            one.0
        );
    }
    let (how, grown) = protection(one.1, adjacency);
    format!(
        "{each} is {how} in {}: whoever was 50 % sure of a guess about {about} can become {grown}. But nobody is \
         protected in {}. This holds {condition}.",
        one.0, last.0
    )
}

/// Which of the `all` operators of aggregators must follow the rules in a trust model, as a clause;
/// `None` if none must. Clients, on whom a model may count too, are left out.
pub(crate) fn operators(model: TrustModel, all: usize) -> Option<String> {
    Some(match usize::from(model.honest_aggregators()) {
        0 => return None,
        every if every == all => format!("all {all} operators follow the rules"),
        1 => format!("at least one of the {all} operators follows the rules"),
        several => format!("at least {several} of the {all} operators follow the rules"),
    })
}

/// How one person is protected by a guarantee, in words: first `protected`, or `hardly protected`
/// if the certainty can be above 99 %; then the upper bound, rounded up, on the certainty of an
/// adversary who was 50 % sure of a guess. Without a guarantee it is 100 %. Under deletion the
/// guess is between two reports, for which the pair (ε, δ) counts twice.
fn protection(bound: &PairGuarantee, adjacency: Adjacency) -> (&'static str, String) {
    let pair = PrivacyPair::of(bound).and_then(|pair| match adjacency {
        Adjacency::Replacement | Adjacency::OneCoordinate => Some(pair),
        Adjacency::Deletion => pair.twice(),
    });
    let sure = pair.map_or_else(Rational::one, |pair| pair.posterior(&share(50)));
    let how = match &sure * &Rational::from(100u64) > 99 {
        true => "hardly protected",
        false => "protected",
    };
    let but = match bound.delta() {
        Some(delta) if !delta.is_zero() => " (but for the small chance delta)",
        _ => "",
    };
    (how, format!("at most {} sure{but}", percent(&sure, Rounding::Up)))
}
