//! Where axes begin and end, and what stands at their ticks.

use dp_exact::{elementary, grouped};

/// From the least to the largest place, with some room, and with 0 where values are on a linear axis and none
/// is below.
pub(super) fn extent(places: impl Iterator<Item = f64>, is_log: bool) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for place in places.filter(|place| !is_log || *place > 0.0) {
        low = low.min(place);
        high = high.max(place);
    }
    if low > high {
        return if is_log { (1.0, 10.0) } else { (0.0, 1.0) };
    }
    if is_log {
        // At least a decade, so that there are ticks.
        let (low, high) = (low / 1.15, high * 1.15);
        let middle = (low * high).sqrt();
        return (low.min(middle / 3.2), high.max(middle * 3.2));
    }
    let room = (high - low).max(high.abs().max(low.abs()) * 1e-3).max(1e-9) * 0.04;
    match low {
        low if low >= 0.0 => (0.0, high + room),
        low => (low - room, high.max(0.0) + room),
    }
}

/// What stands at a tick: a plain number, or 10 to a power. Of a logarithmic axis over many decades only the
/// powers of ten are told.
pub(super) fn label(value: f64, extent: (f64, f64), is_log: bool) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if is_log {
        let exponent = elementary::log10(value);
        let is_power = (exponent - exponent.round()).abs() < 1e-6;
        let decades = elementary::log10(extent.1 / extent.0);
        if decades > 2.5 && !is_power {
            return String::new();
        }
    }
    plain(value)
}

/// Up to six significant digits, with the suffixes that people read.
fn plain(value: f64) -> String {
    let magnitude = value.abs();
    for (unit, suffix) in [(1e9, "\u{202f}bn"), (1e6, "\u{202f}M"), (1e3, "\u{202f}k")] {
        if magnitude >= 10.0 * unit || magnitude >= unit && unit > 1e3 {
            return digits(value / unit) + suffix;
        }
    }
    if magnitude < 1e-4 {
        return power(value);
    }
    digits(value)
}

/// A digit times a power of ten.
fn power(value: f64) -> String {
    let text = format!("{value:.0e}");
    let Some((digit, exponent)) = text.split_once('e') else {
        return text;
    };
    let raised = exponent.chars().map(|character| match character {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit
            .to_digit(10)
            .and_then(|digit| char::from_u32(0x2070 + digit))
            .unwrap_or(digit),
    });
    let ten = format!("10{}", raised.collect::<String>());
    match digit {
        "1" => ten,
        digit => format!("{digit}·{ten}"),
    }
}

/// Without the noise of binary fractions and without trailing zeros.
fn digits(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    grouped(text).replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_numbers_that_people_read() {
        for (value, text) in [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (5000.0, "5 000"),
            (250_000.0, "250\u{202f}k"),
            (2e6, "2\u{202f}M"),
            (-20.0, "\u{2212}20"),
            (1e-6, "10⁻⁶"),
            (2e-5, "2·10⁻⁵"),
        ] {
            assert_eq!(label(value, (0.0, 1.0), false), text);
        }
        assert_eq!(label(200.0, (1.0, 1e6), true), "");
        assert_eq!(label(100.0, (1.0, 1e6), true), "100");
    }

    #[test]
    fn an_axis_has_all_of_its_data_and_an_empty_one_is_an_axis() {
        let of = |places: &[f64], is_log| extent(places.iter().copied(), is_log);
        assert!(of(&[3.0, 7.0], false).0 == 0.0 && of(&[3.0, 7.0], false).1 > 7.0);
        assert!(of(&[-3.0], false).0 < -3.0 && of(&[-3.0], false).1 >= 0.0);
        let (low, high) = of(&[5.0, 0.0], true);
        assert!(low > 0.0 && low < 5.0 && high / low >= 10.0);
        assert_eq!(of(&[], false), (0.0, 1.0));
        assert_eq!(of(&[], true), (1.0, 10.0));
    }
}
