//! A program under callgrind, which counts instructions: a count is the same on a busy machine as on an idle
//! one.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Error;

/// Runs `work`: the only function in which callgrind counts. It is found by its name.
#[inline(never)]
pub fn counted_by_callgrind(work: &mut dyn FnMut()) {
    work();
    // With nothing after it the call would be a jump, which callgrind does not see return.
    black_box(());
}

/// The name of [`counted_by_callgrind`] in this program.
const NAME: &str = concat!(module_path!(), "::counted_by_callgrind");

/// Runs this program with `arguments`, by which it does what is counted and nothing else, under callgrind:
/// the instructions of each counted call, in order.
///
/// # Errors
/// If there is no valgrind, or it or the program fails.
pub fn counts(program: &Path, arguments: &[&str]) -> Result<Vec<u64>, Error> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let out = folder.path().join("out");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--quiet"])
        .arg(format!("--toggle-collect={NAME}"))
        .arg(format!("--dump-after={NAME}"))
        .arg(format!("--callgrind-out-file={}", out.display()))
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Error::peer("valgrind (apt-get install valgrind)", error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format_args!("{}: {}", output.status, said.trim())));
    }
    // A file for each call; the one without a number is of what came after the last.
    (1..)
        .map(|call| out.with_extension(call.to_string()))
        .take_while(|file| file.exists())
        .map(|file| total(&file))
        .collect()
}

/// The line `totals: N` of a file of callgrind.
fn total(file: &Path) -> Result<u64, Error> {
    let text = fs::read_to_string(file).map_err(failed)?;
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    let total = total.ok_or_else(|| failed("a file without totals"))?;
    total.parse().map_err(failed)
}

fn failed(reason: impl ToString) -> Error {
    Error::peer("valgrind", reason)
}
