//! The files that have to be removed when a signal ends the process.
//!
//! A thread waits for the signals. Whoever creates, moves or removes one of these files holds the list
//! while doing so, and the thread holds it from the first removal to the end of the process: so no
//! file is left, and none of another process is removed.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The files to be removed, while nothing happens to them.
pub(crate) fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    #[cfg(unix)]
    watch::start();
    lock()
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod watch {
    use std::fs;
    use std::sync::{Once, mpsc};
    use std::thread;

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The signals that end a process which does not expect them, and can be caught.
    const ENDING: [i32; 11] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGXFSZ,
    ];

    /// Starts the thread, once. Without it the next process that writes the same file removes what a
    /// signal left: so it is no failure if there is none.
    pub(super) fn start() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            // A signal that is caught and that no thread waits for would end nothing: so the thread
            // is there before.
            let (is_waiting, wait) = mpsc::channel();
            let thread = thread::Builder::new().name("signals".to_owned());
            let started = thread.spawn(move || {
                let signals =
                    Signals::new(ENDING.into_iter().filter(|signal| !is_ignored(*signal)));
                drop(is_waiting);
                if let Ok(mut signals) = signals {
                    signals.forever().for_each(end);
                }
            });
            if started.is_ok() {
                let _ = wait.recv() as Result<(), _>;
            }
        });
    }

    /// Removes the files, and ends the process as if the signal had not been caught.
    fn end(signal: i32) {
        let files = super::lock();
        for file in files.iter() {
            let _ = fs::remove_file(file);
        }
        let _ = emulate_default_handler(signal);
    }

    /// Whether whoever started the process wants it to live on, as `nohup` does. Where the system
    /// does not tell, the two signals that are ignored in practice are left alone.
    fn is_ignored(signal: i32) -> bool {
        let mask = || {
            let status = fs::read_to_string("/proc/self/status").ok()?;
            let mask = status
                .lines()
                .find_map(|line| line.strip_prefix("SigIgn:"))?;
            u64::from_str_radix(mask.trim(), 16).ok()
        };
        match mask() {
            Some(mask) => mask >> (signal - 1) & 1 == 1,
            None => [SIGHUP, SIGQUIT].contains(&signal),
        }
    }
}
