//! What is written: new files, files that are there, links, pipes, devices, and what is left
//! behind.

use std::env;
use std::fs::{self, Permissions};
use std::io::{self, ErrorKind, Read as _, Write};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use dp_files::{FileError, OutputFile, Reason, first_mixed, lead_to_one_file};

use crate::{fifo, folder, mode, names, read};

fn is_own(beginning: &[u8]) -> bool {
    beginning.starts_with(b"own")
}

fn prepare(path: &Path) -> Result<OutputFile, FileError> {
    OutputFile::prepare(path, is_own)
}

fn write(path: &Path, is_forced: bool, text: &str) -> Result<(), FileError> {
    let file = OutputFile::prepare(path, move |beginning| is_forced || is_own(beginning))?;
    file.write(|writer| writer.write_all(text.as_bytes()))
}

#[test]
fn a_new_file_appears_whole_with_the_mode_of_new_files() {
    let folder = folder();
    let (path, other) = (folder.path().join("new"), folder.path().join("other"));
    let file = prepare(&path).expect("prepared");
    assert!(names(&folder).is_empty(), "nothing before it is written");
    file.write(|writer| writer.write_all(b"own text")).expect("written");
    fs::write(&other, "").expect("written");
    assert_eq!((read(&path).as_str(), mode(&path)), ("own text", mode(&other)));
    assert_eq!(names(&folder), ["new", "other"]);
}

#[test]
fn what_is_there_keeps_its_mode_and_its_owner_and_read_only_its_content() {
    let folder = folder();
    let path = folder.path().join("file");
    for kept in [0o600, 0o640, 0o666] {
        fs::write(&path, "own 1").expect("written");
        fs::set_permissions(&path, Permissions::from_mode(kept)).expect("set");
        let before = fs::metadata(&path).expect("there");
        write(&path, false, "own 2").expect("written");
        let after = fs::metadata(&path).expect("there");
        assert_eq!(after.mode(), before.mode(), "{kept:o}");
        assert_eq!((after.uid(), after.gid()), (before.uid(), before.gid()));
        assert_ne!(after.ino(), before.ino(), "replaced, not overwritten");
        assert_eq!(read(&path), "own 2");
    }
    fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("set");
    for is_forced in [false, true] {
        let refused = write(&path, is_forced, "own 3").unwrap_err();
        assert!(matches!(refused.reason(), Reason::ReadOnly), "{refused}");
    }
    assert_eq!((read(&path).as_str(), mode(&path)), ("own 2", 0o444));
    assert_eq!(names(&folder), ["file"]);
}

#[test]
fn the_file_of_another_is_replaced_by_force_alone() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "thesis").expect("written");
    let refused = write(&path, false, "own").unwrap_err();
    assert!(matches!(refused.reason(), Reason::Foreign));
    write(&path, true, "own 1").expect("forced");
    write(&path, false, "own 2").expect("one's own by now");
    fs::write(&path, "").expect("emptied");
    write(&path, false, "own 3").expect("nothing is lost");
    // Also if it was put there while the work was done.
    let late = folder.path().join("late");
    let file = prepare(&late).expect("prepared");
    fs::write(&late, "thesis").expect("written");
    let refused = file.write(|writer| writer.write_all(b"own")).unwrap_err();
    assert!(matches!(refused.reason(), Reason::Foreign));
    assert_eq!((read(&path).as_str(), read(&late).as_str()), ("own 3", "thesis"));
    assert_eq!(names(&folder), ["file", "late"]);
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
        write(&at(link), false, &text).expect("written");
        assert!(at(link).is_symlink());
        assert_eq!(read(&at(target)), text);
    }
    symlink("loop", at("loop")).expect("a link");
    assert!(write(&at("loop"), false, "own").is_err());
    assert_eq!(names(&folder), ["chain", "dangling", "link", "loop", "sub"]);
    assert_eq!(fs::read_dir(at("sub")).expect("a folder").count(), 2);
}

#[test]
fn a_name_that_the_system_refuses_is_refused_before_the_work() {
    let folder = folder();
    let (long, longest) = ("x".repeat(256), "x".repeat(255));
    for name in [long.as_str(), "no/such", "a\0b", "sub/", ".", "..", ""] {
        let path = folder.path().join(name);
        let refused = OutputFile::prepare(&path, is_own).unwrap_err();
        assert!(matches!(refused.reason(), Reason::System(_)), "{refused}");
    }
    assert!(names(&folder).is_empty());
    write(&folder.path().join(&longest), false, "own").expect("a long name");
}

