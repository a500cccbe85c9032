//! Charts as SVG: text stays text, colours are those of the page, and nothing in them has a name that two
//! charts of a page could share.
//!
//! Every chart is drawn twice, for wide and for narrow screens, of which the style sheet shows one; text
//! then has the same size on both.

mod axes;
mod marks;
mod scale;
#[cfg(feature = "simulation")]
pub(crate) mod shapes;
mod smooth;
mod ticks;

use maud::html;

use crate::model::{Axis, Chart};
use scale::Scale;

/// How much room a chart has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A column of text: 680 pixels.
    Wide,
    /// A telephone: 340 pixels.
    Narrow,
}

impl Room {
    const fn width(self) -> f64 {
        match self {
            Self::Wide => 680.0,
            Self::Narrow => 340.0,
        }
    }

    /// How many ticks an axis has, about.
    const fn ticks(self) -> usize {
        match self {
            Self::Wide => 7,
            Self::Narrow => 4,
        }
    }

    /// Its name in classes and identifiers.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Wide => "wide",
            Self::Narrow => "narrow",
        }
    }
}

/// Pixels of a row of a chart whose places have names.
const ROW: f64 = 22.0;

/// Pixels above the drawing, and at its right.
const EDGE: (f64, f64) = (10.0, 18.0);

/// Pixels below the drawing, for ticks and the label.
const BELOW: f64 = 46.0;

/// The area in which a chart is drawn, with its two scales.
struct Area {
    width: f64,
    height: f64,
    x: Scale,
    y: Scale,
}

/// The chart as an SVG element with a title and a description, of this room. Its colours are the variables
/// `--ink`, `--soft`, `--rule`, `--accent` and `--other` of the page.
#[must_use]
pub fn svg(chart: &Chart, room: Room) -> String {
    let area = area(chart, room);
    let own = format!("{}-{}", chart.id, room.name());
    let (title, description) = (format!("{own}-title"), format!("{own}-desc"));
    let markup = html! {
        svg xmlns="http://www.w3.org/2000/svg" class=(room.name())
            viewBox=(format!("0 0 {} {}", area.width, area.height)) role="img"
            aria-labelledby=(format!("{title} {description}")) font-family="inherit" font-size="13"
            fill="var(--ink)"
        {
            title id=(title) { (chart.title) }
            desc id=(description) { (chart.description) }
            (axes::axes(chart, &area, room))
            @for series in &chart.series { (marks::marks(series, &area)) }
        }
    };
    markup.into_string()
}

fn area(chart: &Chart, room: Room) -> Area {
    let width = room.width();
    let height = match chart.y.names.len() {
        0 => width.mul_add(0.2, 190.0),
        rows => scale::count(rows).mul_add(ROW, EDGE.0 + BELOW),
    };
    let (x, y) = (extent(chart, &chart.x, 0), extent(chart, &chart.y, 1));
    let left = axes::left(&chart.y, y, room);
    Area {
        width,
        height,
        x: Scale::new(x, chart.x.is_log, (left, width - EDGE.1)),
        y: Scale::new(y, chart.y.is_log, (height - BELOW, EDGE.0)),
    }
}

/// Where an axis begins and ends.
fn extent(chart: &Chart, axis: &Axis, which: usize) -> (f64, f64) {
    if let Some(range) = axis.range {
        return range;
    }
    if !axis.names.is_empty() {
        return (0.5, scale::count(axis.names.len()) + 0.5);
    }
    let places = chart.series.iter().flat_map(|series| {
        let margins = series.margins.iter().copied().chain(std::iter::repeat(0.0));
        series
            .points
            .iter()
            .zip(margins)
            .flat_map(move |(point, margin)| match which {
                0 => [point.0 - margin, point.0 + margin],
                _ => [point.1, point.1],
            })
    });
    ticks::extent(places.filter(|place| place.is_finite()), axis.is_log)
}

#[cfg(test)]
mod tests;
