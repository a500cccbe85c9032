//! Charts as SVG, drawn by kuva: smooth lines, text that stays text, colours that are those of the page.
//!
//! Every chart is drawn twice, for wide and for narrow screens, of which the style sheet shows one; text
//! then has the same size on both.

mod frame;
mod ticks;

use std::sync::Arc;

use kuva::backend::svg::SvgBackend;
use kuva::plot::scatter::MarkerShape;
use kuva::plot::{LinePlot, ScatterPlot};
use kuva::render::layout::{Layout, TickFormat};
use kuva::render::plots::Plot;
use kuva::render::render::render_multiple;
use kuva::render::theme::Theme;

use crate::model::{Axis, Chart, Mark, Series};

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

/// The chart as an SVG element with a title and a description, of this room. Its colours are the variables
/// `--ink`, `--soft`, `--rule`, `--accent` and `--other` of the page.
#[must_use]
pub fn svg(chart: &Chart, room: Room) -> String {
    let names = &chart.y.names;
    let height = match names.len() {
        0 => room.width().mul_add(0.2, 190.0),
        rows => count(rows).mul_add(ROW, 60.0),
    };
    let (x, y) = (extent(chart, &chart.x, 0), extent(chart, &chart.y, 1));
    let layout = Layout::new(x, y)
        .with_width(room.width())
        .with_height(height)
        .with_theme(theme())
        .with_font_family("inherit")
        .with_clamp_axis()
        .with_x_axis_min(x.0)
        .with_x_axis_max(x.1)
        .with_y_axis_min(y.0)
        .with_y_axis_max(y.1)
        .with_ticks(match room {
            Room::Wide => 6,
            Room::Narrow => 4,
        })
        .with_tick_size(13)
        .with_label_size(13)
        .with_tick_length(4.0)
        .with_axis_line_width(1.0)
        .with_grid_line_width(1.0)
        .with_x_label(&*chart.x.label)
        .with_x_tick_format(format(&chart.x, x))
        .with_y_tick_format(format(&chart.y, y));
    let layout = match (chart.x.is_log, chart.y.is_log) {
        (true, true) => layout.with_log_scale(),
        (true, false) => layout.with_log_x(),
        (false, true) => layout.with_log_y(),
        (false, false) => layout,
    };
    let layout = match names.is_empty() {
        true => layout,
        false => layout.with_y_categories(names.clone()),
    };
    let plots = chart.series.iter().flat_map(drawn).collect();
    let scene = render_multiple(plots, layout);
    frame::framed(&SvgBackend::new().render_scene(&scene), chart, room)
}

/// What a series is drawn with.
fn drawn(series: &Series) -> Vec<Plot> {
    let line = || {
        LinePlot::new()
            .with_data(series.points.iter().copied())
            .with_stroke_width(2.0)
    };
    let points = |marker: MarkerShape, size: f64| {
        ScatterPlot::new()
            .with_data(series.points.iter().copied())
            .with_marker(marker)
            .with_size(size)
    };
    match series.mark {
        Mark::Line => vec![line().with_color("var(--accent)").into()],
        Mark::Dashed => vec![line().with_color("var(--other)").with_dashed().into()],
        Mark::Dotted => vec![line().with_color("var(--soft)").with_dotted().into()],
        Mark::Chosen => vec![
            points(MarkerShape::Circle, 5.5)
                .with_color("var(--accent)")
                .into(),
        ],
        Mark::Diamond => vec![
            points(MarkerShape::Diamond, 4.5)
                .with_color("var(--other)")
                .into(),
        ],
        Mark::Interval => vec![
            points(MarkerShape::Circle, 3.5)
                .with_color("var(--accent)")
                .with_x_err(series.margins.iter().copied())
                .into(),
        ],
    }
}

fn count(rows: usize) -> f64 {
    u32::try_from(rows).map_or(0.0, f64::from)
}

/// Where an axis begins and ends.
fn extent(chart: &Chart, axis: &Axis, which: usize) -> (f64, f64) {
    if let Some(range) = axis.range {
        return range;
    }
    if !axis.names.is_empty() {
        return (0.5, count(axis.names.len()) + 0.5);
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

fn format(axis: &Axis, extent: (f64, f64)) -> TickFormat {
    let is_log = axis.is_log;
    TickFormat::Custom(Arc::new(move |value| ticks::label(value, extent, is_log)))
}

/// The colours of the page.
fn theme() -> Theme {
    let ink = || "var(--ink)".to_owned();
    Theme {
        background: "none".to_owned(),
        axis_color: "var(--soft)".to_owned(),
        grid_color: "var(--rule)".to_owned(),
        tick_color: "var(--soft)".to_owned(),
        text_color: ink(),
        ..Theme::light()
    }
}
