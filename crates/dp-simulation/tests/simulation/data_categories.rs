//! Texts as categories and as codes.

use dp_simulation::Measurements;
use dp_simulation::data::{Bins, Code, MissingValues, Outside, Table, indicators};

use crate::data_values::{binned, buckets, codes, refused, table};

#[test]
fn texts_are_categories_and_others_are_refused_or_counted() {
    let refuse = MissingValues::Refuse;
    let data = binned("ios, KaiOS,android", "platform", Outside::Refuse, refuse);
    assert_eq!(data.measurements, buckets([0, 2, 0, 1]));
    assert_eq!(data.labels, ["ios", "KaiOS", "android"]);
    assert_eq!(
        refused("ios,android", "platform", Outside::Refuse, refuse),
        "people.csv: line 5: platform is KaiOS: expected one of ios, android"
    );
    let data = binned("android,ios", "platform", Outside::Count, refuse);
    assert_eq!(data.measurements, buckets([1, 0, 1, 2]));
    assert_eq!(data.labels, ["android", "ios", "other"]);
    let data = binned("distinct", "platform", Outside::Refuse, refuse);
    assert_eq!(data.measurements, buckets([2, 1, 2, 0]));
    assert_eq!(data.labels, ["KaiOS", "android", "ios"]);
    // A missing value is none of the others.
    let line = refused("31,45", "age", Outside::Count, refuse);
    assert!(
        line.contains("line 3: age is \"\": expected a value, or --missing"),
        "{line}"
    );
    let line = refused("distinct", "age", Outside::Refuse, refuse);
    assert!(
        line.contains("line 3: age is \"\": expected a value, or --missing"),
        "{line}"
    );
    // Unless it is declared.
    let data = binned("NA,70.5,39.20,140.31", "weight", Outside::Refuse, refuse);
    assert_eq!(data.measurements, buckets([1, 0, 2, 3]));
}

#[test]
fn codes_are_numbers_however_written_or_texts_as_they_are() {
    assert_eq!(codes("1,yes"), [Code::of("1.0"), Code::of("yes")]);
    assert_eq!(codes("\"a, b\", c"), [Code::of("a, b"), Code::of("c")]);
    assert_ne!(Code::of("Yes"), Code::of("yes"));
    for (list, said) in [
        ("", "each a number or a text"),
        ("a,,b", "each a number or a text"),
        ("1,1.0", "each value once, not 1 twice"),
        ("yes, yes", "each value once, not yes twice"),
        (
            "a,b\u{200b}",
            "each a text without characters that are not seen",
        ),
        ("\"a", "but the quote of value 1 is not closed"),
    ] {
        let error = Code::list("no", list).expect_err(list).to_string();
        assert!(
            error.starts_with("no is ") && error.contains(said),
            "{error}"
        );
    }
    let hidden = Table::new("people.csv", "a\nios\nios\u{200b}\n".as_bytes()).expect("a table");
    let error = Bins::Distinct
        .apply(hidden, "a", Outside::Refuse)
        .map(|_| ());
    let error = error.expect_err("two that look the same").to_string();
    assert!(
        error.contains("line 3: a is ios\\u{200b}: expected a text without"),
        "{error}"
    );
}

#[test]
fn yes_and_no_are_any_codes() {
    let read = |yes: &str, no: &str| {
        let column = ["agree".to_owned()];
        let table = table(MissingValues::Refuse, "");
        indicators(table, &column, &codes(yes), &codes(no)).map(|data| data.measurements.single())
    };
    let data = read("yes,Yes", "no,unknown").expect("coded");
    assert_eq!(data, Measurements::from(vec![true, false, false, true]));
    let error = read("yes", "no,unknown")
        .map(|_| ())
        .expect_err("a capital letter");
    assert_eq!(
        error.to_string(),
        "people.csv: line 5: agree is Yes: expected yes for yes, or no or unknown for no"
    );
}

#[test]
fn missing_among_categories_has_no_zero_and_a_declared_value_is_not_missing() {
    let line = refused(
        "ios,android,KaiOS,31",
        "weight",
        Outside::Count,
        MissingValues::Zero,
    );
    assert!(
        line.contains("line 3: weight is \"\": expected a value, or --missing skip"),
        "{line}"
    );
    let bins: Bins = "ios,android,KaiOS".parse().expect("bins");
    let data = bins.apply(
        table(MissingValues::Skip, "ios"),
        "platform",
        Outside::Refuse,
    );
    let error = data.map(|_| ()).expect_err("declared twice").to_string();
    assert_eq!(
        error,
        "missing-value is ios: expected a value that is not declared otherwise"
    );
    let column = ["agree".to_owned()];
    let table = table(MissingValues::Skip, "unknown");
    let data = indicators(table, &column, &codes("yes,Yes"), &codes("no")).expect("coded");
    assert_eq!((data.measurements.len(), data.reading.rows_skipped), (3, 1));
}

#[test]
fn bins_without_a_nearest_or_an_outside_are_refused_for_it() {
    for (bins, outside, said) in [
        (
            "ios,android",
            Outside::Clamp,
            "bins is ios,android: expected LOW..HIGH/WIDTH",
        ),
        (
            "distinct",
            Outside::Clamp,
            "bins is distinct: expected declared bins",
        ),
        (
            "distinct",
            Outside::Count,
            "bins is distinct: expected declared bins",
        ),
        (
            "ios,other",
            Outside::Count,
            "bins is other: expected values of which none",
        ),
    ] {
        let line = refused(bins, "platform", outside, MissingValues::Refuse);
        assert!(line.starts_with(said), "{line}");
    }
}
