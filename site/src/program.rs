//! The planner's program: compiled for browsers, with the JavaScript that calls it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use wasm_bindgen_cli_support::Bindgen;

use crate::{repository, target};

/// The compilation target of browsers.
const TARGET: &str = "wasm32-unknown-unknown";

/// The compiled program, and the JavaScript that calls it.
pub(crate) struct Program {
    pub(crate) wasm: Vec<u8>,
    pub(crate) script: String,
}

pub(crate) fn compile() -> Result<Program> {
    let target = target();
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(repository().join("site"))
        .args(["build", "--quiet", "--locked", "--profile", "page"])
        .args(["--package", "dp-page", "--target", TARGET])
        .arg("--target-dir")
        .arg(&target)
        .env_remove("RUSTFLAGS")
        .env("CARGO_ENCODED_RUSTFLAGS", flags())
        .status()
        .context("cargo")?;
    ensure!(
        status.success(),
        "the planner does not compile for browsers (rustup target add {TARGET})"
    );
    let mut output = Bindgen::new()
        .input_path(target.join(TARGET).join("page/dp_page.wasm"))
        .no_modules(true)?
        .typescript(false)
        .omit_default_module_path(true)
        .remove_name_section(true)
        .remove_producers_section(true)
        .generate_output()?;
    Ok(Program { script: output.js().to_owned(), wasm: output.wasm_mut().emit_wasm() })
}

/// Flags that leave out randomness, which the planner does not use, and the names of local folders.
fn flags() -> String {
    let mut flags = vec!["--cfg".to_owned(), "getrandom_backend=\"unsupported\"".to_owned()];
    let home = |variable: &str, folder: &str| {
        let given = std::env::var_os(variable).map(PathBuf::from);
        given.or_else(|| std::env::home_dir().map(|home| home.join(folder)))
    };
    let folders =
        [Some(repository()), home("CARGO_HOME", ".cargo"), home("RUSTUP_HOME", ".rustup")];
    for folder in folders.into_iter().flatten() {
        flags.push(format!("--remap-path-prefix={}=.", folder.display()));
    }
    flags.join("\x1f")
}
