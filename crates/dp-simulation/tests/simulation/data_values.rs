//! What becomes of values that are missing, texts, beyond a range, or real numbers.

use dp_simulation::Measurements;
use dp_simulation::data::{
    Beyond, Bins, Code, Labelled, Missing, MissingValues, Outside, Reading, Table, cells, integers,
};
use dp_simulation::dp_prio3::grid::Grid;
use proptest::prelude::*;

const PLATFORMS: &str = "platform,age,weight,agree\nios,31,70.5,yes\nandroid,,NA,no\n\
                         ios,45,39.2,unknown\nKaiOS,200,140.31,Yes\n";

pub(crate) fn table(values: MissingValues, codes: &str) -> Table<'static> {
    let codes = match codes {
        "" => Vec::new(),
        codes => self::codes(codes),
    };
    let table = Table::new("people.csv", PLATFORMS.as_bytes()).expect("a table");
    table.with_missing(Missing { values, codes })
}

pub(crate) fn codes(text: &str) -> Vec<Code> {
    Code::list("codes", text).expect("codes")
}

pub(crate) fn binned(
    bins: &str,
    column: &str,
    outside: Outside,
    values: MissingValues,
) -> Labelled {
    let bins: Bins = bins.parse().expect("bins");
    bins.apply(table(values, ""), column, outside)
        .expect("rows")
}

pub(crate) fn refused(bins: &str, column: &str, outside: Outside, values: MissingValues) -> String {
    let bins: Bins = bins.parse().expect("bins");
    let result = bins.apply(table(values, ""), column, outside);
    result.map(|_| ()).expect_err("refused").to_string()
}

pub(crate) fn buckets<const N: usize>(rows: [usize; N]) -> Measurements {
    Measurements::from(rows.to_vec())
}

#[test]
fn missing_values_are_refused_left_out_or_zero_and_counted() {
    let ages = |values, codes, columns: &[&str]| {
        let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        integers(table(values, codes), &columns, 200, Beyond::Refuse)
    };
    let error = ages(MissingValues::Refuse, "", &["age"])
        .map(|_| ())
        .expect_err("empty");
    assert_eq!(
        error.to_string(),
        "people.csv: line 3: age is \"\": expected a value, or --missing skip or zero, as this says \
         that there is none"
    );
    let data = ages(MissingValues::Skip, "", &["age"]).expect("rows");
    assert_eq!(
        data.measurements.single(),
        Measurements::from(vec![31_u128, 45, 200])
    );
    let reading = Reading {
        rows: 4,
        rows_skipped: 1,
        ..Reading::default()
    };
    assert_eq!(data.reading, reading);
    let said = reading.remarks().join(" ");
    assert!(
        said.starts_with("1 of 4 rows are left out because a value is missing"),
        "{said}"
    );

    let data = ages(MissingValues::Zero, "200,45", &["age", "age2"]);
    assert!(data.is_err(), "no such column");
    let data = ages(MissingValues::Zero, "200.0,45", &["age"]).expect("rows");
    assert_eq!(
        data.measurements.single(),
        Measurements::from(vec![31_u128, 0, 0, 0])
    );
    assert_eq!(data.reading.values_zeroed, 3);
    assert_eq!(Reading::default().remarks(), Vec::<String>::new());

    let error = ages(MissingValues::Skip, "31,45,200", &["age"]).map(|_| ());
    assert_eq!(
        error.expect_err("nobody is left").to_string(),
        "people.csv: no rows are left: in each of them a value is missing"
    );
}

#[test]
fn a_row_is_left_out_whole() {
    let text = "a,b\n1,\n2,2\nnull,3\nn/a,NaN\n5,9\n";
    let read = |values| {
        let missing = Missing {
            values,
            codes: Vec::new(),
        };
        let table = Table::new("people.csv", text.as_bytes()).expect("a table");
        let columns = ["a", "b"].map(str::to_owned);
        integers(table.with_missing(missing), &columns, 4, Beyond::Clamp).expect("rows")
    };
    let data = read(MissingValues::Skip);
    assert_eq!(
        Ok(data.measurements),
        Measurements::integer_vectors([[2, 2], [4, 4]])
    );
    let counts = (
        data.reading.rows,
        data.reading.rows_skipped,
        data.reading.values_clamped_above,
    );
    assert_eq!(counts, (5, 3, 2));
    let data = read(MissingValues::Zero);
    let rows = [[1, 0], [2, 2], [0, 3], [0, 0], [4, 4]];
    assert_eq!(Ok(data.measurements), Measurements::integer_vectors(rows));
    assert_eq!(
        (data.reading.rows_skipped, data.reading.values_zeroed),
        (0, 4)
    );
}

#[test]
fn numbers_outside_of_intervals_are_refused_clamped_or_counted() {
    let skip = MissingValues::Skip;
    assert_eq!(
        refused("40..140/50", "weight", Outside::Refuse, skip),
        "people.csv: line 4: weight is 39.2: expected a number from 40 up to but not including 140"
    );
    let data = binned("40..140/50", "weight", Outside::Clamp, skip);
    assert_eq!(data.measurements, buckets([0, 0, 1]));
    assert_eq!(data.labels, ["40..90", "90..140"]);
    assert_eq!(
        (
            data.reading.values_clamped_below,
            data.reading.values_clamped_above
        ),
        (1, 1)
    );
    let data = binned("40..140/50", "weight", Outside::Count, skip);
    assert_eq!(data.measurements, buckets([1, 0, 3]));
    assert_eq!(
        data.labels,
        ["below 40", "40..90", "90..140", "140 and above"]
    );
    assert_eq!(
        (
            data.reading.values_clamped_below,
            data.reading.values_clamped_above
        ),
        (0, 0)
    );
    // The upper end is in no interval.
    let text = "x\n0\n2\n";
    let bins: Bins = "0..2/1".parse().expect("bins");
    let table = || Table::new("people.csv", text.as_bytes()).expect("a table");
    assert!(bins.apply(table(), "x", Outside::Refuse).is_err());
    let data = bins.apply(table(), "x", Outside::Clamp).expect("clamped");
    assert_eq!(
        (data.measurements, data.reading.values_clamped_above),
        (buckets([0, 1]), 1)
    );
}

