//! The process that made something, by which its copy in a forked process is told.

use core::error::Error;
use core::fmt::{self, Display, Formatter};

/// The process that opened or made something of which there must be one: a locked file, an account, a store.
///
/// A fork copies all memory: locks, generators and unwritten state are then in two processes. Whatever holds a
/// `Process` asks it before each step, and refuses in the copy.
///
/// A process is known by its number. The system gives a number again once its process and all that it started
/// there have ended; where there are no forks, as in WebAssembly, everything is one process.
///
/// ```
/// use dp_exact::Process;
///
/// let opened_by = Process::this();
/// assert!(opened_by.check().is_ok());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u32);

impl Process {
    /// The process that runs now.
    #[must_use]
    pub fn this() -> Self {
        Self(if cfg!(unix) { std::process::id() } else { 0 })
    }

    /// Refuses in every process but this one.
    ///
    /// # Errors
    /// [`Forked`] in a process that was forked from this one.
    pub fn check(self) -> Result<(), Forked> {
        let here = Self::this();
        if self == here {
            return Ok(());
        }
        Err(Forked { opened: self.0, here: here.0 })
    }
}

/// A forked process uses its copy of something that another process opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forked {
    opened: u32,
    here: u32,
}

impl Forked {
    /// The number of the process that opened it.
    #[must_use]
    pub const fn opened(&self) -> u32 {
        self.opened
    }

    /// The number of the process that uses it.
    #[must_use]
    pub const fn here(&self) -> u32 {
        self.here
    }
}

impl Display for Forked {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self { opened, here } = self;
        write!(
            formatter,
            "process is {here}: expected {opened}, which opened this before the fork; open it in one of them, \
             after the fork"
        )
    }
}

impl Error for Forked {}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn another_process_is_refused_by_both_numbers() {
        let here = std::process::id();
        assert!(Process::this().check().is_ok());
        let forked = Process(here + 1).check().unwrap_err();
        assert_eq!((forked.opened(), forked.here()), (here + 1, here));
        let said = format!("process is {here}: expected {}, which", here + 1);
        assert!(forked.to_string().starts_with(&said), "{forked}");
    }
}
