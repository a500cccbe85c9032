//! The process that opened a store. One that is forked from it shares the lock, and would spend what
//! this one spends: it writes nothing.

use std::io::{self, ErrorKind};
use std::path::Path;

use super::named;

pub(super) struct Process(u32);

impl Process {
    pub(super) fn this() -> Self {
        Self(std::process::id())
    }

    /// Whether this is the process that opened the store.
    pub(super) fn check(&self, directory: &Path) -> io::Result<()> {
        if self.0 == std::process::id() {
            return Ok(());
        }
        let what = "opened before this process was forked: open it in one of them";
        Err(named(directory, ErrorKind::ResourceBusy, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forked_process_is_another_one() {
        let here = Path::new("seen");
        assert!(Process::this().check(here).is_ok());
        let forked = Process(std::process::id() + 1).check(here).unwrap_err();
        assert!(forked.to_string().starts_with("seen: opened before"));
    }
}
