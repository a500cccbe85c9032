//! A guard against the use of a resource in a forked process.

/// The number of the process that opened a locked file, an account or a store.
///
/// A fork copies all memory: locks, generators and unwritten state are then in two processes. The
/// owner of a resource calls [`OwnerProcess::check`] before each step, which refuses in the copy.
/// Where there are no forks, as in WebAssembly, everything is one process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnerProcess(u32);

impl OwnerProcess {
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

/// A forked process uses a copy of a resource that another process opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "process is {here}: expected {opened}, which opened this before the fork; open it in one of \
     them, after the fork"
)]
pub struct Forked {
    /// The number of the process that opened the resource.
    pub opened: u32,
    /// The number of the process that uses the copy.
    pub here: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn another_process_is_refused_by_both_numbers() {
        let here = std::process::id();
        let forked = OwnerProcess(here + 1).check().unwrap_err();
        assert_eq!(forked, Forked { opened: here + 1, here });
        let text = format!("process is {here}: expected {}, which", here + 1);
        assert!(forked.to_string().starts_with(&text), "{forked}");
    }
}
