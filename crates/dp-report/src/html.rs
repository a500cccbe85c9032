//! Reports as one HTML file: no request to anywhere, light and dark, on paper and on telephones.

mod blocks;
mod figure;
mod trust;

use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use figure::figure;
pub use trust::trust;

use crate::lines::unbroken;
use crate::model::{Report, Section};

/// The style sheet of a report. Its colours are variables, which a page that shows parts of a report may set
/// itself.
pub const STYLE: &str = include_str!("html/style.css");

/// What a browser may load for a report: nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The report as a file.
#[must_use]
pub fn document(report: &Report) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                meta name="generator" content=(crate::generator(report));
                title { (report.title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main class="report" { (content(report)) }
                footer { p { (report.colophon) } }
            }
        }
    };
    page.into_string() + "\n"
}

/// What a report says below its answer, for a page that has a head of its own and [`STYLE`].
#[must_use]
pub fn sections(report: &Report) -> String {
    let sections = html! {
        @for section in &report.sections { (of_section(section)) }
    };
    sections.into_string()
}

/// The [kind](Report::kind) of the report whose file begins like this, up to its title; nothing for a file
/// that this crate did not write.
#[must_use]
pub fn kind(beginning: &[u8]) -> Option<&str> {
    let after = beginning.strip_prefix(b"<!DOCTYPE html>")?;
    let head = after.split(|byte| *byte == b'>');
    let generator = b"<meta name=\"generator\" content=\"";
    let mut found = head.filter_map(|tag| tag.strip_prefix(generator)?.strip_suffix(b"\""));
    crate::kind(found.next()?)
}

/// What stands in the file, without its head.
fn content(report: &Report) -> Markup {
    html! {
        header {
            h1 { (unbroken(&report.title)) }
            dl class="origin" {
                @for fact in report.origin.facts() { dt { (fact.name) } dd { (unbroken(&fact.value)) } }
            }
            div class="question" {
                h2 { "The question" }
                @for paragraph in &report.question { p { (unbroken(paragraph)) } }
            }
            div class="answer" {
                h2 { "The answer" }
                p class="verdict" { (unbroken(&report.verdict)) }
                p { (unbroken(&report.answer)) }
            }
        }
        nav aria-label="Contents" {
            ul {
                @for section in &report.sections {
                    li { a href=(format!("#{}", section.id)) { (section.title) } }
                }
            }
        }
        @for section in &report.sections { (of_section(section)) }
    }
}

fn of_section(section: &Section) -> Markup {
    let heading = format!("{}-heading", section.id);
    html! {
        section id=(section.id) aria-labelledby=(heading) {
            h2 id=(heading) { (section.title) }
            @for block in &section.blocks { (blocks::block(block)) }
        }
    }
}
