//! What the cells give.

use dp_simulation::sweep::{COLUMNS, SweepPlan, SweepResults, SweepRow, digest, write_csv};

use crate::common::{grid, planned, rows, sweep};

const SWEEP: &str = "
    policies = ['histogram-laplace', 'multihot-one-hot-rappor', 'histogram-response']
    budgets = [{ epsilon = '0.5', delta = '1e-9', epsilon0 = 2 }, { epsilon = 2, epsilon0 = 3 }]
    clients = [100, 5000]
    lengths = [3, 12]
    trials = 40
    data = 'zipf'
";

fn untimed(rows: &[SweepRow]) -> Vec<SweepRow> {
    rows.iter().map(SweepRow::untimed).collect()
}

#[test]
fn the_rows_are_the_same_on_any_number_of_threads() {
    let real = SWEEP.replace("40", "1").replace("5000", "200") + "functionality = 'prio3'";
    for text in [SWEEP.to_owned(), real] {
        let (one, three) = (rows(&text, 1), rows(&text, 3));
        assert_eq!(untimed(&one), untimed(&three));
        assert_eq!(digest(&one), digest(&three));
        let numbers: Vec<u64> = one.iter().map(|row| row.cell).collect();
        assert_eq!(numbers, (1..=24).collect::<Vec<_>>());
    }
}

#[test]
fn a_cell_alone_gives_its_row_of_the_whole_sweep() {
    let sweep = sweep(SWEEP);
    let grid = grid(&sweep);
    let all = rows(SWEEP, 2);
    let open = &|_: &str| Err("nothing is opened".into());
    for cell in [0, 7, 23] {
        let plan = SweepPlan::new(&sweep, &grid, cell..cell + 1, open, 1).expect("a cell");
        let alone = plan.run(&|_| ()).expect("a row");
        assert_eq!(untimed(&alone), untimed(&all[cell..=cell]));
    }
    let parts = planned(&sweep, 1).expect("a plan");
    let mut part = parts.run_some(0..9, &|_| ()).expect("rows");
    part.extend(parts.run_some(9..24, &|_| ()).expect("rows"));
    assert_eq!(digest(&part), digest(&all));
    assert!(SweepPlan::new(&sweep, &grid, 3..25, open, 1).is_err());
}

/// Each of 24 cells is off by more than 5 standard errors with a probability below 1e-5, as the errors are 120 or
/// more; the seed is fixed.
#[test]
fn errors_are_as_predicted_and_a_planted_fault_is_found() {
    let sweep = sweep(SWEEP);
    let mut rows = rows(SWEEP, 2);
    let results = |rows: &[SweepRow]| SweepResults::new(sweep.clone(), grid(&sweep), rows.to_vec());
    let summary = results(&rows).summary;
    assert_eq!((summary.cells, summary.judged), (24, 24));
    assert!(summary.disagreements.is_empty(), "{:?}", summary.disagreements);
    // Each policy has the same number of clients and buckets and the same budget in a job.
    assert_eq!(summary.jobs.len(), 8);
    for job in &summary.jobs {
        assert_eq!(job.policies.len(), 3, "{job:?}");
        assert!(job.policies.is_sorted_by_key(|one| one.predicted_std));
    }
    rows[4].predicted_std *= 2.0;
    rows[9].bias += 100.0 * rows[9].predicted_std;
    let found = results(&rows).summary.disagreements;
    let found: Vec<(u64, &str)> = found.iter().map(|one| (one.cell, one.what)).collect();
    assert_eq!(found, [(5, "observed_std"), (10, "bias")]);
}

/// Rows are written in the files of a run as JSON, and for people as CSV. A spreadsheet evaluates a cell that begins like a
/// formula.
#[test]
fn rows_are_read_back_and_no_cell_of_their_table_is_a_formula() {
    let mut all = rows(&SWEEP.replace("40", "1"), 1);
    all[0].oc_reason = "a, \"b\"\nc".to_owned();
    all[1].observed_std_error = None;
    all[2].bias = -1.0e-300 / 3.0;
    let text = serde_json::to_string(&all).expect("JSON");
    assert_eq!(serde_json::from_str::<Vec<SweepRow>>(&text).expect("rows"), all);

    let hostile = ["=cmd|'/c calc'!A1", "+1+1", "@SUM(A1)", " =1+1", "'=1+1", "-5..5/1"];
    for (row, text) in all.iter_mut().zip(hostile) {
        row.data = text.to_owned();
        row.bias = -3.5;
    }
    let mut table = Vec::new();
    write_csv(&mut table, &all).expect("a table");
    assert!(dp_simulation::sweep::is_own(&table) && !dp_simulation::sweep::is_own(b"cell,age\n"));
    let mut reader = csv::Reader::from_reader(table.as_slice());
    assert_eq!(reader.headers().expect("a header"), COLUMNS);
    let column = |name: &str| COLUMNS.iter().position(|column| *column == name).expect(name);
    for (record, text) in reader.records().zip(hostile) {
        let record = record.expect("a record");
        assert_eq!(&record[column("data")], format!("'{text}"));
        assert_eq!(&record[column("bias")], "-3.5");
    }
}

