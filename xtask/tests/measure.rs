//! `speed` and `vectors` as a user types them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn xtask(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_xtask")).args(arguments).output().expect("the binary runs")
}

#[test]
fn vectors_writes_the_files_of_the_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("UTF-8");
    let output = xtask(&["vectors", "--folder", path]);
    assert!(output.status.success(), "{output:?}");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut compared = 0;
    for entry in fs::read_dir(root.join("vectors")).expect("a folder") {
        let path = entry.expect("a file").path();
        let name = path.file_name().expect("a name");
        if path.extension().is_some_and(|end| end == "json") && name != "schema.json" {
            let written = fs::read(folder.path().join(name)).expect("a file of that name");
            assert!(written == fs::read(&path).expect("a file"), "{path:?} differs");
            compared += 1;
        }
    }
    assert_eq!(compared, fs::read_dir(folder.path()).expect("a folder").count());
}

#[test]
fn bad_options_are_refused_on_one_line_before_anything_is_measured() {
    for (arguments, line) in [
        (vec!["speed", "--frobnicate"], "error: unexpected argument '--frobnicate' found"),
        (vec!["vectors", "--folder", "no/such"], "error: no/such/"),
    ] {
        let output = xtask(&arguments);
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(text.starts_with(line), "{text:?} is not {line:?}");
    }
}
