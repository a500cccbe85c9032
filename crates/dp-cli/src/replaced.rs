//! Which files the outputs of a command may replace: reports of the same command, by force other files, and never
//! an input of the command, a ledger, a store or a checkpoint.

use std::path::{Path, PathBuf};

use dp_files::{Found, Overwrite};

/// What all outputs of a command have in common: whether --force was typed, and what is read for them.
#[derive(Clone, Debug, Default)]
pub struct Replacing {
    is_forced: bool,
    inputs: Vec<PathBuf>,
}

impl Replacing {
    /// Other files than reports of the command are replaced if `force`.
    #[must_use]
    pub const fn new(force: bool) -> Self {
        Self {
            is_forced: force,
            inputs: Vec::new(),
        }
    }

    /// The files that the command reads, as far as they were named.
    #[must_use]
    pub fn sparing<'a>(mut self, inputs: impl IntoIterator<Item = Option<&'a Path>>) -> Self {
        let inputs = inputs.into_iter().flatten();
        self.inputs.extend(inputs.map(Path::to_owned));
        self
    }

    /// Replaces JSON documents of this format.
    pub(crate) fn json(&self, format: String) -> Overwrite {
        self.files(move |beginning| format_of(beginning) == Some(&format))
    }

    /// Replaces files for whose beginning, of up to 1024 bytes, `is_own` is true.
    pub(crate) fn files(
        &self,
        is_own: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Overwrite {
        let found = move |path: &Path, beginning: &[u8]| {
            if is_own(beginning) {
                return Found::Own;
            }
            match kept(path, beginning) {
                Some(is) => Found::Kept(is.into()),
                None => Found::Foreign(foreign(beginning).into()),
            }
        };
        let overwrite = Overwrite::new(found).by_force(self.is_forced);
        overwrite.sparing(self.inputs.iter().cloned())
    }
}

/// What a file keeps that no command can compute again.
fn kept(path: &Path, beginning: &[u8]) -> Option<&'static str> {
    if dp_ledger::is_ledger(beginning) {
        return Some("a budget ledger");
    }
    if dp_simulation::parts::is_of_a_run(path, beginning) {
        return Some("a checkpoint of a run");
    }
    dp_prio3::store::is_of_a_store(path, beginning).then_some("a file of an aggregator's store")
}

/// What another file is.
fn foreign(beginning: &[u8]) -> String {
    if let Some(format) = format_of(beginning) {
        return format!("a document of another kind, {format}");
    }
    let kind = dp_report::html::kind(beginning).or_else(|| dp_report::markdown::kind(beginning));
    match kind {
        Some(kind) => format!("a report of another kind, {kind}"),
        None => "not of this command".to_owned(),
    }
}

/// The format that a document of this program names in its first field.
fn format_of(beginning: &[u8]) -> Option<&str> {
    let mut rest = beginning;
    for token in [&b"{"[..], b"\"format\"", b":", b"\""] {
        rest = rest.trim_ascii_start().strip_prefix(token)?;
    }
    let end = rest.iter().position(|byte| *byte == b'"')?;
    let (format, after) = rest.split_at(end);
    let after = after.get(1..)?.trim_ascii_start();
    let format = str::from_utf8(format).ok()?;
    let is_plain = format
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b' ' | b'-'));
    (after.starts_with(b",") && format.starts_with("dp-") && is_plain).then_some(format)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_by_its_first_field() {
        for text in [
            "{\"format\":\"dp-cli plan\",\"schema_version\":1}",
            "{\n  \"format\": \"dp-cli plan\",\n  \"schema",
            " { \"format\" : \"dp-cli plan\" , ",
        ] {
            assert_eq!(format_of(text.as_bytes()), Some("dp-cli plan"), "{text}");
        }
        for other in [
            "",
            "{",
            "{\"format\":\"",
            "{\"format\":\"dp-cli plan",
            "{\"format\":\"dp-cli plan\"",
            "{\"format\":\"dp-cli plan\\\"\",",
            "{\"format\":\"thesis\",",
            "{\"for mat\":\"dp-cli plan\",",
            "{\"a\":1,\"format\":\"dp-cli plan\",",
            "[{\"format\":\"dp-cli plan\",",
            "thesis",
        ] {
            assert_eq!(format_of(other.as_bytes()), None, "{other}");
        }
    }
}
