//! What the lines of the tables tell: nothing where there is no secret address, and of interleaved tables
//! no more than is stated here.

use dp_measure::timing::{Test, tests};

/// The most that lines may tell of small and large outcomes, by the engine. Digits serve wide laws: of narrow
/// ones they have a table of few lines.
fn most(test: &Test) -> f64 {
    match (test.variant(), test.parameter()) {
        (None | Some("scan"), _) => 0.0,
        (Some("two_pass"), "1000") => 0.12,
        (Some("two_pass"), _) => 0.07,
        (Some("rounds"), _) => 0.03,
        (Some("digits"), "65535000") => 0.08,
        (Some("digits"), _) => 0.4,
        (Some("table"), _) => 0.02,
        (Some(other), _) => panic!("no bound is stated for {other}"),
    }
}

#[test]
fn lines_tell_no_more_of_the_outcome_than_is_stated() {
    let tests = tests().expect("valid parameters");
    let ours = tests
        .iter()
        .filter(|test| test.implementation().is_constant_time());
    for test in ours {
        let apart = test.lines_tv().expect("known for all");
        assert!(apart <= most(test), "{test:?}: {apart}");
    }
}

#[test]
fn the_lines_of_the_planted_leak_tell_all() {
    let tests = tests().expect("valid parameters");
    let apart = tests[0].lines_tv().expect("known");
    assert!(apart > 0.999, "{:?}: {apart}", tests[0]);
}
