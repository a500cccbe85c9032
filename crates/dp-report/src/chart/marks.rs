//! The series of a chart: lines, points and intervals, told from each other by shape.

use maud::{Markup, html};

use super::Area;
#[cfg(feature = "simulation")]
use super::shapes;
use super::smooth::smooth;
use crate::model::{Mark, Series};

/// A series.
pub(super) fn marks(series: &Series, area: &Area) -> Markup {
    match series.mark {
        Mark::Line => line(series, area, "var(--accent)", None),
        Mark::Dashed => line(series, area, "var(--other)", Some("7 4")),
        Mark::Dotted => line(series, area, "var(--soft)", Some("2 4")),
        Mark::Chosen => circles(series, area, 5.5),
        Mark::Diamond => diamonds(series, area),
        Mark::Interval => html! { (intervals(series, area)) (circles(series, area, 3.5)) },
        #[cfg(feature = "simulation")]
        Mark::Numbered(number) => html! {
            (line(series, area, shapes::colour(number), shapes::dashes(number)))
            (shaped(series, area, number))
        },
    }
}

/// A line, cut where the drawing ends: an SVG within another is.
fn line(series: &Series, area: &Area, colour: &str, dashes: Option<&str>) -> Markup {
    let ((left, right), (bottom, top)) = (area.x.pixels(), area.y.pixels());
    let pixels = series.points.iter();
    let pixels: Vec<(f64, f64)> = pixels
        .map(|(x, y)| (area.x.pixel(*x), area.y.pixel(*y)))
        .collect();
    let path = smooth(&pixels);
    // Half a line may lie above or below.
    let (width, height) = (right - left, bottom - top + 4.0);
    let window = format!("{left:.1} {:.1} {width:.1} {height:.1}", top - 2.0);
    html! {
        svg x=(format!("{left:.1}")) y=(format!("{:.1}", top - 2.0)) width=(format!("{width:.1}"))
            height=(format!("{height:.1}")) viewBox=(window)
        {
            path d=(path) fill="none" stroke=(colour) stroke-width="2" stroke-linejoin="round"
                stroke-dasharray=[dashes] {}
        }
    }
}

/// The pixels of the points that are drawn, with their numbers.
fn points<'a>(series: &'a Series, area: &'a Area) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
    let shown = series.points.iter().enumerate();
    let shown = shown.filter(|(_, (x, y))| area.x.has(*x) && area.y.has(*y));
    shown.map(|(number, (x, y))| (number, area.x.pixel(*x), area.y.pixel(*y)))
}

fn circles(series: &Series, area: &Area, radius: f64) -> Markup {
    html! {
        g fill="var(--accent)" stroke="var(--paper)" {
            @for (_, x, y) in points(series, area) {
                circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(radius) {}
            }
        }
    }
}

/// The points of one of several series.
#[cfg(feature = "simulation")]
fn shaped(series: &Series, area: &Area, number: u8) -> Markup {
    let drawn = points(series, area).map(|(_, x, y)| shapes::path(number, x, y));
    let (fill, colour) = (shapes::fill(number), shapes::colour(number));
    html! {
        path d=(drawn.collect::<String>()) fill=(fill) stroke=(colour) stroke-width="1.5" {}
    }
}

fn diamonds(series: &Series, area: &Area) -> Markup {
    html! {
        g fill="none" stroke="var(--other)" stroke-width="1.5" {
            @for (_, x, y) in points(series, area) {
                path d=(format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0)) {}
            }
        }
    }
}

/// Half the height of the ends of an interval.
const END: f64 = 4.0;

fn intervals(series: &Series, area: &Area) -> Markup {
    let (left, right) = area.x.values();
    let drawn = points(series, area).map(|(number, _, y)| {
        let middle = series.points[number].0;
        let margin = series.margins.get(number).copied().unwrap_or(0.0);
        let from = area.x.pixel((middle - margin).max(left));
        let to = area.x.pixel((middle + margin).min(right));
        let (low, high) = (y - END, y + END);
        format!("M{from:.1} {y:.1}L{to:.1} {y:.1}M{from:.1} {low:.1}L{from:.1} {high:.1}M{to:.1} {low:.1}L{to:.1} {high:.1}")
    });
    html! {
        path d=(drawn.collect::<String>()) fill="none" stroke="var(--accent)" stroke-width="1.5" {}
    }
}
