//! Reports as Markdown, with tables as on GitHub. A chart becomes its table.

use std::fmt::Write as _;

use dp_calibration::is_printable;

use crate::model::{Block, Report, Table, TrustCard};

/// The report as one Markdown file.
#[must_use]
pub fn document(report: &Report) -> String {
    let mut text = format!("<!-- {} -->\n", crate::generator(report));
    let _ = writeln!(text, "# {}", escaped(&report.title));
    for fact in report.origin.facts() {
        let _ = write!(text, "\n{}: {}\n", fact.name, escaped(&fact.value));
    }
    text += "\n## The question\n";
    for paragraph in &report.question {
        let _ = write!(text, "\n{}\n", escaped(paragraph));
    }
    let (verdict, answer) = (escaped(&report.verdict), escaped(&report.answer));
    let _ = write!(text, "\n## The answer\n\n**{verdict}**\n\n{answer}\n");
    for section in &report.sections {
        text += &heading(2, &section.title);
        text.extend(section.blocks.iter().map(|block| written(block, 3)));
    }
    let _ = write!(text, "\n---\n\n{}\n", escaped(&report.colophon));
    text
}

/// A block as Markdown, beginning with an empty line; `level` is the level of headings inside it.
fn written(block: &Block, level: usize) -> String {
    match block {
        Block::Paragraph(words) => format!("\n{}\n", escaped(words)),
        Block::Warning(words) => format!("\n> **Attention:** {}\n", escaped(words)),
        Block::List(items) => {
            let items = items.iter().map(|item| format!("- {}\n", escaped(item)));
            format!("\n{}", items.collect::<String>())
        }
        Block::Group(title, blocks) => {
            let blocks = blocks.iter().map(|block| written(block, level + 1));
            heading(level, title) + &blocks.collect::<String>()
        }
        Block::Table(content) => table(content),
        Block::Facts(facts) => {
            let rows = facts.iter();
            let rows =
                rows.map(|fact| row([escaped(fact.name.trim_start()), escaped(&fact.value)]));
            format!("\n|  |  |\n| :-- | :-- |\n{}", rows.collect::<String>())
        }
        Block::Chart(chart) => format!(
            "{}\n{}\n{}",
            heading(level, &chart.title),
            escaped(&chart.description),
            table(&chart.table)
        ),
        Block::Trust(models) => trust(models),
    }
}

/// A heading of this level, behind an empty line.
fn heading(level: usize, title: &str) -> String {
    format!("\n{} {}\n", "#".repeat(level), escaped(title))
}

/// A row of a table; the caller has escaped the cells.
fn row(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

/// The caption, the table with the chosen row's first cell in bold, and the legend.
fn table(table: &Table) -> String {
    let mut text = format!("\n{}:\n\n", escaped(&table.caption));
    text += &row(table.columns.iter().map(|column| escaped(&column.name)));
    let rules = table.columns.iter();
    text += &row(rules.map(|column| if column.is_number { "--:" } else { ":--" }.to_owned()));
    for (number, cells) in table.rows.iter().enumerate() {
        let is_chosen = table.chosen == Some(number);
        let cells = cells.iter().enumerate();
        text += &row(cells.map(|(place, cell)| match (is_chosen, place) {
            (true, 0) => format!("**{}**", escaped(cell)),
            _ => escaped(cell),
        }));
    }
    if !table.legend.is_empty() {
        let _ = write!(text, "\n{}\n", escaped(&table.legend));
    }
    text
}

/// The trust models as a table, one row each; the model that the report is about is bold.
fn trust(models: &[TrustCard]) -> String {
    let mut text = String::from(
        "\n| trust model | must be honest | guarantee | otherwise |\n| :-- | :-- | :-- | :-- |\n",
    );
    for model in models {
        let name = model.model.abbreviation();
        let name = match model.mark {
            Some(mark) => format!("**{name}** ({mark})"),
            None => name,
        };
        let bound = match &model.total {
            Some(total) => format!("{}; {total}", model.bound),
            None => model.bound.clone(),
        };
        let honest = model.model.must_be_honest();
        let words = [&honest, &bound, &model.remark].map(|words| escaped(words));
        text += &row(std::iter::once(name).chain(words));
    }
    text
}

/// `text` for the middle of a line: marks of Markdown and HTML are escaped, line breaks are spaces,
/// mentions and links stay plain text, and invisible characters appear as `\u{…}`.
pub(crate) fn escaped(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let mut safe = String::with_capacity(text.len());
    for (place, character) in characters.iter().enumerate() {
        match *character {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '$' => {
                safe.push('\\');
                safe.push(*character);
            }
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '\n' | '\r' => safe.push(' '),
            other if is_printable(other) => safe.push(other),
            hidden => safe.extend(hidden.escape_unicode()),
        }
        if makes_link(&characters, place) {
            safe.push_str("<wbr>");
        }
    }
    safe
}

/// Whether a Markdown reader may turn the text around the character at index `place` into a link or
/// a mention: `@name`, `#1`, `GH-1`, `!1`, a bare address. An invisible element behind it prevents
/// that, a backslash does not.
fn makes_link(characters: &[char], place: usize) -> bool {
    let next = characters.get(place + 1).copied().unwrap_or_default();
    let before = place.checked_sub(1).map_or(' ', |before| characters[before]);
    match characters[place] {
        '@' | '#' => true,
        ':' => next == '/',
        'w' | 'W' => next == '.' && before.eq_ignore_ascii_case(&'w'),
        '-' => next.is_ascii_digit() && before.eq_ignore_ascii_case(&'h'),
        '!' => next.is_ascii_digit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Column;

    #[test]
    fn what_means_something_in_markdown_is_text() {
        assert_eq!(escaped("a|b\n*c* <d>"), "a\\|b \\*c\\* &lt;d&gt;");
        assert_eq!(
            escaped("@ann #1 https://x www.y a@b.c \u{202e}\u{200b}"),
            "@<wbr>ann \\#<wbr>1 https:<wbr>//x www<wbr>.y a@<wbr>b.c \\u{202e}\\u{200b}"
        );
        for (text, expected) in [
            ("@org/team", "@·org/team"),
            ("#1, o/r#23, GH-4, gh-5, !6", "#·1, o/r#·23, GH-·4, gh-·5, !·6"),
            ("ftp://z HTTP://Q", "ftp:·//z HTTP:·//Q"),
            ("WWW.X", "WWW·.X"),
            (
                "wow. www a-1 1e-9 GH-x what! 12:30 30 % /",
                "wow. www a-1 1e-9 GH-x what! 12:30 30 % /",
            ),
        ] {
            let escaped = escaped(text).replace("<wbr>", "·").replace('\\', "");
            assert_eq!(escaped, expected);
        }
        let made = Table {
            rows: vec![vec!["x|y".to_owned(), "1".to_owned()]],
            ..Table::new("t", vec![Column::words("a"), Column::numbers("b")])
        };
        assert_eq!(table(&made), "\nt:\n\n| a | b |\n| :-- | --: |\n| x\\|y | 1 |\n");
    }
}
