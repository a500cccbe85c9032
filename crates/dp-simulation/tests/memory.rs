//! Memory does not grow with the number of clients. A test of its own process: the figure is the
//! most that the whole process has held.

#![cfg(target_os = "linux")]

use dp_exact::Epsilon;
use dp_prio3::HistogramLaplace;
use dp_prio3::types::Histogram;
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
    let buckets = Histogram::new(2, 4).expect("valid");
    let policy =
        HistogramLaplace::new(buckets, "1".parse::<Epsilon>().expect("positive")).expect("valid");
    let population = Population::bootstrap(vec![0, 1, 2, 3], clients, 1).expect("some clients");
    let simulation = Simulation::new(policy, population, 1, 1, 2).expect("valid");
    simulation.run(&|_| ()).expect("honest parties");
    peak_memory()
}

#[test]
fn memory_does_not_grow_with_the_number_of_clients() {
    run(500);
    let few = run(500);
    let many = run(10_000);
    // Keeping the further reports would take 5 MiB.
    assert!(
        many - few < 2048,
        "{few} KiB for 500 clients, {many} KiB for 10 000"
    );
}
