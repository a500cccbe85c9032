//! Outputs: files of every kind, closed and full outputs, signals.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::support::{Folder, program, refusal, rows, run, success};

/// A run of a second at most.
const RUN: &str = "simulate --seed 1 --clients 30";

fn is_report(text: &str) -> bool {
    let document: Value = serde_json::from_str(text).expect("JSON");
    document["format"] == "dp-simulation report" && document["summary"]["clients"] == "30"
}

/// A device that is full, or the writing end of a pipe that nobody reads.
fn lost(is_full: bool) -> Stdio {
    if is_full {
        return File::options().write(true).open("/dev/full").expect("a device").into();
    }
    let (_, writer) = std::io::pipe().expect("a pipe");
    writer.into()
}

/// The exit status, and the line of an error if there is one.
fn said(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8(output.stderr.clone()).expect("UTF-8");
    assert!(text.lines().count() <= 1, "{text}");
    (output.status.code(), text.trim_end().to_owned())
}

#[test]
fn text_and_file_do_not_depend_on_each_other() {
    for is_full in [true, false] {
        let folder = Folder::new();
        let line = format!("{RUN} --json {}", folder.at("out.json"));
        let output = program(&line).stdout(lost(is_full)).output().expect("it runs");
        let (status, line) = said(&output);
        assert!(is_report(&folder.read("out.json")));
        // A pipe is closed on purpose.
        assert!(
            status == Some(1) && line.starts_with("error: standard output: ") == is_full,
            "{line}"
        );
    }
    let output = run(&format!("{RUN} --json /dev/full"));
    let (status, line) = said(&output);
    assert!(status == Some(1) && line.starts_with("error: /dev/full: "), "{line}");
    assert!(String::from_utf8(output.stdout).expect("UTF-8").contains("\nSummary\n"));
    for line in ["--help", "policies --type count", "calibrate convert --epsilon 1 --json"] {
        for is_full in [true, false] {
            let output = program(line).stdout(lost(is_full)).output().expect("it runs");
            let (status, said) = said(&output);
            assert_eq!((status, said.is_empty()), (Some(1), !is_full), "{line}: {said}");
        }
    }
    assert_eq!(program("bogus").stderr(lost(true)).status().expect("it runs").code(), Some(2));
}

#[test]
fn what_is_no_regular_file_stays_what_it_is() {
    let folder = Folder::new();
    assert!(is_report(&success(&format!("{RUN} --json -"))));
    let both = success(&format!("{RUN} --json /dev/stdout"));
    let place = both.find("\n{\n").expect("a document behind the text");
    assert!(both.starts_with("Question") && is_report(&both[place..]));
    success(&format!("{RUN} --json /dev/null"));
    // A named pipe would be waited for.
    let pipe = folder.at("pipe.toml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    for line in [
        format!("{RUN} --json {pipe} --force"),
        format!("simulate --data {pipe} --column x --bins 0,1"),
        format!("policies --task {pipe}"),
        format!("ledger show {pipe}"),
        format!("ledger record {pipe} --name a --epsilon 1"),
    ] {
        let said = refusal(&line);
        assert!(said.contains(&pipe) && said.contains("regular file"), "{line}: {said}");
    }
    // A link is followed, and one's own report is replaced.
    symlink("file.json", folder.at("link")).expect("a link");
    for _ in 0..2 {
        success(&format!("{RUN} --json {}", folder.at("link")));
        assert!(Path::new(&folder.at("link")).is_symlink() && is_report(&folder.read("file.json")));
    }
    assert_eq!(folder.len(), 3);
}

