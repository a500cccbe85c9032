//! The trust models as pictures: who takes part, who must be honest, what holds then and what remains.

use maud::{Markup, html};

use crate::model::Trust;

/// The most aggregators that are drawn.
const DRAWN: usize = 4;

/// The trust models side by side, as an HTML element.
#[must_use]
pub fn trust(models: &[Trust]) -> String {
    let markup = html! {
        div class="trust" { @for model in models { (card(model)) } }
    };
    markup.into_string()
}

fn card(model: &Trust) -> Markup {
    let class = match (model.is_asked, model.is_kept) {
        (true, _) => "asked",
        (false, true) => "kept",
        (false, false) => "absent",
    };
    html! {
        article class=(class) {
            h3 { (model.title) }
            p class="name" {
                (model.name)
                @if model.is_asked { " · " span class="mark" { (model.mark) } }
            }
            (picture(model))
            p class="promise" { (model.promise) }
            @if let Some(total) = &model.total { p class="total" { (total) } }
            dl {
                dt { "Must be honest" } dd { (model.honest) }
                @if model.is_kept { dt { "Holds against" } dd { (model.adversary) } }
                @if !model.remark.is_empty() {
                    dt { @if model.is_kept { "If they are not honest" } @else { "Why" } }
                    dd { (model.remark) }
                }
            }
        }
    }
}

/// A party of the picture.
struct Party {
    x: usize,
    y: usize,
    name: String,
    is_honest: bool,
}

/// The parties from top to bottom: the client and the others, the aggregators, the collector. Who must be
/// honest has a solid outline and a tick, who may be malicious a dashed one.
fn picture(model: &Trust) -> Markup {
    let parties = parties(model);
    let (top, bottom): (Vec<&Party>, Vec<&Party>) = parties.iter().partition(|party| party.y == 0);
    let middle: Vec<&&Party> = bottom.iter().filter(|party| party.y == 1).collect();
    let last: Vec<&&Party> = bottom.iter().filter(|party| party.y == 2).collect();
    let place = |party: &Party| (party.x, 28 + 76 * party.y);
    let description = format!(
        "Clients send shares to {} aggregators, and these their totals to the collector. Honest: {}.",
        model.aggregators, model.honest
    );
    html! {
        svg viewBox="0 0 280 216" role="img" aria-label=(description) {
            g class="flows" {
                @for from in &top { @for to in &middle {
                    @let (a, b) = (place(from), place(to));
                    path d=(format!("M{} {}L{} {}", a.0, a.1 + 20, b.0, b.1 - 22)) {}
                } }
                @for from in &middle { @for to in &last {
                    @let (a, b) = (place(from), place(to));
                    path d=(format!("M{} {}L{} {}", a.0, a.1 + 20, b.0, b.1 - 22)) {}
                } }
            }
            @for party in &parties {
                @let (x, y) = place(party);
                g class=(if party.is_honest { "honest" } else { "malicious" }) {
                    rect x=(x - half(&parties, party)) y=(y - 20) width=(2 * half(&parties, party)) height="40" rx="6" {}
                    text x=(x) y=(y - 2) { (party.name) }
                    text class="state" x=(x) y=(y + 13) {
                        @if party.is_honest { "✓ honest" } @else { "may cheat" }
                    }
                }
            }
        }
    }
}

/// Half the width of a party's box.
fn half(parties: &[Party], of: &Party) -> usize {
    let beside = parties.iter().filter(|party| party.y == of.y).count();
    match beside {
        0..=2 => 56,
        3 => 42,
        _ => 32,
    }
}

fn parties(model: &Trust) -> Vec<Party> {
    let of = |x, y, name: &str, is_honest| Party {
        x,
        y,
        name: name.to_owned(),
        is_honest,
    };
    let others = match model.are_clients_honest {
        true => "most others",
        false => "other clients",
    };
    let mut parties = vec![
        of(74, 0, "one client", true),
        of(206, 0, others, model.are_clients_honest),
    ];
    let shown = model.aggregators.min(DRAWN);
    for number in 0..shown {
        let x = (2 * number + 1) * 280 / (2 * shown);
        let x = if shown == 2 { 74 + 132 * number } else { x };
        // Of more aggregators than are drawn the last stands for all others.
        let is_rest = number + 1 == DRAWN && model.aggregators > DRAWN;
        let name = match (is_rest, shown) {
            (true, _) => format!("{} more", model.aggregators - DRAWN + 1),
            (false, 1 | 2) => format!("aggregator {}", number + 1),
            (false, _) => format!("aggr. {}", number + 1),
        };
        parties.push(of(x, 1, &name, number < model.honest_aggregators));
    }
    parties.push(of(140, 2, "collector", false));
    parties
}
