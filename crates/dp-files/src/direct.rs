//! What is written to as it is: pipes, devices, and what the process has open already.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::Reason;
use crate::input::PATIENCE;
use crate::system::{self, Wait};

/// How long a FIFO is waited for that nobody has opened to read.
const PATIENCE_TO_OPEN: Duration = Duration::from_secs(2);

/// How often that is tried.
const PAUSE: Duration = Duration::from_millis(10);

/// A pipe, a device or an open descriptor.
#[derive(Debug)]
pub(crate) struct Direct {
    file: File,
}

impl Direct {
    /// Opens it, and waits a little for the reader of a FIFO.
    pub(crate) fn open(path: &Path) -> Result<Self, Reason> {
        let end = Instant::now() + PATIENCE_TO_OPEN;
        loop {
            let error = match system::open(OpenOptions::new().append(true), path) {
                Ok(file) => return Ok(Self { file }),
                Err(error) => error,
            };
            if error.raw_os_error() != Some(system::NO_READER) {
                return Err(error.into());
            }
            if Instant::now() >= end {
                let (what, patience) = ("read from", PATIENCE_TO_OPEN);
                return Err(Reason::Silent { what, patience });
            }
            thread::sleep(PAUSE);
        }
    }

    /// Standard output or error, from where it stands.
    #[cfg(unix)]
    pub(crate) fn standard(is_error: bool) -> io::Result<Self> {
        use std::os::fd::AsFd as _;
        let descriptor = if is_error {
            io::stderr().as_fd().try_clone_to_owned()
        } else {
            io::stdout().as_fd().try_clone_to_owned()
        };
        let file = File::from(descriptor?);
        Ok(Self { file })
    }

    #[cfg(not(unix))]
    pub(crate) fn standard(_: bool) -> io::Result<Self> {
        Err(ErrorKind::Unsupported.into())
    }
}

impl Direct {
    /// Whether this is the file of which that is said.
    pub(crate) fn is(&self, there: &Metadata) -> bool {
        let metadata = self.file.metadata();
        metadata.is_ok_and(|file| system::is_same(&file, there))
    }
}

impl Write for Direct {
    /// Waits for whoever reads, as long as they read at all.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.file.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if !system::is_ready(&self.file, Wait::ToWrite, PATIENCE)? {
                        let (what, patience) = ("read from", PATIENCE);
                        let silent = Reason::Silent { what, patience };
                        return Err(io::Error::new(ErrorKind::TimedOut, silent));
                    }
                }
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
