//! Which cells of a sweep run.

use std::ops::Range;

use dp_exact::ParameterError;

/// The cells of a list such as `7,12..15`, by their places from 0, in order and each once; all without one.
pub(super) fn chosen(
    list: Option<&str>,
    cells: usize,
) -> Result<Vec<Range<usize>>, ParameterError> {
    let Some(list) = list else {
        return Ok(std::iter::once(0..cells).collect());
    };
    let refused = || {
        let accepted = format!("numbers from 1 to {cells}, such as 7 or 7,12..15");
        ParameterError::new("cell", list, accepted)
    };
    let number = |text: &str| {
        let number = text.trim().parse::<usize>().ok();
        let number = number.filter(|number| (1..=cells).contains(number));
        number.ok_or_else(refused)
    };
    let mut ranges = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once("..").unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if last < first {
            return Err(refused());
        }
        ranges.push(first - 1..last);
    }
    ranges.sort_by_key(|range| (range.start, range.end));
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_cells_has_each_once_and_in_order() {
        let of = |list| {
            let found = chosen(list, 20).expect("in range").into_iter();
            found
                .map(|range| (range.start, range.end))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(Some("7")), [(6, 7)]);
        assert_eq!(of(Some("12..15, 7,13..17")), [(6, 7), (11, 17)]);
        assert_eq!(of(Some("20,1..1")), [(0, 1), (19, 20)]);
        assert_eq!(of(None), [(0, 20)]);
        for wrong in [
            "",
            "0",
            "21",
            "3..2",
            "1..",
            "a",
            "1,,2",
            "-1",
            "1..99999999999999999999",
        ] {
            assert!(chosen(Some(wrong), 20).is_err(), "{wrong}");
        }
    }
}
