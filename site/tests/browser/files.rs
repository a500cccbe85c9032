//! The pages under test, built once in the folder of build products.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use dp_page::Page;

/// Reports a skipped test. The harness captures the output of macros.
pub(crate) fn left_out(what: &str) {
    let _ = writeln!(std::io::stderr(), "left out: {what}");
}

/// A folder among build products.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = site::target().join(name);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The planner's page; `None` if the machine cannot compile for browsers.
pub(crate) fn page() -> Option<&'static Path> {
    static PAGE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let made = PAGE.get_or_init(|| {
        let target = "wasm32-unknown-unknown";
        let asked = Command::new("rustc")
            .args(["--print", "target-libdir", "--target", target])
            .current_dir(site::repository())
            .output();
        let place = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok());
        if !place.is_some_and(|place| Path::new(place.trim()).is_dir()) {
            left_out(&format!("the page: no target {target} (rustup target add {target})"));
            return None;
        }
        let file = folder("site-tests").join("planner.html");
        let page = site::page::build().expect("the page is built");
        fs::write(&file, page).expect("a file");
        Some(file)
    });
    made.as_deref()
}

/// Reports, by name: of a plan, and of a run of the command.
pub(crate) fn reports() -> &'static [(&'static str, PathBuf)] {
    static REPORTS: OnceLock<Vec<(&str, PathBuf)>> = OnceLock::new();
    REPORTS.get_or_init(|| {
        let folder = folder("site-tests");
        let plan = folder.join("plan.html");
        let mut page = Page::new();
        page.ask(
            r#"{"type": "histogram:12", "clients": "100000", "epsilon": "1", "releases": "3"}"#,
        );
        let report: serde_json::Value =
            serde_json::from_str(&page.file("report", None)).expect("JSON");
        fs::write(&plan, report["text"].as_str().expect("a report")).expect("a file");
        let run = folder.join("simulate.html");
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .current_dir(site::repository())
            .args(["xtask", "simulate", "--seed", "1", "--html"])
            .arg(&run)
            .stdout(std::process::Stdio::null())
            .status()
            .expect("cargo");
        assert!(status.success(), "cargo xtask simulate --html");
        vec![("plan", plan), ("simulate", run)]
    })
}

/// The address of a file.
pub(crate) fn address(file: &Path) -> String {
    format!("file://{}", file.canonicalize().expect("a file").display())
}
