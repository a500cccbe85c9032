//! The rules, on programs that break them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use super::child::{Limits, run};
use super::folder::Folder;
use super::line::{Line, Output};
use super::verdict;

/// What is found when a shell script takes the program's place.
fn found(folder: &mut Folder, script: &str, words: &[&str], output: Output) -> Vec<String> {
    let program: PathBuf = folder.beside("program");
    fs::write(&program, format!("#!/bin/bash\n{script}\n")).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("a mode");
    let line = Line {
        words: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
        output,
        extra: None,
    };
    let limits = Limits {
        seconds: 1,
        bytes: 1 << 28,
    };
    folder.prepare(None);
    let outcome = run(&program, limits, folder, &line);
    verdict::broken(&outcome, &line, &folder.changes(None))
}

#[test]
fn every_kind_of_fault_is_found() {
    let mut folder = Folder::new(env!("CARGO_BIN_EXE_dp-cli").as_ref());
    for (script, expected) in [
        (
            "echo \"thread 'main' panicked at src/main.rs:1:1:\" >&2; exit 101",
            "panic",
        ),
        ("exit 101", "status Some(101)"),
        ("exit 3", "status Some(3)"),
        ("kill -ABRT $$", "signal 6"),
        ("kill -SEGV $$", "signal 11"),
        ("while :; do :; done", "takes too long"),
        (
            "echo 'error: a' >&2; echo b >&2; exit 2",
            "more than one line",
        ),
        ("exit 2", "status 2 without an error"),
        ("printf 'error: x' >&2; exit 2", "an error without an end"),
        (
            "printf 'error: \\033[2J\\n' >&2; exit 2",
            "control characters in an error",
        ),
        (
            "printf 'error: \\u202e\\n' >&2; exit 2",
            "control characters in an error",
        ),
        ("printf 'error: \\xff\\n' >&2; exit 2", "no text"),
        ("printf 'error: %05000d\\n' 1 >&2; exit 2", "a long error"),
        ("printf 'one\\rtwo\\n'", "control characters in an answer"),
        ("printf '\\xff'", "an answer that is no text"),
        ("echo '{\"a\": 1'", "half a JSON document"),
        ("exit 0", "no answer arrived"),
        ("touch .tmp123", "leaves \".tmp123\""),
        ("touch folder/.tmp123", "leaves \"folder/.tmp123\""),
        ("touch new; echo 'error: no' >&2; exit 2", "leaves \"new\""),
        ("echo 1 >>data.csv", "changes \"data.csv\""),
        ("rm data.csv; exit 0", "changes \"data.csv\""),
        ("chmod 0600 readonly", "changes \"readonly\""),
        (
            "mv purse.ledger x; cp x purse.ledger; rm x",
            "changes \"purse.ledger\"",
        ),
    ] {
        let broken = found(
            &mut folder,
            script,
            &["simulate", "--json", "new"],
            Output::File,
        );
        assert!(
            broken.iter().any(|rule| rule.contains(expected)),
            "{script}: {broken:?}"
        );
    }
    // Memory beyond the bound: what the shell itself cannot get, a program cannot either.
    let broken = found(
        &mut folder,
        "x=$(head -c 1000000000 /dev/zero | tr '\\0' x)",
        &[],
        Output::File,
    );
    assert!(!broken.is_empty());
    let broken = found(&mut folder, "echo an answer; exit 0", &[], Output::Full);
    assert!(broken.iter().any(|rule| rule.contains("no answer arrived")));
}

#[test]
fn what_a_program_may_do_is_no_fault() {
    let mut folder = Folder::new(env!("CARGO_BIN_EXE_dp-cli").as_ref());
    for (script, words) in [
        (
            "echo '{}' >new; echo words",
            &["simulate", "--json", "new"][..],
        ),
        (
            "echo line >>purse.ledger; echo '{}'",
            &["calibrate", "ledger", "record", "purse.ledger"],
        ),
        ("echo words >new", &["statement", "--markdown", "new"]),
        ("printf 'a\\nb é\\n'", &["policies"]),
        ("echo 'error: no' >&2; exit 2", &["policies"]),
    ] {
        let broken = found(&mut folder, script, words, Output::File);
        assert!(broken.is_empty(), "{script}: {broken:?}");
    }
}
