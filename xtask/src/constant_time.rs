//! `constant-time`: whether a branch or an address depends on noise, by Valgrind's Memcheck.
//!
//! The program in `xtask/memcheck` has its own workspace: it needs the headers of Valgrind and
//! libclang. It is compiled at each level of optimization for which constant time is guaranteed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use dp_cli::{Failure, print};

const BUILDS: [(&str, &str); 5] = [
    ("release", ""),
    ("release", "-C no-vectorize-loops -C no-vectorize-slp"),
    ("o1", ""),
    ("small", ""),
    ("smallest", ""),
];

/// Exit status of Memcheck if it found an error.
const FOUND: i32 = 9;

/// Look for branches and addresses that depend on noise, in compiled code: some ten minutes, with
/// valgrind and libclang. One that is found is an error
#[derive(Args, Debug)]
pub(crate) struct Options {
    /// Only with the first of the builds
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let builds = if options.quick { &BUILDS[..1] } else { &BUILDS };
    for (profile, flags) in builds {
        let program = build(profile, flags)?;
        // Faults planted on purpose: a check that misses them is blind.
        for fault in ["table", "branch"] {
            if check(&program, &[fault])?.is_none() {
                let error = format!("{profile} {flags}: a planted {fault} was not found");
                return Err(Failure::Other(error.into()));
            }
        }
        if let Some(report) = check(&program, &[])? {
            return Err(Failure::Other(format!("{profile} {flags}: {report}").into()));
        }
        print(format_args!("{profile} {flags}: nothing depends on noise\n"))?;
    }
    Ok(())
}

fn build(profile: &str, flags: &str) -> Result<PathBuf, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = folder.join("../target/memcheck");
    let built = Command::new("cargo")
        .args(["build", "--quiet", "--locked", "--profile", profile])
        .arg("--manifest-path")
        .arg(folder.join("memcheck/Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTFLAGS", format!("--cfg memcheck {flags}"))
        .status()
        .map_err(Failure::other)?;
    if !built.success() {
        return Err(Failure::Other(format!("{profile}: the program does not compile").into()));
    }
    Ok(target.join(profile).join("memcheck"))
}

/// Memcheck's report on a run of the program; `None` if it found nothing.
fn check(program: &Path, arguments: &[&str]) -> Result<Option<String>, Failure> {
    let run = Command::new("valgrind")
        .args(["--tool=memcheck", "--quiet", "--leak-check=no"])
        .arg(format!("--error-exitcode={FOUND}"))
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| {
            Failure::Other(format!("valgrind (apt-get install valgrind): {error}").into())
        })?;
    let said = String::from_utf8_lossy(&run.stderr);
    match run.status.code() {
        Some(0) => Ok(None),
        Some(FOUND) => Ok(Some(said.into_owned())),
        _ => Err(Failure::Other(format!("valgrind: {}: {said}", run.status).into())),
    }
}
