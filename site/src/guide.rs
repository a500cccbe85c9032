//! The guide: the repository's documents as a book, with links between them.

mod links;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use mdbook_driver::MDBook;
use mdbook_driver::config::Config;

use links::Links;

/// Documents before the crates, with their titles.
const FIRST: &[(&str, &str)] = &[
    ("README.md", "Overview"),
    ("ARCHITECTURE.md", "Architecture"),
    ("SECURITY.md", "Security"),
    ("DESIGN.md", "Design"),
    ("docs/dap.md", "A deployment of DAP"),
    ("docs/draft-wang-ppm-differential-privacy.md", "The Internet-Draft"),
    ("docs/clusters.md", "A run on several machines"),
    ("examples/launchers/gnu-parallel/README.md", "By GNU parallel"),
    ("examples/launchers/slurm/README.md", "By Slurm"),
    ("examples/launchers/kubernetes/README.md", "By Kubernetes"),
    ("COMPARE.md", "Beside other libraries"),
    ("CONTRIBUTING.md", "Contributing"),
];

/// The paragraph below the title of the first page.
const PLANNER: &str = "**[The planner](planner.html)** computes in your browser the noise that a query needs, and \
                       its error.";

/// A document of the repository.
struct Chapter {
    /// Relative to the repository.
    file: PathBuf,
    title: String,
    /// 0, or 1 for a part of the preceding chapter.
    level: usize,
}

/// Builds the guide into a folder, whose files it replaces.
///
/// # Errors
/// If a document cannot be read, or a file not be written.
pub fn build(repository: &Path, folder: &Path) -> Result<()> {
    let chapters = chapters(repository)?;
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let source = tempfile::tempdir()?;
    let pages = source.path().join("src");
    let files = chapters.iter().map(|chapter| chapter.file.clone());
    let links = Links::between(files);
    for chapter in &chapters {
        let text = read(&repository.join(&chapter.file))?;
        let text = typeset(&links.followed(&chapter.file, &text));
        let text = match chapter.file == Path::new("README.md") {
            true => text.replacen("\n\n", &format!("\n\n{PLANNER}\n\n"), 1),
            false => text,
        };
        write(&pages.join(links::page_path(&chapter.file)), &text)?;
    }
    write(&pages.join("SUMMARY.md"), &summary(&chapters))?;
    let own = repository.join("site/guide");
    for file in ["guide.css", "guide.js"] {
        fs::copy(own.join(file), source.path().join(file)).context(file)?;
    }
    let mut book = MDBook::load_with_config(source.path(), config()?)?;
    book.config.build.build_dir = folder.canonicalize()?;
    book.build()
}

/// All documents in the order of the guide; crates in alphabetical order.
fn chapters(repository: &Path) -> Result<Vec<Chapter>> {
    let mut chapters = Vec::new();
    for &(file, title) in FIRST {
        chapters.push(Chapter {
            file: file.into(),
            title: title.to_owned(),
            level: usize::from(file.starts_with("examples/")),
        });
    }
    for folder in sorted(&repository.join("crates"))? {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let own = Path::new("crates").join(&*name);
        chapters.push(Chapter { file: own.join("README.md"), title: name.into_owned(), level: 0 });
        let docs = folder.join("docs");
        let documents = if docs.is_dir() { sorted(&docs)? } else { Vec::new() };
        for document in documents {
            if document.extension().is_some_and(|extension| extension == "md") {
                let text = read(&document)?;
                let title = text.lines().next().unwrap_or_default().trim_start_matches('#');
                chapters.push(Chapter {
                    file: own.join("docs").join(document.file_name().unwrap_or_default()),
                    title: title.trim().to_owned(),
                    level: 1,
                });
            }
        }
    }
    Ok(chapters)
}

/// Paths in a folder, in order.
fn sorted(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

/// The table of contents, from which mdBook makes the guide.
fn summary(chapters: &[Chapter]) -> String {
    let mut text = String::from("# Summary\n\n");
    for (number, chapter) in chapters.iter().enumerate() {
        if number == FIRST.len() {
            text.push_str("\n# The crates\n\n");
        }
        let indent = "  ".repeat(chapter.level);
        let place = links::page_path(&chapter.file);
        text.push_str(&format!("{indent}- [{}]({})\n", chapter.title, place.display()));
    }
    text
}

fn config() -> Result<Config> {
    let settings = r#"
        [book]
        title = "Differential privacy for Prio3"
        language = "en"

        [output.html]
        no-section-label = true
        hash-files = false
        input-404 = ""
        additional-css = ["guide.css"]
        additional-js = ["guide.js"]

        [output.html.playground]
        runnable = false

        [output.html.print]
        enable = false
    "#;
    settings.parse()
}

/// Turns formulas into preformatted blocks of HTML.
fn typeset(text: &str) -> String {
    let mut typeset = String::with_capacity(text.len());
    let mut is_formula = false;
    for line in text.lines() {
        match (is_formula, line.trim()) {
            (false, "```math") => {
                is_formula = true;
                typeset.push_str("<pre class=\"formula\">");
            }
            (true, "```") => {
                is_formula = false;
                typeset.push_str("</pre>\n");
            }
            // An empty line would end the block.
            (true, "") => typeset.push_str("&#8203;\n"),
            (true, _) => {
                let escaped = line.replace('&', "&amp;").replace('<', "&lt;");
                typeset.push_str(&escaped);
                typeset.push('\n');
            }
            (false, _) => {
                typeset.push_str(line);
                typeset.push('\n');
            }
        }
    }
    typeset
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| file.display().to_string())
}

fn write(file: &Path, text: &str) -> Result<()> {
    let folder = file.parent().unwrap_or(file);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(file, text).with_context(|| file.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_not_markdown() {
        let text = "A\n\n```math\na < b_c_d\n\n* 2\n```\n\nB\n";
        let expected = "A\n\n<pre class=\"formula\">a &lt; b_c_d\n&#8203;\n* 2\n</pre>\n\nB\n";
        assert_eq!(typeset(text), expected);
    }
}
