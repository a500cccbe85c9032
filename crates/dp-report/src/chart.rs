//! Charts as SVG, in the colours of the page and with text as text. A drawing is 400 units wide. On
//! a telephone its text of 14 units can be read; on a desk the style sheet shows the drawing in up
//! to 816 pixels, with text of 8 units.

mod scale;

use dp_exact::directed::index;
use maud::{Markup, html};

use crate::model::{Axis, Chart, Mark, Series};
use scale::Scale;

// Sizes in units of the SVG picture: a chart's width, its height without named rows, the height of
// a named row, the room above the drawing and to its right, the room below it, about a character's
// width, and half the length of the strokes at an interval's ends.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 260.0;
const ROW: f64 = 22.0;
const EDGE: (f64, f64) = (10.0, 18.0);
const BELOW: f64 = 46.0;
const CHARACTER: f64 = 7.8;
const END: f64 = 4.0;

/// Approximate numbers of ticks of the x axis and of the y axis.
const TICKS: (usize, usize) = (4, 6);

struct Area {
    x: Scale,
    y: Scale,
}

/// The chart as an SVG element, in the page's colours `--ink`, `--soft`, `--rule` and so on.
pub(crate) fn svg(chart: &Chart) -> Markup {
    let height = match chart.y.names.len() {
        0 => HEIGHT,
        rows => index(rows).mul_add(ROW, EDGE.0 + BELOW),
    };
    let y = Scale::new(extent(chart, &chart.y, 1), chart.y.is_log, (height - BELOW, EDGE.0));
    let along = ticks(&chart.y, &y, TICKS.1);
    let longest = along.iter().map(|(_, words)| words.chars().count()).max();
    let left = index(longest.unwrap_or(0)).mul_add(CHARACTER, 14.0);
    let x = Scale::new(extent(chart, &chart.x, 0), chart.x.is_log, (left, WIDTH - EDGE.1));
    let across = apart(ticks(&chart.x, &x, TICKS.0), &x);
    let area = Area { x, y };
    let (title, description) = (format!("{}-title", chart.id), format!("{}-desc", chart.id));
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
            aria-labelledby=(format!("{title} {description}")) font-family="inherit" font-size="14"
            fill="var(--ink)"
        {
            title id=(title) { (chart.title) }
            desc id=(description) { (chart.description) }
            (axes(chart, &area, &across, &along))
            @for series in &chart.series { (marks(series, &area)) }
        }
    }
}

/// The mark of a series for the key, as an SVG picture of 28 × 12 units, which stands for no data.
pub(crate) fn sample(mark: Mark) -> Markup {
    let area = Area {
        x: Scale::new((0.0, 28.0), false, (0.0, 28.0)),
        y: Scale::new((0.0, 12.0), false, (12.0, 0.0)),
    };
    let points = match mark {
        Mark::Interval | Mark::Diamond | Mark::Chosen => vec![(14.0, 6.0)],
        _ => vec![(4.5, 6.0), (23.5, 6.0)],
    };
    let series = Series { margins: vec![12.0; 2], ..Series::new("", mark, points) };
    html! { svg viewBox="0 0 28 12" aria-hidden="true" { (marks(&series, &area)) } }
}

/// The values at both ends of an axis; `which` is 0 for x and 1 for y. The axis has all finite
/// points, along x with their intervals, and some room; an axis of names begins half a row before
/// the first and ends half a row behind the last.
fn extent(chart: &Chart, axis: &Axis, which: usize) -> (f64, f64) {
    if !axis.names.is_empty() {
        return (0.5, index(axis.names.len()) + 0.5);
    }
    let places = chart.series.iter().flat_map(|series| {
        series.points.iter().enumerate().flat_map(move |(number, point)| {
            let value = if which == 0 { point.0 } else { point.1 };
            let margin = series.margins.get(number).filter(|_| which == 0).unwrap_or(&0.0);
            [value - margin, value + margin]
        })
    });
    scale::extent(places.filter(|place| place.is_finite()), axis.is_log)
}

/// The values with ticks and their labels: about `about` round ones, or on an axis of names 1, 2, 3
/// and so on, whatever `about` is. A label may be empty.
fn ticks(axis: &Axis, scale: &Scale, about: usize) -> Vec<(f64, String)> {
    if axis.names.is_empty() {
        return scale.ticks(about);
    }
    let names = axis.names.iter().zip(1..);
    names.map(|(name, place)| (index(place), name.clone())).collect()
}

