//! What differs between Unix, where nothing here blocks, and the other systems, where files are
//! taken as they come.

#[cfg(unix)]
pub(crate) use unix::{
    NO_READER, is_only_read, is_owned_by_user, is_ready, is_same, open, take_rights, takes_text,
    too_many_links,
};

#[cfg(not(unix))]
pub(crate) use others::{
    NO_READER, is_only_read, is_owned_by_user, is_ready, is_same, open, take_rights, takes_text,
    too_many_links,
};

/// What a file is waited for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wait {
    ToRead,
    ToWrite,
}

#[cfg(unix)]
mod unix {
    use std::fs::{File, FileType, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{
        FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _, fchown,
    };
    use std::path::Path;
    use std::time::{Duration, Instant};

    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use rustix::fs::OFlags;
    use rustix::io::Errno;

    use super::Wait;

    /// ENXIO: a FIFO that is opened to write, and that nobody has open to read.
    pub(crate) const NO_READER: i32 = Errno::NXIO.raw_os_error();

    /// Opens without waiting for the other end of a FIFO, and never as the terminal of the process.
    pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.custom_flags(flags.bits().cast_signed()).open(path)
    }

    /// Waits until something can be read or written, or never can again; `false` if time is over.
    pub(crate) fn is_ready(file: &File, wait: Wait, patience: Duration) -> io::Result<bool> {
        let wanted = match wait {
            Wait::ToRead => PollFlags::IN,
            Wait::ToWrite => PollFlags::OUT,
        };
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let left = Timespec::try_from(left).map_err(io::Error::other)?;
            match poll(&mut [PollFd::new(file, wanted)], Some(&left)) {
                Err(Errno::INTR) => {}
                other => return Ok(other? > 0),
            }
        }
    }

    /// Pipes and devices such as a terminal, which take a text; not disks.
    pub(crate) fn takes_text(kind: FileType) -> bool {
        kind.is_fifo() || kind.is_char_device()
    }

    pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.dev(), one.ino()) == (other.dev(), other.ino())
    }

    /// Whether an entry of `/proc/PID/fd` is open to be read and no more: the rights of the link say
    /// so, and opening it again would ask for those of the file instead. (Where such an entry is no
    /// link, opening it repeats what is open.)
    pub(crate) fn is_only_read(descriptor: &Path) -> bool {
        let there = std::fs::symlink_metadata(descriptor);
        there.is_ok_and(|there| there.is_symlink() && there.mode() & 0o200 == 0)
    }

    pub(crate) fn is_owned_by_user(file: &Metadata) -> bool {
        file.uid() == rustix::process::geteuid().as_raw()
    }

    /// Gives a new file the owner, as far as this process may, and the mode of the one that it
    /// replaces. Where the group cannot be kept, another group gets no more than everybody has.
    pub(crate) fn take_rights(file: &File, old: &Metadata) -> io::Result<()> {
        let group = Some(old.gid());
        let kept = fchown(file, Some(old.uid()), group).or_else(|_| fchown(file, None, group));
        let mode = match kept {
            Ok(()) => old.mode() & 0o7777,
            Err(_) => old.mode() & 0o707 | (old.mode() & 0o007) << 3,
        };
        file.set_permissions(Permissions::from_mode(mode))
    }

    pub(crate) fn too_many_links() -> io::Error {
        Errno::LOOP.into()
    }
}

#[cfg(not(unix))]
mod others {
    use std::fs::{File, FileType, Metadata, OpenOptions};
    use std::io;
    use std::path::Path;
    use std::time::Duration;

    use super::Wait;

    pub(crate) const NO_READER: i32 = i32::MIN;

    pub(crate) fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
        options.open(path)
    }

    pub(crate) fn is_ready(_: &File, _: Wait, _: Duration) -> io::Result<bool> {
        Ok(true)
    }

    pub(crate) fn takes_text(kind: FileType) -> bool {
        !kind.is_file() && !kind.is_dir()
    }

    pub(crate) fn is_same(one: &Metadata, other: &Metadata) -> bool {
        matches!((one.created(), other.created()), (Ok(one), Ok(other)) if one == other)
    }

    pub(crate) fn is_only_read(_: &Path) -> bool {
        false
    }

    pub(crate) fn is_owned_by_user(_: &Metadata) -> bool {
        true
    }

    pub(crate) fn take_rights(file: &File, old: &Metadata) -> io::Result<()> {
        file.set_permissions(old.permissions())
    }

    pub(crate) fn too_many_links() -> io::Error {
        io::Error::other("too many links")
    }
}
