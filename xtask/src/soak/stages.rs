//! The stages of a round of `soak`; the seed of the round determines them.

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs};

use dp_audit::ProcessGroup;
use dp_task::POLICIES;

/// Packages, and words in the names of their tests whose inputs proptest draws.
const PROPERTIES: [(&str, &[&str]); 11] = [
    ("dp-exact", &["convex", "directed", "exp_and_ln", "rational", "rounding", "search"]),
    ("dp-samplers", &["properties", "parameters"]),
    ("dp-rappor", &["flips", "binary_responses", "packed_bits", "debias", "kary"]),
    ("dp-calibration", &["properties"]),
    ("dp-amplification", &["datasets", "properties"]),
    ("dp-accounting", &["privacy_loss"]),
    ("dp-task", &["hostile"]),
    ("dp-prio3", &["grid", "encoding"]),
    ("dp-check", &["hostile"]),
    ("dp-libprio", &["circuits"]),
    ("dp-simulation", &["consistent", "file", "runs"]),
];

/// The most bytes, the last ones, of a stage's output that are read.
const READ: u64 = 1 << 24;

/// The working directory of all stages.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// A command with its environment.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) name: String,
    /// Variables of the command's environment with their values.
    variables: Vec<(&'static str, String)>,
    program: OsString,
    arguments: Vec<String>,
}

/// The outcome of a stage.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Whether the exit status of the stage is 0; `None` if the stage did not end in time.
    pub(super) is_success: Option<bool>,
    /// The number of passed tests; `None` if the stage ran no tests.
    pub(super) passed: Option<u64>,
    /// The end of the stage's standard output and standard error.
    pub(super) text: String,
}

impl Stage {
    pub(super) fn new(
        name: impl Into<String>,
        program: impl Into<OsString>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            name: name.into(),
            variables: Vec::new(),
            program: program.into(),
            arguments: arguments.into_iter().map(Into::into).collect(),
        }
    }

    /// Adds a variable to the command's environment.
    pub(super) fn with(mut self, variable: &'static str, value: impl ToString) -> Self {
        self.variables.push((variable, value.to_string()));
        self
    }

    /// Runs the command to its end or to `limit`, when it and all processes it started are ended.
    pub(super) fn run(&self, limit: Duration) -> io::Result<Outcome> {
        let deadline = Instant::now() + limit;
        // One file for both outputs keeps the order of their lines.
        let mut said = tempfile::tempfile()?;
        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .current_dir(ROOT)
            // proptest would print a backtrace for every smaller counterexample that it tries.
            .env("RUST_BACKTRACE", "0")
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(said.try_clone()?)
            .stderr(said.try_clone()?);
        let mut group = ProcessGroup::start(&mut command)?;
        let status = group.wait_until(deadline)?;
        drop(group);
        let text = end_of(&mut said)?;
        Ok(Outcome {
            is_success: status.map(|status| status.success()),
            passed: passed(&text),
            text,
        })
    }
}

/// The last [`READ`] bytes of a file, as text.
fn end_of(file: &mut File) -> io::Result<String> {
    let skipped = file.metadata()?.len().saturating_sub(READ);
    file.seek(SeekFrom::Start(skipped))?;
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The line that repeats the stage in a shell.
impl Display for Stage {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(formatter, "{name}={value} ")?;
        }
        let is_cargo = self.program == cargo();
        let program = self.program.to_string_lossy();
        formatter.write_str(if is_cargo { "cargo" } else { &program })?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {argument}"))
    }
}

/// The number of passed tests, summed over lines such as `test result: ok. 12 passed; ...`; `None`
/// without such a line.
fn passed(text: &str) -> Option<u64> {
    let results = text.lines().filter_map(|line| line.strip_prefix("test result: "));
    let counts = results.map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        words.get(1).and_then(|count| count.parse().ok()).unwrap_or(0)
    });
    let counts: Vec<u64> = counts.collect();
    (!counts.is_empty()).then(|| counts.iter().sum())
}

fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// A stage of the tests of a package with one of `words` in their names.
fn tests(name: String, package: &str, words: &[&str]) -> Stage {
    let fixed = ["test", "--package", package, "--tests", "--"];
    Stage::new(name, cargo(), fixed.into_iter().chain(words.iter().copied()))
}

/// The stages of a round whose names begin with `only`. Consecutive seeds begin with different
/// stages, so that several short soaks reach all of them.
pub(super) fn stages(seed: u64, only: &str) -> Vec<Stage> {
    let mut stages: Vec<Stage> = PROPERTIES
        .iter()
        .map(|(package, words)| {
            let name = format!("properties of {package}");
            tests(name, package, words).with("PROPTEST_RNG_SEED", seed)
        })
        .collect();
    let certificates = tests("certificates".to_owned(), "dp-cli", &["certificates::random"]);
    let certificates = certificates.with("CERTIFICATES", 40);
    stages.push(certificates.with("CERTIFICATES_SEED", seed));
    stages.push(audit(seed));
    let lines = tests("command lines".to_owned(), "dp-cli", &["random_lines"]);
    stages.push(lines.with("PROPTEST_CASES", 500).with("PROPTEST_RNG_SEED", seed));
    stages.extend(fuzz(seed));
    stages.retain(|stage| stage.name.starts_with(only));
    let first = chosen(seed, stages.len());
    stages.rotate_left(first);
    stages
}

/// The audit of one policy, chosen by the seed.
fn audit(seed: u64) -> Stage {
    let policy = POLICIES[chosen(seed, POLICIES.len())].name;
    let seed = seed.to_string();
    let arguments = ["xtask", "audit", "--policy", policy, "--runs", "20000", "--seed", &seed];
    Stage::new(format!("audit of {policy}"), cargo(), arguments)
}

/// A fuzz target chosen by the seed; `None` without cargo-fuzz.
fn fuzz(seed: u64) -> Option<Stage> {
    let is_here = Command::new("cargo").args(["+nightly", "fuzz", "--version"]).output();
    is_here.ok().filter(|output| output.status.success())?;
    let mut targets: Vec<String> = fs::read_dir(Path::new(ROOT).join("fuzz/seeds"))
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    targets.sort();
    let target = targets.get(chosen(seed, targets.len()))?;
    let corpus = format!("target/soak/{target}-{seed}");
    let seeds = format!("fuzz/seeds/{target}");
    // A seed of libFuzzer has 32 bits.
    let start = format!("-seed={}", seed % (1 << 32));
    let arguments = [
        "+nightly",
        "fuzz",
        "run",
        "--sanitizer",
        "none",
        "--target-dir",
        "target/fuzz",
        target,
        &corpus,
        &seeds,
        "--",
        "-create_missing_dirs=1",
        &start,
        "-runs=100000",
        "-max_len=2048",
        "-timeout=20",
        "-verbosity=0",
    ];
    Some(Stage::new(format!("fuzz target {target}"), "cargo", arguments))
}

/// The seed modulo `count`.
fn chosen(seed: u64, count: usize) -> usize {
    let count = u64::try_from(count).unwrap_or(u64::MAX).max(1);
    usize::try_from(seed % count).unwrap_or(0)
}
