//! Where answers go and what is quoted: files of every kind, outputs that are closed or full, exit
//! status, names that hide something.
#![cfg(unix)]

use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A run of a second at most, whatever follows.
const RUN: [&str; 5] = ["simulate", "--seed", "1", "--clients", "30"];

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_dp-cli"))
}

fn run(arguments: &[&str], stdout: Stdio) -> Output {
    let mut command = program();
    let child = command.args(RUN).args(arguments).stdout(stdout);
    let child = child.stderr(Stdio::piped()).spawn().expect("it starts");
    child.wait_with_output().expect("it ends")
}

/// The exit status, and the line of an error if there is one.
fn said(output: &Output) -> (i32, String) {
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert!(text.lines().count() <= 1, "{text}");
    let status = output.status.code().expect("no signal");
    (status, text.trim_end().to_owned())
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn at(folder: &TempDir, name: &str) -> String {
    let path = folder.path().join(name);
    path.into_os_string().into_string().expect("UTF-8")
}

fn is_report(text: &str) -> bool {
    let document: Value = serde_json::from_str(text).expect("JSON");
    document["format"] == "dp-simulation report" && document["summary"]["clients"] == "30"
}

fn is_report_in(path: &str) -> bool {
    is_report(&fs::read_to_string(path).expect("a file"))
}

fn full() -> Stdio {
    File::options()
        .write(true)
        .open("/dev/full")
        .expect("a device")
        .into()
}

/// The writing end of a pipe that nobody reads.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn the_file_is_written_though_the_reader_of_the_text_has_gone() {
    let folder = folder();
    let path = at(&folder, "out.json");
    let (status, line) = said(&run(&["--json", &path], closed()));
    assert_eq!(
        (status, line.as_str()),
        (1, ""),
        "a pipe is closed on purpose"
    );
    assert!(is_report_in(&path));
    fs::remove_file(&path).expect("removed");
    let (status, line) = said(&run(&["--json", &path], full()));
    assert_eq!(status, 1, "{line}");
    assert!(line.starts_with("error: standard output: "), "{line}");
    assert!(is_report_in(&path));
}

#[test]
fn the_text_is_printed_though_the_file_cannot_be_written() {
    let output = run(&["--json", "/dev/full"], Stdio::piped());
    let (status, line) = said(&output);
    assert_eq!(status, 1, "{line}");
    assert!(line.starts_with("error: /dev/full: "), "{line}");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.starts_with("Question") && text.contains("\nSummary\n"));
    let (status, line) = said(&run(&["--json", "/dev/full"], full()));
    assert_eq!(status, 1);
    assert!(line.starts_with("error: standard output: ") && line.contains("; /dev/full: "));
}

#[test]
fn no_command_panics_or_hides_that_its_output_is_lost() {
    for arguments in [
        vec!["--help"],
        vec!["--version"],
        vec!["simulate", "--help"],
        vec!["policies"],
        vec!["calibrate", "convert", "--epsilon", "1"],
        vec!["calibrate", "convert", "--epsilon", "1", "--json"],
        vec!["simulate", "--clients", "30"],
        vec!["simulate", "--clients", "30", "--json", "-"],
        vec!["simulate", "--clients", "30", "--json", "/dev/stdout"],
    ] {
        for (stdout, is_closed) in [(full(), false), (closed(), true)] {
            let mut command = program();
            command.args(&arguments).stdout(stdout);
            let (status, line) = said(&command.output().expect("it runs"));
            assert_eq!(status, 1, "{arguments:?}: {line}");
            let is_silent = is_closed && arguments.last() != Some(&"/dev/stdout");
            assert_eq!(line.is_empty(), is_silent, "{arguments:?}: {line}");
        }
    }
    for stderr in [full(), closed()] {
        let status = program().arg("bogus").stderr(stderr).status();
        assert_eq!(status.expect("it runs").code(), Some(2));
    }
}

#[test]
fn a_dash_stands_for_standard_output_in_place_of_the_text() {
    let output = run(&["--json", "-"], Stdio::piped());
    assert_eq!(said(&output), (0, String::new()));
    assert!(is_report(&String::from_utf8(output.stdout).expect("UTF-8")));
}

#[test]
fn standard_output_by_its_path_is_written_after_the_text_wherever_it_leads() {
    let folder = folder();
    let path = at(&folder, "both");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        if !Path::new(name).exists() {
            continue;
        }
        fs::write(&path, "before\n").expect("written");
        let file = File::options().append(true).open(&path).expect("open");
        assert_eq!(
            said(&run(&["--json", name], file.into())),
            (0, String::new())
        );
        let to_file = fs::read_to_string(&path).expect("a file");
        let output = run(&["--json", name], Stdio::piped());
        assert_eq!(said(&output), (0, String::new()));
        let to_pipe = String::from_utf8(output.stdout).expect("UTF-8");
        for text in [to_file.strip_prefix("before\n").expect("kept"), &to_pipe] {
            let place = text.find("\n{\n").expect("a document");
            assert!(text.starts_with("Question") && is_report(&text[place..]));
        }
    }
    // The same file by its own name, and another descriptor.
    let file = File::create(&path).expect("open");
    assert_eq!(said(&run(&["--json", &path], file.into())).0, 0);
    let both = fs::read_to_string(&path).expect("a file");
    let place = both.find("\n{\n").expect("a document");
    assert!(both.starts_with("Question") && is_report(&both[place..]));
    let shell = "exec \"$0\" simulate --clients 30 --json /dev/fd/3 3>\"$1\" >/dev/null";
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_dp-cli");
    let output = command.args(["-c", shell, program, &path]).output();
    assert_eq!(said(&output.expect("it runs")), (0, String::new()));
    assert!(is_report_in(&path));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    // Not replaced by a file, as a name in that folder would be.
    assert!(
        fs::symlink_metadata("/dev/stdout")
            .expect("there")
            .is_symlink()
    );
}

