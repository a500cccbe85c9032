//! What is written: new files, files that are there, links, pipes, devices, and what is left behind.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::thread;

use dp_files::{FileError, Found, Input, OutputFile, Overwrite, Reason};
use tempfile::TempDir;

use crate::fifo;

/// Replaces a text that begins so, spares a ledger, and by force anything else.
fn own() -> Overwrite {
    Overwrite::new(|_, beginning| match beginning {
        [b'o', b'w', b'n', ..] => Found::Own,
        [b'l', b'e', b'd', b'g', b'e', b'r', ..] => Found::Kept("a ledger".into()),
        _ => Found::Foreign("not of this program".into()),
    })
}

fn forced() -> Overwrite {
    own().by_force(true)
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn write(path: &Path, overwrite: Overwrite, text: &str) -> Result<(), FileError> {
    OutputFile::prepare(path, overwrite)?.write(|writer| writer.write_all(text.as_bytes()))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file")
}

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).expect("a folder");
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = entries
        .map(|entry| name(entry).into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("a file").mode() & 0o7777
}

#[test]
fn a_new_file_appears_whole_with_the_mode_of_new_files() {
    let folder = folder();
    let (path, other) = (folder.path().join("new"), folder.path().join("other"));
    let file = OutputFile::prepare(&path, own()).expect("prepared");
    assert!(!path.exists(), "nothing before it is written");
    file.write(|writer| writer.write_all(b"own text"))
        .expect("written");
    assert_eq!(read(&path), "own text");
    fs::write(&other, "").expect("written");
    assert_eq!(mode(&path), mode(&other));
    assert_eq!(names(&folder), ["new", "other"]);
}

#[test]
fn what_is_there_keeps_its_mode_and_its_owner() {
    let folder = folder();
    let path = folder.path().join("file");
    for kept in [0o600, 0o640, 0o644, 0o666] {
        fs::write(&path, "own 1").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(kept)).expect("set");
        let before = fs::metadata(&path).expect("there");
        write(&path, own(), "own 2").expect("written");
        let after = fs::metadata(&path).expect("there");
        assert_eq!(after.mode(), before.mode(), "{kept:o}");
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "replaced, not overwritten");
        assert_eq!(read(&path), "own 2");
    }
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn a_read_only_file_is_refused_even_to_the_superuser_and_by_force() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "own 1").expect("written");
    fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
    for overwrite in [own(), forced()] {
        let refused = write(&path, overwrite, "own 2").unwrap_err();
        assert!(matches!(refused.reason(), Reason::ReadOnly), "{refused}");
    }
    assert_eq!((read(&path).as_str(), mode(&path)), ("own 1", 0o444));
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn the_file_of_another_is_replaced_by_force_alone() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "thesis").expect("written");
    let refused = write(&path, own(), "own").unwrap_err();
    assert!(
        matches!(refused.reason(), Reason::Foreign { .. }),
        "{refused}"
    );
    assert_eq!(read(&path), "thesis");
    write(&path, forced(), "own 1").expect("forced");
    write(&path, own(), "own 2").expect("one's own by now");
    fs::write(&path, "").expect("emptied");
    write(&path, own(), "own 3").expect("nothing is lost");
    assert_eq!(read(&path), "own 3");
    // Also if it was put there while the work was done.
    let late = folder.path().join("late");
    let file = OutputFile::prepare(&late, own()).expect("prepared");
    fs::write(&late, "thesis").expect("written");
    let refused = file.write(|writer| writer.write_all(b"own")).unwrap_err();
    assert!(
        matches!(refused.reason(), Reason::Foreign { .. }),
        "{refused}"
    );
    assert_eq!(read(&late), "thesis");
    assert_eq!(names(&folder), ["file", "late"]);
}

#[test]
fn links_stay_and_their_target_is_written() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).expect("a folder");
    fs::write(at("sub/file"), "own 1").expect("written");
    for (target, link) in [
        ("sub/file", "link"),
        ("link", "chain"),
        ("sub/new", "dangling"),
    ] {
        symlink(target, at(link)).expect("a link");
    }
    symlink("loop", at("loop")).expect("a link");
    for (name, target) in [
        ("link", "sub/file"),
        ("chain", "sub/file"),
        ("dangling", "sub/new"),
    ] {
        write(&at(name), own(), &format!("own {name}")).expect("written");
        assert!(at(name).is_symlink(), "{name}");
        assert_eq!(read(&at(target)), format!("own {name}"));
    }
    let refused = write(&at("loop"), own(), "own").unwrap_err();
    assert!(refused.to_string().contains("symbolic links"), "{refused}");
    assert_eq!(names(&folder), ["chain", "dangling", "link", "loop", "sub"]);
    assert_eq!(fs::read_dir(at("sub")).expect("a folder").count(), 2);
}

