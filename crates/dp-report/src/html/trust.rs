//! The trust models as pictures: parties, those that must be honest, and the guarantees.

use maud::{Markup, html};

use dp_calibration::TrustModel;

use crate::model::TrustCard;

/// The most aggregators in a picture.
const DRAWN: usize = 4;

/// The trust models side by side, as an HTML element.
pub(super) fn trust(models: &[TrustCard]) -> Markup {
    html! { div class="trust" { @for model in models { (card(model)) } } }
}

/// One trust model: its picture, its guarantee and its conditions.
fn card(model: &TrustCard) -> Markup {
    let class = match (model.mark.is_some(), model.is_kept) {
        (true, _) => "asked",
        (false, true) => "kept",
        (false, false) => "absent",
    };
    html! {
        article class=(class) {
            h3 { (title(model.model)) }
            p class="name" {
                (model.model.abbreviation())
                @if let Some(mark) = model.mark { " · " span class="mark" { (mark) } }
            }
            (picture(model))
            p class="bound" { (model.bound) }
            @if let Some(total) = &model.total { p class="total" { (total) } }
            dl {
                dt { "Must be honest" } dd { (model.model.must_be_honest()) }
                @if model.is_kept { dt { "Holds against" } dd { (model.model.adversary()) } }
                @if !model.remark.is_empty() {
                    dt { @if model.is_kept { "If they are not honest" } @else { "Why" } }
                    dd { (model.remark) }
                }
            }
        }
    }
}

/// The honest parties as a heading.
fn title(model: TrustModel) -> String {
    match (model.honest_aggregators(), model.needs_other_clients()) {
        (0, _) => "Nobody else is honest".to_owned(),
        (1, false) => "One aggregator is honest".to_owned(),
        (1, true) => "And most clients are".to_owned(),
        (count, false) => format!("{count} aggregators are honest"),
        (count, true) => format!("{count} aggregators, most clients"),
    }
}

/// A box of the picture.
struct Party {
    /// Horizontal centre, in units of the picture, which is 280 wide.
    x: usize,
    name: String,
    is_honest: bool,
}

fn party(x: usize, name: &str, is_honest: bool) -> Party {
    let name = name.to_owned();
    Party { x, name, is_honest }
}

/// SVG picture of the parties from top to bottom: clients, aggregators, collector. A party that
/// must be honest has a solid outline and a tick, a party that may be malicious a dashed outline.
fn picture(model: &TrustCard) -> Markup {
    let are_clients_honest = model.model.needs_other_clients();
    let others = match are_clients_honest {
        true => "most others",
        false => "other clients",
    };
    let rows = [
        vec![party(74, "one client", true), party(206, others, are_clients_honest)],
        aggregators(model),
        vec![party(140, "collector", false)],
    ];
    let top = |row: usize| 28 + 76 * row;
    let description = format!(
        "Clients send shares to {} aggregators, and these their totals to the collector. Honest: {}.",
        model.aggregators,
        model.model.must_be_honest()
    );
    html! {
        svg viewBox="0 0 280 216" role="img" aria-label=(description) {
            g class="flows" {
                @for row in [0, 1] { @for from in &rows[row] { @for to in &rows[row + 1] {
                    path d=(format!("M{} {}L{} {}", from.x, top(row) + 20, to.x, top(row + 1) - 22)) {}
                } } }
            }
            @for (row, parties) in rows.iter().enumerate() {
                @let half = match parties.len() { 0..=2 => 56, 3 => 42, _ => 32 };
                @let y = top(row);
                @for party in parties {
                    g class=(if party.is_honest { "honest" } else { "malicious" }) {
                        rect x=(party.x - half) y=(y - 20) width=(2 * half) height="40" rx="6" {}
                        text x=(party.x) y=(y - 2) { (party.name) }
                        text class="state" x=(party.x) y=(y + 13) {
                            @if party.is_honest { "✓ honest" } @else { "may cheat" }
                        }
                    }
                }
            }
        }
    }
}

/// The boxes of the aggregators, honest ones first. With more than [`DRAWN`] aggregators the last
/// box stands for all others.
fn aggregators(model: &TrustCard) -> Vec<Party> {
    let shown = model.aggregators.min(DRAWN);
    let aggregators = (0..shown).map(|number| {
        let x = match shown {
            2 => 74 + 132 * number,
            _ => (2 * number + 1) * 280 / (2 * shown),
        };
        let is_rest = number + 1 == DRAWN && model.aggregators > DRAWN;
        let name = match (is_rest, shown) {
            (true, _) => format!("{} more", model.aggregators - DRAWN + 1),
            (false, 1 | 2) => format!("aggregator {}", number + 1),
            (false, _) => format!("aggr. {}", number + 1),
        };
        party(x, &name, number < usize::from(model.model.honest_aggregators()))
    });
    aggregators.collect()
}
