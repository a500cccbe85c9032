//! Forked processes that send their result back.

use std::any::Any;
use std::io::{PipeReader, Read as _, Write as _, pipe};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::exit;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ::fork::{Fork, fork, waitpid};

/// A forked process that does some work and sends the result back.
#[derive(Debug)]
pub struct Child {
    /// The number of the process.
    id: i32,
    /// The end of the pipe from which the result is read.
    result: PipeReader,
}

impl Child {
    /// Forks this process. The new process does the work, sends the resulting bytes back, and ends.
    ///
    /// # Panics
    /// If the system makes no pipe or no process.
    #[must_use]
    pub fn start(work: impl FnOnce() -> Vec<u8>) -> Self {
        let (result, mut writer) = pipe().expect("a pipe");
        match fork().expect("a process") {
            Fork::Parent(id) => Self { id, result },
            Fork::Child => {
                let done = catch_unwind(AssertUnwindSafe(work));
                let (code, bytes) = match done {
                    Ok(bytes) => (0, bytes),
                    Err(panic) => (1, said(&*panic).into_bytes()),
                };
                let is_written = writer.write_all(&bytes).is_ok();
                exit(if is_written { code } else { 2 });
            }
        }
    }

    /// Waits for the process, and returns the bytes that it sent.
    ///
    /// # Panics
    /// If the work panicked, with its message.
    #[must_use]
    pub fn join(mut self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.result.read_to_end(&mut bytes).expect("a pipe");
        let status = waitpid(self.id).expect("a child");
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(status, 0, "in the forked process: {text}");
        bytes
    }
}

/// The results of `work` in two forked processes that run at the same time.
///
/// # Panics
/// As [`Child::join`].
#[must_use]
pub fn two(work: impl Fn() -> Vec<u8>) -> [Vec<u8>; 2] {
    let children = [Child::start(&work), Child::start(&work)];
    children.map(Child::join)
}

/// The message of a panic.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    text.unwrap_or_else(|| "a panic".to_owned())
}

/// A lock that all tests of a program share: no fork may copy locks of another test.
pub fn alone() -> MutexGuard<'static, ()> {
    /// Held by the running test.
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
