//! From CSV files to measurements: exact bins, missing values, and errors that name the line.

use dp_simulation::data::{
    Bins, Category, CsvTable, DataError, Delimiter, LabelledMeasurements, MissingAction,
    MissingRule, OutOfRange, RowCounts, grid_cells, indicators, integers,
};
use dp_simulation::dp_prio3::grid::Grid;
use dp_simulation::{Measurements, Population};

/// Four people: texts, a missing age, weights with decimals.
const PEOPLE: &str = "platform,age,weight,agree\nios,31,70.5,yes\nandroid,,NA,no\n\
                      ios,45,39.2,unknown\nKaiOS,200,140.31,Yes\n";

fn table(text: &str) -> CsvTable<'_> {
    CsvTable::new("people.csv", text.as_bytes(), None).expect("a table")
}

fn people(values: MissingAction, codes: &str) -> CsvTable<'static> {
    let codes = match codes {
        "" => Vec::new(),
        codes => self::codes(codes),
    };
    table(PEOPLE).with_missing(MissingRule { values, codes })
}

fn buckets<const N: usize>(rows: [usize; N]) -> Measurements {
    Measurements::from(rows.to_vec())
}

fn bins(text: &str) -> Bins {
    text.parse().expect("bins")
}

fn codes(text: &str) -> Vec<Category> {
    Category::list("codes", text).expect("codes")
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn message<T>(result: Result<T, DataError>) -> String {
    result.map(|_| ()).expect_err("refused").to_string()
}

/// Why a file has no integers up to 9 in its column `a`.
fn refused(file: impl std::io::Read) -> String {
    let table = CsvTable::new("people.csv", file, None);
    message(table.and_then(|table| integers(table, &columns(&["a"]), 9, OutOfRange::Refuse)))
}

/// The bins, the column, the treatment of values outside and of missing ones, the buckets, the
/// labels.
const BINNED: &str = "
40..140/50 | weight | clamp | skip | 0 0 1 | 40..90 90..140
40..140/50 | weight | count | skip | 1 0 3 | below 40, 40..90, 90..140, 140 and above
0..300/100 | age | refuse | skip | 0 0 2 | 0..100 100..200 200..300
ios, KaiOS,android | platform | refuse | refuse | 0 2 0 1 | ios KaiOS android
android,ios | platform | count | refuse | 1 0 1 2 | android ios other
NA,70.5,39.20,140.31 | weight | refuse | refuse | 1 0 2 3 | NA 70.5 39.2 140.31";

#[test]
fn values_fall_into_the_bins_that_hold_them() {
    for line in BINNED.trim().lines() {
        let [text, column, outside, missing, rows, labels]: [&str; 6] =
            line.split(" | ").collect::<Vec<_>>().try_into().expect(line);
        let outside = match outside {
            "clamp" => OutOfRange::Clamp,
            "count" => OutOfRange::Count,
            _ => OutOfRange::Refuse,
        };
        let missing = people(missing.parse().expect(line), "");
        let data = bins(text).apply(missing, column, outside).expect(line);
        let rows: Vec<usize> = rows.split(' ').map(|row| row.parse().expect(line)).collect();
        assert_eq!(data.measurements, Measurements::from(rows), "{line}");
        let separator = if labels.contains(", ") { ", " } else { " " };
        assert_eq!(data.labels, labels.split(separator).collect::<Vec<_>>(), "{line}");
    }
    // In binary floating point 0.3/0.1 is below 3; the upper end is in no interval.
    let exact = bins("0..1/0.1").apply(table("x\n0.3\n0.6\n0.7\n"), "x", OutOfRange::Refuse);
    assert_eq!(exact.expect("in range").measurements, buckets([3, 6, 7]));
    let end = || table("x\n0\n2\n");
    assert!(bins("0..2/1").apply(end(), "x", OutOfRange::Refuse).is_err());
    let data = bins("0..2/1").apply(end(), "x", OutOfRange::Clamp).expect("clamped");
    assert_eq!((data.measurements, data.reading.values_clamped_above), (buckets([0, 1]), 1));
    let beyond = table("x\n-3\n81\n1e60\n");
    let data = integers(beyond, &columns(&["x"]), 80, OutOfRange::Clamp).expect("clamped");
    assert_eq!(data.measurements, Measurements::from(vec![0_u128, 80, 80]));
    let reading = data.reading;
    assert_eq!((reading.values_clamped_below, reading.values_clamped_above), (1, 2));
}

#[test]
fn what_is_no_set_of_bins_or_codes_is_refused() {
    let texts = "5|140..200|140..200/0|140..200/-5|200..140/5|0..10/3|0..1/1|0..1/1e-9|a..b/c|1,1.0|1,,2||a,b\u{200b}";
    for text in texts.split('|') {
        let error = text.parse::<Bins>().expect_err(text);
        assert_eq!(error.name(), "bins", "{text}");
    }
    assert_eq!(codes("\"a, b\", 1.0"), [Category::of("a, b"), Category::of("1")]);
    assert_ne!(Category::of("Yes"), Category::of("yes"));
    let refused =
        bins("ios,other").apply(people(MissingAction::Refuse, ""), "platform", OutOfRange::Count);
    let line = message(refused);
    assert!(line.starts_with("bins is other: expected values of which none"), "{line}");
}

#[test]
fn errors_name_the_file_the_line_the_column_the_value_and_what_is_accepted() {
    let text = "height,yes\n150,1\n\"tall\",0\n250,3\n1.5,1\n\"1,234\",0\n,0\n";
    let of =
        |bins: &str| message(self::bins(bins).apply(table(text), "height", OutOfRange::Refuse));
    let (yes, no) = (codes("1"), codes("0,2"));
    for (error, expected) in [
        (of("150,tall"), "line 4: height is 250: expected one of 150, tall"),
        (
            message(indicators(table(text), &columns(&["yes"]), &yes, &no)),
            "line 4: yes is 3: expected 1 for yes, or 0 or 2 for no",
        ),
    ] {
        assert_eq!(error, format!("people.csv: {expected}"));
    }
    for (names, expected) in [
        (&["c"][..], "column is c: expected one of a, b"),
        (&["a", "a"], "column is a: expected each column once"),
        (&[], "columns is none: expected at least one column"),
    ] {
        let read = integers(table("a,b\n1,2\n"), &columns(names), 5, OutOfRange::Refuse);
        assert_eq!(message(read), expected);
    }
}

/// Each of these could be read in two ways, or as nothing: the file with its line ends as \\n, and
/// what is said.
const NO_TABLES: &str = r#"
 => no header: it is empty
\n\n => no header: it is empty
sep=;\n => no header: it is empty
,\n1,2\n => line 1: no column has a name
a,b\n => no rows: expected a header line and data
a, a\n1,2\n => column is a: expected the name of one column, not of columns 1 and 2
b,"  "\n1,2\n => column is a: expected one of b
a,b\n1,"2\n3"\n => line 2: a quote that is not closed: expected a row in one line
a,b\n1,"2 => line 2: a quote that is not closed
a,b\n1,"2"3\n => line 2: text behind a closed quote
a,b\n1\n => line 2: it has 1 value: expected 2, as the header has
a,b\r\n1,2\r\n1,2,3\r\n => line 3: it has 3 values: expected 2
a,b\r1,2\r => line 1: a carriage return within it
a\n1\n\n2\n => line 4: an empty line above: expected "" for a missing value
a;b,c\n1,2\n => line 1: its values could be separated by a comma or by a semicolon: expected --delimiter comma
a;b\n1,2\n => line 2: it has 1 value: expected 2
a,b\n1,2\n1,\xff\n => line 3: it is not UTF-8: save the file as CSV in UTF-8
\xff\xfea\n => line 1: it is not UTF-8
a,b\n1.000,2\n => line 2: a is 1.000: expected 1000 or 1, as its point may group digits or begin a fraction
a,b\n"1,000",2\n => line 2: a is 1,000: expected 1000 or 1, as its comma may group digits or begin a fraction
a\n10\n => line 2: a is 10: expected an integer from 0 to 9
a\n8.5\n => line 2: a is 8.5: expected an integer from 0 to 9; real numbers need a grid
a,b\n4/5,2\n => line 2: a is 4/5: expected a number such as
a,b\n12 km,2\n => line 2: a is "12 km": expected a number without a unit, such as 12
a,b\n5m,2\n => line 2: a is 5m: expected 5000000 or 5, as its m may be a factor or a unit
a,b\n293 K,2\n => line 2: a is "293 K": expected 293000 or 293, as its K may be a factor or a unit
a;b\n1.234,5;2\n => line 2: a is 1.234,5: expected a number such as 0.317 or 1e-9, with a point: 1234.5
a,b\n12/4,2\n => line 2: a is 12/4: expected a number such as"#;

#[test]
fn a_file_that_is_no_table_is_refused_with_its_line() {
    for case in NO_TABLES.trim_start_matches('\n').lines() {
        let (text, said) = case.split_once(" => ").expect(case);
        let text = text.replace("\\n", "\n").replace("\\r", "\r");
        // A byte that is no text stands for both of UTF-16's mark.
        let bytes = text.replace("\\xff", "\u{1}").replace("\\xfe", "\u{1}").into_bytes();
        let bytes: Vec<u8> =
            bytes.into_iter().map(|byte| if byte == 1 { 0xff } else { byte }).collect();
        let line = refused(&*bytes);
        assert!(line.contains(said), "{line}");
    }
}

#[test]
fn every_delimiter_line_end_and_quote_is_read() {
    let expected = Measurements::vectors([[1_u128, 2], [3, 4]]);
    for text in [
        "a,b\n1,2\n3,4\n",
        "a;b\r\n1;2\r\n3;4",
        "a\tb\n1\t2\n3\t4\n",
        "a|b\n1|2\n3|4\n",
        "\u{feff}\"a\", b \n\"1\", 2\n3,\" 4 \"\n",
        "a,größe,b\n1,\"x,\"\"y\"\"\",2\n3,é,4\n",
        // What pandas, R and spreadsheets write.
        ",a,b\n0,1,2\n1,3,4\n",
        "\"\",\"a\",\"b\"\n\"1\",1,2\n\"2\",3,4\n",
        "a,b,\n1,2,a remark\n3,4,,\n\n",
        "a,b,\n1,2\n3,4,\n",
        "\u{feff}sep=;\r\na;b;x;x\r\n1;2;;\r\n3;4;9;\"\"\r\n",
    ] {
        let data = integers(table(text), &columns(&["a", "b"]), 4, OutOfRange::Refuse).expect(text);
        assert_eq!(Ok(data.measurements), expected, "{text}");
    }
    for (delimiter, header) in [(",", ["a;b", "c"]), ("semicolon", ["a", "b,c"])] {
        let delimiter = delimiter.parse().expect("a delimiter");
        let table = CsvTable::new("people.csv", &b"a;b,c\n1;2,3\n"[..], Some(delimiter));
        assert_eq!(table.expect("a table").header(), header);
    }
    for (name, character) in [("comma", ","), ("semicolon", ";"), ("tab", "\\t"), ("bar", "|")] {
        assert_eq!(name.parse::<Delimiter>(), character.parse());
    }
    for text in ["", ",,", ":", "TAB"] {
        assert_eq!(text.parse::<Delimiter>().expect_err(text).name(), "delimiter");
    }
}

#[test]
fn an_endless_line_is_refused_in_bounded_memory() {
    for begin in ["", "a\n1\n", "a\n\""] {
        let endless = std::io::Read::chain(begin.as_bytes(), std::io::repeat(b'1'));
        assert_eq!(refused(endless), "people.csv: a line is longer than 1048576 bytes");
    }
}

#[test]
fn missing_values_are_refused_or_left_out_and_counted() {
    let text = "a,b\n1,\n2,2\nnull,3\nn/a,NaN\n5,9\n";
    let read = |values| -> Result<LabelledMeasurements, DataError> {
        let missing = MissingRule { values, codes: codes("9.0") };
        integers(table(text).with_missing(missing), &columns(&["a", "b"]), 4, OutOfRange::Clamp)
    };
    assert!(message(read(MissingAction::Refuse)).starts_with("people.csv: line 2: b is \"\""));
    let skipped = read(MissingAction::Skip).expect("rows");
    assert_eq!(Ok(skipped.measurements), Measurements::vectors([[2_u128, 2]]));
    let reading = RowCounts { rows: 5, rows_skipped: 4, ..RowCounts::default() };
    assert_eq!(skipped.reading, reading);
    assert!(reading.remarks()[0].contains("missing: 4 of 5. The estimates"));
    let agree = |yes: &str, no: &str, missing| {
        let table = people(MissingAction::Skip, missing);
        indicators(table, &columns(&["agree"]), &codes(yes), &codes(no))
    };
    let data = agree("yes,Yes", "no", "unknown").expect("coded");
    assert_eq!((data.measurements.len(), data.reading.rows_skipped), (3, 1));
    for (error, said) in [
        // Nothing is a bin and missing at once.
        (
            message(agree("yes", "no", "no")),
            "missing-value is no: expected a value that is not in --no no, or another --no",
        ),
        (
            message(agree("yes", "no,unknown", "no")),
            "missing-value is no: expected a value that is not in --no no,unknown, or --no unknown",
        ),
        (
            message(bins("31,45").apply(
                people(MissingAction::Refuse, ""),
                "age",
                OutOfRange::Count,
            )),
            "people.csv: line 3: age is \"\": expected a value, or --missing",
        ),
        (
            message(integers(
                people(MissingAction::Skip, "31,45,200"),
                &columns(&["age"]),
                200,
                OutOfRange::Refuse,
            )),
            "people.csv: no rows are left",
        ),
    ] {
        assert!(error.starts_with(said), "{error}");
    }
}

#[test]
fn real_numbers_fall_into_the_cells_of_a_grid() {
    let grid: Grid = "40..140/0.5".parse().expect("a grid");
    let people = people(MissingAction::Skip, "");
    let data = grid_cells(people, &columns(&["weight"]), &grid, OutOfRange::Clamp);
    let data = data.expect("clamped");
    assert_eq!(data.measurements, Measurements::from(vec![61_u128, 0, 200]));
    assert_eq!((data.reading.values_clamped_below, data.reading.values_clamped_above), (1, 1));
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
