//! Real-valued measurements: the grid says what the largest integer is, and a contradiction is named.

use crate::common::{HISTOGRAM, edited};
use crate::refusal::each_is_refused;
use dp_task::{Range, Task};

const WEIGHTS: &str = r#"
version = 2
name = "weights"

[vdaf]
type = "Prio3Average"
aggregators = 2
range = { grid = { low = "40", high = "140", granularity = "0.1" } }

[aggregator_noise]
type = "discrete-laplace"
budget = { pure = { epsilon = "0.5" } }

[trust]
model = "OAOC"

[batch]
min_reports = 100
max_reports = 1000
"#;

fn shared(task: &Task) -> Option<u128> {
    task.document().vdaf.range().map(Range::max_measurement)
}

#[test]
fn the_largest_measurement_follows_from_the_grid() {
    let task = Task::from_toml(WEIGHTS).expect("a task");
    assert_eq!(shared(&task), Some(1000));
    let parameters = task.parameters().iter();
    let parameters: Vec<_> = parameters
        .filter(|(name, _)| *name == "max_measurement")
        .collect();
    assert_eq!(parameters, [&("max_measurement", "1000".to_owned())]);
    let grid = task.grid().expect("a grid");
    assert_eq!(grid.cell(&"79.04".parse().expect("a number")), 390);
    let read = Task::from_json(task.to_json().expect("JSON")).expect("a task");
    assert_eq!(read, task);
    for kind in ["Sum", "SumVec"] {
        let length = if kind == "SumVec" { "length = 3\n" } else { "" };
        let aggregators = format!("{length}aggregators");
        let edits = [("Average", kind), ("aggregators", aggregators.as_str())];
        let task = Task::from_toml(edited(WEIGHTS, &edits)).expect("a task");
        assert_eq!(shared(&task), Some(1000));
    }
    let below = edited(WEIGHTS, &[("low = \"40\"", "low = -40")]);
    let task = Task::from_toml(below).expect("degrees");
    assert_eq!(shared(&task), Some(1800));
}

#[test]
fn integers_up_to_as_many_are_another_task() {
    let range = "range = { grid = { low = \"40\", high = \"140\", granularity = \"0.1\" } }";
    let integers = edited(WEIGHTS, &[(range, "range = { max_measurement = 1000 }")]);
    let integers = Task::from_toml(integers).expect("a task");
    assert_eq!(shared(&integers), Some(1000));
    let weights = Task::from_toml(WEIGHTS).expect("a task");
    assert_ne!(integers.digest(), weights.digest());
}

#[test]
fn a_field_that_contradicts_the_grid_is_named() {
    let grid = "length = 12\nrange = { grid = { low = 0, high = 1, granularity = 1 } }";
    each_is_refused(
        HISTOGRAM,
        &[(
            &[("length = 12", grid)],
            "vdaf.range",
            "no such field with Prio3Histogram, only aggregators, length, chunk_length",
        )],
    );
    each_is_refused(
        WEIGHTS,
        &[
            (
                &[("range = { grid", "range = { max_measurement = 100, grid")],
                "vdaf.range",
                "a table with one of max_measurement, grid",
            ),
            (&[("low = \"40\",", "")], "vdaf.range.grid.low", "missing"),
            (
                &[("high = \"140\",", "")],
                "vdaf.range.grid.high",
                "missing",
            ),
            (
                &[(", granularity = \"0.1\"", "")],
                "vdaf.range.grid.granularity",
                "missing",
            ),
            (
                &[("\"0.1\"", "0.1")],
                "vdaf.range.grid.granularity",
                "is 0.1: expected an exact number: an integer, or a string such as",
            ),
            (
                &[("\"0.1\"", "\"0\"")],
                "vdaf.range.grid.granularity",
                "granularity is 0: expected",
            ),
            (
                &[("\"0.1\"", "\"0.3\"")],
                "vdaf.range.grid.granularity",
                "granularity is 0.3: expected",
            ),
            (
                &[("\"140\"", "\"40\"")],
                "vdaf.range.grid.high",
                "high is 40: expected",
            ),
            (
                &[("\"0.1\"", "\"1e-17\"")],
                "vdaf.range.grid.granularity",
                "granularity is 1e-17: expected at least",
            ),
            (
                &[("granularity", "step")],
                "vdaf.range.grid.step",
                "no such field here, only low, high, granularity",
            ),
        ],
    );
}

#[test]
fn a_grid_so_fine_that_totals_could_wrap_around_is_refused() {
    let sums = edited(WEIGHTS, &[("Average", "Sum")]);
    each_is_refused(
        &sums,
        &[(
            &[("\"0.1\"", "\"1e-14\"")],
            "batch.max_reports",
            "wrap around the field",
        )],
    );
    let wide = [
        ("high = \"140\"", "high = \"9223372036854775847\""),
        ("\"0.1\"", "1"),
    ];
    each_is_refused(
        &sums,
        &[(
            &wide,
            "vdaf.range.grid.granularity",
            "is 1: expected a larger one",
        )],
    );
}
