//! `vectors` as a user types it.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn vectors_writes_the_files_of_the_repository() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let output = command.args(["vectors", "--folder"]).arg(folder.path()).output();
    assert!(output.as_ref().is_ok_and(|output| output.status.success()), "{output:?}");
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