#[test]
fn integers_are_clamped_if_asked_and_decimals_are_not() {
    let read = |text: &str, beyond| {
        let text = format!("x\n{text}\n");
        let table = Table::new("people.csv", text.as_bytes()).expect("a table");
        let data = integers(table, &["x".to_owned()], 80, beyond);
        data.map(|data| (data.measurements.single(), data.reading))
            .map_err(|error| error.to_string())
    };
    for (text, number, below, above) in [("-3", 0_u128, 1, 0), ("81", 80, 0, 1), ("1e60", 80, 0, 1)]
    {
        let (rows, reading) = read(text, Beyond::Clamp).expect("clamped");
        assert_eq!(rows, Measurements::from(vec![number]), "{text}");
        assert_eq!(
            (reading.values_clamped_below, reading.values_clamped_above),
            (below, above)
        );
        let error = read(text, Beyond::Refuse).expect_err("refused");
        assert!(error.contains(&format!("x is {text}: expected an integer from 0 to 80")));
    }
    for text in ["1.5", "-0.5", "80.5", "81.5"] {
        for beyond in [Beyond::Clamp, Beyond::Refuse] {
            let error = read(text, beyond).expect_err("no integer");
            assert!(
                error.ends_with("an integer from 0 to 80; real numbers need a grid"),
                "{error}"
            );
        }
    }
}

#[test]
fn real_numbers_fall_into_the_cells_of_a_grid() {
    let grid: Grid = "40..140/0.5".parse().expect("a grid");
    let column = ["weight".to_owned()];
    let error = cells(
        table(MissingValues::Skip, ""),
        &column,
        &grid,
        Beyond::Refuse,
    );
    assert_eq!(
        error.map(|_| ()).expect_err("too light").to_string(),
        "people.csv: line 4: weight is 39.2: expected a number from 40 to 140"
    );
    let (data, distortion) = cells(
        table(MissingValues::Skip, ""),
        &column,
        &grid,
        Beyond::Clamp,
    )
    .expect("clamped");
    assert_eq!(
        data.measurements.single(),
        Measurements::from(vec![61_u128, 0, 200])
    );
    assert_eq!(
        (
            data.reading.values_clamped_below,
            data.reading.values_clamped_above
        ),
        (1, 1)
    );
    assert_eq!(
        (distortion.values, distortion.below, distortion.above),
        (3, 1, 1)
    );
    // A missing value cannot count as 0 below this grid, clamped or not.
    for beyond in [Beyond::Refuse, Beyond::Clamp] {
        let zero = cells(table(MissingValues::Zero, ""), &column, &grid, beyond);
        let error = zero.map(|_| ()).expect_err("no zero").to_string();
        assert!(
            error
                .contains("line 3: weight is \"\": expected a value, or --missing skip: it cannot"),
            "{error}"
        );
    }
    let grid: Grid = "0..200/0.5".parse().expect("a grid");
    let (data, distortion) = cells(
        table(MissingValues::Zero, ""),
        &column,
        &grid,
        Beyond::Refuse,
    )
    .expect("a zero");
    assert_eq!((data.reading.values_zeroed, distortion.values), (1, 4));
    let line = refused("40..240/50", "weight", Outside::Clamp, MissingValues::Zero);
    assert!(
        line.contains("line 3: weight is \"\": expected a value, or --missing skip"),
        "{line}"
    );
}

proptest! {
    #[test]
    fn every_row_is_measured_left_out_or_the_file_is_refused(
        values in prop::collection::vec(
            prop_oneof![
                3 => (-5_i32..15).prop_map(|number| number.to_string()),
                1 => Just(String::new()),
                1 => prop::sample::select(vec!["NA", "nan", "ios", "9", "1.5", "é", "\"\""])
                    .prop_map(str::to_owned),
            ],
            1..20,
        ),
        outside in prop::sample::select(vec![Outside::Refuse, Outside::Clamp, Outside::Count]),
        missing in prop::sample::select(
            vec![MissingValues::Refuse, MissingValues::Skip, MissingValues::Zero]
        ),
        bins in prop::sample::select(vec!["0..10/1", "ios,9,NA,1", "distinct"]),
    ) {
        let rows: Vec<String> = values.iter().map(|value| format!("1,{value}")).collect();
        let text = format!("id,x\n{}\n", rows.join("\n"));
        let missing = Missing { values: missing, codes: codes("9.0") };
        let table = Table::new("people.csv", text.as_bytes()).expect("a table");
        let bins: Bins = bins.parse().expect("bins");
        match bins.apply(table.with_missing(missing), "x", outside) {
            Ok(data) => {
                let kept = u64::try_from(data.measurements.len()).expect("few");
                prop_assert_eq!(kept + data.reading.rows_skipped, data.reading.rows);
                prop_assert_eq!(data.reading.rows, u64::try_from(values.len()).expect("few"));
                prop_assert!(data.measurements.one_hot(data.labels.len()).is_ok());
            }
            Err(error) => {
                let line = error.to_string();
                prop_assert!(line.chars().all(dp_exact::is_printable) && line.len() < 400);
            }
        }
    }
}
