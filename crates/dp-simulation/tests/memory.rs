//! Memory does not grow with the number of clients. A test of its own process: the figure is the
//! most that the whole process has held.

#![cfg(target_os = "linux")]

use std::sync::Arc;

use dp_exact::Epsilon;
use dp_prio3::AggregatorNoise;
use dp_prio3::mechanisms::DiscreteLaplace;
use dp_prio3::types::Count;
use dp_simulation::{Population, Simulation};

/// The most memory that this process has held, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let digits = |line: &str| {
        line.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    line.map(digits)
        .and_then(|text| text.parse().ok())
        .expect("a size")
}

fn run(clients: u64) -> u64 {
    let epsilon = "1".parse::<Epsilon>().expect("positive");
    let policy: AggregatorNoise<_, DiscreteLaplace> =
        AggregatorNoise::new(Count::new(2).expect("valid"), epsilon).expect("valid");
    let population = Population::bootstrap(vec![true, false], clients, 1).expect("some clients");
    let simulation = Simulation::new(Arc::new(policy), population, 1, 1, 2).expect("valid");
    simulation.run(&|_| ()).expect("honest parties");
    peak_memory()
}

#[test]
fn memory_does_not_grow_with_the_number_of_clients() {
    run(500);
    let few = run(500);
    let many = run(30_000);
    // Keeping the further reports would take 6 MiB, and remembering their nonces 2 MiB.
    assert!(
        many - few < 1024,
        "{few} KiB for 500 clients, {many} KiB for 30 000"
    );
}
