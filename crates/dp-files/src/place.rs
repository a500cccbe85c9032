//! Where a path leads: to an open descriptor of this process, or to a name in a folder.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use crate::error::is_a_directory;
use crate::system;

/// The most symbolic links that are followed, as on Linux.
const MAX_LINKS: usize = 40;

/// Where something is written.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// What this process has as its standard output, whatever that is.
    Stdout,
    /// The same of standard error.
    Stderr,
    /// Another open descriptor, of this process or another one, by its path.
    Descriptor(PathBuf),
    /// A name in a folder that exists; nothing need be there, and if something is, it is no link.
    Name(PathBuf),
}

impl Place {
    /// Follows every link, also one that leads to nothing yet.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut path = path.to_owned();
        for _ in 0..MAX_LINKS {
            let (folder, name) = split(&path)?;
            let folder = fs::canonicalize(folder)?;
            if let Some(descriptor) = descriptor(&folder, name) {
                return Ok(descriptor);
            }
            let place = folder.join(name);
            match fs::symlink_metadata(&place) {
                Ok(metadata) if metadata.is_symlink() => path = folder.join(fs::read_link(place)?),
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => return Ok(Self::Name(place)),
            }
        }
        Err(system::too_many_links())
    }
}

/// The folder and the name of a file. A path whose end says "directory" has none.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    if path.as_os_str().is_empty() {
        return Err(ErrorKind::NotFound.into());
    }
    let text = path.as_os_str().as_encoded_bytes();
    let says_directory = text.ends_with(b"/") || text.ends_with(b"/.");
    match (path.file_name(), path.parent()) {
        (Some(name), Some(folder)) if !says_directory => {
            let here = Path::new(".");
            let is_here = folder.as_os_str().is_empty();
            Ok((if is_here { here } else { folder }, name))
        }
        _ => Err(is_a_directory()),
    }
}

/// The entries of `/dev/fd`, which on Linux is `/proc/PID/fd`. They look like links to files; a file
/// that was opened for appending, or up to some place, is written where it stands, though.
fn descriptor(folder: &Path, name: &OsStr) -> Option<Place> {
    let number: u32 = name.to_str()?.parse().ok()?;
    let parts: Vec<&OsStr> = folder.components().map(Component::as_os_str).collect();
    let parts: Vec<&str> = parts.iter().filter_map(|part| part.to_str()).collect();
    let process = match parts.as_slice() {
        ["/", "dev", "fd"] => std::process::id().to_string(),
        ["/", "proc", process, "fd"] | ["/", "proc", process, "task", _, "fd"] => {
            (*process).to_owned()
        }
        _ => return None,
    };
    let is_own = process == std::process::id().to_string();
    Some(match number {
        1 if is_own => Place::Stdout,
        2 if is_own => Place::Stderr,
        _ => Place::Descriptor(folder.join(name)),
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_are_followed_to_their_end_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir(root.join("sub")).unwrap();
        for (target, link) in [
            ("sub/none", "dangling"),
            ("dangling", "chain"),
            ("loop", "loop"),
            ("/dev/stdout", "sub/out"),
            ("no/such", "lost"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let end = Place::Name(root.join("sub/none"));
        for name in ["dangling", "chain", "sub/none", "sub/../sub/./none"] {
            assert_eq!(Place::of(&root.join(name)).unwrap(), end, "{name}");
        }
        for name in ["loop", "lost", "no/such", "", "sub/", "sub/.", "..", "new/"] {
            assert!(Place::of(&root.join(name)).is_err(), "{name}");
        }
        assert_eq!(
            Place::of(Path::new("")).unwrap_err().kind(),
            ErrorKind::NotFound
        );
        assert_eq!(Place::of(&root.join("sub/out")).unwrap(), Place::Stdout);
    }

    #[test]
    fn a_descriptor_is_not_the_file_that_it_leads_to() {
        for (path, place) in [
            ("/dev/stdout", Place::Stdout),
            ("/dev/stderr", Place::Stderr),
            ("/dev/fd/1", Place::Stdout),
        ] {
            assert_eq!(Place::of(Path::new(path)).unwrap(), place, "{path}");
        }
        let other = Place::of(Path::new("/dev/fd/7")).unwrap();
        assert!(matches!(other, Place::Descriptor(_)), "{other:?}");
        let name = Place::of(Path::new("/dev/full")).unwrap();
        assert_eq!(name, Place::Name("/dev/full".into()));
    }
}
