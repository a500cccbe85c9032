//! The file: which keys there are, and that every error names the key, the value and what is accepted.

use dp_simulation::sweep::COLUMNS;

use crate::common::refused;

const LEAST: &str = "policies = 'histogram-laplace'\nbudgets = { epsilon = 1 }\nclients = 10\n";

#[test]
fn every_refusal_names_the_key_the_value_and_what_is_accepted() {
    let with = |line: &str| format!("{LEAST}lengths = 12\n{line}");
    let without = |key: &str| {
        let lines = with("");
        let kept = lines.lines().filter(|line| !line.starts_with(key));
        kept.collect::<Vec<_>>().join("\n")
    };
    for (text, said) in [
        (with("policy = 1"), "policy is 1: expected no such field here, only policies"),
        (with("trials = 0"), "trials is 0: expected an integer from 1 to 1000000"),
        (with("trials = [5, 5]"), "trials[1] is 5: expected each value once"),
        (with("trials = []"), "a list of 1 to 10000 values"),
        (
            with("aggregators = [2, 255]"),
            "aggregators[1] is 255: expected an integer from 2 to 254",
        ),
        (with("seed = 1.5"), "seed is 1.5: expected an integer from 0 to 18446744073709551615"),
        (with("functionality = 'real'"), "functionality is real: expected ideal"),
        (with("data = 'laplace'"), "data is laplace: expected uniform, zipf or normal"),
        (with("accept_weak_guarantee = 1"), "accept_weak_guarantee is 1: expected true or false"),
        (with("max_weight = 'x'"), "max_weight is x: expected an integer from 1"),
        (without("policies"), "policies is missing: expected names"),
        (without("clients"), "clients is missing: expected how many clients"),
        (without("lengths"), "lengths is missing: expected how long the vectors are"),
        (
            without("budgets"),
            "budgets is \"no budget\": expected budgets of which one goes with histogram-laplace: it takes epsilon",
        ),
        (with("[data]\ncolumn = 'a'"), "lengths 12 has no meaning with a table [data]"),
        (
            with("").replace("histogram-laplace", "histogram"),
            "policies is histogram: expected a name",
        ),
        (
            with("").replace("epsilon = 1", "epsilon = 0.5"),
            "budgets.epsilon is 0.5: expected an exact number",
        ),
        (
            with("").replace("epsilon = 1", "epsilon = -1"),
            "budgets[0].epsilon is -1: expected a number greater than 0",
        ),
        (
            with("").replace("epsilon = 1", "eps = 1"),
            "budgets.eps is 1: expected no such field here, only epsilon",
        ),
        (with("").replace("epsilon = 1", "rho = 1"), "it takes epsilon"),
        (
            with("").replace("epsilon = 1", "epsilon = 1, rho = 1"),
            "budgets[0].rho is 1: expected parameters that one of",
        ),
        (
            with("").replace("= 10\n", "= 10e12\n"),
            "clients is 10000000000000.0: expected an integer",
        ),
        (
            with("").replace("= 10\n", "= 2_000_000_000_000\n"),
            "clients is 2000000000000: expected an integer from 1 to 1000000000000",
        ),
        (
            with("functionality = 'prio3'").replace("= 10\n", "= 5_000_000_000\n"),
            "clients is 5000000000: expected an integer from 1 to 4294967295",
        ),
        (
            with("percentiles = [50, 0]"),
            "percentiles is 0,50: expected at most 1000 different numbers",
        ),
        (with("percentiles = [0.5]"), "percentiles[0] is 0.5: expected an exact number"),
        (
            with("percentiles = 50").replace("histogram-laplace", "sum-laplace"),
            "policies is sum-laplace: expected for percentiles and ranges a histogram",
        ),
        ("policies = ".to_owned(), "not a document in TOML: line 1"),
        ("#".repeat(70_000), "longer than 65536 bytes"),
        (with("[data]\nfile = 1").replace("lengths = 12", ""), "data.file is 1: expected a string"),
        (
            with("[data]\nrows = 1").replace("lengths = 12", ""),
            "data.rows is 1: expected no such field here, only file",
        ),
        (with("data = { file = 'a\u{200b}b.csv' }"), "data.file is "),
        (with("data = { column = '\u{2066}age' }"), "data.column is "),
        (with("data = { columns = ['age', 'a\u{ad}ge'] }"), "data.columns[1] is "),
    ] {
        let refused = refused(&text);
        assert!(refused.contains(said), "{text}\n{refused}");
        assert_eq!(refused.lines().count(), 1, "{refused}");
    }
}

#[test]
fn more_cells_than_memory_has_room_for_are_refused() {
    let many = |count: usize| (1..=count).map(|value| value.to_string()).collect::<Vec<_>>();
    let text = format!(
        "policies = 'count-laplace'\nbudgets = {{ epsilon = 1 }}\nclients = [{}]\ntrials = [{}]",
        many(1000).join(","),
        many(101).join(","),
    );
    assert!(refused(&text).contains("cells is \"more than 100000\""));
}

/// The documentation lists every column.
#[test]
fn every_column_is_documented() {
    let page = include_str!("../../docs/sweep.md");
    for column in COLUMNS {
        assert!(page.contains(&format!("`{column}`")), "{column}");
    }
}
