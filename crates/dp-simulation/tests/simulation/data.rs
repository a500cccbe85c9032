//! From CSV files to measurements: exact bins, and errors that name the line.

use dp_simulation::data::{Beyond, Bins, Code, Outside, Table, indicators, integers};
use dp_simulation::{Measurements, Population};

fn table(text: &str) -> Table<'_> {
    Table::new("people.csv", text.as_bytes()).expect("a table")
}

fn buckets<const N: usize>(rows: [usize; N]) -> Measurements {
    Measurements::from(rows.to_vec())
}

fn bins(text: &str) -> Bins {
    text.parse().expect("bins")
}

fn codes(text: &str) -> Vec<Code> {
    Code::list("codes", text).expect("codes")
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_value_falls_into_the_bin_that_begins_at_or_below_it() {
    let table = || table("height\n140\n144.99\n145\n199.9999\n150\n");
    let data = bins("140..200/5")
        .apply(table(), "height", Outside::Refuse)
        .expect("in range");
    assert_eq!(data.measurements, buckets([0, 0, 1, 11, 2]));
    assert_eq!(data.labels.len(), 12);
    assert_eq!(data.labels[0], "140..145");
    assert_eq!(data.labels[11], "195..200");
}

#[test]
fn bins_are_exact_where_floats_are_not() {
    // In binary floating point 0.3/0.1 is below 3.
    let table = || table("x\n0.3\n0.6\n0.7\n");
    let data = bins("0..1/0.1")
        .apply(table(), "x", Outside::Refuse)
        .expect("in range");
    assert_eq!(data.measurements, buckets([3, 6, 7]));
    let thirds = bins("0..1/1/3");
    let data = thirds
        .apply(table(), "x", Outside::Refuse)
        .expect("in range");
    assert_eq!(data.measurements, buckets([0, 1, 2]));
}

#[test]
fn declared_and_distinct_values_have_a_bin_each() {
    let table = || table("n,x\n1,10\n2,30.0\n3,10\n4,20\n");
    let data = bins("30, 20,10")
        .apply(table(), "x", Outside::Refuse)
        .expect("declared");
    assert_eq!(data.measurements, buckets([2, 0, 2, 1]));
    assert_eq!(data.labels, ["30", "20", "10"]);
    let data = bins("distinct")
        .apply(table(), "x", Outside::Refuse)
        .expect("numbers");
    assert_eq!(data.measurements, buckets([0, 2, 0, 1]));
    assert_eq!(data.labels, ["10", "20", "30"]);
}

#[test]
fn what_is_no_set_of_bins_is_refused() {
    for text in [
        "",
        "5",
        "140..200",
        "140..200/0",
        "140..200/-5",
        "200..140/5",
        "0..10/3",
        "0..1/1",
        "0..1/1e-9",
        "a..b/c",
        "1,1",
        "1,,2",
        "nan",
        "0..1e400/1e-400",
        "0..10/5/0",
    ] {
        let error = text.parse::<Bins>().expect_err(text);
        assert_eq!(error.name(), "bins", "{text}");
    }
}

#[test]
fn errors_name_the_line_the_column_the_value_and_what_is_accepted() {
    let table = || table("height\n150\n\"tall\"\n250\n");
    let error = bins("140..200/5")
        .apply(table(), "height", Outside::Refuse)
        .expect_err("a word");
    assert_eq!(
        error.to_string(),
        "people.csv: line 3: height is tall: expected a number such as 0.317, 1e-9 or 1/3"
    );
    let error = integers(table(), &columns(&["height"]), 200, Beyond::Refuse).expect_err("a word");
    assert!(
        error
            .to_string()
            .starts_with("people.csv: line 3: height is tall"),
        "{error}"
    );

    let table = || self::table("height,yes\n150,1\n250,0\n1.5,3\n,1\n");
    let error = bins("140..200/5")
        .apply(table(), "height", Outside::Refuse)
        .expect_err("too tall");
    assert_eq!(
        error.to_string(),
        "people.csv: line 3: height is 250: expected a number from 140 up to but not including 200"
    );
    let error = bins("150,160")
        .apply(table(), "height", Outside::Refuse)
        .expect_err("undeclared");
    assert_eq!(
        error.to_string(),
        "people.csv: line 3: height is 250: expected one of 150, 160"
    );
    let error = bins("distinct")
        .apply(table(), "height", Outside::Refuse)
        .expect_err("empty");
    assert!(
        error
            .to_string()
            .starts_with("people.csv: line 5: height is \"\""),
        "{error}"
    );
    let error =
        integers(table(), &columns(&["height"]), 200, Beyond::Refuse).expect_err("too large");
    assert_eq!(
        error.to_string(),
        "people.csv: line 3: height is 250: expected an integer from 0 to 200"
    );
    let error = indicators(table(), &columns(&["yes"]), &codes("1"), &codes("0")).expect_err("a 3");
    assert_eq!(
        error.to_string(),
        "people.csv: line 4: yes is 3: expected 1 for yes, or 0 for no"
    );
}

#[test]
fn a_column_that_is_not_there_is_answered_with_those_that_are() {
    let table = || table("a,b\n1,2\n");
    let error = bins("0..2/1")
        .apply(table(), "c", Outside::Refuse)
        .expect_err("no such column");
    assert_eq!(error.to_string(), "column is c: expected one of a, b");
    let error = integers(table(), &columns(&["a", "a"]), 5, Beyond::Refuse).expect_err("twice");
    assert_eq!(error.to_string(), "column is a: expected each column once");
    assert!(integers(table(), &[], 5, Beyond::Refuse).is_err());
}

#[test]
fn several_columns_make_a_vector_for_each_row() {
    let table = || table("a,b,c\n1,0,5\n2,1,6\n");
    let data =
        indicators(table(), &columns(&["b", "a"]), &codes("1"), &codes("0,2")).expect("coded");
    let rows = [[false, true], [true, false]];
    assert_eq!(Ok(data.measurements), Measurements::bit_vectors(rows));
    assert_eq!(data.labels, ["b", "a"]);
    let data = integers(table(), &columns(&["c", "a"]), 6, Beyond::Refuse).expect("in range");
    let rows = [[5, 1], [6, 2]];
    assert_eq!(Ok(data.measurements), Measurements::integer_vectors(rows));
}

#[test]
fn no_measurement_is_printed_for_debugging() {
    let of = |rows: [usize; 2], clients: u64| {
        let measurements = buckets(rows);
        let counted = buckets(rows).counted(vec![clients, 1]).unwrap();
        let population = Population::each_once(buckets(rows));
        format!("{measurements:?} {counted:?} {population:?}")
    };
    assert_eq!(of([171, 3], 5), of([9, 250], 7));
}
