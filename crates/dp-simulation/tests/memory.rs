//! Memory grows neither with the number of clients nor with the number of trials. A test of its own
//! process: the figure is the most that the whole process has held.

#![cfg(target_os = "linux")]

use dp_prio3::{AggregatorNoise, Budget, Policy, Vdaf};
use dp_simulation::{MAX_COORDINATES, Population, Simulation};

/// The most memory that this process has held, in KiB, after this number of trials. Linux adds it
/// up from counters of each processor, which it brings together now and then: a later figure can be
/// some KiB below an earlier one.
fn peak_memory(vdaf: Vdaf, population: Population, trials: u64) -> u64 {
    let budget = Budget::Pure { epsilon: "1".parse().expect("positive") };
    let policy = Policy::with_noise(vdaf, AggregatorNoise::DiscreteLaplace { budget });
    let simulation = Simulation::new(policy.expect("valid"), population, trials, 1, 2);
    let outcome = simulation.expect("valid").run(&|_| ()).expect("honest parties");
    assert_eq!(outcome.summary.trials, trials);
    let kept = outcome.trials.iter().map(|trial| trial.coordinates.len()).sum::<usize>();
    assert!(kept <= MAX_COORDINATES);
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let digits = |line: &str| line.chars().filter(char::is_ascii_digit).collect::<String>();
    line.map(digits).and_then(|text| text.parse().ok()).expect("a size")
}

/// The most memory so far, after bits of `clients` clients.
fn many_clients(clients: u64) -> u64 {
    let population = Population::bootstrap(vec![true, false], clients, 1).expect("some clients");
    peak_memory(Vdaf::Count { aggregators: 2 }, population, 1)
}

/// The most memory so far, after `trials` trials of a histogram of 1000 buckets.
fn many_trials(trials: u64) -> u64 {
    let population = Population::each_once(vec![7_usize]).expect("a client");
    let vdaf = Vdaf::Histogram { aggregators: 2, length: 1000, chunk_length: None };
    peak_memory(vdaf, population, trials)
}

#[test]
fn memory_grows_neither_with_the_number_of_clients_nor_with_that_of_trials() {
    many_clients(500);
    let few = many_clients(500);
    let many = many_clients(20_000);
    // Keeping the further reports would take 4 MiB, and remembering their nonces 1.3 MiB.
    assert!(many.saturating_sub(few) < 1024, "{few} KiB for 500 clients, {many} KiB for 20 000");

    let few = many_trials(300);
    let many = many_trials(900);
    // Keeping the coordinates of the further trials would take 18 MiB.
    assert!(many.saturating_sub(few) < 2048, "{few} KiB for 300 trials, {many} KiB for 900");
}
