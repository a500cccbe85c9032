//! `soak`: runs randomized tests with fresh seeds until time is up.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};
use std::{fs, io};

use clap::{Args, value_parser};
use dp_cli::{Failure, print};
use dp_exact::directed::to_index;

/// Packages, and words in the names of their tests whose inputs proptest draws.
const PROPERTIES: [(&str, &str); 10] = [
    ("dp-exact", "convex directed exp_and_ln rational rounding search"),
    ("dp-samplers", "parameters"),
    ("dp-calibration", "properties privacy_loss"),
    ("dp-amplification", "datasets properties"),
    ("dp-task", "hostile"),
    ("dp-prio3", "grid encoding"),
    ("dp-check", "hostile"),
    ("dp-libprio", "circuits"),
    ("dp-simulation", "consistent file runs"),
    ("dp-cli", "random_lines certificates::random"),
];

/// The working directory of all commands.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Run property tests, random certificates and fuzz targets with fresh seeds until time is up. The
/// first that fails is an error with the line that repeats it
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Minutes after which no command begins, up to a week
    #[arg(long, default_value = "10", value_parser = value_parser!(u64).range(1..=10_080), allow_hyphen_values = true)]
    minutes: u64,
    /// Seed of the first round; the next round has the next number [default: a fresh one]
    #[arg(long, value_name = "SEED", allow_hyphen_values = true)]
    seed: Option<u64>,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let mut seed = options.seed.unwrap_or_else(rand::random);
    let end = Instant::now() + Duration::from_secs(60 * options.minutes);
    loop {
        for line in lines(seed).map_err(Failure::other)? {
            if Instant::now() >= end {
                return Ok(print("nothing failed\n")?);
            }
            print(format_args!("{line}\n"))?;
            let shell = Command::new("sh").args(["-c", &line]).current_dir(ROOT).status();
            if !shell.map_err(Failure::other)?.success() {
                return Err(Failure::Other(format!("failed; repeat it with: {line}").into()));
            }
        }
        seed = seed.wrapping_add(1);
    }
}

/// The shell's lines of a round. Rounds begin with different ones, so that several short soaks
/// reach all. Without cargo-fuzz no target is fuzzed.
fn lines(seed: u64) -> io::Result<Vec<String>> {
    let seeds = format!("CERTIFICATES=40 CERTIFICATES_SEED={seed} PROPTEST_RNG_SEED={seed}");
    let properties = PROPERTIES.map(|(package, words)| {
        format!("{seeds} cargo test --quiet --package {package} --tests -- {words}")
    });
    let mut lines = properties.to_vec();
    let has_fuzz = Command::new("cargo").args(["+nightly", "fuzz", "--version"]).output();
    if has_fuzz.is_ok_and(|output| output.status.success()) {
        let mut targets = fs::read_dir(Path::new(ROOT).join("fuzz/seeds"))?
            .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
            .collect::<io::Result<Vec<_>>>()?;
        targets.sort();
        lines.extend(targets.get(to_index(seed) % targets.len().max(1)).map(|target| {
            format!(
                "cargo +nightly fuzz run --sanitizer none --target-dir target/fuzz {target} \
                 target/soak/{target}-{seed} fuzz/seeds/{target} -- -create_missing_dirs=1 \
                 -seed={start} -runs=100000 -max_len=2048 -timeout=20 -verbosity=0",
                // A seed of libFuzzer has 32 bits.
                start = seed % (1 << 32),
            )
        }));
    }
    let first = to_index(seed) % lines.len();
    lines.rotate_left(first);
    Ok(lines)
}
