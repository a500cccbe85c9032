//! The planner's page: one file that sends no request.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::{program, repository};

/// The page, of the files in `site/page`.
///
/// # Errors
/// If the planner does not compile for browsers, or a file cannot be read.
pub fn build() -> Result<String> {
    let repository = repository();
    let sources = repository.join("site/page");
    let program = program::compile()?;
    // The style of reports, then the style of the page.
    let report = read(&repository.join("crates/dp-report/src/html/style.css"))?;
    let style = report + &joined(&sources.join("style"))?;
    let script = joined(&sources.join("script"))?;
    let script = format!("(() => {{\n\"use strict\";\n{script}}})();\n");
    let worker = joined(&sources.join("worker"))?;
    let worker = format!("\"use strict\";\n{}\n{worker}", program.script);
    for text in [&script, &worker] {
        ensure!(!text.contains("</script") && !text.contains("<!--"), "a script ends itself");
    }
    let template = read(&sources.join("index.html"))?;
    let parts = [
        ("policy", policy(&style, &script)),
        ("style", style),
        ("script", script),
        ("worker", worker),
        ("planner", packed(&program.wasm)?),
    ];
    filled(&template, &parts)
}

/// The bytes compressed by gzip, in base64; `page/worker/worker.js` unpacks them.
fn packed(bytes: &[u8]) -> Result<String> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::best());
    writer.write_all(bytes)?;
    Ok(BASE64_STANDARD.encode(writer.finish()?))
}

/// The content security policy: the page may run its own script, style and worker, which compiles
/// its program. It may do nothing else and send no request.
fn policy(style: &str, script: &str) -> String {
    let hash = |text: &str| BASE64_STANDARD.encode(Sha256::digest(text));
    format!(
        "default-src 'none'; script-src 'sha256-{}' 'wasm-unsafe-eval'; worker-src blob:; \
         style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(script),
        hash(style)
    )
}

/// The files of a folder, in the order of their names.
fn joined(folder: &Path) -> Result<String> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut files = Vec::new();
    for entry in entries {
        files.push(entry?.path());
    }
    files.sort();
    files.iter().map(|file| read(file)).collect()
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

/// The template with each `{{name}}` replaced once. Inserted texts are not scanned again.
fn filled(template: &str, parts: &[(&str, String)]) -> Result<String> {
    let mut pieces = template.split("{{");
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").context("a name that does not end")?;
        let part = parts.iter().find(|(known, _)| *known == name);
        let (_, part) = part.with_context(|| format!("no part {name}"))?;
        text.push_str(part);
        text.push_str(rest);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_looks_like_a_name_stays_as_it_is() -> Result<()> {
        let parts = [("a", "{{b}}".to_owned()), ("b", "two".to_owned())];
        assert_eq!(filled("<{{a}}|{{b}}>", &parts)?, "<{{b}}|two>");
        assert!(filled("{{c}}", &parts).is_err());
        Ok(())
    }
}
