//! Programs that end together with all programs that they started.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Time between two checks whether the program has ended.
const TICK: Duration = Duration::from_millis(5);

/// A program in its own process group. Dropping the value ends the program and, on Unix, all
/// programs that it started, except those with their own group or session.
#[derive(Debug)]
pub(crate) struct ProcessGroup(Child);

impl ProcessGroup {
    /// Starts the program.
    ///
    /// # Errors
    /// If the program does not start.
    pub(crate) fn start(command: &mut Command) -> io::Result<Self> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        command.spawn().map(Self)
    }

    /// The program's process; its streams can be taken.
    pub(crate) const fn child(&mut self) -> &mut Child {
        &mut self.0
    }

    /// Waits for the exit status until `deadline`; `None` if the program is still running then.
    ///
    /// # Errors
    /// If the operating system cannot be asked.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.0.try_wait()? {
                None if !left.is_zero() => thread::sleep(TICK.min(left)),
                status => return Ok(status),
            }
        }
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        // If all programs have ended, the number of the group is free but not yet reused.
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.0.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read as _;
    use std::process::Stdio;

    use super::*;

    #[test]
    fn what_a_program_started_ends_with_the_group() {
        for (script, is_ended) in
            [("sleep 600 & echo started; wait", false), ("sleep 600 & echo started; exit 3", true)]
        {
            let mut command = Command::new("sh");
            command.args(["-c", script]).stdout(Stdio::piped());
            let mut group = ProcessGroup::start(&mut command).expect("it starts");
            let mut output = group.child().stdout.take().expect("a pipe");
            let mut said = [0; 8];
            output.read_exact(&mut said).expect("it says so");
            if is_ended {
                let soon = Instant::now() + Duration::from_secs(60);
                let status = group.wait_until(soon).expect("asked").expect("ended");
                assert_eq!(status.code(), Some(3));
            }
            drop(group);
            // The pipe ends once every program that holds it has ended.
            assert_eq!(output.read_to_end(&mut Vec::new()).expect("an end"), 0);
        }
    }
}
