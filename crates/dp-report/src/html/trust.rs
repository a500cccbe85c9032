//! The trust models as cards: the parties that must be honest, and the guarantees.

use maud::{Markup, html};

use dp_calibration::TrustModel;

use crate::model::TrustCard;

/// HTML of all trust models, a card each.
pub(super) fn trust(models: &[TrustCard]) -> Markup {
    html! { div class="trust" { @for model in models { (card(model)) } } }
}

/// HTML of a trust model: its guarantee, and what is left otherwise.
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
