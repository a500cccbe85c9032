//! Whatever becomes of who started it, nothing of a group is left. A pipe that all of them hold ends when the last of them has
//! ended.

use std::io::{Read, Write as _};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use std::{env, io, thread};

use super::*;

/// How long a machine that has much to do may take for what takes no time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that starts another one, says so, and waits for it.
fn nested() -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "sleep 600 & echo started; wait"]);
    command
}

/// Waits until it says that it has started.
fn started(mut output: ChildStdout) -> ChildStdout {
    let mut said = Vec::new();
    while !said.ends_with(b"started\n") {
        let mut byte = [0];
        assert_eq!(output.read(&mut byte).expect("read"), 1, "{said:?}");
        said.extend(byte);
    }
    output
}

/// Whether nobody holds the other end any more, soon.
fn has_ended(mut output: ChildStdout) -> bool {
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let rest = io::copy(&mut output, &mut io::sink());
        let _ = sender.send(rest.is_ok());
    });
    receiver.recv_timeout(PATIENCE).unwrap_or(false)
}

fn taken(group: &mut ProcessGroup) -> ChildStdout {
    group.child().stdout.take().expect("a pipe")
}

#[test]
fn what_a_program_started_ends_with_the_group() {
    let mut group = ProcessGroup::start(nested().stdout(Stdio::piped())).expect("it starts");
    let output = started(taken(&mut group));
    let now = Instant::now();
    assert!(group.wait_until(now).expect("asked").is_none());
    drop(group);
    assert!(has_ended(output));
}

#[test]
fn what_a_program_left_behind_ends_as_well() {
    let mut leaves = Command::new("sh");
    leaves.args(["-c", "sleep 600 & echo started; exit 3"]);
    let mut group = ProcessGroup::start(leaves.stdout(Stdio::piped())).expect("it starts");
    let output = started(taken(&mut group));
    let status = group.wait_until(Instant::now() + PATIENCE).expect("asked");
    assert_eq!(status.and_then(|status| status.code()), Some(3));
    drop(group);
    assert!(has_ended(output));
}

#[test]
#[ignore = "does not end by itself, in a process of its own"]
fn holds_a_group() {
    let group = ProcessGroup::start(&mut nested()).expect("it starts");
    io::stdout().flush().expect("flushed");
    thread::sleep(Duration::from_secs(600));
    drop(group);
}

#[test]
fn a_group_ends_when_the_process_that_started_it_is_killed() {
    let mut holder = Command::new(env::current_exe().expect("this program"));
    holder.args([
        "--exact",
        "group::tests::holds_a_group",
        "--ignored",
        "--nocapture",
    ]);
    let mut holder = holder.stdout(Stdio::piped()).spawn().expect("it starts");
    let output = started(holder.stdout.take().expect("a pipe"));
    holder.kill().expect("killed");
    holder.wait().expect("ended");
    assert!(has_ended(output));
}

#[test]
fn a_program_that_is_not_there_does_not_start() {
    let mut missing = Command::new("no-such-program-here");
    assert!(ProcessGroup::start(&mut missing).is_err());
}
