//! Whether the colours of the style sheet can be read: WCAG 2.2, success criteria 1.4.3 and 1.4.11.

use std::collections::BTreeMap;

use dp_report::html::STYLE;

/// Text on what it stands on, and lines of charts that mean something.
const TEXT: [(&str, &str); 16] = [
    ("ink", "paper"),
    ("ink", "panel"),
    ("ink", "tint"),
    ("ink", "warn"),
    ("soft", "paper"),
    ("soft", "panel"),
    ("soft", "tint"),
    ("accent", "paper"),
    ("accent", "panel"),
    ("accent", "tint"),
    ("other", "paper"),
    ("other", "panel"),
    ("other", "tint"),
    ("accent", "warn"),
    ("other", "warn"),
    ("soft", "warn"),
];

/// The variables of each theme, in the order of the sheet: light, dark, paper.
fn themes() -> Vec<BTreeMap<String, String>> {
    let mut themes = Vec::new();
    for block in STYLE.split(":root {").skip(1) {
        let (block, _) = block.split_once('}').expect("an end");
        let colours = block.lines().filter_map(|line| {
            let (name, value) = line.trim().strip_prefix("--")?.split_once(": ")?;
            let value = value.trim_end_matches(';');
            value
                .starts_with('#')
                .then(|| (name.to_owned(), value.to_owned()))
        });
        themes.push(colours.collect());
    }
    themes
}

/// Relative luminance.
fn luminance(colour: &str) -> f64 {
    let digits = colour.trim_start_matches('#');
    let digits: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => digits.to_owned(),
    };
    let channel = |place: usize| {
        let value = u8::from_str_radix(&digits[2 * place..2 * place + 2], 16).expect("a colour");
        let value = f64::from(value) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * channel(0) + 0.7152 * channel(1) + 0.0722 * channel(2)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn text_can_be_read_in_every_theme() {
    let themes = themes();
    assert_eq!(themes.len(), 3, "light, dark and paper");
    for theme in themes {
        for (text, ground) in TEXT {
            let contrast = contrast(&theme[text], &theme[ground]);
            assert!(
                contrast >= 4.5,
                "{text} on {ground}: {contrast:.2} in {theme:?}"
            );
        }
    }
}

#[test]
fn contrast_is_that_of_the_standard() {
    assert!((contrast("#000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!((contrast("#777777", "#fff") - 4.478).abs() < 1e-3);
}
