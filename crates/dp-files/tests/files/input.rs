//! What is read: regular files, links, pipes with and without a writer, devices.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;
use std::time::Duration;

use dp_files::{Input, Reason, read_limited};

use crate::fifo;

const SHORT: Duration = Duration::from_millis(100);

#[test]
fn a_regular_file_is_read_up_to_its_limit_also_through_a_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    let content = b"0123456789".repeat(10_000);
    fs::write(&file, &content).expect("written");
    symlink("file", &link).expect("a link");
    for path in [&file, &link] {
        assert_eq!(read_limited(path, 100_000).expect("read"), content);
        let refused = read_limited(path, 99_999).unwrap_err();
        assert!(matches!(refused.reason(), Reason::TooLong { max: 99_999 }));
        let text = refused.to_string();
        assert!(
            text.ends_with("link: longer than 99999 bytes") || path == &file,
            "{text}"
        );
    }
    fs::write(&file, "").expect("written");
    assert_eq!(read_limited(&file, 0).expect("empty"), b"");
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    symlink("loop", folder.path().join("loop")).expect("a link");
    let long = "x".repeat(256);
    for (name, kind) in [
        ("", Some(ErrorKind::IsADirectory)),
        ("none", Some(ErrorKind::NotFound)),
        ("none/none", Some(ErrorKind::NotFound)),
        ("loop", None),
        (long.as_str(), Some(ErrorKind::InvalidFilename)),
        ("a\0b", Some(ErrorKind::InvalidInput)),
    ] {
        let path = folder.path().join(name);
        let error = Input::open(&path).unwrap_err();
        assert_eq!(error.path(), path);
        let text = error.to_string();
        let begin = dp_exact::shown(&path);
        assert!(
            text.starts_with(&begin) && text.lines().count() == 1,
            "{text}"
        );
        if let (Reason::System(source), Some(kind)) = (error.reason(), kind) {
            assert_eq!(source.kind(), kind, "{text}");
        }
    }
}

#[test]
fn a_device_without_end_is_refused_at_the_limit() {
    let refused = read_limited(Path::new("/dev/zero"), 1_000_000).unwrap_err();
    assert_eq!(refused.to_string(), "/dev/zero: longer than 1000000 bytes");
    assert_eq!(read_limited(Path::new("/dev/null"), 0).expect("read"), b"");
}

#[test]
fn a_pipe_to_which_nobody_writes_is_given_up() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = fifo(&folder);
    let silent = |input: &mut Input| {
        let error = input.read(&mut [0; 8]).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(
            error
                .to_string()
                .contains("pipe: nothing was written to it"),
            "{error}"
        );
    };
    // Nobody has it open.
    silent(&mut Input::open_with(&path, SHORT).expect("open"));
    // Somebody has, and keeps silent after a first piece.
    let mut input = Input::open_with(&path, SHORT).expect("open");
    let mut writer = OpenOptions::new().write(true).open(&path).expect("open");
    silent(&mut input);
    writer.write_all(b"ab").expect("written");
    let mut buffer = [0; 8];
    assert_eq!(input.read(&mut buffer).expect("read"), 2);
    silent(&mut input);
    drop(writer);
    assert_eq!(input.read(&mut buffer).expect("the end"), 0);
}

#[test]
fn a_pipe_is_read_to_its_end_when_the_writer_comes_late_and_pauses() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = fifo(&folder);
    let writer = thread::spawn({
        let path = path.clone();
        move || {
            thread::sleep(SHORT);
            let mut pipe = File::options().write(true).open(path)?;
            for piece in [[b'x'; 70_000], [b'y'; 70_000]] {
                thread::sleep(SHORT);
                pipe.write_all(&piece)?;
            }
            Ok::<(), std::io::Error>(())
        }
    });
    let bytes = read_limited(&path, 1 << 20).expect("read");
    writer.join().expect("no panic").expect("written");
    assert_eq!(bytes.len(), 140_000);
    assert!(bytes.ends_with(b"y"));
}
