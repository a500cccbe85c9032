//! The page for people as HTML, from its Markdown: headings, paragraphs, lists, a table, bold words
//! and code, which is all that the page has.

use maud::{Markup, PreEscaped, html};

use super::Statement;
use crate::html::whole;

impl Statement {
    /// The page for people as one HTML file, which loads nothing.
    #[must_use]
    pub fn to_html(&self) -> String {
        let markdown = self.to_markdown();
        let Some((comment, page)) = markdown.split_once("\n\n") else {
            unreachable!("a comment, then the page")
        };
        let title = format!("{}: your privacy", self.deployment.text("product.name"));
        let body = html! {
            main class="report" { @for part in page.trim_end().split("\n\n") { (block(part)) } }
        };
        comment.to_owned() + &whole(&title, &html! {}, &body).into_string() + "\n"
    }
}

/// A heading, a list, a table or a paragraph of the page as HTML.
fn block(part: &str) -> Markup {
    html! {
        @if let Some(title) = part.strip_prefix("# ") { h1 { (inline(title)) } }
        @else if let Some(title) = part.strip_prefix("## ") { h2 { (inline(title)) } }
        @else if part.starts_with("- ") {
            ul { @for line in part.lines() { li { (inline(line.trim_start_matches("- "))) } } }
        } @else if part.starts_with("| ") {
            @let mut rows = part.lines().map(|line| line.trim_matches('|').split('|'));
            table {
                thead { tr { @for cell in rows.next().into_iter().flatten() { th scope="col" { (inline(cell.trim())) } } } }
                // The line below the head of a Markdown table has dashes only.
                tbody { @for row in rows.skip(1) { tr { @for cell in row { td { (inline(cell.trim())) } } } } }
            }
        } @else { p { (inline(part)) } }
    }
}

/// Words of the page as HTML. Texts of the deployment were escaped for Markdown, so that `<`, `>`
/// and `&` are entities already, and a backslash stands before a mark that is meant as a character.
fn inline(words: &str) -> Markup {
    let (mut text, mut is_bold, mut is_code) = (String::with_capacity(words.len()), false, false);
    let mut rest = words.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => text.extend(rest.next()),
            '*' if rest.next_if_eq(&'*').is_some() => {
                is_bold = !is_bold;
                text += if is_bold { "<strong>" } else { "</strong>" };
            }
            '`' => {
                is_code = !is_code;
                text += if is_code { "<code>" } else { "</code>" };
            }
            other => text.push(other),
        }
    }
    PreEscaped(text)
}