#[test]
fn pipes_and_devices_are_written_to_and_never_replaced() {
    write(Path::new("/dev/null"), false, "own").expect("written");
    let full = write(Path::new("/dev/full"), false, "own").unwrap_err();
    assert_eq!(io::Error::from(full).kind(), ErrorKind::StorageFull);
    let (mut reader, writer) = io::pipe().expect("a pipe");
    let reader = thread::spawn(move || {
        let mut text = String::new();
        reader.read_to_string(&mut text).map(|_| text)
    });
    // More than a pipe holds.
    let text = "own ".repeat(50_000);
    let passed = format!("/proc/self/fd/{}", writer.as_raw_fd());
    write(Path::new(&passed), false, &text).expect("written");
    drop(writer);
    assert_eq!(reader.join().expect("no panic").expect("read"), text);
    // Nobody reads from a named one.
    let folder = folder();
    let refused = write(&fifo(&folder), true, &text).unwrap_err();
    assert!(matches!(refused.reason(), Reason::Kind), "{refused}");
    // Nor is a file written by a name that begins like that of a device.
    let file = folder.path().join("file");
    fs::write(&file, "own").expect("written");
    let paths = ["/dev/..", "//proc/self/root"].map(|begin| format!("{begin}{}", file.display()));
    for path in paths.into_iter().chain(["/../dev/dp-files".to_owned()]) {
        let refused = write(Path::new(&path), true, "own 2").unwrap_err();
        assert!(matches!(refused.reason(), Reason::Detour), "{refused}");
    }
    assert_eq!((names(&folder), read(&file)), (vec!["file".into(), "pipe".into()], "own".into()));
}

const PLACE: &str = "DP_FILES_TEST_PLACE";

/// This test, run as a process of its own: it prepares an output and writes none, until it is
/// killed, or for a minute.
#[test]
fn a_process_that_prepares() {
    let begun = Instant::now();
    while let Some(path) = env::var_os(PLACE)
        && begun.elapsed() < Duration::from_secs(60)
    {
        // The other process may remove its file at any moment.
        let _ = OutputFile::prepare(Path::new(&path), is_own);
        let there = fs::metadata(&path);
        assert!(there.map_or(true, |there| there.len() == 3), "an empty file");
    }
}

#[test]
fn what_one_process_has_written_stays_while_another_one_prepares() {
    let folder = folder();
    let path = folder.path().join("out");
    let child = Command::new(env::current_exe().expect("this test"))
        .args(["output::a_process_that_prepares", "--exact"])
        .env(PLACE, &path)
        .spawn();
    let mut child = child.expect("it runs");
    let mut vanished = 0;
    for _ in 0..500 {
        let written = write(&path, false, "own");
        thread::sleep(Duration::from_micros(200));
        vanished += usize::from(written.is_err() || fs::remove_file(&path).is_err());
    }
    let is_alive = child.try_wait().expect("a child").is_none();
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert!(is_alive && vanished == 0, "{vanished} of 500 outputs vanished");
}

#[test]
fn what_a_kill_has_left_goes_with_the_first_output_of_a_process_in_that_folder() {
    let folder = folder();
    let left = folder.path().join(".dp-files-killed");
    for is_first in [true, false] {
        fs::write(&left, "half").expect("written");
        write(&folder.path().join("out"), false, "own").expect("written");
        // A folder of many files is read once.
        assert_eq!(left.exists(), !is_first);
    }
}

#[test]
fn paths_that_lead_to_one_file_are_found_by_its_identity() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    symlink("new", at("link")).expect("a link");
    symlink("loop", at("loop")).expect("a link");
    fs::write(at("there"), "").expect("written");
    fs::hard_link(at("there"), at("hard")).expect("a link");
    // A device may take several outputs; what is in memory is a file.
    assert!(!lead_to_one_file(Path::new("/dev/null"), Path::new("/dev/null")));
    let memory = Path::new("/dev/shm/dp-files");
    assert!(lead_to_one_file(memory, memory) || !memory.parent().is_some_and(Path::exists));
    for (one, same, other) in [
        ("new", "./new", "newer"),
        ("new", "link", "there"),
        ("there", "hard", "link"),
        ("link", "link", "loop"),
    ] {
        assert!(lead_to_one_file(&at(one), &at(same)), "{one}, {same}");
        assert!(!lead_to_one_file(&at(one), &at(other)), "{one}, {other}");
        let [one, same, other] = [at(one), at(same), at(other)];
        assert_eq!(first_mixed(&[Some(&other), Some(&one), None, Some(&same)]), Some([1, 3]));
        assert_eq!(first_mixed(&[Some(&one), Some(&other), None]), None);
    }
    assert_eq!(first_mixed(&[None, Some(&memory.join("none")), None]), Some([0, 2]));
}

#[test]
fn a_failure_leaves_the_old_content_and_nothing_else() {
    let folder = folder();
    let path = folder.path().join("file");
    fs::write(&path, "own 1").expect("written");
    let file = prepare(&path).expect("prepared");
    let failed = file.write(|writer: &mut dyn Write| {
        writer.write_all(&[b'x'; 100_000])?;
        Err(io::Error::other("no more"))
    });
    assert!(failed.unwrap_err().to_string().ends_with("file: no more"));
    drop(prepare(&path).expect("prepared"));
    assert_eq!(read(&path), "own 1");
    assert_eq!(names(&folder), ["file"]);
}
