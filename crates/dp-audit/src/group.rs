//! Programs that are ended together with what they started.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time between two looks whether a program has ended.
const TICK: Duration = Duration::from_millis(16);

/// A program in a process group of its own, which ends with this value: the program, and what it started.
///
/// It ends as well if the process that started it does, in whatever way: on Unix a shell waits for that. What gave itself a
/// group or session of its own goes on. On other systems the program alone is ended.
///
/// ```
/// use std::process::Command;
/// use std::time::{Duration, Instant};
///
/// use dp_audit::ProcessGroup;
///
/// # fn main() -> std::io::Result<()> {
/// # if cfg!(unix) {
/// let mut group = ProcessGroup::start(Command::new("sleep").arg("600"))?;
/// let soon = Instant::now() + Duration::from_millis(10);
/// assert_eq!(group.wait_until(soon)?, None);
/// // Here it ends.
/// drop(group);
/// # }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProcessGroup {
    child: Child,
    guard: Option<Child>,
}

impl ProcessGroup {
    /// Starts the program.
    ///
    /// # Errors
    /// If it does not start.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let child = system::grouped(command).spawn()?;
        // Where there is no shell, the group ends with this value alone.
        let guard = system::guard(child.id()).ok();
        Ok(Self { child, guard })
    }

    /// The program, whose streams can be taken.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the program ends, or the deadline has come: `None`.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        let mut pause = Duration::from_micros(250);
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.child.try_wait()? {
                None if !left.is_zero() => thread::sleep(pause.min(left)),
                status => return Ok(status),
            }
            pause = TICK.min(2 * pause);
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // All may have ended by themselves. The group's number is free then, and not given to another so soon.
        system::end(&mut self.child);
        let _ = self.child.wait();
        if let Some(guard) = &mut self.guard {
            let _ = guard.kill();
            let _ = guard.wait();
        }
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};

    use rustix::process::{Pid, Signal, kill_process_group};

    /// Waits until its standard input is closed, as it is when the process that holds it ends, and kills a group.
    const GUARD: &str = r#"read -r _; kill -s KILL -- "-$0""#;

    pub(super) fn grouped(command: &mut Command) -> &mut Command {
        command.process_group(0)
    }

    pub(super) fn guard(group: u32) -> io::Result<Child> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", GUARD, &group.to_string()]);
        shell.stdin(Stdio::piped()).stdout(Stdio::null());
        grouped(shell.stderr(Stdio::null())).spawn()
    }

    pub(super) fn end(child: &mut Child) {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        if let Some(group) = group {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::{Child, Command};

    pub(super) fn grouped(command: &mut Command) -> &mut Command {
        command
    }

    pub(super) fn guard(_: u32) -> io::Result<Child> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn end(child: &mut Child) {
        let _ = child.kill();
    }
}

#[cfg(all(test, unix))]
mod tests;
