//! Random command lines: whatever is typed, in whatever folder, the program ends in bounded time and
//! memory with status 0, 1 or 2, says at most one plain line on standard error, and touches nothing but
//! the file that it was told to write.
//!
//! A line follows from a seed and its number, so that a failure is found again:
//!
//! | variable | | default |
//! |---|---|---|
//! | `FUZZ_LINES` | how many lines | 300 |
//! | `FUZZ_SEED` | the seed | 1 |
//! | `FUZZ_FIRST` | the number of the first line | 0 |
//! | `FUZZ_PROGRAM` | the program | `dp-cli` as the tests have it |
//! | `FUZZ_SECONDS` | its processor time | 60, since this build is not optimized; a release has 10 |
//!
//! `FUZZ_LINES=100000 FUZZ_SEED=2 FUZZ_PROGRAM=$PWD/target/release/dp-cli FUZZ_SECONDS=10 cargo test
//! --package dp-cli --test cli fuzz::random_lines -- --nocapture` runs longer, and also tells how long the
//! slowest lines took.

mod child;
mod faults;
mod folder;
mod line;
mod mutation;
mod random;
mod verdict;
mod words;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use child::Limits;
use folder::Folder;
use line::Grammar;

/// What a run is measured against.
#[derive(Debug)]
struct Settings {
    program: PathBuf,
    limits: Limits,
    seed: u64,
    first: u64,
    lines: u64,
}

impl Settings {
    fn from_environment() -> Self {
        let number = |name: &str, default| {
            env::var(name).map_or(default, |text| text.parse().expect("an integer"))
        };
        let program = env::var_os("FUZZ_PROGRAM");
        Self {
            program: program.map_or_else(|| env!("CARGO_BIN_EXE_dp-cli").into(), PathBuf::from),
            limits: Limits {
                seconds: number("FUZZ_SECONDS", 60),
                bytes: 1 << 30,
            },
            seed: number("FUZZ_SEED", 1),
            first: number("FUZZ_FIRST", 0),
            lines: number("FUZZ_LINES", 300),
        }
    }
}

/// How many lines there were, how many of them the options' parser took, and how many were answered.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    typed: u64,
    parsed: u64,
    answered: u64,
}

impl Count {
    fn add(&mut self, other: Self) {
        self.typed += other.typed;
        self.parsed += other.parsed;
        self.answered += other.answered;
    }

    fn shown(self) -> String {
        let Self {
            typed,
            parsed,
            answered,
        } = self;
        format!("{typed:6} lines, {parsed:6} parsed, {answered:6} answered:")
    }
}

/// What a run found, its slowest lines, and how many there were of each subcommand.
#[derive(Debug, Default)]
struct Report {
    findings: u64,
    slowest: Vec<(Duration, String)>,
    counts: BTreeMap<String, Count>,
}

impl Report {
    fn add(&mut self, other: Self) {
        self.findings += other.findings;
        self.slowest.extend(other.slowest);
        for (name, count) in other.counts {
            self.counts.entry(name).or_default().add(count);
        }
        self.slowest
            .sort_by_key(|(time, _)| std::cmp::Reverse(*time));
        self.slowest.truncate(10);
    }
}

/// Runs one line in a folder that is as it was made.
#[expect(clippy::print_stdout, reason = "a finding is told at once")]
fn check(
    settings: &Settings,
    grammar: &Grammar,
    folder: &mut Folder,
    number: u64,
    report: &mut Report,
) {
    let line = &grammar.line(settings.seed, number);
    folder.prepare(line.extra.as_ref());
    let outcome = child::run(&settings.program, settings.limits, folder, line);
    let broken = verdict::broken(&outcome, line, &folder.changes(line.extra.as_ref()));
    let count = Count {
        typed: 1,
        parsed: u64::from(grammar.parses(line)),
        answered: u64::from(outcome.status == Some(0)),
    };
    let command = line.command(&settings.program, settings.limits);
    if !broken.is_empty() {
        // A long run is stopped by whoever has seen enough.
        println!(
            "line {number} of seed {}: {}",
            settings.seed,
            broken.join("; ")
        );
        println!("  in a new folder, {}", folder::MADE_BY);
        println!("  {command}");
        report.findings += 1;
    }
    report.add(Report {
        findings: 0,
        slowest: vec![(outcome.time, command)],
        counts: BTreeMap::from([(grammar.subcommand(line), count)]),
    });
}

fn run(settings: &Settings) -> Report {
    let grammar = Grammar::new();
    let next = AtomicU64::new(settings.first);
    let work = || {
        let mut folder = Folder::new(&settings.program);
        let mut report = Report::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= settings.first + settings.lines {
                return report;
            }
            check(settings, &grammar, &mut folder, number, &mut report);
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut report = Report::default();
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            report.add(worker.join().expect("no panic"));
        }
    });
    report
}

#[test]
fn random_lines_end_within_their_bounds_and_touch_nothing_else() {
    let settings = Settings::from_environment();
    let report = run(&settings);
    for (time, command) in &report.slowest {
        println!("{:6.2} s  {}", time.as_secs_f64(), child::cut(command));
    }
    let mut all = Count::default();
    for (name, count) in &report.counts {
        all.add(*count);
        println!("{} {name:?}", count.shown());
    }
    println!("{} together", all.shown());
    assert_eq!(report.findings, 0, "each is printed above");
    // A grammar of which little is understood would find little.
    assert!(
        2 * all.parsed > all.typed && 4 * all.answered > all.typed,
        "{}",
        all.shown()
    );
}