#[test]
fn a_name_that_the_system_refuses_is_refused_before_the_work() {
    let folder = folder();
    let (long, longest) = ("x".repeat(256), "x".repeat(255));
    for name in [long.as_str(), "no/such", "a\0b", "sub/", ".", "..", ""] {
        let path = folder.path().join(name);
        let refused = OutputFile::prepare(&path, forced()).unwrap_err();
        assert!(matches!(refused.reason(), Reason::System(_)), "{refused}");
        assert!(
            refused.to_string().starts_with(&dp_exact::shown(&path)),
            "{refused}"
        );
    }
    assert!(names(&folder).is_empty());
    write(&folder.path().join(&longest), own(), "own").expect("a long name");
    assert_eq!(names(&folder), [longest]);
}

#[test]
fn a_device_is_written_to_and_never_replaced() {
    let kind = |path: &str| fs::symlink_metadata(path).expect("there").file_type();
    let before = [kind("/dev/null"), kind("/dev/full")];
    write(Path::new("/dev/null"), own(), "own").expect("written");
    let full = write(Path::new("/dev/full"), own(), "own").unwrap_err();
    let Reason::System(error) = full.reason() else {
        panic!("{full}")
    };
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert_eq!([kind("/dev/null"), kind("/dev/full")], before);
}

#[test]
fn a_pipe_is_written_to_if_somebody_reads_it() {
    let folder = folder();
    let path = fifo(&folder);
    let refused = OutputFile::prepare(&path, own()).unwrap_err();
    assert!(
        refused
            .to_string()
            .ends_with("pipe: nothing was read from it for 2 seconds")
    );
    let reader = thread::spawn({
        let path = path.clone();
        move || {
            let mut text = String::new();
            File::open(path)?.read_to_string(&mut text).map(|_| text)
        }
    });
    // More than a pipe holds.
    let text = "own ".repeat(50_000);
    write(&path, own(), &text).expect("written");
    assert_eq!(reader.join().expect("no panic").expect("read"), text);
    assert_eq!(names(&folder), ["pipe"]);
    // Its reader goes away.
    let reader = Input::open(&path).expect("open");
    let file = OutputFile::prepare(&path, own()).expect("prepared");
    drop(reader);
    let lost = file.write(|writer| writer.write_all(b"own")).unwrap_err();
    assert_eq!(io::Error::from(lost).kind(), ErrorKind::BrokenPipe);
}

#[test]
fn a_failure_leaves_the_old_content_and_nothing_else() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "own 1").expect("written");
    let file = OutputFile::prepare(&path, own()).expect("prepared");
    let failed = file.write(|writer: &mut dyn Write| {
        writer.write_all(&[b'x'; 100_000])?;
        Err(io::Error::other("no more"))
    });
    assert!(failed.unwrap_err().to_string().ends_with("file: no more"));
    drop(OutputFile::prepare(&path, own()).expect("prepared"));
    assert_eq!(read(&path), "own 1");
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_a_living_one_writes_is_not() {
    let folder = folder();
    let path = folder.path().join("file");
    let living = OutputFile::prepare(&path, own()).expect("prepared");
    let refused = OutputFile::prepare(&path, own()).unwrap_err();
    assert!(matches!(refused.reason(), Reason::InUse), "{refused}");
    let [beside] = names(&folder).try_into().expect("one file");
    living
        .write(|writer| writer.write_all(b"own 1"))
        .expect("written");
    assert_eq!(names(&folder), ["file"]);

    let beside = folder.path().join(beside);
    fs::write(&beside, "half a rep").expect("written");
    write(&path, own(), "own 2").expect("written");
    assert_eq!(names(&folder), ["file"]);

    // A link is not followed, and what cannot be removed is left alone.
    let victim = folder.path().join("victim");
    fs::write(&victim, "thesis").expect("written");
    symlink(&victim, &beside).expect("a link");
    write(&path, own(), "own 3").expect("written");
    assert_eq!(
        (read(&victim).as_str(), read(&path).as_str()),
        ("thesis", "own 3")
    );
    assert!(beside.is_symlink());
}

