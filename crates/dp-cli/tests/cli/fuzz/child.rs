//! A run of the program with bounds on its processor time and its address space.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::folder::Folder;
use super::line::{Line, Output};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Of processor time.
    pub(crate) seconds: u64,
    /// Of address space.
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) status: Option<i32>,
    pub(crate) signal: Option<i32>,
    /// Whether it was stopped since it waited for something that does not come.
    pub(crate) is_stuck: bool,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) time: Duration,
}

/// The bounds are those of a shell, which then becomes the program.
const BOUNDED: &str =
    "ulimit -t \"$1\"; ulimit -v \"$2\"; program=$3; shift 3; exec \"$program\" \"$@\"";

/// Runs the line in the folder.
pub(crate) fn run(program: &Path, limits: Limits, folder: &Folder, line: &Line) -> Outcome {
    let [stdout, stderr] = ["stdout", "stderr"].map(|name| folder.beside(name));
    let file = |path: &Path| File::create(path).expect("a file");
    let closing = if line.output == Output::Closed {
        " >&-"
    } else {
        ""
    };
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("{BOUNDED}{closing}"), "sh"])
        .args([limits.seconds.to_string(), (limits.bytes >> 10).to_string()])
        .arg(program)
        .args(line.arguments())
        .current_dir(folder.path())
        // Of the GNU C library: otherwise each thread reserves 64 MiB that it does not use.
        .env("MALLOC_ARENA_MAX", "2")
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .stderr(file(&stderr));
    match line.output {
        Output::File | Output::Closed => command.stdout(file(&stdout)),
        Output::Full => command.stdout(
            File::options()
                .write(true)
                .open("/dev/full")
                .expect("it is there"),
        ),
        Output::Broken => command.stdout(Stdio::piped()),
    };
    let begun = Instant::now();
    let mut child = command.spawn().expect("a shell");
    drop(child.stdout.take());
    let (status, is_stuck) = wait(&mut child, Duration::from_secs(3 * limits.seconds + 60));
    let read = |path: &Path| fs::read(path).unwrap_or_default();
    Outcome {
        status: status.code(),
        signal: status.signal(),
        is_stuck,
        stdout: if line.output == Output::File {
            read(&stdout)
        } else {
            Vec::new()
        },
        stderr: read(&stderr),
        time: begun.elapsed(),
    }
}

fn wait(child: &mut Child, patience: Duration) -> (std::process::ExitStatus, bool) {
    let begun = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait().expect("a child") {
            return (status, false);
        }
        if begun.elapsed() > patience {
            child.kill().expect("a child");
            return (child.wait().expect("a child"), true);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// The beginning of a text.
pub(crate) fn cut(text: &str) -> String {
    let mut characters = text.chars();
    let beginning: String = characters.by_ref().take(300).collect();
    let rest = characters.count();
    if rest == 0 {
        beginning
    } else {
        format!("{beginning}… and {rest} more")
    }
}
