//! Soaking finds what is planted, and its seed finds it again.

use std::cell::RefCell;
use std::env;
use std::time::{Duration, Instant};

use super::*;

/// Fails for one seed in five, as a property with a rare counterexample does.
#[test]
#[ignore = "fails on purpose, in a process of its own"]
fn planted() {
    let seed: u64 = env::var("PROPTEST_RNG_SEED")
        .expect("a seed")
        .parse()
        .expect("an integer");
    assert_ne!(seed % 5, 3, "the planted counterexample");
}

#[test]
#[ignore = "passes, in a process of its own"]
fn sound() {}

fn stage(test: &str, seed: u64) -> Stage {
    let program = env::current_exe().expect("this program");
    let test = format!("soak::tests::{test}");
    Stage::new(test.clone(), program, ["--exact", &test, "--ignored"])
        .with("PROPTEST_RNG_SEED", seed)
}

fn soaked(seed: u64, of_round: impl Fn(u64) -> Vec<Stage>) -> (Result<(), Error>, String) {
    let said = RefCell::new(String::new());
    let end = Instant::now() + Duration::from_secs(60);
    let result = rounds(seed, end, of_round, |text| {
        said.borrow_mut().push_str(&text.to_string());
        true
    });
    (result, said.into_inner())
}

#[test]
fn a_planted_failure_is_found_and_its_seed_finds_it_again() {
    let of_round = |seed| vec![stage("planted", seed), stage("sound", seed)];
    let (result, said) = soaked(10, of_round);
    let message = result.expect_err("a failure").to_string();
    // Rounds 10, 11 and 12 hold. The line has the seed, and what is to be run.
    assert!(message.contains("PROPTEST_RNG_SEED=13 "), "{message}");
    assert!(
        message.ends_with("--exact soak::tests::planted --ignored"),
        "{message}"
    );
    assert!(
        said.contains("round 12: soak::tests::planted held"),
        "{said}"
    );
    assert!(said.contains("the planted counterexample"), "{said}");
    assert!(said.contains("round 13: soak::tests::sound held"), "{said}");

    let (again, said) = soaked(13, of_round);
    assert_eq!(again.expect_err("the same").to_string(), message);
    assert!(!said.contains("round 12"), "{said}");
}

#[test]
fn a_stage_that_runs_no_test_fails() {
    let (result, _) = soaked(1, |seed| vec![stage("renamed", seed)]);
    assert!(matches!(result, Err(Error::Idle(_))), "{result:?}");
}

#[test]
fn nothing_begins_when_time_is_up_and_what_did_not_is_told() {
    let of_round = |seed| vec![stage("planted", seed), stage("sound", seed)];
    let said = RefCell::new(String::new());
    let result = rounds(3, Instant::now(), of_round, |text| {
        said.borrow_mut().push_str(&text.to_string());
        true
    });
    assert!(result.is_ok());
    let told = "round 3: no time was left for soak::tests::planted, soak::tests::sound\n";
    assert_eq!(said.into_inner(), told);
}

#[test]
fn every_stage_follows_from_the_seed() {
    let lines =
        |seed| -> Vec<String> { stages(seed, "").iter().map(ToString::to_string).collect() };
    assert_eq!(lines(5), lines(5));
    let (one, other) = (lines(5), lines(6));
    assert!(one.len() >= 18, "{one:?}");
    assert!(one.iter().zip(&other).filter(|(a, b)| a == b).count() == 0);
    assert_eq!(stages(5, "properties of dp-grid").len(), 1);
}
