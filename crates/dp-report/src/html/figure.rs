//! A chart on a page: its title, what it shows, its legend, the drawing and the numbers behind it.

use std::borrow::Cow;

use maud::{Markup, PreEscaped, html};

use super::blocks::table;
#[cfg(feature = "simulation")]
use crate::chart::shapes;
use crate::chart::{Room, svg};
use crate::lines::unbroken;
use crate::model::{Chart, Mark};

/// The chart with all that belongs to it, as an HTML element.
#[must_use]
pub fn figure(chart: &Chart) -> String {
    let title = format!("{}-caption", chart.id);
    let markup = html! {
        figure id=(chart.id) class="chart" aria-labelledby=(title) {
            figcaption {
                h3 id=(title) { (chart.title) }
                p { (unbroken(&chart.description)) }
            }
            (legend(chart))
            @if !chart.y.label.is_empty() { p class="axis" { "↑ " (chart.y.label) } }
            @for room in [Room::Wide, Room::Narrow] { (PreEscaped(svg(chart, room))) }
            details {
                summary { "The numbers of this chart" }
                (table(&chart.table))
            }
        }
    };
    markup.into_string()
}

/// The names of the series, each beside what it is drawn with.
fn legend(chart: &Chart) -> Markup {
    html! {
        ul class="key" {
            @for series in &chart.series {
                li { (PreEscaped(&sample(series.mark))) (series.name) }
            }
        }
    }
}

/// What a series is drawn with, as a small picture.
fn sample(mark: Mark) -> Cow<'static, str> {
    let drawn = match mark {
        Mark::Line => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M1 6h26\" stroke=\"var(--accent)\" \
             stroke-width=\"2\"/></svg>"
        }
        Mark::Dashed => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M1 6h26\" stroke=\"var(--other)\" \
             stroke-width=\"2\" stroke-dasharray=\"6 4\"/></svg>"
        }
        Mark::Dotted => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M1 6h26\" stroke=\"var(--soft)\" \
             stroke-width=\"2\" stroke-dasharray=\"2 3\"/></svg>"
        }
        Mark::Chosen => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><circle cx=\"14\" cy=\"6\" r=\"5\" \
             fill=\"var(--accent)\"/></svg>"
        }
        Mark::Diamond => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M14 1l5 5-5 5-5-5z\" \
             stroke=\"var(--other)\" stroke-width=\"1.5\"/></svg>"
        }
        Mark::Interval => {
            "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M2 6h24M2 3v6M26 3v6\" \
             stroke=\"var(--accent)\"/><circle cx=\"14\" cy=\"6\" r=\"3.5\" fill=\"var(--accent)\"/></svg>"
        }
        #[cfg(feature = "simulation")]
        Mark::Numbered(number) => return numbered(number).into(),
    };
    drawn.into()
}

/// The point of one of several series, on its line.
#[cfg(feature = "simulation")]
fn numbered(number: u8) -> String {
    let (colour, fill) = (shapes::colour(number), shapes::fill(number));
    let point = shapes::path(number, 14.0, 6.0);
    format!(
        "<svg viewBox=\"0 0 28 12\" aria-hidden=\"true\"><path d=\"M1 6h26\" stroke=\"{colour}\" stroke-width=\"2\"/>\
         <path d=\"{point}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"1.5\"/></svg>"
    )
}
