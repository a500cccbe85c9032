//! Real-valued measurements: the grid says what the largest integer is, and a contradiction is named.

mod common;
mod refusal;

use common::{HISTOGRAM, edited};
use dp_task::Task;
use refusal::each_is_refused;

const WEIGHTS: &str = r#"
version = 1
name = "weights"

[vdaf]
type = "Prio3Average"
aggregators = 2

[grid]
low = "40"
high = "140"
granularity = "0.1"

[aggregator_noise]
mechanism = "discrete-laplace"
budget = "pure"
epsilon = "0.5"

[trust]
model = "OAOC"

[batch]
min_reports = 100
max_reports = 1000
"#;

#[test]
fn the_largest_measurement_follows_from_the_grid() {
    let task = Task::from_toml(WEIGHTS).expect("a task");
    assert_eq!(task.max_measurement(), Some(1000));
    let shared = task.parameters().iter();
    let shared: Vec<_> = shared
        .filter(|(name, _)| *name == "max_measurement")
        .collect();
    assert_eq!(shared, [&("max_measurement", "1000".to_owned())]);
    let grid = task.grid().expect("a grid");
    assert_eq!(grid.cell(&"79.04".parse().expect("a number")), 390);
    let read = Task::from_json(task.to_json().expect("JSON")).expect("a task");
    assert_eq!(read, task);
    for kind in ["Sum", "SumVec"] {
        let length = if kind == "SumVec" { "length = 3\n" } else { "" };
        let aggregators = format!("{length}aggregators");
        let edits = [("Average", kind), ("aggregators", aggregators.as_str())];
        let task = Task::from_toml(edited(WEIGHTS, &edits)).expect("a task");
        assert_eq!(task.max_measurement(), Some(1000));
    }
    let below = edited(WEIGHTS, &[("low = \"40\"", "low = -40")]);
    let task = Task::from_toml(below).expect("degrees");
    assert_eq!(task.max_measurement(), Some(1800));
}

#[test]
fn the_digest_depends_on_the_grid_and_not_on_how_it_is_written() {
    let digest = |edits: &[(&str, &str)]| {
        let task = Task::from_toml(edited(WEIGHTS, edits)).expect("a task");
        task.digest()
    };
    let stated = "aggregators = 2\nmax_measurement = 1000";
    assert_eq!(digest(&[("aggregators = 2", stated)]), digest(&[]));
    assert_eq!(
        digest(&[("\"0.1\"", "\"1/10\""), ("\"40\"", "40")]),
        digest(&[])
    );
    // As many cells, of other numbers.
    let moved = [("\"40\"", "\"41\""), ("\"140\"", "\"141\"")];
    assert_ne!(digest(&moved), digest(&[]));
    let plain = edited(
        WEIGHTS,
        &[
            ("[grid]", ""),
            ("low =", "#"),
            ("high =", "#"),
            ("granularity = \"0.1\"", ""),
            ("aggregators = 2", stated),
        ],
    );
    assert_ne!(
        Task::from_toml(plain).expect("a task").digest(),
        digest(&[])
    );
}

#[test]
fn a_field_that_contradicts_the_grid_is_named() {
    let grid = "[grid]\nlow = 0\nhigh = 1\ngranularity = 1\n[trust]";
    each_is_refused(
        HISTOGRAM,
        &[(
            &[("[trust]", grid)],
            "grid",
            "no such section with Prio3Histogram",
        )],
    );
    each_is_refused(
        WEIGHTS,
        &[
            (
                &[("aggregators = 2", "aggregators = 2\nmax_measurement = 100")],
                "vdaf.max_measurement",
                "vdaf.max_measurement is 100: expected 1000",
            ),
            (&[("low = \"40\"", "")], "grid.low", "missing"),
            (&[("high = \"140\"", "")], "grid.high", "missing"),
            (
                &[("granularity = \"0.1\"", "")],
                "grid.granularity",
                "missing",
            ),
            (
                &[("\"0.1\"", "0.1")],
                "grid.granularity",
                "a string such as",
            ),
            (
                &[("\"0.1\"", "\"0\"")],
                "grid.granularity",
                "is 0: expected",
            ),
            (
                &[("\"0.1\"", "\"0.3\"")],
                "grid.granularity",
                "is 0.3: expected",
            ),
            (&[("\"140\"", "\"40\"")], "grid.high", "is 40: expected"),
            (&[("\"0.1\"", "\"1e-17\"")], "grid.granularity", "expected"),
            (&[("granularity", "step")], "grid.step", "unknown field"),
        ],
    );
}

#[test]
fn a_grid_so_fine_that_totals_could_wrap_around_is_refused() {
    each_is_refused(
        &edited(WEIGHTS, &[("Average", "Sum")]),
        &[(
            &[("\"0.1\"", "\"1e-14\"")],
            "batch.max_reports",
            "wrap around the field",
        )],
    );
}
