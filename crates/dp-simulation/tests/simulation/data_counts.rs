//! Rows that stand for many people.

use dp_prio3::Policy;
use dp_simulation::data::{Bins, CsvTable, DataError, OutOfRange, integers};
use dp_simulation::{Coordinate, Measurements, Population, Simulation};

use crate::common;

/// The estimates of two trials.
fn estimates(policy: Policy, population: Population) -> Vec<Coordinate> {
    let simulation = Simulation::new(policy, population, 2, 5, 1).expect("valid");
    let outcome = simulation.ideal().and_then(|ideal| ideal.run(&|_| ())).expect("a run");
    outcome.trials.into_iter().flat_map(|trial| trial.coordinates).collect()
}

#[test]
fn a_run_of_counts_is_that_of_the_rows_that_they_stand_for() {
    let counted = || Measurements::from(vec![2_usize, 0, 3, 1, 2]).counted(vec![3, 1, 0, 4, 1]);
    let counted = || counted().expect("few");
    let repeated = || Measurements::from(vec![2_usize, 2, 2, 0, 1, 1, 1, 1, 2]);
    assert_eq!(counted().clients(), 9);
    let gaussian = |rows: Measurements| {
        let population = Population::each_once(rows).expect("rows");
        estimates(common::gaussian(4, "1", "1e-6"), population)
    };
    assert_eq!(gaussian(counted()), gaussian(repeated()));
    // What clients draw at random is drawn by what there is of each measurement, in whatever rows.
    let rappor = |rows: Measurements| {
        let policy = common::rappor(4, "1/2", "0.3");
        estimates(policy, Population::bootstrap(rows, 1_000_000, 8).expect("clients"))
    };
    assert_eq!(rappor(counted()), rappor(repeated()));
}

const COUNTS: &str = "count,age,os\n3,20,ios\n0,none,ios\n2,20,android\n1,30,ios\n";

fn counted(text: &str) -> Result<CsvTable<'_>, DataError> {
    Ok(CsvTable::new("data", text.as_bytes(), None)?.counted_by("count")?)
}

#[test]
fn rows_count_as_many_people_as_they_say() -> Result<(), DataError> {
    let bins: Bins = "ios,android".parse()?;
    let os = bins.apply(counted(COUNTS)?, "os", OutOfRange::Refuse)?;
    let expected = Measurements::from(vec![0_usize, 1, 0]).counted(vec![3, 2, 1])?;
    assert_eq!((&os.measurements, os.reading.rows), (&expected, 6));
    // A row that stands for nobody is not read; what is changed is counted for all of them.
    let ages = integers(counted(COUNTS)?, &["age".to_owned()], 25, OutOfRange::Clamp)?;
    assert_eq!((ages.reading.rows, ages.reading.values_clamped_above), (6, 1));
    for (text, column) in [(COUNTS, "count"), ("count,x\n-1,2\n", "x"), ("count,x\n0,2\n", "x")] {
        assert!(integers(counted(text)?, &[column.to_owned()], 25, OutOfRange::Clamp).is_err());
    }
    Ok(())
}
