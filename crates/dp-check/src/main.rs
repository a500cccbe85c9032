//! `dp-check FILE`: prints "valid: …" with what the certificate proves, or where it fails.

use std::fs::File;
use std::io::{self, Read, Write};
use std::process::ExitCode;

use dp_check::{Refusal, check_within};

const USAGE: &str = "usage: dp-check FILE [SECONDS], with - for standard input. It gives up after \
    about as many SECONDS, 10 if not stated. Exit status: 0 if the certificate is valid, 1 if it \
    is refused, 2 if it cannot be read";

const VERSION: &str = concat!("dp-check ", env!("CARGO_PKG_VERSION"));

/// Units of work that take a second at most.
const SECOND: u64 = 700_000_000;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (path, seconds) = (arguments.next(), arguments.next());
    let seconds = seconds.map_or(Some(10), |text| text.to_str()?.parse::<u32>().ok());
    let (Some(path), Some(seconds), None) = (path, seconds, arguments.next()) else {
        return ended(2, io::stderr(), USAGE);
    };
    let mut text = String::new();
    let read = match path.to_str() {
        Some("-") => io::stdin().lock().take(1 << 21).read_to_string(&mut text),
        Some("--help" | "-h") => return ended(0, io::stdout(), USAGE),
        Some("--version" | "-V") => return ended(0, io::stdout(), VERSION),
        _ => File::open(&path).and_then(|file| file.take(1 << 21).read_to_string(&mut text)),
    };
    if let Err(error) = read {
        return ended(2, io::stderr(), &format!("{}: {error}", path.display()));
    }
    match check_within(&text, u64::from(seconds) * SECOND) {
        Ok(statement) => ended(0, io::stdout(), &format!("valid: {statement}")),
        Err(refusal @ Refusal::Unreadable(_)) => ended(2, io::stderr(), &refusal.to_string()),
        Err(refusal) => ended(1, io::stderr(), &refusal.to_string()),
    }
}

/// Prints a line. Returns the exit status `status`, or 2 in place of 0 if it cannot be written.
fn ended(status: u8, mut to: impl Write, line: &str) -> ExitCode {
    let printed = writeln!(to, "{line}").and_then(|()| to.flush());
    ExitCode::from(if printed.is_err() && status == 0 { 2 } else { status })
}