#[test]
fn a_table_of_people_is_measured_in_every_choice_of_bins() {
    let text = "policies = ['histogram-laplace', 'multihot-one-hot-rappor']\nclients = 600\ntrials = 2\n\
                budgets = { epsilon = 1, epsilon0 = 1 }\n\
                data = { file = 'people.csv', column = 'age', bins = ['20..60/10', '20..60/20'] }";
    let found: Vec<(String, u64)> =
        rows(text, 1).iter().map(|row| (row.bins.clone(), row.length)).collect();
    let bins = [("20..60/10".to_owned(), 4), ("20..60/20".to_owned(), 2)];
    assert_eq!(found, [bins.clone(), bins].concat());
    let text = "policies = 'count-laplace'\nclients = 60\nbudgets = { epsilon = 1 }\n\
                data = { file = 'people.csv', column = 'smokes' }";
    assert_eq!(rows(text, 1)[0].length, 1);
}

#[test]
fn a_guarantee_has_its_numbers_in_each_trust_model() {
    let text = "policies = ['histogram-gaussian', 'multihot-one-hot-rappor']\nclients = 10000\nlengths = 4\n\
                budgets = [{ epsilon0 = 1 }, { rho = '0.005' }]";
    let rows = rows(text, 1);
    let gaussian = rows.iter().find(|row| row.policy == "histogram-gaussian").expect("a row");
    assert_eq!((&*gaussian.oc_epsilon, &*gaussian.oc_delta), ("", ""));
    assert!(gaussian.oc_reason.starts_with("clients send"));
    assert_eq!((&*gaussian.noise, &*gaussian.rho), ("variance 200", "0.005"));
    assert_eq!(
        (&*gaussian.oaoc_delta, &*gaussian.oaoc_reason),
        ("1e-9", "converted from rho 0.005")
    );
    let epsilon: f64 = gaussian.oaoc_epsilon.parse().expect("a number");
    // sqrt(2 rho log(1/delta)) + rho = 0.650…, and the conversion is tighter.
    assert!(epsilon > 0.5 && epsilon < 0.65, "{epsilon}");
    let rappor = rows.iter().find(|row| row.policy != "histogram-gaussian").expect("a row");
    assert_eq!((&*rappor.oc_epsilon, &*rappor.oaoc_epsilon), ("2", "2"));
    let epsilon: f64 = rappor.oamc_epsilon.parse().expect("a number");
    assert!(epsilon < 0.5, "{epsilon}");
}

/// Percentiles in a sweep: policies are compared by cumulative counts, which are as predicted.
#[test]
fn with_percentiles_policies_are_compared_by_cumulative_counts() {
    let text = "
        policies = ['histogram-laplace', 'histogram-ranges-laplace', 'histogram-percentiles-gaussian']
        budgets = [{ epsilon = '1', delta = '1e-8' }]
        clients = 20_000
        lengths = 256
        trials = 150
        percentiles = [25, '50', '99.5']
        data = 'normal'
    ";
    let sweep = sweep(text);
    let all = rows(text, 2);
    for row in &all {
        assert!(row.cumulative_observed_std_error.is_some());
        // Of 150 bands or intervals that hold with 95 %, fewer than 118 do with a probability below
        // 1e-10.
        for coverage in [row.band_coverage_95, row.percentile_coverage_95] {
            assert!((118.0 / 150.0..=1.0).contains(&coverage.expect("percentiles")), "{row:?}");
        }
        assert!(row.percentile_width.expect("percentiles") >= 1.0);
    }
    let results = |rows| SweepResults::new(sweep.clone(), grid(&sweep), rows);
    let summary = results(all.clone()).summary;
    assert!(summary.disagreements.is_empty(), "{:?}", summary.disagreements);
    // Single buckets are least noisy without a matrix, cumulative counts behind the tree.
    assert_eq!(summary.jobs[0].policies[0].policy, "histogram-ranges-laplace");
    let by_buckets =
        all.iter().min_by(|one, other| one.predicted_std.total_cmp(&other.predicted_std));
    assert_eq!(by_buckets.expect("rows").policy, "histogram-laplace");
    let mut wrong = all;
    wrong[1].cumulative_predicted_std = wrong[1].cumulative_predicted_std.map(|std| 2.0 * std);
    let found = results(wrong).summary.disagreements;
    let found: Vec<(u64, &str)> = found.iter().map(|one| (one.cell, one.what)).collect();
    assert_eq!(found, [(2, "cumulative_observed_std")]);
}