#[test]
fn what_is_no_regular_file_stays_what_it_is() {
    let folder = folder();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo");
    assert!(made.success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut text = String::new();
            File::open(pipe)?.read_to_string(&mut text).map(|_| text)
        }
    });
    let output = run(&["--json", &at(&folder, "pipe")], Stdio::null());
    assert_eq!(said(&output), (0, String::new()));
    assert!(is_report(&reader.join().expect("no panic").expect("read")));
    assert!(fs::metadata(&pipe).expect("there").file_type().is_fifo());
    assert_eq!(said(&run(&["--json", "/dev/null"], Stdio::null())).0, 0);
    assert!(
        fs::metadata("/dev/null")
            .expect("there")
            .file_type()
            .is_char_device()
    );
}

#[test]
fn a_link_is_followed_a_mode_is_kept_and_ones_own_report_is_replaced() {
    let folder = folder();
    let (file, link) = (at(&folder, "file.json"), at(&folder, "link"));
    symlink("file.json", &link).expect("a link");
    for mode in [0o600, 0o640] {
        assert_eq!(
            said(&run(&["--json", &link], Stdio::null())),
            (0, String::new())
        );
        assert!(Path::new(&link).is_symlink() && is_report_in(&file));
        fs::set_permissions(&file, Permissions::from_mode(mode)).expect("set");
        assert_eq!(said(&run(&["--json", &link], Stdio::null())).0, 0);
        let kept = fs::metadata(&file).expect("there").permissions().mode();
        assert_eq!(kept & 0o777, mode);
    }
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn what_must_not_be_written_is_refused_before_the_run() {
    let folder = folder();
    let thesis = at(&folder, "thesis.md");
    fs::write(&thesis, "A thesis.").expect("written");
    let read_only = at(&folder, "read-only.json");
    fs::write(&read_only, "").expect("written");
    fs::set_permissions(&read_only, Permissions::from_mode(0o444)).expect("set");
    symlink("loop", at(&folder, "loop")).expect("a link");
    for (path, reason) in [
        (thesis.clone(), "exists already"),
        (read_only, "read-only"),
        (at(&folder, "loop"), "symbolic links"),
        (at(&folder, &"x".repeat(256)), "name too long"),
        (at(&folder, "no/such.json"), "No such file"),
        (at(&folder, "new/"), "directory"),
        (String::new(), "a value is required"),
    ] {
        let output = run(&["--json", &path], Stdio::piped());
        let (status, line) = said(&output);
        assert_eq!(status, 2, "{line}");
        assert!(output.stdout.is_empty(), "before the run");
        assert!(
            line.to_lowercase().contains(&reason.to_lowercase()),
            "{line}"
        );
        assert!(
            line.starts_with("error: ") && line.chars().count() < 400,
            "{line}"
        );
    }
    assert_eq!(fs::read_to_string(&thesis).expect("a file"), "A thesis.");
    assert_eq!(
        said(&run(&["--json", &thesis, "--force"], Stdio::null())).0,
        0
    );
    assert!(is_report_in(&thesis));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 3);
}

#[test]
fn what_is_quoted_is_visible_and_short() {
    let long = "A".repeat(5_000);
    let names: Vec<&[u8]> = vec![
        b"a\nb\rc\x1b[2J",
        "\u{202e}cod.\u{2066}x\u{2028}y\u{2029}z\u{feff}w\u{200b}".as_bytes(),
        b"\xff\xfe\x80",
        long.as_bytes(),
    ];
    for name in names {
        let name = OsStr::from_bytes(name);
        for before in [
            vec![],
            vec!["simulate"],
            vec!["simulate", "--task"],
            vec!["simulate", "--policy"],
            vec!["simulate", "--column"],
            vec!["simulate", "--epsilon"],
            vec!["simulate", "--clients", "30", "--json", "no/such"],
            vec!["calibrate", "convert", "--epsilon"],
            vec!["calibrate", "ledger", "show"],
            vec!["calibrate"],
        ] {
            let mut arguments: Vec<PathBuf> = before.iter().map(PathBuf::from).collect();
            match before.last() {
                Some(&"no/such") => arguments.last_mut().expect("one").push(name),
                _ => arguments.push(name.into()),
            }
            let output = program().args(&arguments).output().expect("it runs");
            let (status, line) = said(&output);
            assert_eq!(status, 2, "{before:?}: {line}");
            assert!(line.starts_with("error: "), "{before:?}: {line}");
            assert_eq!(line, dp_exact::escaped(&line), "{before:?}");
            let quoted = line.matches('A').count();
            assert!(quoted <= 200, "{before:?}: {quoted} characters");
        }
    }
}

/// What clap quotes is not stripped, and not cut where a line ends in it.
#[test]
fn an_argument_is_quoted_whole() {
    for arguments in [
        ["simulate", "a\u{1b}[2Jb\nlast"],
        ["simulate", "--a\u{1b}[2Jb\nlast"],
        ["simulate", "--force=a\u{1b}[2Jb\nlast"],
        ["calibrate", "a\u{1b}[2Jb\nlast"],
    ] {
        let output = program().args(arguments).output().expect("it runs");
        let (status, line) = said(&output);
        assert_eq!(status, 2, "{line}");
        assert!(line.contains(r"a\u{1b}[2Jb\nlast'"), "{line}");
    }
}
