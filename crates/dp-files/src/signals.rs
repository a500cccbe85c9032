//! The files that have to be removed when a signal ends the process.
//!
//! A thread waits for the signals. Whoever creates, moves or removes one of these files holds the list
//! while doing so, and the thread holds it from the first removal to the end of the process: so no
//! file is left, and none of another process is removed.

use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

static FILES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The files to be removed, while nothing happens to them.
pub(crate) fn files() -> MutexGuard<'static, Vec<PathBuf>> {
    #[cfg(unix)]
    watch::start();
    lock()
}

/// From now on a write beyond the limit of a file's size (`ulimit -f`) fails with an error that can be
/// reported, also one to standard output: on Unix, the signal SIGXFSZ would end the process.
///
/// # Errors
/// If the system does not allow the signal to be caught.
pub fn catch_size_limit() -> io::Result<()> {
    #[cfg(unix)]
    watch::catch_size_limit()?;
    Ok(())
}

fn lock() -> MutexGuard<'static, Vec<PathBuf>> {
    FILES.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(unix)]
mod watch {
    use std::sync::atomic::AtomicBool;
    use std::sync::{Arc, Once, mpsc};
    use std::{fs, io, process, thread};

    use signal_hook::consts::{
        SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1,
        SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::flag;
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The signals that end a process which does not expect them, and can be caught: without those of
    /// a broken program (SIGSEGV and the like), and without those that this process turns into errors
    /// (SIGPIPE, SIGXFSZ).
    const ENDING: [i32; 13] = [
        SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPROF, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU,
        SIGABRT, SIGTRAP, SIGSYS,
    ];

    /// Those that Linux has beside them: SIGSTKFLT, SIGIO, SIGPWR and the real-time signals.
    #[cfg(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    ))]
    fn further() -> impl Iterator<Item = i32> {
        [16, 29, 30].into_iter().chain(34..=64)
    }

    #[cfg(not(all(
        target_os = "linux",
        any(target_arch = "x86_64", target_arch = "aarch64")
    )))]
    fn further() -> impl Iterator<Item = i32> {
        std::iter::empty()
    }

    /// Makes a write beyond the limit of a file's size an error. Caught, SIGXFSZ ends nothing.
    pub(super) fn catch_size_limit() -> io::Result<()> {
        flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(|_| ())
    }

    /// Starts the thread, once. Without it the next process that writes the same file removes what a
    /// signal left: so it is no failure if there is none.
    pub(super) fn start() {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            let _ = catch_size_limit();
            // A signal that is caught and that no thread waits for would end nothing: so the thread
            // is there before.
            let (is_waiting, wait) = mpsc::channel();
            let thread = thread::Builder::new().name("signals".to_owned());
            let started = thread.spawn(move || {
                let signals = Signals::new(wanted(ENDING));
                if let Ok(signals) = &signals {
                    // Some C libraries keep a few of them for themselves.
                    wanted(further()).for_each(|signal| _ = signals.handle().add_signal(signal));
                }
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
        // Its default is not known there: the status is the one that a shell shows for it.
        process::exit(128 + signal);
    }

    fn wanted(signals: impl IntoIterator<Item = i32>) -> impl Iterator<Item = i32> {
        signals.into_iter().filter(|signal| !is_ignored(*signal))
    }

    /// Whether whoever started the process wants it to live on, as `nohup` does. Where the system
    /// does not tell, the signals that are ignored in practice, by `nohup` and by a shell for what it runs in
    /// the background, are left alone.
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
            None => [SIGHUP, SIGINT, SIGQUIT].contains(&signal),
        }
    }
}
