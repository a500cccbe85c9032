//! Links between documents. A link to a file that is no chapter, such as a source, becomes text.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The documents of the guide; links lead only to them.
pub(super) struct Links {
    chapters: BTreeSet<PathBuf>,
}

/// The path of a document's page in the guide. A README is the index of its folder.
pub(super) fn page_path(file: &Path) -> PathBuf {
    match file.file_name().is_some_and(|name| name == "README.md") {
        true => file.with_file_name("index.md"),
        false => file.to_owned(),
    }
}

impl Links {
    pub(super) fn between(files: impl Iterator<Item = PathBuf>) -> Self {
        let chapters = files.collect();
        Self { chapters }
    }

    /// The text of the document `file` with its links replaced by links to pages of the guide.
    pub(super) fn followed(&self, file: &Path, text: &str) -> String {
        let mut gone = Vec::new();
        let mut lines = Vec::new();
        let mut is_code = false;
        for line in text.lines() {
            is_code ^= line.trim_start().starts_with("```");
            match definition(line) {
                _ if is_code => lines.push(line.to_owned()),
                Some((label, target)) => match self.target(file, target) {
                    Some(target) => lines.push(format!("[{label}]: {target}")),
                    None => gone.push(label.to_owned()),
                },
                None => lines.push(self.inline(file, line)),
            }
        }
        let text = lines.join("\n") + "\n";
        gone.iter().fold(text, |text, label| without(label, &text))
    }

    /// The line with its links of the form `[text](target)` replaced.
    fn inline(&self, file: &Path, line: &str) -> String {
        let mut text = String::new();
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("](") {
            let Some((target, behind)) = after.split_once(')') else {
                break;
            };
            match self.target(file, target) {
                Some(target) => text.push_str(&format!("{before}]({target})")),
                // Remove the last opening bracket.
                None => match before.rsplit_once('[') {
                    Some((begin, words)) => text.push_str(&format!("{begin}{words}")),
                    None => text.push_str(&format!("{before}]({target})")),
                },
            }
            rest = behind;
        }
        text + rest
    }

    /// The link in the guide, relative to the page of `from`; `None` for a file that is no chapter.
    fn target(&self, from: &Path, target: &str) -> Option<String> {
        if target.contains("://") || target.starts_with('#') {
            return Some(target.to_owned());
        }
        let (path, anchor) = match target.split_once('#') {
            Some((path, anchor)) => (path, format!("#{anchor}")),
            None => (target, String::new()),
        };
        let folder = from.parent().unwrap_or(Path::new(""));
        let file = normal(&folder.join(path));
        let page = file.join("README.md");
        let file = if self.chapters.contains(&page) { page } else { file };
        if !self.chapters.contains(&file) {
            return None;
        }
        let up = "../".repeat(folder.components().count());
        Some(format!("{up}{}{anchor}", page_path(&file).display()))
    }
}

/// The text with links of this label replaced by their words.
fn without(label: &str, text: &str) -> String {
    let mark = format!("][{label}]");
    let mut pieces = text.split(&mark);
    let mut plain = String::new();
    let mut last = pieces.next().unwrap_or_default();
    for piece in pieces {
        match last.rsplit_once('[') {
            Some((before, words)) => plain.push_str(&format!("{before}{words}")),
            None => plain.push_str(last),
        }
        last = piece;
    }
    plain.push_str(last);
    plain.replace(&format!("[{label}]"), label)
}

/// Label and target of a line `[label]: target`; `None` for any other line.
fn definition(line: &str) -> Option<(&str, &str)> {
    let (label, target) = line.strip_prefix('[')?.split_once("]: ")?;
    (!target.contains(' ')).then_some((label, target))
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                normal.pop();
            }
            Component::CurDir => {}
            other => normal.push(other),
        }
    }
    normal
}

#[cfg(test)]
mod tests {
    use super::*;

    fn followed(text: &str) -> String {
        let chapters = ["README.md", "crates/a/README.md", "crates/a/docs/proof.md"];
        let links = Links::between(chapters.into_iter().map(PathBuf::from));
        links.followed(Path::new("crates/a/README.md"), text)
    }

    #[test]
    fn a_link_leads_to_a_chapter_or_is_text() {
        for (text, expected) in [
            ("[p](docs/proof.md#lemma)\n", "[p](../../crates/a/docs/proof.md#lemma)\n"),
            ("[up](../../README.md), [x](src/x.rs)!\n", "[up](../../index.md), x!\n"),
            ("[the b][b] and [b]\n\n[b]: src/b.rs\n", "the b and b\n\n"),
            ("[`c`]\n\n[`c`]: ../a\n", "[`c`]\n\n[`c`]: ../../crates/a/index.md\n"),
            ("[x](crate::x)\n", "x\n"),
            ("[w](https://example.org/a)\n", "[w](https://example.org/a)\n"),
            ("```\n[x](src/x.rs)\n```\n", "```\n[x](src/x.rs)\n```\n"),
        ] {
            assert_eq!(followed(text), expected);
        }
    }
}
