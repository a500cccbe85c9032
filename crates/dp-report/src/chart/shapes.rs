//! The shapes of several series in one chart: points of eight forms, on lines of three colours and three kinds.

/// A form: the path around (x, y), relative to it, and whether it is filled.
const FORMS: [(&str, bool); 8] = [
    ("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", true),
    ("m-3.5 -3.5h7v7h-7z", false),
    ("m0 -4.5l4.5 8h-9z", true),
    ("m0 -5l5 5l-5 5l-5 -5z", false),
    ("m-3.5 -3.5h7v7h-7z", true),
    ("m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", false),
    ("m0 4.5l4.5 -8h-9z", false),
    ("m0 -5l5 5l-5 5l-5 -5z", true),
];

fn place(number: u8) -> usize {
    usize::from(number) % FORMS.len()
}

/// The colour of a series.
pub(crate) const fn colour(number: u8) -> &'static str {
    match number % 3 {
        0 => "var(--accent)",
        1 => "var(--other)",
        _ => "var(--soft)",
    }
}

/// The dashes of its line, if it has some.
pub(super) const fn dashes(number: u8) -> Option<&'static str> {
    match number / 3 {
        0 => None,
        1 => Some("7 4"),
        _ => Some("2 4"),
    }
}

/// What its points are filled with.
pub(crate) fn fill(number: u8) -> &'static str {
    if FORMS[place(number)].1 {
        colour(number)
    } else {
        "var(--paper)"
    }
}

/// One of its points, as a path.
pub(crate) fn path(number: u8, x: f64, y: f64) -> String {
    format!("M{x:.1} {y:.1}{}", FORMS[place(number)].0)
}
