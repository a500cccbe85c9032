//! What is read: regular files, links, pipes, devices.

use std::fs;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use dp_files::{Input, Reason, read_limited};

use crate::{fifo, folder};

#[test]
fn a_regular_file_is_read_up_to_its_limit_also_through_a_link() {
    let folder = folder();
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    let content = b"0123456789".repeat(10_000);
    fs::write(&file, &content).expect("written");
    symlink("file", &link).expect("a link");
    for path in [&file, &link] {
        assert_eq!(read_limited(path, 100_000).expect("read"), content);
        let refused = read_limited(path, 99_999).unwrap_err();
        assert!(matches!(refused.reason(), Reason::TooLong { max: 99_999 }));
    }
    fs::write(&file, "").expect("written");
    assert_eq!(read_limited(&file, 0).expect("empty"), b"");
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_the_file() {
    let folder = folder();
    let long = "x".repeat(256);
    for (name, kind) in [
        ("", ErrorKind::IsADirectory),
        ("none", ErrorKind::NotFound),
        (long.as_str(), ErrorKind::InvalidFilename),
        ("a\0b", ErrorKind::InvalidInput),
    ] {
        let path = folder.path().join(name);
        let error = Input::open(&path).unwrap_err();
        let text = error.to_string();
        assert!(text.starts_with(&dp_exact::shown(&path)) && text.lines().count() == 1);
        assert!(matches!(error.reason(), Reason::System(source) if source.kind() == kind));
    }
}

#[test]
fn a_device_without_end_is_refused_at_the_limit_and_a_passed_pipe_read_to_its_end() {
    let refused = read_limited(Path::new("/dev/zero"), 1_000_000).unwrap_err();
    assert_eq!(refused.to_string(), "/dev/zero: longer than 1000000 bytes");
    let (reader, mut writer) = io::pipe().expect("a pipe");
    let path = format!("/proc/self/fd/{}", reader.as_raw_fd());
    let writer = thread::spawn(move || writer.write_all(&[b'x'; 140_000]));
    assert_eq!(read_limited(Path::new(&path), 1 << 20).expect("read").len(), 140_000);
    writer.join().expect("no panic").expect("written");
    // Nobody writes to a named one.
    let refused = Input::open(&fifo(&folder())).unwrap_err();
    assert!(matches!(refused.reason(), Reason::Kind), "{refused}");
}
