//! A smooth line through points, which rises and falls where they do.

use std::fmt::Write as _;

/// The path of cubic curves through points from left to right, with the slopes of Fritsch and Butland (1984, SIAM
/// Journal on Scientific and Statistical Computing 5(2)): between two points it stays between their heights.
pub(super) fn smooth(points: &[(f64, f64)]) -> String {
    let secants: Vec<f64> = points
        .windows(2)
        .map(|pair| match pair[1].0 - pair[0].0 {
            width if width > 0.0 => (pair[1].1 - pair[0].1) / width,
            _ => 0.0,
        })
        .collect();
    let slope = |place: usize| {
        let before = place.checked_sub(1).and_then(|before| secants.get(before));
        match (before, secants.get(place)) {
            (Some(before), Some(after)) => middle(*before, *after),
            (Some(only), None) | (None, Some(only)) => *only,
            (None, None) => 0.0,
        }
    };
    let mut path = String::new();
    for (place, (x, y)) in points.iter().enumerate() {
        let Some((left, height)) = place.checked_sub(1).and_then(|before| points.get(before))
        else {
            let _ = write!(path, "M{x:.1} {y:.1}");
            continue;
        };
        let third = (x - left) / 3.0;
        let first = height + third * slope(place - 1);
        let second = y - third * slope(place);
        let _ = write!(
            path,
            "C{:.1} {first:.1} {:.1} {second:.1} {x:.1} {y:.1}",
            left + third,
            x - third
        );
    }
    path
}

/// The harmonic mean of two slopes of one sign, which is at most twice the smaller one; 0 where a line turns.
fn middle(one: f64, other: f64) -> f64 {
    let product = one * other;
    if product > 0.0 {
        2.0 * product / (one + other)
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The heights of a cubic curve whose ends and handles these are.
    fn heights(y: [f64; 4]) -> impl Iterator<Item = f64> {
        (0..=50).map(move |step| {
            let t = f64::from(step) / 50.0;
            let u = 1.0 - t;
            u * u * u * y[0] + 3.0 * u * u * t * y[1] + 3.0 * u * t * t * y[2] + t * t * t * y[3]
        })
    }

    #[test]
    fn a_line_goes_through_its_points_and_never_beyond_them() {
        let points = [
            (0.0, 0.0),
            (10.0, 1.0),
            (20.0, 90.0),
            (30.0, 91.0),
            (40.0, 91.0),
            (50.0, 20.0),
        ];
        let path = smooth(&points);
        let mut last = points[0];
        for (piece, point) in path.split('C').skip(1).zip(&points[1..]) {
            let numbers: Vec<f64> = piece
                .split(' ')
                .map(|number| number.parse().expect("a number"))
                .collect();
            let [_, first, _, second, x, y] = numbers[..] else {
                panic!("{piece}");
            };
            assert_eq!((x, y), *point);
            let (low, high) = (last.1.min(y), last.1.max(y));
            let within = |height: f64| (low - 0.06..=high + 0.06).contains(&height);
            assert!(heights([last.1, first, second, y]).all(within), "{piece}");
            last = (x, y);
        }
        assert_eq!(path.matches('C').count(), points.len() - 1);
    }

    /// Where two curves meet, the line has one direction: no corner.
    #[test]
    fn a_line_has_no_corner() {
        let points = [(0.0, 0.0), (10.0, 8.0), (25.0, 12.0), (40.0, 60.0)];
        let numbers: Vec<Vec<f64>> = smooth(&points)
            .split(['M', 'C'])
            .skip(1)
            .map(|piece| {
                piece
                    .split(' ')
                    .map(|number| number.parse().expect("a number"))
                    .collect()
            })
            .collect();
        for (before, after) in numbers.iter().skip(1).zip(numbers.iter().skip(2)) {
            let [.., x, y] = before[..] else {
                panic!("{before:?}")
            };
            let incoming = (y - before[3]) / (x - before[2]);
            let outgoing = (after[1] - y) / (after[0] - x);
            assert!((incoming - outgoing).abs() < 0.05, "{incoming} {outgoing}");
        }
    }
}
