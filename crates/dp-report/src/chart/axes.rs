//! The axes of a chart: lines, ticks, and what they say.

use maud::{Markup, html};

use super::scale::{Scale, count};
use super::{Area, Room, ticks};
use crate::model::{Axis, Chart};

/// Pixels of a character, about.
const CHARACTER: f64 = 7.3;

/// The longest name beside an axis, as a part of the width.
const NAMES: f64 = 0.42;

/// The most ticks of the axis along the height.
const TICKS: usize = 6;

/// What stands at a tick: a value, and words, which may be none.
type Tick = (f64, String);

/// How far from the left the drawing begins: there is room for the ticks of the axis along the height.
pub(super) fn left(axis: &Axis, values: (f64, f64), room: Room) -> f64 {
    let scale = Scale::new(values, axis.is_log, (0.0, 1.0));
    let ticks = along(axis, &scale, TICKS, room);
    let longest = ticks.iter().map(|(_, words)| words.chars().count()).max();
    count(longest.unwrap_or(0)).mul_add(CHARACTER, 14.0)
}

/// Both axes, below what is drawn.
pub(super) fn axes(chart: &Chart, area: &Area, room: Room) -> Markup {
    let ((left, right), (bottom, top)) = (area.x.pixels(), area.y.pixels());
    let has_names = !chart.y.names.is_empty();
    let across = apart(along(&chart.x, &area.x, room.ticks(), room), &area.x);
    html! {
        g stroke="var(--rule)" {
            @for (value, words) in along(&chart.y, &area.y, TICKS, room) {
                @if !words.is_empty() { (line((left, area.y.pixel(value)), (right, area.y.pixel(value)))) }
            }
            @if has_names {
                @for (value, _) in &across { (line((area.x.pixel(*value), top), (area.x.pixel(*value), bottom))) }
            }
        }
        g stroke="var(--soft)" {
            (line((left, bottom), (right, bottom)))
            @for (value, _) in &across {
                (line((area.x.pixel(*value), bottom), (area.x.pixel(*value), bottom + 4.0)))
            }
        }
        g text-anchor="end" {
            @for (value, words) in along(&chart.y, &area.y, TICKS, room) {
                (text((left - 8.0, area.y.pixel(value) + 4.5), &words))
            }
        }
        g text-anchor="middle" {
            @for (value, words) in &across { (text((area.x.pixel(*value), bottom + 19.0), words)) }
            (text((f64::midpoint(left, right), bottom + 40.0), &chart.x.label))
        }
    }
}

/// The ticks of an axis.
fn along(axis: &Axis, scale: &Scale, about: usize, room: Room) -> Vec<Tick> {
    if !axis.names.is_empty() {
        let names = axis.names.iter().zip(1..);
        let named = |(name, place): (&String, usize)| (count(place), shortened(name, room));
        return names.map(named).collect();
    }
    let label = |value: f64| (value, ticks::label(value, scale.values(), axis.is_log));
    scale.ticks(about).into_iter().map(label).collect()
}

/// A name that fits beside the drawing.
fn shortened(name: &str, room: Room) -> String {
    let fits = |length: usize| count(length) * CHARACTER <= NAMES * room.width();
    if fits(name.chars().count()) {
        return name.to_owned();
    }
    let mut short = String::new();
    for (number, character) in name.chars().enumerate() {
        if !fits(number + 2) {
            break;
        }
        short.push(character);
    }
    short + "…"
}

/// Leaves out the words that would run into those before.
fn apart(ticks: Vec<Tick>, scale: &Scale) -> Vec<Tick> {
    let mut end = f64::NEG_INFINITY;
    let kept = ticks.into_iter().map(|(value, words)| {
        let half = count(words.chars().count()) * CHARACTER / 2.0;
        let middle = scale.pixel(value);
        if middle - half < end + 6.0 {
            return (value, String::new());
        }
        if !words.is_empty() {
            end = middle + half;
        }
        (value, words)
    });
    kept.collect()
}

fn line(from: (f64, f64), to: (f64, f64)) -> Markup {
    html! { path d=(format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1)) {} }
}

fn text(at: (f64, f64), words: &str) -> Markup {
    html! {
        @if !words.is_empty() { text x=(format!("{:.1}", at.0)) y=(format!("{:.1}", at.1)) { (words) } }
    }
}
