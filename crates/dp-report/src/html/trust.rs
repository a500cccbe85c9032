//! The trust models as pictures: parties, those that must be honest, and the guarantees.

use maud::{Markup, html};

use dp_calibration::TrustModel;

use crate::model::TrustCard;

/// The most aggregators in a picture.
const DRAWN: usize = 4;

/// HTML of all trust models, a card each.
pub(super) fn trust(models: &[TrustCard]) -> Markup {
    html! { div class="trust" { @for model in models { (card(model)) } } }
}

/// HTML of a trust model: its picture, its guarantee, and what is left otherwise.
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

/// The honest parties besides the client as a heading.
fn title(model: TrustModel) -> String {
    match (model.honest_aggregators(), model.needs_other_clients()) {
        (0, _) => "Nobody else is honest".to_owned(),
        (1, false) => "One aggregator is honest".to_owned(),
        (1, true) => "And most clients are".to_owned(),
        (count, false) => format!("{count} aggregators are honest"),
        (count, true) => format!("{count} aggregators, most clients"),
    }
}

/// A name, and whether the party must be honest.
type Party = (String, bool);

/// SVG picture of the parties from top to bottom: clients, aggregators, collector. A party that
/// must be honest has a solid outline and a tick, a party that may be malicious a dashed outline.
fn picture(model: &TrustCard) -> Markup {
    let are_clients_honest = model.model.needs_other_clients();
    let others = if are_clients_honest { "most others" } else { "other clients" };
    let rows = [
        vec![("one client".to_owned(), true), (others.to_owned(), are_clients_honest)],
        aggregators(model),
        vec![("collector".to_owned(), false)],
    ];
    // The middle of a box, in units of the picture.
    let x = |row: &[Party], place: usize| (2 * place + 1) * 140 / row.len();
    let y = |row: usize| 28 + 76 * row;
    let description = format!(
        "Clients send shares to {} aggregators, and these their totals to the collector. Honest: {}.",
        model.aggregators,
        model.model.must_be_honest()
    );
    html! {
        svg viewBox="0 0 280 216" role="img" aria-label=(description) {
            g class="flows" {
                @for row in [0, 1] { @for from in 0..rows[row].len() { @for to in 0..rows[row + 1].len() {
                    path d=(format!(
                        "M{} {}L{} {}",
                        x(&rows[row], from), y(row) + 20, x(&rows[row + 1], to), y(row + 1) - 22
                    )) {}
                } } }
            }
            @for (row, parties) in rows.iter().enumerate() {
                @let half = match parties.len() { 0..=2 => 56, 3 => 42, _ => 32 };
                @for (place, (name, is_honest)) in parties.iter().enumerate() {
                    @let (x, y) = (x(parties, place), y(row));
                    g class=(if *is_honest { "honest" } else { "malicious" }) {
                        rect x=(x - half) y=(y - 20) width=(2 * half) height="40" rx="6" {}
                        text x=(x) y=(y - 2) { (name) }
                        text class="state" x=(x) y=(y + 13) {
                            @if *is_honest { "✓ honest" } @else { "may cheat" }
                        }
                    }
                }
            }
        }
    }
}

/// The aggregators with their names, honest ones first. Of more than four the fourth stands for all
/// others, and is shown as honest if at least four aggregators are.
fn aggregators(model: &TrustCard) -> Vec<Party> {
    let shown = model.aggregators.min(DRAWN);
    let aggregators = (1..=shown).map(|number| {
        let name = match shown {
            DRAWN if number == DRAWN && model.aggregators > DRAWN => {
                format!("{} more", model.aggregators - DRAWN + 1)
            }
            1 | 2 => format!("aggregator {number}"),
            _ => format!("aggr. {number}"),
        };
        (name, number <= usize::from(model.model.honest_aggregators()))
    });
    aggregators.collect()
}
