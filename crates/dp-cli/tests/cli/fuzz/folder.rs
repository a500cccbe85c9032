//! The folder in which a line runs: made by `world.sh`, and made again when a line changed it.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::ROOT;

/// How a person makes such a folder.
pub(crate) const MADE_BY: &str =
    "after: sh REPOSITORY/crates/dp-cli/tests/cli/fuzz/world.sh REPOSITORY PROGRAM";

/// What a change of a file shows in: its kind and mode, inode, length, and time.
type Stamp = (u32, u64, u64, i64, i64);

#[derive(Debug)]
pub(crate) struct Folder {
    base: TempDir,
    stamps: BTreeMap<PathBuf, Stamp>,
}

impl Folder {
    pub(crate) fn new(program: &Path) -> Self {
        let base = tempfile::tempdir().expect("a folder");
        let made = base.path().join("made");
        fs::create_dir(&made).expect("a folder");
        let script = Path::new(ROOT).join("crates/dp-cli/tests/cli/fuzz/world.sh");
        let mut command = Command::new("sh");
        let command = command
            .arg(script)
            .arg(ROOT)
            .arg(program)
            .current_dir(&made);
        assert!(command.status().expect("a shell").success(), "world.sh");
        let mut folder = Self {
            base,
            stamps: BTreeMap::new(),
        };
        folder.copy();
        folder
    }

    /// Where the line runs.
    pub(crate) fn path(&self) -> PathBuf {
        self.base.path().join("run")
    }

    /// A file beside it, for what the program says.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.base.path().join(name)
    }

    fn copy(&mut self) {
        let run = self.path();
        if run.exists() {
            open_up(&run);
            fs::remove_dir_all(&run).expect("its own folder");
        }
        let mut command = Command::new("cp");
        let command = command
            .arg("-a")
            .arg(self.base.path().join("made"))
            .arg(&run);
        assert!(command.status().expect("cp").success(), "cp -a");
        self.stamps = stamps(&run);
    }

    /// Makes the folder as it was, with this `extra`.
    pub(crate) fn prepare(&mut self, extra: Option<&(&str, Vec<u8>)>) {
        let found = stamps(&self.path());
        if found != self.stamps {
            self.copy();
        }
        if let Some((name, bytes)) = extra {
            let path = self.path().join(name);
            fs::write(&path, bytes).expect("a file");
            self.stamps.insert(PathBuf::from(name), stamp(&path));
        }
    }

    /// What was added, removed or altered since.
    pub(crate) fn changes(&mut self, extra: Option<&(&str, Vec<u8>)>) -> Vec<Change> {
        let found = stamps(&self.path());
        let mut changes: Vec<Change> = Vec::new();
        for (path, stamp) in &found {
            match self.stamps.get(path) {
                None => changes.push(Change {
                    path: path.clone(),
                    is_new: true,
                }),
                Some(before) if before != stamp => changes.push(Change {
                    path: path.clone(),
                    is_new: false,
                }),
                Some(_) => {}
            }
        }
        let lost = self.stamps.keys().filter(|path| !found.contains_key(*path));
        changes.extend(lost.map(|path| Change {
            path: path.clone(),
            is_new: false,
        }));
        if let Some((name, _)) = extra {
            let _ = fs::remove_file(self.path().join(name));
            self.stamps.remove(Path::new(name));
        }
        changes
    }
}

/// A file that a line left, altered or removed.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) path: PathBuf,
    pub(crate) is_new: bool,
}

impl Drop for Folder {
    /// So that what is sealed can be removed by who is not root.
    fn drop(&mut self) {
        for name in ["made", "run"] {
            open_up(&self.base.path().join(name));
        }
    }
}

fn open_up(folder: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let _ = fs::set_permissions(folder.join("sealed"), fs::Permissions::from_mode(0o755));
}

fn stamp(path: &Path) -> Stamp {
    let found = fs::symlink_metadata(path).expect("it is there");
    if found.is_dir() {
        // Its entries are looked at themselves.
        return (found.mode(), found.ino(), 0, 0, 0);
    }
    let device = !(found.is_file() || found.is_symlink());
    let time = if device {
        (0, 0)
    } else {
        (found.mtime(), found.mtime_nsec())
    };
    (found.mode(), found.ino(), found.len(), time.0, time.1)
}

fn stamps(folder: &Path) -> BTreeMap<PathBuf, Stamp> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let Ok(entries) = fs::read_dir(&next) else {
            continue;
        };
        for entry in entries {
            let path = entry.expect("an entry").path();
            let own = path.strip_prefix(folder).expect("in it").to_owned();
            let stamp = stamp(&path);
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_dir()) {
                folders.push(path);
            }
            found.insert(own, stamp);
        }
    }
    found
}