#[test]
fn no_name_of_a_device_leads_to_a_file_or_mixes_two_outputs() {
    let folder = Folder::new();
    let data = folder.with("d.csv", "x\n1\n");
    let shell = |line: &str| {
        let mut shell = Command::new("sh");
        shell.current_dir(Path::new(&data).parent().expect("a folder"));
        shell.args(["-c", line, env!("CARGO_BIN_EXE_dp-cli")]).output().expect("a shell")
    };
    let plan = "\"$0\" plan --type count --clients 100 --epsilon 1";
    for (outputs, reason) in [
        ("--json /proc/self/cwd/d.csv", "d.csv: no pipe or device: name the file itself"),
        ("--json /dev/fd/3 3<>d.csv", "/dev/fd/3: no pipe or device"),
        ("--json - --html /dev/stdout", "with --json, which goes there as well"),
        ("--json /dev/stderr --html /dev/stderr", "which goes there as well"),
    ] {
        let output = shell(&format!("{plan} {outputs}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(reason), "{outputs}: {said}");
    }
    assert_eq!(folder.read("d.csv"), "x\n1\n");
    assert!(shell(&format!("{plan} --json /dev/null --html /dev/null")).status.success());
    let output = shell(&format!("{plan} --json /dev/stdout >out; {plan} --json /dev/stdout"));
    assert_eq!(folder.read("out").as_bytes(), output.stdout);
}

#[test]
fn what_must_not_be_written_is_refused_before_the_run() {
    let folder = Folder::new();
    let thesis = folder.at("thesis.md");
    let none = refusal(&format!("{RUN} --json {}", folder.at("no/such.json")));
    assert!(none.to_lowercase().contains("no such file"), "{none}");
    // A file that begins like a file of the program may be foreign.
    for (option, content) in [
        ("--json", "A thesis."),
        ("--json", "{\"format\":\"dp-cli plans\",\"pages\":300}"),
        ("--html", "<!DOCTYPE html><title>A thesis</title>"),
        (
            "--strategy",
            r#"{"version":1,"law":"discrete_laplace","budget":{"pure":{"epsilon":"1"}}}"#,
        ),
        ("--task", "name = \"mine\"\n"),
    ] {
        folder.with("thesis.md", content);
        let refused =
            refusal(&format!("plan --type count --clients 100 --epsilon 1 {option} {thesis}"));
        assert!(
            refused.contains("exists already") && refused.contains("--force"),
            "{content}: {refused}"
        );
        assert_eq!(folder.read("thesis.md"), content);
    }
    success(&format!("{RUN} --json {thesis} --force"));
    assert!(is_report(&folder.read("thesis.md")));
    let refused = refusal(&format!("plan --type count --clients 100 --epsilon 1 --json {thesis}"));
    assert!(refused.contains("exists already"), "{refused}");
    let ledger = folder.at("year.ledger");
    success(&format!("ledger create {ledger} --epsilon 1"));
    let content = folder.read("year.ledger");
    let refused = refusal(&format!("{RUN} --json {ledger} --force"));
    assert!(refused.ends_with("but a ledger: choose another name"), "{refused}");
    assert_eq!(folder.read("year.ledger"), content);
}

#[test]
fn a_file_is_one_output_and_no_input_of_the_command_under_any_name() {
    let folder = Folder::new();
    let [data, new] = [folder.with("d.csv", "x\n1\n0\n"), folder.at("new")];
    let task = folder.with("t.toml", include_str!("../../../../examples/tasks/count.toml"));
    let (link, hard) = (folder.at("link"), folder.at("hard"));
    symlink("d.csv", &link).expect("a link");
    fs::hard_link(&task, &hard).expect("a link");
    let one = folder.at("one.json");
    success(&format!("simulate --seed 1 --clients 30 --trials 2 --share 1/2 --json {one}"));
    let ledger = folder.at("year.ledger");
    success(&format!("ledger create {ledger} --epsilon 1"));
    let deployed = "--releases 1 --deployment examples/deployments/heights.toml";
    let contents = || [&data, &task, &one, &ledger].map(|file| fs::read(file).expect("there"));
    let (before, files) = (contents(), folder.len());
    for (line, expected) in [
        (format!("{RUN} --json {new} --html {}", folder.at("./new")), "with --json, which goes"),
        (
            format!("plan --type count --clients 99 --epsilon 1 --task {new} --json {new}"),
            "with --json",
        ),
        (format!("{RUN} --data {data} --column x --bins 0,1,2 --json {link} --force"), "with data"),
        (format!("policies --task {task} --json {hard} --force"), "with task"),
        (format!("statement --task {task} {deployed} --json {task} --force"), "with task"),
        (format!("estimate --task {task} --totals 9 --reports 99 --json {task}"), "with task"),
        (format!("audit --task {task} --json {hard} --force"), "with task"),
        (format!("merge {one} --json {one} --force"), "with files"),
        (format!("ledger show {ledger} --json {ledger} --force"), "with file"),
    ] {
        let said = refusal(&line);
        assert!(said.contains(" has no meaning with ") && said.contains(expected), "{said}");
    }
    assert_eq!((contents(), folder.len()), (before, files));
}

/// A file system without locks, as some networks have: an error at once, by its name.
#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_does_not_lock_is_an_error_of_every_file_that_is_locked() {
    let folder = Folder::new();
    let [kept, new] = ["kept.ledger", "new"].map(|name| folder.at(name));
    success(&format!("ledger create {kept} --epsilon 1"));
    let strace = |error: &str, program: &str, line: &str| {
        let inject = format!("inject=flock:error={error}");
        let mut strace = Command::new("timeout");
        strace.args(["60", "strace", "-f", "-qq", "-o", "/dev/null", "-e", &inject, program]);
        strace.args(line.split(' ')).output().expect("it runs")
    };
    if !strace("EIO", "true", "").status.success() {
        eprintln!("left out: no strace, or it may not trace (apt-get install strace)");
        return;
    }
    for (error, words) in [
        ("ENOLCK", "does not lock files: "),
        ("ENOSYS", "does not lock files: "),
        ("EOPNOTSUPP", "does not lock files: "),
        ("EIO", "its lock fails: "),
    ] {
        for line in [
            format!("{RUN} --json {new}"),
            format!("simulate --seed 1 --clients 30 --trials 2 --share 1/2 --json {new}"),
            format!("ledger create {new} --epsilon 1"),
            format!("ledger record {kept} --name a --epsilon 0.1"),
        ] {
            let (status, said) = said(&strace(error, env!("CARGO_BIN_EXE_dp-cli"), &line));
            assert!(status == Some(2) && said.contains(words), "{line}: {said}");
            assert!(said.contains(&kept) || said.contains(&new), "{said}");
        }
    }
    assert_eq!(folder.len(), 1);
    // After a signal the lock is tried again.
    let line = format!("{RUN} --json {new}");
    let run = strace("EINTR:when=1", env!("CARGO_BIN_EXE_dp-cli"), &line);
    assert!(run.status.success(), "{run:?}");
}

/// A run of hours that is ended by a signal leaves no file.
#[test]
fn a_signal_ends_the_run_and_leaves_nothing() {
    let folder = Folder::new();
    for (signal, number) in [("-TERM", 15), ("-KILL", 9)] {
        let line = format!("simulate --seed 1 --trials 100000 --json {}", folder.at("out.json"));
        let mut run = program(&line).stdout(Stdio::null()).spawn().expect("it starts");
        thread::sleep(Duration::from_millis(500));
        let id = run.id().to_string();
        let killed = Command::new("kill").args([signal, &id]).status();
        assert!(killed.expect("kill").success());
        assert_eq!(run.wait().expect("it ends").signal(), Some(number));
        assert_eq!(folder.len(), 0, "{signal}");
    }
}

/// `simulate` needs little memory, whatever its data are.
#[cfg(target_os = "linux")]
#[test]
fn data_take_little_memory() {
    let folder = Folder::new();
    let path = folder.with("data.csv", format!("x\n{}", "1\n0\n7\n3\n".repeat(500_000)));
    let simulate = |mebibytes: u32, before: &str, options: &str| {
        let script = format!("ulimit -v {}; {before} \"$0\" simulate {options}", mebibytes * 1024);
        let mut shell = Command::new("sh");
        let output =
            shell.args(["-c", &script, env!("CARGO_BIN_EXE_dp-cli")]).output().expect("a shell");
        String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8")
    };
    for [mebibytes, before, options, expected] in rows(
        "\
        256 |  | --data /dev/zero --column x --bins 0,1 | /dev/zero: a line is longer than 1048576 bytes
        256 | tr '\\0' 1 </dev/zero @ | --data - --column x --bins 0,1 | longer than 1048576 bytes
        256 |  | --clients 50 --data DATA --column x --bins 0..8/1 | 2 000 000
        256 |  | --column height_cm --bins 0..100000/1 --aggregators 254 | fewer aggregators than 254",
    ) {
        let (before, options) = (before.replace('@', "|"), options.replace("DATA", &path));
        let said = simulate(mebibytes.parse().expect("a number"), &before, &options);
        assert!(said.contains(expected), "{options}: {said}");
    }
}

/// Quoted input is visible, short, and not cut at its line ends.
#[test]
fn what_is_quoted_is_visible_and_short() {
    let long = "A".repeat(5_000);
    for name in ["a\nb\rc\u{1b}[2J", "\u{202e}cod.\u{2066}x\u{2028}y\u{feff}w\u{200b}", &long] {
        for before in [
            "",
            "simulate",
            "simulate --task",
            "simulate --policy",
            "simulate --epsilon",
            "ledger show",
            "calibrate",
        ] {
            let output = program(before).arg(name).output().expect("it runs");
            let (status, line) = said(&output);
            assert!(status == Some(2) && line.starts_with("error: "), "{before}: {line}");
            assert_eq!(line, dp_exact::escaped(&line), "{before}");
            assert!(line.matches('A').count() <= 200, "{before}: {line}");
        }
    }
    for before in ["simulate", "calibrate"] {
        let output = program(before).arg("a\u{1b}[2Jb\nlast").output().expect("it runs");
        assert!(said(&output).1.contains(r"a\u{1b}[2Jb\nlast'"));
    }
}

/// Manual pages are whole or not there: a foreign file of the name of one stays, and so do pages
/// that are written again.
#[test]
fn manual_pages_replace_pages_alone() {
    let folder = Folder::new();
    let line = format!("completions --man {}", folder.at("."));
    success(&line);
    let (page, pages) = (folder.read("dp-cli-plan.1"), folder.len());
    assert!(page.contains("Rank every policy") && pages > 20, "{pages}: {page}");
    success(&line);
    assert_eq!((folder.read("dp-cli-plan.1"), folder.len()), (page, pages));
    folder.with("dp-cli-plan.1", "A thesis.");
    assert!(refusal(&line).contains("dp-cli-plan.1: exists already"));
    assert_eq!(folder.read("dp-cli-plan.1"), "A thesis.");
}

/// A text that people may edit ends with a digest of its lines: what was edited stays.
#[test]
fn an_edited_task_or_page_is_replaced_by_force_alone() {
    let folder = Folder::new();
    let [task, page, report] = ["t.toml", "p.md", "r.html"].map(|name| folder.at(name));
    let plan = "plan --type count --clients 1001 --epsilon 1";
    let statement = "statement --task examples/tasks/count.toml --releases 1 \
                     --deployment examples/deployments/heights.toml";
    for (line, name) in [
        (format!("{plan} --task {task}"), "t.toml"),
        (format!("{plan} --html {report}"), "r.html"),
        (format!("{statement} --markdown {page}"), "p.md"),
    ] {
        success(&line);
        let written = folder.read(name);
        success(&line);
        assert_eq!(folder.read(name), written);
        // One letter, and the file is not of this command.
        let edited = folder.with(name, written.replacen('e', "E", 1));
        let refused = refusal(&line);
        assert!(refused.contains("or was edited"), "{edited}: {refused}");
        success(&format!("{line} --force"));
        assert_eq!(folder.read(name), written);
    }
    assert!(folder.read("t.toml").contains("\nmin_reports = 501\n"), "{}", folder.read("t.toml"));
}
