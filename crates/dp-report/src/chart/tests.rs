use super::*;
use crate::model::{Column, Mark, Series, Table};

fn chart(x: Axis, y: Axis, series: Vec<Series>) -> Chart {
    Chart {
        id: "example",
        title: "An <example>".to_owned(),
        description: "Of a chart".to_owned(),
        x,
        y,
        series,
        table: Table::new("numbers", vec![Column::words("name")]),
    }
}

/// What stands between two texts, each time.
fn all<'a>(text: &'a str, begin: &str, end: &str) -> Vec<&'a str> {
    let pieces = text.split(begin).skip(1);
    pieces
        .filter_map(|piece| Some(piece.split_once(end)?.0))
        .collect()
}

#[test]
fn a_line_goes_through_its_points_and_the_first_pixel_is_the_first_value() {
    let points = vec![(0.0, 0.0), (5.0, 5.0), (10.0, 10.0)];
    let series = vec![Series::new("line", Mark::Line, points)];
    let axis = || Axis::linear("value").within(0.0, 10.0);
    let drawn = svg(&chart(axis(), axis(), series), Room::Wide);
    let path = all(&drawn, "<path d=\"M", "\" fill=\"none\"")[0].replace('C', " ");
    let numbers: Vec<f64> = path
        .split(' ')
        .map(|number| number.parse().expect("a number"))
        .collect();
    assert_eq!(numbers.len(), 14, "two curves");
    assert!((numbers[6] - f64::midpoint(numbers[0], numbers[12])).abs() < 0.11);
    assert!((numbers[7] - f64::midpoint(numbers[1], numbers[13])).abs() < 0.11);
    assert!(numbers[1] > numbers[13], "large values stand above");
    assert!(drawn.contains("An &lt;example&gt;"));
}

#[test]
fn both_rooms_have_ticks_that_do_not_run_into_each_other() {
    for (low, high) in [(1.0, 10.0), (0.02, 50.0), (1e-9, 1e12), (3.0, 4.0)] {
        let series = vec![Series::new(
            "line",
            Mark::Line,
            vec![(low, low), (high, high)],
        )];
        let chart = chart(Axis::log("x").within(low, high), Axis::log("y"), series);
        for room in [Room::Wide, Room::Narrow] {
            let drawn = svg(&chart, room);
            let across = drawn
                .split("text-anchor=\"middle\"")
                .nth(1)
                .expect("an axis");
            let (mut end, mut count) = (f64::NEG_INFINITY, 0);
            for text in all(across, "<text x=\"", "</text>") {
                let (x, rest) = text.split_once('"').expect("a place");
                let words = rest.split_once('>').expect("words").1;
                if words == "x" {
                    continue;
                }
                let half = 3.5 * f64::from(u32::try_from(words.chars().count()).expect("few"));
                let x: f64 = x.parse().expect("a number");
                assert!(x - half > end, "{low} {high} {words}");
                (end, count) = (x + half, count + 1);
            }
            assert!(
                count > 0 && end < room.width() + 12.0,
                "{low} {high}: {count} {end}"
            );
        }
    }
}

#[test]
fn rows_with_names_have_intervals_and_what_lies_outside_is_left_out() {
    let names = vec![
        "one".to_owned(),
        "a very long name that has no room at all beside a chart".to_owned(),
    ];
    let y = Axis {
        names,
        ..Axis::linear("")
    };
    let interval = Series {
        margins: vec![3.0, 3.0],
        ..Series::new("estimate", Mark::Interval, vec![(5.0, 1.0), (9.0, 2.0)])
    };
    let truth = Series::new("truth", Mark::Diamond, vec![(4.0, 1.0), (400.0, 2.0)]);
    let x = Axis::linear("people").within(0.0, 10.0);
    let drawn = svg(&chart(x, y, vec![interval, truth]), Room::Narrow);
    assert!(drawn.contains(">one</text>") && drawn.contains("…</text>"));
    assert_eq!(drawn.matches("<circle").count(), 2);
    assert_eq!(drawn.matches("l5 5l-5 5").count(), 1);
}