/// The ticks along x, with an empty label in place of each that would come within 6 units of the
/// label before.
fn apart(ticks: Vec<(f64, String)>, scale: &Scale) -> Vec<(f64, String)> {
    let mut end = f64::NEG_INFINITY;
    let kept = ticks.into_iter().map(|(value, words)| {
        let half = index(words.chars().count()) * CHARACTER / 2.0;
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

/// Both axes as SVG, with the lines of the grid, ticks and labels; `across` has the values and
/// labels of the ticks on the x axis, `along` on the y axis.
fn axes(chart: &Chart, area: &Area, across: &[(f64, String)], along: &[(f64, String)]) -> Markup {
    let ((left, right), (bottom, top)) = (area.x.pixels, area.y.pixels);
    let across = || across.iter().map(|(value, words)| (area.x.pixel(*value), words));
    let along = || along.iter().map(|(value, words)| (area.y.pixel(*value), words));
    html! {
        g stroke="var(--rule)" {
            @for (y, words) in along() { @if !words.is_empty() { (line((left, y), (right, y))) } }
            @if !chart.y.names.is_empty() { @for (x, _) in across() { (line((x, top), (x, bottom))) } }
        }
        g stroke="var(--soft)" {
            (line((left, bottom), (right, bottom)))
            @for (x, _) in across() { (line((x, bottom), (x, bottom + 4.0))) }
        }
        g text-anchor="end" dominant-baseline="central" {
            @for (y, words) in along() { (text((left - 8.0, y), words)) }
        }
        g text-anchor="middle" {
            @for (x, words) in across() { (text((x, bottom + 19.0), words)) }
            (text((f64::midpoint(left, right), bottom + 40.0), &chart.x.label))
        }
    }
}

/// SVG of a straight line between two places (x, y) of the picture.
fn line(from: (f64, f64), to: (f64, f64)) -> Markup {
    html! { path d=(format!("M{:.1} {:.1}L{:.1} {:.1}", from.0, from.1, to.0, to.1)) {} }
}

/// SVG of words at a place (x, y) of the picture; empty for no words.
fn text(at: (f64, f64), words: &str) -> Markup {
    html! {
        @if !words.is_empty() { text x=(format!("{:.1}", at.0)) y=(format!("{:.1}", at.1)) { (words) } }
    }
}

/// The marks of a series as SVG: a line through its points, or a mark at each of them.
fn marks(series: &Series, area: &Area) -> Markup {
    let points = || series.points.iter().map(|(x, y)| (area.x.pixel(*x), area.y.pixel(*y)));
    let line = |colour: &str, dashes: Option<&str>| {
        let path = points().map(|(x, y)| format!("{x:.1} {y:.1}")).collect::<Vec<_>>().join("L");
        html! {
            path d={"M" (path)} fill="none" stroke=(colour) stroke-width="2"
                stroke-linejoin="round" stroke-dasharray=[dashes] {}
        }
    };
    let circles = |radius: f64| {
        html! {
            g fill="var(--accent)" stroke="var(--paper)" {
                @for (x, y) in points() {
                    circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r=(radius) {}
                }
            }
        }
    };
    match series.mark {
        Mark::Line => line("var(--accent)", None),
        Mark::Dashed => line("var(--other)", Some("7 4")),
        Mark::Chosen => circles(5.5),
        Mark::Diamond => html! {
            g fill="none" stroke="var(--other)" stroke-width="1.5" {
                @for (x, y) in points() { path d=(format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0)) {} }
            }
        },
        Mark::Interval => {
            let intervals = series.points.iter().zip(&series.margins);
            let drawn = intervals.map(|((middle, y), margin)| {
                let (from, to) = (area.x.pixel(middle - margin), area.x.pixel(middle + margin));
                let y = area.y.pixel(*y);
                let (low, high) = (y - END, y + END);
                format!(
                    "M{from:.1} {y:.1}L{to:.1} {y:.1}M{from:.1} {low:.1}L{from:.1} {high:.1}\
                     M{to:.1} {low:.1}L{to:.1} {high:.1}"
                )
            });
            html! {
                path d=(drawn.collect::<String>()) fill="none" stroke="var(--accent)" stroke-width="1.5" {}
                (circles(3.5))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Table;

    fn drawn(x: Axis, y: Axis, series: Vec<Series>) -> String {
        let chart = Chart {
            id: "example",
            title: "An <example>".to_owned(),
            description: "Of a chart".to_owned(),
            x,
            y,
            series,
            table: Table::new("numbers", Vec::new()),
        };
        svg(&chart).into_string()
    }

    #[test]
    fn ticks_do_not_run_into_each_other() {
        for (low, high) in [(1.0, 10.0), (0.02, 50.0), (1e-9, 1e12), (3.0, 40.0)] {
            let series = vec![Series::new("line", Mark::Line, vec![(low, low), (high, high)])];
            let drawn = drawn(Axis::log("x"), Axis::log("y"), series);
            assert!(drawn.contains("An &lt;example&gt;"));
            let across = drawn.split("text-anchor=\"middle\"").nth(1).expect("an axis");
            let (mut end, mut ticks) = (f64::NEG_INFINITY, 0);
            for text in across.split("<text x=\"").skip(1) {
                let (x, rest) = text.split_once('"').expect("a place");
                let words = rest.split(['>', '<']).nth(1).expect("words");
                if words == "x" {
                    continue;
                }
                let half = 3.5 * index(words.chars().count());
                let x: f64 = x.parse().expect("a number");
                assert!(x - half > end, "{low} {high} {words}");
                (end, ticks) = (x + half, ticks + 1);
            }
            assert!(ticks > 0 && end < WIDTH + 12.0, "{low} {high}: {ticks} {end}");
        }
    }

    #[test]
    fn rows_with_names_have_intervals() {
        let y = Axis { names: vec!["one".to_owned(), "two".to_owned()], ..Axis::linear("") };
        let interval = Series {
            margins: vec![3.0, 3.0],
            ..Series::new("estimate", Mark::Interval, vec![(5.0, 1.0), (9.0, 2.0)])
        };
        let truth = Series::new("truth", Mark::Diamond, vec![(4.0, 1.0), (8.0, 2.0)]);
        let drawn = drawn(Axis::linear("people"), y, vec![interval, truth]);
        assert!(drawn.contains(">one</text>") && drawn.contains(">two</text>"));
        assert_eq!(drawn.matches("<circle").count(), 2);
        assert_eq!(drawn.matches("l5 5l-5 5").count(), 2);
    }
}
