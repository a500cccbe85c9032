//! What is written: new files, files that are there, links, pipes, devices, and what is left behind.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::thread;

use dp_files::{FileError, Found, OutputFile, Overwrite, Reason};

use crate::{fifo, folder, mode, names, read};

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

fn write(path: &Path, overwrite: Overwrite, text: &str) -> Result<(), FileError> {
    OutputFile::prepare(path, overwrite)?.write(|writer| writer.write_all(text.as_bytes()))
}

#[test]
fn a_new_file_appears_whole_with_the_mode_of_new_files_or_private() {
    let folder = folder();
    let (path, other) = (folder.path().join("new"), folder.path().join("other"));
    let file = OutputFile::prepare(&path, own()).expect("prepared");
    assert!(names(&folder).is_empty(), "nothing before it is written");
    file.write(|writer| writer.write_all(b"own text")).expect("written");
    fs::write(&other, "").expect("written");
    assert_eq!((read(&path).as_str(), mode(&path)), ("own text", mode(&other)));
    let secret = folder.path().join("private");
    let file = OutputFile::private(&secret, own()).expect("prepared");
    file.write(|writer| writer.write_all(b"own")).expect("written");
    assert_eq!(mode(&secret), 0o600);
    assert_eq!(names(&folder), ["new", "other", "private"]);
}

#[test]
fn what_is_there_keeps_its_mode_and_its_owner_and_read_only_its_content() {
    let folder = folder();
    let path = folder.path().join("file");
    for kept in [0o600, 0o640, 0o666] {
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
    fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
    for overwrite in [own(), forced()] {
        let refused = write(&path, overwrite, "own 3").unwrap_err();
        assert!(matches!(refused.reason(), Reason::ReadOnly), "{refused}");
    }
    assert_eq!((read(&path).as_str(), mode(&path)), ("own 2", 0o444));
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn the_file_of_another_is_replaced_by_force_alone_and_what_is_kept_never() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "thesis").expect("written");
    let refused = write(&path, own(), "own").unwrap_err();
    assert!(matches!(refused.reason(), Reason::Foreign { .. }));
    write(&path, forced(), "own 1").expect("forced");
    write(&path, own(), "own 2").expect("one's own by now");
    fs::write(&path, "").expect("emptied");
    write(&path, own(), "own 3").expect("nothing is lost");
    // Also if it was put there while the work was done.
    let late = folder.path().join("late");
    let file = OutputFile::prepare(&late, own()).expect("prepared");
    fs::write(&late, "thesis").expect("written");
    let refused = file.write(|writer| writer.write_all(b"own")).unwrap_err();
    assert!(matches!(refused.reason(), Reason::Foreign { .. }));
    // A ledger, and an input by any name, not even by force.
    fs::write(&late, "ledger").expect("written");
    let refused = write(&late, forced(), "own").unwrap_err();
    assert!(matches!(refused.reason(), Reason::Kept { .. }));
    let [hard, link, missing] = ["hard", "link", "missing"].map(|name| folder.path().join(name));
    fs::hard_link(&path, &hard).expect("a link");
    symlink("file", &link).expect("a link");
    let sparing = forced().sparing([path.clone(), missing.clone()]);
    for name in [&path, &hard, &link, &missing] {
        let refused = write(name, sparing.clone(), "own").unwrap_err();
        assert!(matches!(refused.reason(), Reason::Input), "{refused}");
    }
    assert_eq!((read(&path).as_str(), read(&late).as_str()), ("own 3", "ledger"));
    assert_eq!(names(&folder), ["file", "hard", "late", "link"]);
}

#[test]
fn links_stay_and_their_target_is_written() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).expect("a folder");
    fs::write(at("sub/file"), "own 1").expect("written");
    let links = [("sub/file", "link"), ("link", "chain"), ("sub/new", "dangling")];
    for (target, link) in links {
        symlink(target, at(link)).expect("a link");
        let text = format!("own {link}");
        write(&at(link), own(), &text).expect("written");
        assert!(at(link).is_symlink());
        assert_eq!(read(&at(target)), text);
    }
    symlink("loop", at("loop")).expect("a link");
    assert!(write(&at("loop"), own(), "own").is_err());
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
    }
    assert!(names(&folder).is_empty());
    write(&folder.path().join(&longest), own(), "own").expect("a long name");
}

#[test]
fn pipes_and_devices_are_written_to_and_never_replaced() {
    write(Path::new("/dev/null"), own(), "own").expect("written");
    let full = write(Path::new("/dev/full"), own(), "own").unwrap_err();
    assert_eq!(io::Error::from(full).kind(), ErrorKind::StorageFull);
    let folder = folder();
    let path = fifo(&folder);
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
}

#[test]
fn a_failure_leaves_the_old_content_and_nothing_else() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "own 1").expect("written");
    let file = OutputFile::prepare(&path, own()).expect("prepared");
    let refused = OutputFile::prepare(&path, own()).unwrap_err();
    assert!(matches!(refused.reason(), Reason::InUse), "{refused}");
    let failed = file.write(|writer: &mut dyn Write| {
        writer.write_all(&[b'x'; 100_000])?;
        Err(io::Error::other("no more"))
    });
    assert!(failed.unwrap_err().to_string().ends_with("file: no more"));
    drop(OutputFile::prepare(&path, own()).expect("prepared"));
    assert_eq!(read(&path), "own 1");
    assert_eq!(names(&folder), ["file"]);
}
