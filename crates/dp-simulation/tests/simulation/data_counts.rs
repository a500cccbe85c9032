//! Rows that stand for many people.

use std::sync::Arc;

use dp_prio3::types::Histogram;
use dp_prio3::{AggregatorNoise, Budget, DpPolicy, MultihotRappor};
use dp_simulation::data::{
    Bins, CsvTable, DataError, LabelledMeasurements, MissingAction, MissingRule, OutOfRange,
    OutsideBins, grid_cells, indicators, integers,
};
use dp_simulation::{Measurements, Outcome, Population, Simulation};
use dp_task::FromMeasurement;

const COUNTS: &str = "count,age,os,weight\n3,20,ios,1\n0,30,ios,2\n2,20,android,9\n1,30,ios,2.5\n";

fn counted(text: &str) -> Result<CsvTable<'_>, DataError> {
    Ok(CsvTable::new("data", text.as_bytes(), None)?.counted_by("count")?)
}

fn columns(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn rows_count_as_many_people_as_they_say() -> Result<(), DataError> {
    let bins: Bins = "ios,android".parse()?;
    let os = bins.apply(counted(COUNTS)?, "os", OutsideBins::Refuse)?;
    let expected = Measurements::from(vec![0_usize, 1]).counted(vec![4, 2])?;
    assert_eq!((&os.measurements, os.reading.rows), (&expected, 6));
    let ages: Bins = "distinct".parse()?;
    let ages = ages.apply(counted(COUNTS)?, "age", OutsideBins::Refuse)?;
    let expected = Measurements::from(vec![0_usize, 1]).counted(vec![5, 1])?;
    assert_eq!(ages.measurements, expected);
    assert_eq!(ages.labels, ["20", "30"]);
    Ok(())
}

#[test]
fn values_of_rows_that_stand_for_nobody_do_not_occur() -> Result<(), DataError> {
    let text = "count,x\n0,7\n2,1\n0,none\n0,\n1,0\n";
    let distinct: Bins = "distinct".parse()?;
    let bins = distinct.apply(counted(text)?, "x", OutsideBins::Refuse)?;
    assert_eq!(bins.labels, ["0", "1"]);
    let expanded = CsvTable::new("data", &b"x\n1\n1\n0\n"[..], None)?;
    let expanded = distinct.apply(expanded, "x", OutsideBins::Refuse)?;
    assert_eq!(bins.labels, expanded.labels);
    assert_eq!(bins.reading, expanded.reading);
    let one = distinct.apply(counted("count,x\n0,7\n2,1\n")?, "x", OutsideBins::Refuse);
    let error = one.expect_err("a single value").to_string();
    assert!(error.contains("at least two distinct values"), "{error}");
    Ok(())
}

#[test]
fn what_is_changed_is_counted_for_all_of_them() -> Result<(), DataError> {
    let ages = integers(counted(COUNTS)?, &columns(&["age"]), 25, OutOfRange::Clamp)?;
    assert_eq!(ages.reading.values_clamped_above, 1);
    let grid = dp_prio3::grid::Grid::new("1".parse()?, "3".parse()?, "1".parse()?)?;
    let weights = grid_cells(counted(COUNTS)?, &columns(&["weight"]), &grid, OutOfRange::Clamp)?;
    assert_eq!(weights.reading.values_clamped_above, 2);
    let distortion = weights.distortion;
    assert_eq!((distortion.values, distortion.above), (6, 2));
    assert_eq!((distortion.clamping, distortion.rounding.abs()), (-12.0, 0.5));

    let missing = "count,x\n5,1\n4,\n2,0\n";
    let bits = |values| -> Result<LabelledMeasurements, DataError> {
        let missing_values = MissingRule { values, codes: Vec::new() };
        let table = counted(missing)?.with_missing(missing_values);
        indicators(table, &columns(&["x"]), &["1".parse()?], &["0".parse()?])
    };
    let skipped = bits(MissingAction::Skip)?;
    assert_eq!((skipped.reading.rows, skipped.reading.rows_skipped), (11, 4));
    assert_eq!(skipped.measurements.clients(), 7);
    let zeroed = bits(MissingAction::Zero)?;
    assert_eq!((zeroed.reading.rows, zeroed.reading.values_zeroed), (11, 4));
    assert_eq!(zeroed.measurements.len(), 2);
    assert_eq!(zeroed.measurements.clients(), 11);
    Ok(())
}

#[test]
fn counts_that_are_none_are_refused() {
    let refused = |text: &str| {
        let column = columns(&["x"]);
        let read = counted(text).and_then(|table| integers(table, &column, 9, OutOfRange::Refuse));
        read.expect_err("no counts").to_string()
    };
    let integer = "expected an integer from 0 to 1000000000000";
    for (text, reason) in [
        ("n,x\n1,1\n", "count-column is count: expected one of n, x"),
        ("count,x\n-1,1\n", integer),
        ("count,x\n1.5,1\n", integer),
        ("count,x\n,1\n", integer),
        ("count,x\n1000000000001,1\n", integer),
        ("count,x\n99999999999999999999999,1\n", integer),
        ("count,x\n1,1\n1e12,1\n", "counts that add up to at most 1000000000000"),
        ("count,x\n0,1\n", "nobody is counted"),
        ("count,x\n", "no rows"),
    ] {
        let error = refused(text);
        assert!(error.contains(reason), "{text:?}: {error}");
    }
    let table = counted("count,x\n1,1\n").expect("a table");
    let error = integers(table, &columns(&["count"]), 9, OutOfRange::Refuse);
    let error = error.expect_err("the column of counts").to_string();
    assert_eq!(error, "column is count: expected one that is not --count-column");
}

/// The estimates of two trials.
fn estimates<P>(policy: &Arc<P>, population: Population, is_ideal: bool) -> Vec<(f64, f64, u64)>
where
    P: DpPolicy<Measurement: FromMeasurement>,
{
    let simulation = Simulation::new(Arc::clone(policy), population, 2, 5, 1).expect("valid");
    let outcome: Outcome = match is_ideal {
        true => simulation.ideal().and_then(|ideal| ideal.run(&|_| ())),
        false => simulation.run(&|_| ()),
    }
    .expect("a run");
    let trials = outcome.trials.iter();
    let rows = trials.flat_map(|trial| {
        let reports = trial.reports;
        let rows = trial.coordinates.iter();
        rows.map(move |row| (row.truth, row.estimate, reports))
    });
    rows.collect()
}

/// A row for each of its clients, in the order of the rows.
const REPEATED: [usize; 9] = [2, 2, 2, 0, 1, 1, 1, 1, 2];

fn counted_rows() -> Measurements {
    let rows = Measurements::from(vec![2_usize, 0, 3, 1, 2]);
    rows.counted(vec![3, 1, 0, 4, 1]).expect("few")
}

#[test]
fn a_run_of_counts_is_that_of_the_rows_that_they_stand_for() {
    let budget = Budget::approximate("1".parse().expect("one"), "1e-6".parse().expect("small"));
    let policy = AggregatorNoise::gaussian(Histogram::new(2, 4).expect("valid"), budget);
    let policy = Arc::new(policy.expect("calibrated"));
    let repeated = || Population::each_once(REPEATED.to_vec()).expect("rows");
    let counted = || Population::each_once(counted_rows()).expect("rows");
    assert_eq!(counted().clients(), 9);
    for is_ideal in [false, true] {
        let rows = estimates(&policy, repeated(), is_ideal);
        assert_eq!(rows, estimates(&policy, counted(), is_ideal));
    }
    // What clients draw at random is drawn by what there is of each measurement, in whatever rows.
    let (rate, epsilon0) = ("0.3".parse().expect("a rate"), "1/2".parse().expect("positive"));
    let rappor = Arc::new(MultihotRappor::one_hot(2, 4, epsilon0, &rate).expect("valid"));
    let one_hot = |rows: Measurements| rows.one_hot(4).expect("short");
    let drawn = |rows| Population::bootstrap(one_hot(rows), 1_000_000, 8).expect("clients");
    let of_rows = estimates(&rappor, drawn(REPEATED.to_vec().into()), true);
    assert_eq!(of_rows, estimates(&rappor, drawn(counted_rows()), true));
    assert!(of_rows[0].2 < 1_000_000, "reports are dropped");
}