/// It looks like a link to the file, which its owner may write.
#[cfg(target_os = "linux")]
#[test]
fn a_descriptor_that_is_open_to_be_read_is_not_written_to() {
    use std::os::fd::AsRawFd as _;
    let folder = folder();
    let path = folder.path().join("data.csv");
    fs::write(&path, "data").expect("written");
    let file = File::open(&path).expect("open");
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    let error = write(Path::new(&descriptor), forced(), "own").unwrap_err();
    assert!(matches!(error.reason(), Reason::ReadOnly), "{error}");
    assert_eq!(read(&path), "data");
    let file = File::options().write(true).open(&path).expect("open");
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    write(Path::new(&descriptor), forced(), " own").expect("written");
    assert_eq!(read(&path), "data own");
}

#[test]
fn what_was_put_in_place_of_the_file_beside_is_not_taken_for_it() {
    let folder = folder();
    let path = folder.path().join("file");
    let prepared = OutputFile::prepare(&path, own()).expect("prepared");
    let beside = folder.path().join(&names(&folder)[0]);
    fs::remove_file(&beside).expect("removed");
    fs::write(&beside, "a thesis").expect("written");
    let error = prepared
        .write(|writer| writer.write_all(b"own"))
        .unwrap_err();
    assert!(matches!(error.reason(), Reason::System(_)), "{error}");
    assert!(!path.exists());
    assert_eq!(read(&beside), "a thesis");
}

#[test]
fn what_is_kept_nowhere_else_is_never_replaced() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("spent"), "ledger 1").expect("written");
    symlink("spent", at("link")).expect("a link");
    fs::hard_link(at("spent"), at("hard")).expect("a link");
    for name in ["spent", "link", "hard", "./spent"] {
        for overwrite in [own(), forced()] {
            let refused = write(&at(name), overwrite, "own").unwrap_err();
            assert!(matches!(refused.reason(), Reason::Kept { .. }), "{refused}");
            assert!(refused.to_string().contains("it is a ledger"), "{refused}");
        }
    }
    // Also if it was begun while the work was done.
    let late = at("late");
    let file = OutputFile::prepare(&late, forced()).expect("prepared");
    fs::write(&late, "ledger 2").expect("written");
    let refused = file.write(|writer| writer.write_all(b"own")).unwrap_err();
    assert!(matches!(refused.reason(), Reason::Kept { .. }), "{refused}");
    assert_eq!([read(&at("spent")), read(&late)], ["ledger 1", "ledger 2"]);
    assert_eq!(names(&folder), ["hard", "late", "link", "spent"]);
}

#[test]
fn an_input_is_never_replaced_under_whatever_name() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).expect("a folder");
    for content in ["own 1", "thesis", "", "ledger"] {
        fs::write(at("data"), content).expect("written");
        let _ = fs::remove_file(at("hard"));
        fs::hard_link(at("data"), at("hard")).expect("a link");
        if !at("link").is_symlink() {
            symlink("data", at("link")).expect("a link");
        }
        for input in ["data", "link", "hard", "sub/../data"] {
            for output in ["data", "link", "hard", "./sub/.././data"] {
                for overwrite in [own(), forced()] {
                    let overwrite = overwrite.sparing([at("no such"), at(input)]);
                    let refused = write(&at(output), overwrite, "own 2").unwrap_err();
                    assert!(matches!(refused.reason(), Reason::Input), "{refused}");
                }
            }
        }
        assert_eq!(read(&at("data")), content);
    }
    // One that is not there yet, as a ledger that the command begins.
    symlink("new", at("dangling")).expect("a link");
    for output in ["new", "dangling", "sub/../new"] {
        let overwrite = forced().sparing([at("new")]);
        let refused = write(&at(output), overwrite, "own").unwrap_err();
        assert!(matches!(refused.reason(), Reason::Input), "{refused}");
    }
    write(&at("other"), own().sparing([at("data")]), "own").expect("another file");
}

/// Bytes at the end of a ledger damage it as well.
#[cfg(target_os = "linux")]
#[test]
fn what_is_kept_is_not_appended_to_through_a_descriptor() {
    use std::os::fd::AsRawFd as _;
    let folder = folder();
    let path = folder.path().join("spent");
    fs::write(&path, "ledger 1").expect("written");
    let file = File::options().write(true).open(&path).expect("open");
    let descriptor = format!("/proc/self/fd/{}", file.as_raw_fd());
    let refused = write(Path::new(&descriptor), forced(), "own").unwrap_err();
    assert!(matches!(refused.reason(), Reason::Kept { .. }), "{refused}");
    fs::write(&path, "data").expect("written");
    let overwrite = forced().sparing([path.clone()]);
    let refused = write(Path::new(&descriptor), overwrite, "own").unwrap_err();
    assert!(matches!(refused.reason(), Reason::Input), "{refused}");
    assert_eq!(read(&path), "data");
}
